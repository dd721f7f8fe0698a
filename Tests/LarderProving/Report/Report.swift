import Foundation

/// The results of the parts, as text and as a page.
public struct Report: Sendable {
  public let results: [PartResult]

  public init(_ results: [PartResult]) {
    self.results = results
  }

  public var findings: Int { results.reduce(0) { $0 + $1.findings.count } }

  static func grouped(_ number: Int) -> String {
    var digits = String(number.magnitude)
    var groups: [String] = []
    while digits.count > 3 {
      groups.insert(String(digits.suffix(3)), at: 0)
      digits.removeLast(3)
    }
    return (number < 0 ? "-" : "") + ([digits] + groups).joined(separator: ",")
  }

  static func duration(_ seconds: Double) -> String {
    if seconds < 60 { return "\(Int(seconds.rounded())) s" }
    return "\(Int(seconds) / 60) min \(Int(seconds) % 60) s"
  }
}
