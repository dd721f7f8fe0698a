import Foundation

extension Report: CustomStringConvertible {
  /// The tables that the program prints.
  var description: String {
    """
    Median milliseconds after a warm-up, and in brackets the ratio to raw C: for Larder the median of the ratios of turns side by side, and its noise.

    \(timeTable)
    \(memoryTable)\(relationshipTable)
    turns     \(turns)
    yardstick \(Self.yardstick)
    orders    \(source)
    machine   \(machine.processor), \(machine.cores) cores, \(machine.system), load \(Self.decimal(machine.load))
    SQLite    \(machine.sqlite), WAL, synchronous = NORMAL
    again     \(command)
    """
  }

  private var turns: String {
    let counts = ContenderName.allCases.compactMap { contender in
      cases.first.flatMap { samples[$0]?[contender]?.measurements.count }.map { "\(contender.rawValue) \($0)" }
    }
    return "\(counts.joined(separator: ", ")), in \(repetitions) repetitions"
  }

  private var timeTable: String {
    table(head: ["case", "work"] + ContenderName.allCases.map(\.rawValue) + ["goal"]) {
      cases.map { benchmark in
        [benchmark.rawValue, benchmark.work(on: workload)]
          + ContenderName.allCases.map { contender in
            guard let sample = samples[benchmark]?[contender] else { return "–" }
            let median = Self.decimal(sample.median(of: \.elapsed))
            guard contender != .rawC else { return median }
            let noise = contender == .larder ? noise(in: benchmark) : ""
            return "\(median) (\(Self.decimal(ratio(contender, in: benchmark)))\(noise))"
          } + [verdict(ratio(.larder, in: benchmark), goal: benchmark.goal)]
      }
    }
  }

  /// The noise of Larder's ratio, with a mark if the machine was too busy for that of the time that passed.
  private func noise(in benchmark: BenchmarkCase) -> String {
    noise(of: larderRatios(in: benchmark))
  }

  private func noise(of ratios: Ratios) -> String {
    guard let ratio = ratios.time else { return "" }
    return " ± \(Self.decimal(ratio.noise))\(ratios.isOfProcessorTime ? " of processor time" : "")"
  }

  private var relationshipTable: String {
    guard !relationships.isEmpty else { return "" }
    let rows = table(head: ["case", "work"] + RelationshipBenchmark.names.map(\.rawValue) + ["goal"]) {
      relationships.map { benchmark in
        [benchmark.rawValue, benchmark.work]
          + RelationshipBenchmark.names.map { contender in
            guard let sample = relationshipSamples[benchmark]?[contender] else { return "–" }
            let median = Self.decimal(sample.median(of: \.elapsed))
            guard contender != .rawC else { return median }
            let own = larderRatios(in: benchmark)
            guard contender == .larder, let time = own.time else {
              return "\(median) (\(Self.decimal(ratio(contender, in: benchmark))))"
            }
            return "\(median) (\(Self.decimal(time.value))\(noise(of: own)))"
          } + [relationshipVerdict(benchmark)]
      }
    }
    return """

      Related rows; GRDB by its associations.

      \(rows)

      """
  }

  private func relationshipVerdict(_ benchmark: RelationshipCase) -> String {
    guard let goal = benchmark.goal else { return "" }
    let verdict = verdict(ratioToGoal(in: benchmark), goal: goal.ratio)
    guard goal.yardstick.benchmark != benchmark else { return verdict }
    return "\(Self.decimal(ratioToGoal(in: benchmark))) of \(goal.yardstick.benchmark.rawValue), \(verdict)"
  }

  private var memoryTable: String {
    guard !memory.isEmpty else { return "" }
    let rows = table(head: ["case", "work"] + ContenderName.allCases.map(\.rawValue) + ["goal"]) {
      cases.filter(\.measuresMemory).map { benchmark in
        [benchmark.rawValue, benchmark.work(on: workload.forMemory)]
          + ContenderName.allCases.map { contender in
            guard let memory = memory[benchmark]?[contender] else { return "–" }
            let figures = [memory.peak, memory.growth, memory.ofFiles].map(Self.megabytes).joined(separator: ", ")
            return contender == .rawC ? figures : "\(figures) (\(Self.decimal(memoryRatio(contender, in: benchmark))))"
          } + [verdict(memoryRatio(.larder, in: benchmark), goal: 1.15)]
      }
    }
    return """

      Peak memory in MB of a process that does only this, the part of it that the work added, the part that is pages of files (the
      program's own code, above all, which the system can drop), and in brackets the ratio of the peaks.

      \(rows)

      """
  }

  private func verdict(_ ratio: Double?, goal: Double) -> String {
    guard let ratio else { return "≤ \(Self.decimal(goal))" }
    return "≤ \(Self.decimal(goal)) \(ratio <= goal ? "reached" : "missed")"
  }

  private func table(head: [String], rows: () -> [[String]]) -> String {
    let rows = [head] + rows()
    let widths = head.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      zip(row, widths).enumerated().map { column, cell in
        let padding = String(repeating: " ", count: cell.1 - cell.0.count)
        return column < 2 ? cell.0 + padding : padding + cell.0
      }.joined(separator: "  ")
    }.joined(separator: "\n")
  }

  private static func decimal(_ value: Double?) -> String {
    String(format: "%.2f", value ?? .nan)
  }

  private static func megabytes(_ bytes: Int) -> String {
    String(format: "%.1f", Double(bytes) / 1_000_000)
  }
}
