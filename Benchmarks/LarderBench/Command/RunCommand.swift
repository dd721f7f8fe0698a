import ArgumentParser
import Foundation

/// Verifies that all contenders agree, measures them, prints the tables and writes the figures.
struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Verify, measure, print and write the figures.")

  @Option(
    parsing: .upToNextOption,
    help: "The cases to run: \(BenchmarkCase.allCases.map(\.rawValue).joined(separator: " ")).")
  var cases: [BenchmarkCase] = BenchmarkCase.allCases

  @Option(
    parsing: .upToNextOption,
    help:
      "The cases with related rows, or \"none\": \(RelationshipCase.allCases.map(\.rawValue).joined(separator: " ")).")
  var relationships = RelationshipCase.allCases.map(\.rawValue)

  @Option(
    parsing: .upToNextOption,
    help: "Who takes part beside rawC: \(ContenderName.allCases.map(\.rawValue).joined(separator: " ")).")
  var contenders: [ContenderName] = ContenderName.allCases

  @Option(help: "How often everything is measured after the warm-up; an even number is fairest.")
  var repetitions = 4

  @Option(help: "The folder with northwind-orders.db. (default: $LARDER_TEST_DATA, or ../shared/data)")
  var data: String?

  @Option(help: "The file for the figures.")
  var output = ".build/bench.json"

  @Option(help: "The folder for the databases; it is made anew, and removed at the end.")
  var folder = ".build/bench"

  @OptionGroup var ratios: RatioOptions

  @Flag(inversion: .prefixedNo, help: "Measure the peak memory of processes of their own, too.")
  var memory = true

  func validate() throws {
    guard repetitions > 0 else { throw ValidationError("--repetitions must be at least 1.") }
    guard !cases.isEmpty else { throw ValidationError("--cases needs at least one case.") }
    for name in relationships where name != "none" && RelationshipCase(rawValue: name) == nil {
      throw ValidationError("--relationships has no case \(name).")
    }
  }

  func run() async throws {
    try SteadyProcess.keepMemory()
    SteadyProcess.parkSecondThread()

    let cases = BenchmarkCase.allCases.filter(self.cases.contains)
    let contenders = ContenderName.allCases.filter { $0 == .rawC || self.contenders.contains($0) }
    let data = self.data ?? ProcessInfo.processInfo.environment["LARDER_TEST_DATA"] ?? "../shared/data"
    let folder = URL(filePath: folder)
    let template = try OrdersTemplate(in: folder, data: URL(filePath: data))
    defer { try? FileManager.default.removeItem(at: folder) }
    let workload = Workload(orders: try template.orders())
    let machine = Machine()

    if memory { note("Peak memory …") }
    let memory = try memory ? peakMemory(of: cases.filter(\.measuresMemory), contenders, template) : [:]
    let benchmark = try Benchmark(cases, contenders, on: workload, from: template)
    note("Warm-up, and comparing all results with those of raw C …")
    try await benchmark.verify()
    let samples = try await benchmark.measure(repetitions: repetitions) { note("Repetition \($0) of \(repetitions) …") }
    let relationships = self.relationships.compactMap(RelationshipCase.init)
    let relationshipSamples = try await measure(relationships, contenders, in: folder)

    let report = Report(
      workload: workload,
      cases: cases,
      repetitions: repetitions,
      source: template.source,
      command: command(for: cases, contenders),
      machine: machine,
      samples: samples,
      memory: memory,
      relationships: relationships,
      relationshipSamples: relationshipSamples
    )
    print(report)
    try report.write(to: URL(filePath: output))
    try ratios.compare(report.ratios, on: machine)
  }

  private func measure(
    _ cases: [RelationshipCase], _ contenders: [ContenderName], in folder: URL
  ) async throws -> [RelationshipCase: [ContenderName: Sample]] {
    guard !cases.isEmpty else { return [:] }
    note("Related rows …")
    let benchmark = try await RelationshipBenchmark(cases, contenders, in: folder.appending(path: "relationships"))
    try await benchmark.verify()
    return try await benchmark.measure(rounds: repetitions * 6)
  }

  private func peakMemory(
    of cases: [BenchmarkCase],
    _ contenders: [ContenderName],
    _ template: OrdersTemplate
  ) throws -> [BenchmarkCase: [ContenderName: PeakMemory.Runs]] {
    var memory: [BenchmarkCase: [ContenderName: PeakMemory.Runs]] = [:]
    for benchmark in cases {
      for contender in contenders {
        memory[benchmark, default: [:]][contender] = try PeakMemory.ofChild(benchmark, contender, count: 5) {
          try template.copy(for: benchmark, contender)
        }
      }
    }
    return memory
  }

  private func command(for cases: [BenchmarkCase], _ contenders: [ContenderName]) -> String {
    var command = "swift run -c release LarderBench --repetitions \(repetitions)"
    if cases != BenchmarkCase.allCases { command += " --cases \(cases.map(\.rawValue).joined(separator: " "))" }
    if contenders != ContenderName.allCases {
      command += " --contenders \(contenders.map(\.rawValue).joined(separator: " "))"
    }
    return command
  }

  private func note(_ progress: String) {
    FileHandle.standardError.write(Data("\(progress)\n".utf8))
  }
}
