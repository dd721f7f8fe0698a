import Foundation
import Larder
import LarderTestSupport
import Testing

@Suite("what larder refuses", .timeLimit(.minutes(20)))
struct ToolRefusalTests {
  /// A command for each verb that opens a file, with the path in the place of FILE.
  static let commands: [[String]] = [
    ["info", "FILE"], ["schema", "FILE"], ["plan", "FILE", "FILE"], ["model", "FILE"], ["query", "FILE", "ToolNote"],
    ["sql", "FILE", "select 1"],
    ["export", "FILE", "ToolNote"], ["import", "FILE", "ToolNote", "-", "--format", "csv"], ["check", "FILE"],
    ["repair", "FILE"], ["backup", "FILE", "TO"], ["restore", "FILE", "TO"], ["compact", "FILE"],
    ["diff", "FILE", "FILE"], ["watch", "FILE", "ToolNote"], ["sync", "status", "FILE"], ["sync", "conflicts", "FILE"],
    ["sync", "export", "FILE", "TO"], ["sync", "import", "FILE", "TO"], ["archive", "show", "FILE"],
    ["studio", "FILE", "--no-open"],
  ]

  private func run(_ command: [String], on path: String, _ target: String) async throws -> ToolRun {
    let process = try ToolProcess(command.map { $0 == "FILE" ? path : $0 == "TO" ? target : $0 })
    process.closeInput()
    return try await process.result()
  }

  @Test("a missing file, a folder and a file that is no database are a sentence and exit code 1", arguments: commands)
  func wrongFiles(command: [String]) async throws {
    let file = try ToolFile()
    let text = try file.write(String(repeating: "no database ", count: 100), to: "text.txt")
    for path in [file.side("missing"), file.folder.url.path, text] {
      let run = try await run(command, on: path, file.side("to"))
      #expect(run.status == 1, "\(command) \(path): \(run)")
      #expect(run.output.isEmpty, "\(run.output)")
      #expect(run.errors.hasPrefix("larder: ") && run.errors.hasSuffix(".\n"), "\(command): \(run.errors)")
      #expect(!run.errors.contains("StoreError") && !run.errors.contains("schema: .existing"), "\(run.errors)")
    }
    #expect(!FileManager.default.fileExists(atPath: file.side("missing")))
    #expect(!FileManager.default.fileExists(atPath: file.side("to")))
  }

  @Test("a pipe is no database, and nobody waits for it", arguments: commands.filter { $0[0] != "archive" })
  func pipe(command: [String]) async throws {
    let file = try ToolFile()
    let pipe = file.side("pipe")
    try #require(mkfifo(pipe, 0o600) == 0)
    let run = try await run(command, on: pipe, file.side("to"))
    #expect(run.status == 1 && run.errors.contains("isn't a regular file"), "\(command): \(run)")
  }

  @Test("a file of a newer Larder is refused")
  func newer() async throws {
    let file = try await ToolFile.withNotes()
    try await file.store { try await $0.sql("update _larder_info set value = 1000 where key = 'format'") }
    for command in [["info", "FILE"], ["query", "FILE", "ToolNote"], ["check", "FILE"], ["compact", "FILE"]] {
      let run = try await run(command, on: file.path, "")
      #expect(run.status == 1, "\(run)")
      #expect(run.errors.hasPrefix("larder: "), "\(run.errors)")
    }
  }

  @Test("a file that another program writes to is busy, for verbs that write")
  func busy() async throws {
    let file = try await ToolFile.withNotes()
    let store = try Store(at: file.path, for: ToolFile.models)
    let path = file.path
    let (written, read) = try await withCheckedThrowingContinuation { continuation in
      do {
        let runs = try store.blocking.write { db in
          try db.sql("update ToolNote set count = 9")
          return (
            try Self.waiting(for: ["import", path, "ToolNote", "-", "--format", "csv"], input: "title\nTea\n"),
            try Self.waiting(for: ["query", path, "ToolNote", "count == 9"], input: "")
          )
        }
        continuation.resume(returning: runs)
      } catch {
        continuation.resume(throwing: error)
      }
    }
    #expect(written == 1)
    // Readers don't wait, and see what is committed.
    #expect(read == 0)
    await store.close()
  }

  /// Blocks until the command has ended: the transaction that is in its way is a closure that can't wait otherwise.
  private static func waiting(for arguments: [String], input: String) throws -> Int32 {
    let done = DispatchSemaphore(value: 0)
    let status = StatusBox()
    let process = try ToolProcess(arguments)
    process.send(input)
    process.closeInput()
    Thread.detachNewThread {
      Task {
        status.value = try? await process.result().status
        done.signal()
      }
    }
    done.wait()
    return status.value ?? -1
  }

  /// Written before the semaphore is signalled, and read after it was waited for.
  private final class StatusBox: @unchecked Sendable {
    var value: Int32?
  }

  @Test(
    "a misspelled command has the parser's exit code",
    arguments: [["inf"], ["query"], ["export", "a", "b", "--format", "xml"]])
  func misuse(arguments: [String]) async throws {
    let process = try ToolProcess(arguments)
    process.closeInput()
    let run = try await process.result()
    #expect(run.status == 64)
    #expect(run.errors.contains("Usage: larder"))
  }

  @Test("each verb explains itself with an example")
  func help() async throws {
    let main = try await ToolRun("--help")
    #expect(main.status == 0)
    for verb in Set(Self.commands.map { $0[0] }) {
      #expect(main.output.contains("\n  \(verb) "), "\(verb)")
      let help = try await ToolRun(verb, "--help")
      #expect(help.status == 0)
      #expect(verb == "archive" || help.output.contains("larder \(verb)"), "\(verb)")
    }
  }
}
