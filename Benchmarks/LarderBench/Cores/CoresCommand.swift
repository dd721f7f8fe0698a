import ArgumentParser
import Foundation

/// Measures what a fetch of all rows could gain from a second core, before anything is built into the library for it.
///
/// The rows are fetched as two halves by key at once, and put together in their order, by Larder and by C. That is an
/// upper bound: a library would also have to make sure that both readers see the same commit.
struct CoresCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cores", abstract: "All rows by one core and by two, beside raw C on one core.")

  @Option(parsing: .upToNextOption, help: "How many rows the tables have.")
  var rows = [10_000, 16_671, 100_000]

  @Option(help: "How many rounds are measured after the warm-up; the median counts.")
  var rounds = 30

  @Option(help: "The folder for the databases; it is made anew, and removed at the end.")
  var folder = ".build/bench-cores"

  func validate() throws {
    guard !rows.isEmpty, rows.allSatisfy({ $0 >= 2 }) else { throw ValidationError("--rows needs at least 2 rows.") }
  }

  func run() async throws {
    try SteadyProcess.keepMemory()
    SteadyProcess.parkSecondThread()
    let folder = URL(filePath: folder)
    defer { try? FileManager.default.removeItem(at: folder) }
    let machine = Machine()
    print(
      """
      \(machine.processor), \(machine.cores) cores, SQLite \(machine.sqlite), load \(String(format: "%.2f", machine.load))
      All rows; a ratio is that of the time that passed to C on one core, of neighbouring turns. Two cores are worth their
      while at no more than \(Self.goal).
      """)
    for count in rows { try await measure(count, in: folder) }
  }

  /// The ratio to C on one core up to which a second core would be used.
  private static let goal = 0.65

  private func measure(_ count: Int, in folder: URL) async throws {
    let template = try OrdersTemplate(in: folder, generating: count)
    let path = try template.copy(for: .fetchAll, .larder)
    let (raw, larder) = (try CoresRawC(path: path), try CoresLarder(path: path))
    let keys = try template.orders().map(\.orderID)
    let middle = keys[keys.count / 2]

    let ways: [(name: String, turn: () async throws -> (Measurement, [Int]))] = [
      ("C, one connection", { try await Self.turn { try raw.fetchAll() } }),
      ("C, halves on two connections at once", { try await Self.turn { try await raw.fetchHalves(by: middle) } }),
      ("Larder, one call", { try await Self.turn { try await larder.fetchAll() } }),
      ("Larder, halves in two tasks at once", { try await Self.turn { try await larder.fetchHalves(by: middle) } }),
    ]
    var samples = [Sample](repeating: Sample(), count: ways.count)
    for round in 0...rounds {
      for position in round.isMultiple(of: 2) ? Array(ways.indices) : ways.indices.reversed() {
        let (measurement, found) = try await ways[position].turn()
        guard found == keys else { throw ValidationError("\(ways[position].name) returns other rows.") }
        // The first round warms up.
        if round > 0 { samples[position].append(measurement) }
      }
    }
    print("\("\(count) rows".left(44))      ms            ratio")
    for (way, sample) in zip(ways, samples) {
      let ratio = Ratio(of: zip(sample.measurements, samples[0].measurements).map { $0.elapsed / $1.elapsed })
      print(
        way.name.left(44) + String(format: "%.1f", sample.median(of: \.elapsed)).right(8)
          + (ratio?.text ?? "–").right(17))
    }
  }

  /// Measures one way of fetching. Returns the keys of what was fetched, too.
  private static func turn<Record: OrderRecord>(
    _ fetch: () async throws -> [Record]
  ) async throws -> (Measurement, [Int]) {
    let start = Measurement.sinceSomeStart()
    let orders = try await fetch()
    return (Measurement.sinceSomeStart() - start, orders.map(\.orderID))
  }
}
