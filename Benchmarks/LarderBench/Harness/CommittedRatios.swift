import Foundation

/// Larder's ratios that are committed to the repository, for each kind of machine, so that a run sees what has become
/// slower since.
struct CommittedRatios: Codable {
  /// By kind of machine, then by case.
  private var machines: [String: [String: Ratios]] = [:]

  init() {}

  /// Reads the file; empty if there is none.
  init(_ file: URL) throws {
    guard FileManager.default.fileExists(atPath: file.path) else { return }
    self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: file))
  }

  func encode(to encoder: any Encoder) throws {
    try machines.encode(to: encoder)
  }

  init(from decoder: any Decoder) throws {
    machines = try [String: [String: Ratios]](from: decoder)
  }

  /// Takes over the ratios of a run. Cases that it left out keep theirs, as does each kind that it couldn't measure.
  mutating func take(_ ratios: [String: Ratios], of machine: Machine.Kind) {
    machines[machine.description, default: [:]].merge(ratios) { $1.completed(by: $0) }
  }

  func write(to file: URL) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try encoder.encode(self).write(to: file, options: .atomic)
  }

  /// What has moved by more than the noise of both runs, and what can't be compared, as lines of text.
  func comparison(with ratios: [String: Ratios], of machine: Machine.Kind) -> String {
    guard let committed = machines[machine.description] else {
      return "No ratios of this kind of machine (\(machine)) are committed; --commit adds them."
    }
    var lines: [String] = []
    var (compared, moved) = (0, 0)
    for (name, ratios) in ratios.sorted(by: { $0.key < $1.key }) {
      guard let before = committed[name] else {
        lines.append("\(name) isn't committed yet; --commit adds it.")
        continue
      }
      guard ratios.isComparable(to: before) else {
        lines.append("\(name) can't be compared: one run has the time that passed, the other only processor time.")
        continue
      }
      compared += 1
      let changes = ratios.changes(since: before)
      moved += changes.count
      lines += changes.map { "\(name) takes \($0)" }
    }
    if moved == 0 { lines.append("Of \(compared) committed cases, none has moved by more than the noise.") }
    return lines.joined(separator: "\n")
  }
}

extension Machine {
  /// What ratios depend on.
  struct Kind: CustomStringConvertible {
    let description: String
  }

  var kind: Kind { Kind(description: "\(processor), \(cores) cores, SQLite \(sqlite)") }
}
