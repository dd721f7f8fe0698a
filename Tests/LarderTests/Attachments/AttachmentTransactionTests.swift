import Foundation
import Testing

@testable import Larder

// The testing library has a type of the same name.
private typealias Attachment = Larder.Attachment

@Suite("Attachments: in a transaction and in a migration", .timeLimit(.minutes(20)))
struct AttachmentTransactionTests {
  private let kept: AttachmentStore
  private var store: Store { kept.store }
  private struct Stop: Error {}

  init() throws { kept = try AttachmentStore() }

  @Test("D5: what a transaction attaches is there with its rows, or goes with them")
  func transactions() async throws {
    let path = kept.file.folder.appending(component: "in.bin")
    try Data.sample(70_000).write(to: path)
    try await store.write { db in
      let scan = try db.attach(Data.sample(100), name: "a", mediaType: "text/plain")
      try db.save(Letter(id: 1, scan: scan))
      try db.save(Letter(id: 2, scan: try db.attach(contentsOf: path)))
      #expect(try db.data(of: scan) == Data.sample(100))
    }
    let scans = try await store.fetch(Letter.all.sorted(by: \.id)).compactMap(\.scan)
    #expect(scans.map(\.fileName) == ["a", "in.bin"] && scans.map(\.mediaType) == ["text/plain", nil])
    #expect(try await store.data(of: scans[1]) == Data.sample(70_000))
    #expect(try scans.map { try kept.uses($0) } == [1, 1])

    await #expect(throws: Stop.self) {
      try await store.write { db in
        try db.save(Letter(id: 3, scan: try db.attach(Data.sample(200))))
        throw Stop()
      }
    }
    #expect(try await store.verifyAttachments().isWhole)
    let after = try kept.reopen()
    try await after.collectAttachments()
    #expect(kept.files.count == 2 && kept.temporaryFiles.isEmpty)
  }

  @Test("data that could not be synced is taken back, unless a row, a former row or another value refers to it")
  func withdrawn() async throws {
    func withdraw(_ attachment: Attachment) async throws {
      try await store.writer.perform { connection in
        try connection.transaction { try AttachmentTable(connection).withdraw(attachment.digest) }
      }
    }
    let scan = try await store.attach(Data.sample(100))
    let other = try kept.reopen()
    var others: [Attachment] = [try await other.attach(Data.sample(100))]
    try await withdraw(scan)
    #expect(kept.files.count == 1, "another store keeps it")
    others.removeAll()
    while try await other.writer.perform({ try AttachmentTable($0).removeLeases() }) {}
    others = [try await store.attach(Data.sample(100))]
    try await withdraw(scan)
    #expect(kept.files.count == 1, "another value keeps it")
    others.removeAll()

    try await withdraw(scan)
    #expect(kept.files.isEmpty)
    let error = await #expect(throws: StoreError.self) { try await store.save(Letter(id: 1, scan: scan)) }
    #expect(error?.code == .referenced)

    let again = try await store.attach(Data.sample(100))
    try await store.save(Letter(id: 1, scan: again))
    try await withdraw(again)
    #expect(try await store.data(of: scan) == Data.sample(100), "a row refers to it")
    try await store.delete(Letter.self, 1)
    try await withdraw(again)
    #expect(kept.files.count == 1, "a reader may still see the row")
  }

  @Test("a value from a savepoint that was undone names nothing, and its bytes can be attached again")
  func savepoints() async throws {
    try await store.write { db in
      var lost: Attachment?
      #expect(throws: Stop.self) {
        try db.savepoint { db in
          lost = try db.attach(Data.sample(100))
          throw Stop()
        }
      }
      let error = #expect(throws: StoreError.self) { try db.save(Letter(id: 1, scan: lost)) }
      #expect(error?.code == .referenced)
      try db.save(Letter(id: 1, scan: try db.attach(Data.sample(100))))
    }
    let letter = try #require(try await store.find(Letter.self, 1))
    #expect(try await store.data(of: try #require(letter.scan)) == Data.sample(100))
  }

  @Test("nobody takes the files for leftovers before the transaction has ended")
  func leftovers() async throws {
    let folder = AttachmentFolder(ofStore: kept.file.path)
    try await store.write { db in
      try db.save(Letter(id: 1, scan: try db.attach(Data.sample(100))))
      // As another process would, whose reads do not see the registration.
      #expect(try !folder.lockFile(.staging).tryLock(isExclusive: true))
      for number in 0..<200 { _ = try db.attach(Data("number \(number)".utf8)) }
    }
    #expect(try folder.lockFile(.staging).tryLock(isExclusive: true))
    await #expect(throws: Stop.self) {
      try await store.write { db in
        _ = try db.attach(Data.sample(10))
        throw Stop()
      }
    }
    #expect(try folder.lockFile(.staging).tryLock(isExclusive: true))
    try await store.collectAttachments()
    #expect(kept.files.count == 1)
  }

  @Test(
    "D5: a migration attaches, in files with and without attachments, and a failed one leaves the file as it was",
    arguments: [false, true])
  func migrations(isCounting: Bool) async throws {
    let first = isCounting ? try await store.attach(Data.sample(5)) : nil
    try await store.save(Letter(id: 1, title: "first", scan: first))
    try await store.save(Letter(id: 2, title: "second"))
    await store.close()
    let failing = Migration("attach") { db in
      try db.updateAll(Letter.where { $0.id == 2 }) { $0.scan.set(try? db.attach(Data.sample(300))) }
      throw Stop()
    }
    #expect(throws: StoreError.self) {
      try Store(at: kept.file.path, for: Letter.self, LetterBox.self, configuration: .init(migrations: [failing]))
    }
    let migration = Migration("attach") { db in
      let scan = try db.attach(Data.sample(300), name: "new")
      try db.updateAll(Letter.where { $0.id == 2 }) { $0.scan.set(scan) }
    }
    func open() throws -> Store {
      let store = try Store(
        at: kept.file.path, for: Letter.self, LetterBox.self, configuration: .init(migrations: [migration]))
      store.attachmentCollector.stop()
      return store
    }
    let after = try open()
    let letters = try await after.fetch(Letter.all.sorted(by: \.id))
    #expect(letters.map(\.title) == ["first", "second"] && letters.map(\.scan?.fileName) == [nil, "new"])
    #expect(try await after.data(of: try #require(letters[1].scan)) == Data.sample(300))
    try await after.collectAttachments()
    #expect(try await after.verifyAttachments().isWhole)
    // The triggers are there: what is no longer named goes, and the rest stays.
    try await after.delete(Letter.self, 2)
    await after.close()
    let last = try open()
    try await last.collectAttachments()
    #expect(kept.files.count == (isCounting ? 1 : 0))
    let error = await #expect(throws: StoreError.self) { try await last.save(Letter(id: 3, scan: letters[1].scan)) }
    #expect(error?.code == .referenced)
  }

  @Test("D5: pictures of a table become attachments, as the documentation shows")
  func pictures() async throws {
    try await store.save([Letter(id: 1), Letter(id: 2)])
    try store.blocking.sql("create table Picture (id integer primary key, data blob)")
    for id in 1...2 { try store.blocking.sql("insert into Picture values (\(id), \(Data.sample(id * 100)))") }
    await store.close()
    let migration = Migration("2026-11 pictures are attachments") { db in
      for row in try db.sql("select id, data from Picture") {
        let id: Int = try row.get("id")
        let picture = try db.attach(try row.get("data", as: Data.self), mediaType: "image/png")
        try db.updateAll(Letter.where { $0.id == id }) { $0.scan.set(picture) }
      }
    }
    let after = try Store(
      at: kept.file.path, for: Letter.self, LetterBox.self, configuration: .init(migrations: [migration]))
    for letter in try await after.fetch(Letter.all) {
      #expect(try await after.data(of: try #require(letter.scan)) == Data.sample(letter.id * 100))
    }
  }

  @Test("a file that is not there is an error, after which the transaction goes on; empty bytes are attached")
  func refusals() async throws {
    try await store.write { db in
      let error = #expect(throws: StoreError.self) { try db.attach(contentsOf: kept.file.path + ".missing") }
      #expect(error?.code == .notFound)
      try db.save(Letter(id: 1, scan: try db.attach(Data())))
    }
    #expect(try await store.verifyAttachments().isWhole)
    #expect(kept.temporaryFiles.isEmpty && kept.files.count == 1)
  }

  @Test("a store in memory attaches in transactions, and one with tables of its own refuses")
  func otherStores() async throws {
    let memory = try Store(inMemoryFor: Letter.self, LetterBox.self)
    try await memory.write { try $0.save(Letter(id: 1, scan: try $0.attach(Data.sample(9)))) }
    let scan = try #require(try await memory.find(Letter.self, 1)?.scan)
    #expect(try await memory.data(of: scan) == Data.sample(9))
    let existing = try Store(at: kept.file.path, for: LetterBox.self, configuration: .init(schema: .existing))
    let error = await #expect(throws: StoreError.self) { try await existing.write { _ = try $0.attach(Data()) } }
    #expect(error?.code == .unsupported)
  }
}
