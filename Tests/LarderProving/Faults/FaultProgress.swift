import Foundation

/// The calls that runs have failed already, so that several runs together fail each of them.
///
/// They are those of one build: another one has other calls.
struct FaultProgress: Codable, Sendable {
  /// What tells the build from others.
  private var build: String
  private var tried: [String: [Int]] = [:]

  private init(build: String) {
    self.build = build
  }

  /// Reads what earlier runs of the executable have left in the file; nothing without a file.
  init(_ file: URL?, of executable: URL) throws {
    let attributes = try FileManager.default.attributesOfItem(
      atPath: executable.resolvingSymlinksInPath().path(percentEncoded: false))
    let date = (attributes[.modificationDate] as? Date)?.timeIntervalSinceReferenceDate ?? 0
    self.init(build: "\(attributes[.size] as? Int ?? 0) bytes of \(date)")
    guard let file, FileManager.default.fileExists(atPath: file.path(percentEncoded: false)) else { return }
    let earlier = try JSONDecoder().decode(FaultProgress.self, from: Data(contentsOf: file))
    if earlier.build == build { tried = earlier.tried }
  }

  func write(to file: URL) throws {
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try JSONEncoder().encode(self).write(to: file, options: .atomic)
  }

  func tried(in unit: FaultUnit) -> Set<Int> { Set(tried[unit.description] ?? []) }

  mutating func note(_ number: Int, in unit: FaultUnit) { tried[unit.description, default: []].append(number) }

  /// Begins the unit once more: each of its calls was tried.
  mutating func beginAgain(_ unit: FaultUnit) { tried[unit.description] = nil }
}
