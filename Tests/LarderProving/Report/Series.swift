/// A line or a row of bars of a plot in the report.
public struct Series: Codable, Sendable {
  public enum Style: String, Codable, Sendable {
    case line
    case bars
  }

  public struct Point: Codable, Sendable, Hashable {
    public var x: Double
    public var y: Double

    public init(_ x: Double, _ y: Double) {
      self.x = x
      self.y = y
    }
  }

  public var name: String
  public var style: Style
  /// What the horizontal axis counts.
  public var xLabel: String
  /// What the vertical axis counts.
  public var yLabel: String
  public var points: [Point]
  /// The names of the bars, one for each point.
  public var labels: [String]

  public init(
    _ name: String, style: Style = .line, xLabel: String, yLabel: String, points: [Point], labels: [String] = []
  ) {
    self.name = name
    self.style = style
    self.xLabel = xLabel
    self.yLabel = yLabel
    self.points = points
    self.labels = labels
  }
}
