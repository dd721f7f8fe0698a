import Foundation

/// Larder's ratios to raw C that are committed to the repository, for each kind of machine, so that a run sees what has
/// become slower since.
struct CommittedRatios: Codable {
  /// By kind of machine, then by case.
  private var machines: [String: [String: Ratio]] = [:]

  /// Reads the file; empty if there is none.
  init(_ file: URL) throws {
    guard FileManager.default.fileExists(atPath: file.path) else { return }
    self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: file))
  }

  func encode(to encoder: any Encoder) throws {
    try machines.encode(to: encoder)
  }

  init(from decoder: any Decoder) throws {
    machines = try [String: [String: Ratio]](from: decoder)
  }

  /// Takes over the ratios of a run; cases that it left out keep theirs.
  mutating func take(_ report: Report) {
    machines[report.machine.kind, default: [:]].merge(report.ratios) { $1 }
  }

  func write(to file: URL) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try encoder.encode(self).write(to: file, options: .atomic)
  }

  /// What has moved by more than the noise of both runs, as lines of text.
  func comparison(with report: Report) -> String {
    guard let committed = machines[report.machine.kind] else {
      return "No ratios of this kind of machine (\(report.machine.kind)) are committed; --commit adds them."
    }
    let known = report.ratios.filter { committed[$0.key] != nil }
    let moved = known.sorted { $0.key < $1.key }.compactMap { name, ratio -> String? in
      guard let before = committed[name], ratio.differs(from: before) else { return nil }
      let change = ratio.value > before.value ? "slower" : "faster"
      return String(
        format: "%@ is %@: %.2f ± %.2f, committed %.2f ± %.2f", name, change, ratio.value, ratio.noise, before.value,
        before.noise)
    }
    guard !moved.isEmpty else { return "Of \(known.count) committed ratios, none has moved by more than the noise." }
    return moved.joined(separator: "\n")
  }
}

extension Report {
  /// Larder's ratios by the names of the cases.
  var ratios: [String: Ratio] {
    var ratios: [String: Ratio] = [:]
    for benchmark in cases { ratios[benchmark.rawValue] = larderRatio(in: benchmark) }
    return ratios
  }
}

extension Machine {
  /// What ratios depend on.
  var kind: String { "\(processor), \(cores) cores, SQLite \(sqlite)" }
}
