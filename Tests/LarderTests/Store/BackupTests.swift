import Foundation
import Larder
import LarderTestSupport
import Testing

@Suite(.timeLimit(.minutes(20))) struct BackupTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  /// What is in the folder under a name that begins so.
  private func files(_ prefix: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.url.path(percentEncoded: false)).filter {
      $0.hasPrefix(prefix)
    }.sorted()
  }

  @Test("a copy that is made while writers go on is whole and of one commit") func consistent() async throws {
    let store = try Store(at: folder.file("a.larder"), for: LedgerAccount.self, Parcel.self)
    try LedgerAccount.fill(store)
    try await store.insert((0..<2000).map { Parcel(id: $0) })
    let folder = folder
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<2 {
        group.addTask {
          for number in 0..<100 {
            try await store.write { db in
              try LedgerAccount.transfer(
                number, from: (writer + number) % LedgerAccount.count, to: (number * 3) % LedgerAccount.count, in: db)
              // One parcel for each transfer: the copy has as many as it has transfers.
              try db.insert(Parcel(id: 10_000 + writer * 1000 + number))
            }
          }
        }
      }
      group.addTask {
        for number in 0..<5 { try await store.backup(to: folder.file("copy \(number)")) }
      }
      group.addTask { try store.blocking.backup(to: folder.file("copy 5").path(percentEncoded: false)) }
      try await group.waitForAll()
    }
    #expect(try await store.count(Parcel.all) == 2200)
    #expect(try files("copy") == (0..<6).map { "copy \($0)" })
    for number in 0..<6 {
      let copy = try Store(at: folder.file("copy \(number)"), for: LedgerAccount.self, Parcel.self)
      #expect(try await copy.sum(LedgerAccount.all, of: \.balance) == LedgerAccount.total)
      #expect(try await copy.sql("pragma integrity_check", as: String.self) == ["ok"])
      for writer in 0..<2 {
        let ids = try await copy.fetch(
          Parcel.where { $0.id.isBetween(10_000 + writer * 1000, 10_999 + writer * 1000) }.sorted(by: \.id)
        ).map(\.id)
        #expect(
          ids == ids.indices.map { 10_000 + writer * 1000 + $0 },
          "a copy holds a beginning of each writer's work, without gaps")
      }
      try await copy.insert(Parcel(id: -1))
    }
  }

  @Test("a backup does not touch a file that is already there") func existing() async throws {
    let store = try Store(at: folder.file("a.larder"), for: Parcel.self)
    let target = folder.file("copy")
    try Data("precious".utf8).write(to: target)
    let error = await #expect(throws: StoreError.self) { try await store.backup(to: target) }
    #expect(error?.code == .duplicate)
    #expect(throws: StoreError.self) { try store.blocking.backup(to: target) }
    let own = await #expect(throws: StoreError.self) { try await store.backup(to: folder.file("a.larder")) }
    #expect(own?.code == .duplicate)
    #expect(try Data(contentsOf: target) == Data("precious".utf8))
    #expect(try files("copy") == ["copy"])
  }

  @Test("of many backups to one file one succeeds, and the file is whole") func race() async throws {
    let store = try Store(at: folder.file("a.larder"), for: Parcel.self)
    try await store.insert((0..<500).map { Parcel(id: $0) })
    let target = folder.file("copy")
    let codes = await withTaskGroup(of: StoreError.Code?.self) { group in
      for _ in 0..<8 {
        group.addTask {
          do { try await store.backup(to: target) } catch { return (error as? StoreError)?.code }
          return nil
        }
      }
      return await group.reduce(into: [StoreError.Code?]()) { $0.append($1) }
    }
    #expect(codes.count { $0 == nil } == 1)
    #expect(codes.count { $0 == .duplicate } == 7)
    #expect(try files("copy") == ["copy"])
    #expect(try await Store(at: target, for: Parcel.self).count(Parcel.all) == 500)
  }

  @Test("a backup to a folder that is not there is an error, and leaves nothing") func noFolder() async throws {
    let store = try Store(at: folder.file("a.larder"), for: Parcel.self)
    await #expect(throws: StoreError.self) { try await store.backup(to: folder.url.appending(path: "missing/copy")) }
    #expect(try files("missing").isEmpty)
    try await store.insert(Parcel(id: 1))
  }

  @Test("an in-memory store is copied to a file") func inMemory() async throws {
    let store = try Store(inMemoryFor: Parcel.self)
    try await store.insert(Parcel(id: 1))
    try await store.backup(to: folder.file("one"))
    try store.blocking.backup(to: folder.file("two"))
    for name in ["one", "two"] {
      #expect(try await Store(at: folder.file(name), for: Parcel.self).fetch(Parcel.all) == [Parcel(id: 1)])
    }
  }

  @Test("a backup from inside a write is the state before it") func insideWrite() async throws {
    let store = try Store(at: folder.file("a.larder"), for: Parcel.self)
    let target = folder.file("copy")
    try await store.write { db in
      try db.insert(Parcel(id: 1))
      try store.blocking.backup(to: target)
    }
    #expect(try await Store(at: target, for: Parcel.self).count(Parcel.all) == 0)
  }

  @Test("a copy keeps what names and once have said") func once() async throws {
    let store = try Store(at: folder.file("a.larder"), for: Parcel.self)
    try await store.once("seed") { try $0.insert(Parcel(id: 1)) }
    try await store.backup(to: folder.file("copy"))
    let copy = try Store(at: folder.file("copy"), for: Parcel.self)
    #expect(try await copy.once("seed") { try $0.insert(Parcel(id: 2)) } == false)
  }
}
