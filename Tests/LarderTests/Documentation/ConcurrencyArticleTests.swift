import Foundation
import Larder
import Testing

enum ConcurrencyArticle {
  @Model
  struct Event {
    var id: UUID = .v7()
    var name: String
  }
}

@Suite("Documentation: Concurrency")
@MainActor
struct ConcurrencyArticleTests {
  private typealias Event = ConcurrencyArticle.Event

  @Test("saves of many tasks share commits, and each task is answered after its own")
  func groupCommit() async throws {
    let folder = try ArticleFolder()
    let store = try Store(at: folder.file("events.larder"), for: Event.self)

    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 1...64 {
        group.addTask { try await store.insert(Event(name: "event \(number)")) }
      }
      try await group.waitForAll()
    }

    #expect(try await store.count(Event.all) == 64)
  }

  @Test("a call that waits for the store inside its own write is an error, not a deadlock")
  func nestedWrite() async throws {
    let store = try Store(inMemoryFor: Event.self)
    let error = await #expect(throws: StoreError.self) {
      try await store.write { _ in try store.blocking.insert(Event(name: "inner")) }
    }
    #expect(error?.code == .unsupported)

    try await store.write { db in
      try db.insert(Event(name: "inner"))
    }

    #expect(try await store.count(Event.all) == 1)
  }

  @Test("a store has a limit on waiting, and its file can be moved once it is closed")
  func waitingAndClosing() async throws {
    let folder = try ArticleFolder()
    let (url, archive) = (folder.file("events.larder"), folder.file("archive.larder"))
    let store = try Store(at: url, for: Event.self, configuration: .init(waitLimit: .seconds(10)))
    try await store.insert(Event(name: "last"))

    await store.close()
    try FileManager.default.moveItem(at: url, to: archive)

    let error = await #expect(throws: StoreError.self) { try await store.insert(Event(name: "too late")) }
    #expect(error?.code == .closed)
    let moved = try Store(at: archive, for: Event.self)
    #expect(try await moved.fetch(Event.all).map(\.name) == ["last"])
  }
}
