public import Foundation

/// Runs cases of one unit in this process, and says on the standard output how each went: what runs in a process of its
/// own can trap or hang.
public struct FaultWorker: Sendable {
  /// What a worker says, a line each.
  enum Line: Codable, Sendable {
    /// A case begins.
    case begins(Int)
    case ended(FaultOutcome)
  }

  private let unit: FaultUnit
  private let folder: URL
  private let say: @Sendable (String) -> Void

  public init(_ unit: FaultUnit, in folder: URL, say: @escaping @Sendable (String) -> Void) {
    self.unit = unit
    self.folder = folder
    self.say = say
  }

  /// Runs the cases with the numbers; without any, one in which no call fails, which counts them.
  public func run(_ numbers: [Int]) async throws {
    let trial = try await unit.trial(in: folder, ownsProcess: true)
    if numbers.isEmpty { return try say(.ended(try await trial.run(at: .max))) }
    for number in numbers {
      try say(.begins(number))
      try say(.ended(try await trial.run(at: number)))
    }
  }

  private func say(_ line: Line) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    say(String(decoding: try encoder.encode(line), as: UTF8.self))
  }
}
