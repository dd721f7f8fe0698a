import Foundation
import Larder
import LarderTestSupport
import Synchronization
import Testing

@testable import LarderSync

/// Cancels a task when a store has executed a number of statements.
private final class StatementTrigger: Sendable {
  private struct State {
    var rest: Int?
    var task: Task<Void, any Error>?
  }

  private let state = Mutex(State())

  /// Runs the work, and cancels it after a number of statements. Returns whether it was completed before.
  func run(after statements: Int, _ work: @escaping @Sendable () async throws -> Void) async throws -> Bool {
    let (started, start) = AsyncStream<Void>.makeStream()
    let task = Task {
      for await _ in started { break }
      try await work()
    }
    state.withLock { $0 = State(rest: statements, task: task) }
    start.yield()
    let result = await task.result
    let isUnused = state.withLock { state in
      defer { state = State() }
      return state.rest.map { $0 > 0 } ?? true
    }
    do {
      try result.get()
    } catch is CancellationError {
      return false
    }
    return isUnused
  }

  func note() {
    let task = state.withLock { state -> Task<Void, any Error>? in
      guard let rest = state.rest else { return nil }
      state.rest = rest - 1
      return rest == 1 ? state.task : nil
    }
    task?.cancel()
  }
}

@Suite("Sync: transfers that are cancelled")
struct CancelledTransferTests {
  private let trigger = StatementTrigger()
  private let folder: TemporaryFolder
  private let a: Replica
  private let b: Replica
  private let images = (0..<3).map { randomBytes(300 << 10, seed: $0) }

  init() throws {
    folder = try TemporaryFolder()
    a = try Replica([SharedPicture.self], configuration: Self.configuration(trigger))
    b = try Replica([SharedPicture.self], configuration: Self.configuration(trigger))
  }

  private static func configuration(_ trigger: StatementTrigger) -> Store.Configuration {
    var configuration = Store.Configuration(sync: .on)
    configuration.trace = { _ in trigger.note() }
    return configuration
  }

  private func fill(_ replica: Replica, _ name: String) async throws {
    for (number, data) in images.enumerated() {
      let image = try await replica.store.attach(data)
      try await replica.store.insert(SharedPicture(id: "\(name)\(number)", name: "\(name)\(number)", image: image))
    }
  }

  /// Cancels the work after one statement, after two, and so on, until it ends before it is cancelled.
  private func cancelEverywhere(
    step: Int = 1, _ work: @escaping @Sendable () async throws -> Void, check: () async throws -> Void
  ) async throws {
    var statements = 1
    while try await !trigger.run(after: statements, work) {
      try await check()
      statements += step
    }
    #expect(statements > 1)
  }

  private func expectImages(_ replica: Replica, _ names: [String]) async throws {
    for name in names {
      for (number, data) in images.enumerated() { #expect(try await replica.data(of: "\(name)\(number)") == data) }
    }
    #expect(try replica.attachmentFiles().arriving.isEmpty)
    #expect(try await replica.store.sync.awaitedAttachments().isEmpty)
  }

  @Test("S14: an exchange that is cancelled anywhere leaves both sides whole, and goes on with the next one")
  func exchange() async throws {
    try await fill(a, "a")
    try await fill(b, "b")
    try await cancelEverywhere(step: 7) { [a, b] in
      try await a.store.sync.exchange(with: b.store.sync)
    } check: {
      for replica in [a, b] {
        let report = try await replica.store.check()
        #expect(report.isHealthy)
      }
    }
    try await a.exchange(with: b)
    try await expectEqual([a, b])
    for replica in [a, b] { try await expectImages(replica, ["a", "b"]) }
  }

  @Test("an export that is cancelled anywhere leaves a whole file or none", arguments: [nil, GroupKey()])
  func export(key: GroupKey?) async throws {
    try await fill(a, "a")
    let url = folder.file("changes")
    try await cancelEverywhere { [a] in
      try await a.store.sync.export(to: url, key: key)
    } check: {
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
      #expect(names.isEmpty || names == ["changes"])
      if names.isEmpty { return }
      _ = try BatchFile(at: url, keys: [key].compactMap { $0 })
      try FileManager.default.removeItem(at: url)
    }
    try await b.store.sync.import(from: url, keys: [key].compactMap { $0 })
    try await expectImages(b, ["a"])
  }

  @Test("an import that is cancelled anywhere is completed by the next one", arguments: [nil, GroupKey()])
  func `import`(key: GroupKey?) async throws {
    try await fill(a, "a")
    let url = folder.file("changes")
    try await a.store.sync.export(to: url, key: key)
    let keys = [key].compactMap { $0 }
    try await cancelEverywhere(step: 3) { [b] in
      try await b.store.sync.import(from: url, keys: keys)
    } check: {
      let report = try await b.store.check()
      #expect(report.isHealthy)
    }
    try await b.store.sync.import(from: url, keys: keys)
    try await expectImages(b, ["a"])
    try await expectEqual([a, b])
  }
}
