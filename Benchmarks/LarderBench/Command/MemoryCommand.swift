import ArgumentParser
import Foundation

/// Does one case for one contender and prints the memory that this process took, as JSON. The run command starts it.
struct MemoryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "memory", shouldDisplay: false)

  @Argument var benchmark: BenchmarkCase
  @Argument var contender: ContenderName

  @Option(help: "A copy of the template that may be written to.")
  var file: String

  func run() async throws {
    SteadyProcess.parkSecondThread()
    let workload = Workload(orders: benchmark == .insertBulk ? try RawC(path: file).fetchAll() : []).forMemory
    let participant = try contender.participant(in: benchmark, on: workload, path: file)
    let memory = try await PeakMemory.whilePerforming(participant)
    FileHandle.standardOutput.write(try JSONEncoder().encode(memory))
  }
}
