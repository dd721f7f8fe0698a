import Foundation
import Larder
import LarderTestSupport
import Testing

@Suite(.timeLimit(.minutes(20))) struct ConfigurationTests {
  /// Sources: <https://www.sqlite.org/pragma.html#pragma_synchronous>,
  /// <https://www.sqlite.org/pragma.html#pragma_journal_mode>.
  @Test(
    "durability is SQLite's synchronous, in WAL mode",
    arguments: [(Store.Configuration.Durability.normal, 1), (.full, 2)])
  func durability(_ durability: Store.Configuration.Durability, synchronous: Int) async throws {
    try await withTemporaryStore(for: Parcel.self, configuration: Store.Configuration(durability: durability)) {
      store in
      let found = try await store.write { db in
        (try db.sql("pragma synchronous", as: Int.self), try db.sql("pragma journal_mode", as: String.self))
      }
      #expect(found.0 == [synchronous])
      #expect(found.1 == ["wal"])
    }
  }

  @Test("a store with the durability of .full keeps what it acknowledged") func full() async throws {
    let folder = try TemporaryFolder()
    let store = try Store(
      at: folder.file("a.larder"), for: Parcel.self, configuration: Store.Configuration(durability: .full))
    try await store.insert(Parcel(id: 1))
    try store.blocking.insert(Parcel(id: 2))
    let other = try Store(at: folder.file("a.larder"), for: Parcel.self)
    #expect(try await other.count(Parcel.all) == 2)
  }

  @Test("busyTimeout says how long a write waits for another connection before it throws .busy")
  func busy() async throws {
    let folder = try TemporaryFolder()
    let patient = try Store(at: folder.file("a.larder"), for: Parcel.self)
    let hasty = try Store(
      at: folder.file("a.larder"), for: Parcel.self, configuration: Store.Configuration(busyTimeout: .milliseconds(20)))
    let (begun, done) = (Gate(), Gate())
    let held = Task {
      try await patient.write { db in
        try db.insert(Parcel(id: 1))
        begun.open()
        try done.waitBlocking()
      }
    }
    await begun.wait()
    let calls: [@Sendable () async throws -> Void] = [
      { try await hasty.insert(Parcel(id: 2)) }, { try await hasty.save([Parcel(id: 2)]) },
      { try await hasty.write { try $0.insert(Parcel(id: 2)) } },
      { try hasty.blocking.insert(Parcel(id: 2)) }, { try await hasty.once("x") { _ in } },
    ]
    for call in calls {
      let error = await #expect(throws: StoreError.self) { try await call() }
      #expect(error?.code == .busy)
    }
    #expect(try await hasty.count(Parcel.all) == 0, "reads do not wait")
    done.open()
    try await held.value
    try await hasty.insert(Parcel(id: 2))
    #expect(try await patient.count(Parcel.all) == 2)
  }

  @Test("a write waits for another connection within busyTimeout") func patience() async throws {
    let folder = try TemporaryFolder()
    let stores = try (0..<2).map { _ in try Store(at: folder.file("a.larder"), for: Parcel.self) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<40 {
        group.addTask { try await stores[number % 2].insert(Parcel(id: number)) }
        group.addTask { try await stores[number % 2].write { try $0.insert(Parcel(id: 100 + number)) } }
      }
      try await group.waitForAll()
    }
    #expect(try await stores[0].count(Parcel.all) == 80)
  }

  @Test("a number of readers that makes no sense is taken as one", arguments: [0, -3, 1])
  func readers(_ readers: Int) async throws {
    try await withTemporaryStore(for: Parcel.self, configuration: Store.Configuration(readers: readers)) { store in
      let count = try await store.count(Parcel.all)
      #expect(count == 0)
    }
  }

  @Test("a store opens at a path that is a String, a URL or a FilePath, with any character") func locations() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("a % b ü 🥛 #?.larder")
    let path = url.path(percentEncoded: false)
    try Store(at: url, for: Parcel.self).blocking.insert(Parcel(id: 1))
    #expect(FileManager.default.fileExists(atPath: path))
    #expect(try Store(at: path, for: Parcel.self).blocking.count(Parcel.all) == 1)
    #expect(try Store(at: path, for: [Parcel.self]).path == path)
  }

  @Test("in-memory stores are each their own") func inMemory() async throws {
    let (one, two) = (try Store(inMemoryFor: Parcel.self), try Store(inMemoryFor: Parcel.self))
    try await one.insert(Parcel(id: 1))
    #expect(try await two.count(Parcel.all) == 0)
    #expect(one.path == nil)
  }
}
