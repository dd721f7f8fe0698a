import Foundation
import Larder
import LarderStudio

/// Serves a store to the browser tests: `LarderStudioTestProcess FILE [--write] [--make | --share | --many]
/// [--program | --next]`.
///
/// `--make` makes a sample store first, `--share` one that another replica has exchanged changes with, `--many` one with a
/// million rows. With `--program` the program's own store is shown, as a server does that mounts Studio, with `--next` the
/// file before the program's next version opens it. Each line of the input is SQL, which another connection executes, as
/// a program would that uses the same file; it is acknowledged by a line.
@main
struct StudioTestProcess {
  static func main() async throws {
    var arguments = Array(CommandLine.arguments.dropFirst())
    func takes(_ flag: String) -> Bool {
      guard let position = arguments.firstIndex(of: flag) else { return false }
      arguments.remove(at: position)
      return true
    }
    let isWritable = takes("--write")
    let (isMade, isShared, isMany) = (takes("--make"), takes("--share"), takes("--many"))
    let (isProgram, isNext) = (takes("--program"), takes("--next"))
    guard let file = arguments.first else {
      print(
        "Usage: LarderStudioTestProcess FILE [--write] [--make | --share | --many] [--program | --next]")
      exit(64)
    }
    if isMade { try Samples.make(at: file) }
    if isShared { try await Samples.share(at: file) }
    if isMany { try Samples.makeMany(at: file) }
    let program = Thread { execute(in: file) }
    program.start()
    if isProgram {
      let store = try Store(at: file, for: Samples.models, configuration: Samples.configuration)
      try await Studio(
        store: store, name: "program", isWritable: isWritable,
        plan: {
          try Store.plan(at: file, for: Account.self, Guard.self, Ticket.self, configuration: Samples.configuration)
        }
      ).run()
    } else if isNext {
      try await Studio(file: file, isWritable: isWritable, plan: { try Samples.nextPlan(of: file) }).run()
    } else {
      try await Studio(file: file, isWritable: isWritable).run()
    }
  }

  /// Executes what the tests say until the input ends.
  private static func execute(in file: String) {
    while let line = readLine() {
      do {
        let store = try Store(at: file, schema: .existing)
        try store.blocking.sql(SQL(raw: line))
        try store.blocking.close()
        write("done")
      } catch {
        write("failed: \(error)")
      }
    }
  }

  /// Writes a line at once, even into a pipe.
  private static func write(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }
}
