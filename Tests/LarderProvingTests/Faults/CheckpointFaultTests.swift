import Foundation
import Larder
import LarderTestSupport
import Logging
import Synchronization
import Testing

@testable import LarderProving

extension FaultSuites {
  @Suite("Checkpoints that fail", .serialized)
  struct CheckpointFaultTests {
    /// The messages of a store.
    private final class Messages: Sendable {
      private let lines = Mutex<[String]>([])

      var logger: Logger { Logger(label: "test") { [self] _ in Handler(messages: self) } }

      /// The messages since the last call.
      func take() -> [String] {
        lines.withLock { lines in
          defer { lines = [] }
          return lines
        }
      }

      private struct Handler: LogHandler {
        let messages: Messages
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
          get { metadata[key] }
          set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
          guard event.level >= .warning else { return }
          let keys = event.metadata?.keys.sorted().joined(separator: ", ") ?? ""
          messages.lines.withLock { $0.append("\(event.level): \(event.message) (\(keys))") }
        }
      }
    }

    @Test("a checkpoint of the background that fails is logged once, until one has succeeded again")
    func message() async throws {
      try FaultVFS.register()
      let folder = try TemporaryFolder()
      let messages = Messages()
      let store = try Store(
        at: folder.file("a.larder"), for: [FaultProbe.self, FaultToken.self],
        configuration: Store.Configuration(log: messages.logger))
      // Enough for a checkpoint, which begins when the writer is let go of, and is over when it is the next one's turn.
      // Each time another text: SQLite does not write a page again that stays as it is.
      func fill(_ round: Int) async throws {
        try await store.save(
          (0..<600).map { FaultToken(id: $0, text: String(repeating: "\(round % 10)", count: 9000)) })
        try await store.write { _ in }
      }
      try await fill(0)
      #expect(messages.take() == [])
      for round in 1...2 {
        // The first commit after a checkpoint starts the log over, which waits for the disk.
        try await store.save(FaultToken(id: 0))
        // With the durability .normal, later commits wait for nothing, and checkpoints do.
        FaultVFS.confine(to: folder.url)
        FaultVFS.arm(.sync, at: 1, .inputOutput, persists: true)
        defer { FaultVFS.disarm() }
        for part in 0..<4 { try await fill(round * 10 + part) }
        #expect(FaultVFS.failures >= 2)
        #expect(
          messages.take() == [
            "error: the write-ahead log cannot be moved into the file; it grows until that succeeds (code, reason)"
          ])
        FaultVFS.disarm()
        for part in 4..<8 { try await fill(round * 10 + part) }
        #expect(messages.take() == [])
      }
      #expect(try await store.count(FaultToken.all) == 600)
    }

    @Test(
      "a call that fails in a checkpoint, asked for or in the background, loses nothing",
      arguments: [
        "checkpoint", "checkpoint-passive", "checkpoint-restart", "checkpoint-truncate", "checkpoint-behind-reader",
      ])
    func sampled(scenario: String) async throws {
      var random = SplitMix64(seed: 13)
      for (failure, persists) in [("inputOutput", false), ("full", true)] {
        let folder = try TemporaryFolder()
        let unit = FaultUnit(scenario: scenario, layer: .connections, failure: failure, persists: persists)
        let trial = try await unit.trial(in: folder.url, ownsProcess: false)
        let whole = try await trial.run(at: .max)
        #expect(whole.problems == [])
        #expect(whole.calls > 3)
        for _ in 0..<(scenario == "checkpoint" ? 8 : 3) {
          let outcome = try await trial.run(at: Int.random(in: 1...whole.calls, using: &random))
          #expect(outcome.problems == [], "seed 13, \(failure), call \(outcome.number) (\(outcome.call))")
        }
      }
    }
  }
}
