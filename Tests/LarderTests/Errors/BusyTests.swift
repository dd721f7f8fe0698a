import Foundation
import Larder
import Testing

@Suite("A file that another process has locked", .timeLimit(.minutes(20)))
struct BusyTests {
  private func open(_ file: StoreFile, _ timeout: Duration) throws -> Store {
    try Store(at: file.path, for: ProcessEntry.self, configuration: Store.Configuration(busyTimeout: timeout))
  }

  @Test("a write waits for the busy timeout and is then refused; reads go on, and so do writes once the lock is gone")
  func refused() async throws {
    let file = try StoreFile()
    let store = try open(file, .milliseconds(50))
    try await store.insert(ProcessEntry(number: 1))
    let child = try ChildProcess("hold", file.path)
    #expect(await child.line() == "held")
    let single = await #expect(throws: StoreError.self) { try await store.save(ProcessEntry(number: 2)) }
    let several = await #expect(throws: StoreError.self) { try await store.save([ProcessEntry(number: 2)]) }
    let closure = await #expect(throws: StoreError.self) {
      try await store.write { db in try db.deleteAll(ProcessEntry.all) }
    }
    let blocking = #expect(throws: StoreError.self) { try store.blocking.insert(ProcessEntry(number: 2)) }
    let once = await #expect(throws: StoreError.self) { try await store.once("x") { _ in } }
    for error in [single, several, closure, blocking, once] { #expect(error?.code == .busy) }
    await withTaskGroup(of: StoreError?.self) { group in
      for number in 0..<16 {
        group.addTask {
          do {
            try await store.insert(ProcessEntry(number: number))
            return nil
          } catch {
            return error as? StoreError
          }
        }
      }
      for await error in group { #expect(error?.code == .busy) }
    }
    #expect(try await store.fetch(ProcessEntry.all).map(\.number) == [1])
    child.send("let go")
    #expect(await child.line() == "released")
    #expect(await child.status() == 0)
    try await store.save(ProcessEntry(number: 3))
    #expect(try await store.fetch(ProcessEntry.all).map(\.number).sorted() == [-1, 1, 3])
  }

  @Test("a write succeeds when the other process lets go in time")
  func inTime() async throws {
    let file = try StoreFile()
    let store = try open(file, .seconds(60))
    let child = try ChildProcess("hold", file.path)
    #expect(await child.line() == "held")
    async let single: Void = store.save(ProcessEntry(number: 2))
    async let several: Void = store.save([ProcessEntry(number: 3)])
    #expect(try await store.count(ProcessEntry.all) == 0)
    child.send("let go")
    _ = try await (single, several)
    #expect(try await store.fetch(ProcessEntry.all).map(\.number).sorted() == [-1, 2, 3])
  }

  @Test("a file that is locked while it is opened for a new model is refused and left as it was")
  func opening() async throws {
    let file = try StoreFile()
    let child = try ChildProcess("hold", file.path)
    #expect(await child.line() == "held")
    let error = #expect(throws: StoreError.self) {
      try Store(at: file.path, for: BusyOther.self, configuration: Store.Configuration(busyTimeout: .milliseconds(50)))
    }
    #expect(error?.code == .busy)
    child.send("let go")
    #expect(await child.line() == "released")
    #expect(await child.status() == 0)
    #expect(try file.open(BusyOther.self).blocking.count(BusyOther.all) == 0)
  }
}

@Model
private struct BusyOther {
  var id: Int
}
