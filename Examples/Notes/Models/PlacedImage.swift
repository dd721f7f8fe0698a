import Larder

/// A picture on a note: its name and its frame, and the attachment that names its bytes.
struct PlacedImage: Codable, Equatable, Sendable {
  /// The name it was imported under.
  var name: String
  var picture: Attachment
  var frame: Frame

  /// In points from the top left corner of a sheet that is 720 points wide.
  struct Frame: Codable, Equatable, Sendable {
    var x: Double
    var y: Double
    var width: Double
    var height: Double

    var isOnPaper: Bool {
      (0...1_000_000).contains(y) && (0...720).contains(x) && (1...10_000).contains(width)
        && (1...10_000).contains(height)
    }
  }
}
