public import Foundation

/// The folder with the results of the parts, one file each.
public struct ResultFolder: Sendable {
  public let url: URL

  public init(path: String) {
    url = URL(filePath: path)
  }

  public func write(_ result: PartResult) throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    encoder.dateEncodingStrategy = .iso8601
    try encoder.encode(result).write(to: url.appending(component: "\(result.part).json"), options: .atomic)
  }

  /// The results of all parts, in the order in which they began.
  public func results() throws -> [PartResult] {
    guard FileManager.default.fileExists(atPath: url.path(percentEncoded: false)) else { return [] }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return try FileManager.default.contentsOfDirectory(at: url, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "json" }
      .map { try decoder.decode(PartResult.self, from: Data(contentsOf: $0)) }
      .sorted { ($0.startedAt, $0.part) < ($1.startedAt, $1.part) }
  }
}
