import Foundation
import Testing

@testable import Larder

private enum Newer {
  @Model("LibraryBook")
  struct Book {
    var id: Int
    @Attribute(.searchable) var title: String
    @Attribute(.indexed) var year: Int = 0
    var pages = 0
  }
}

private enum Indexed {
  @Model("LibraryLoan", expires: true)
  struct Loan {
    var id: Int
  }

  @Model("LibraryShelf")
  struct Shelf {
    var id: Int
    @Attribute(.indexed) var name: String = ""
  }
}

@Suite("Stores that are opened to be read", .timeLimit(.minutes(20)))
struct ReadOnlyStoreTests {
  private let library: LibraryFile
  private static let readOnly = Store.Configuration(access: .readOnly)

  init() throws {
    library = try LibraryFile()
  }

  @Test("a store that is opened to be read answers every question")
  func reads() async throws {
    let store = try library.open(Self.readOnly)
    #expect(try await store.count(LibraryBook.all) == 30)
    #expect(try await store.find(LibraryBook.self, 7)?.title == "title number 7")
    #expect(try await store.fetch(LibraryBook.search("number")).count == 30)
    #expect(try await store.read { try $0.count(LibraryShelf.all) } == 3)
    #expect(try store.blocking.sql("select count(*) as n from LibraryBook").first?["n"] == 30)
    #expect(try await store.verifyDerived().isEmpty)
    let context = Context(store)
    #expect(try context.count(LibraryBook.all) == 30)
  }

  @Test(
    "what a store finds damaged when it opens, it finds when it is opened to be read, too", arguments: [false, true])
  func damaged(isReadOnly: Bool) async throws {
    let page: Int
    do {
      let store = try library.open()
      try await store.documents("people").save("ada", json: "{\"name\": \"Ada\"}")
      let root = try await store.sql("select rootpage from sqlite_master where name = '_larder_collections'").first
      page = Int(try #require(root?["rootpage"]?.integer))
      await store.close()
    }
    let file = try FileHandle(forUpdating: URL(filePath: library.file.path))
    try file.seek(toOffset: UInt64(page - 1) * 4096)
    try file.write(contentsOf: Data(repeating: 0xFF, count: 4096))
    try file.close()
    let error = #expect(throws: StoreError.self) { try library.open(isReadOnly ? Self.readOnly : .init()) }
    #expect(error?.code == .corrupt)
  }

  @Test("every verb that writes is refused with .readOnly, and the file stays as it was, byte for byte")
  func writes() async throws {
    do {
      let store = try library.open()
      try await store.documents("people").save("ada", json: "{\"name\": \"Ada\"}")
      await store.close()
    }
    let bytes = try library.file.bytes
    do {
      let store = try library.open(Self.readOnly)
      let book = makeBook(id: 99, title: "new")
      let calls: [@Sendable () async throws -> Void] = [
        { try await store.insert(book) }, { try await store.save(book) }, { try await store.save([book]) },
        { try await store.update(book) },
        { try await store.delete(LibraryBook.self, 1) }, { try await store.delete([book]) },
        { try await store.deleteAll(LibraryBook.all) },
        { try await store.updateAll(LibraryBook.all) { $0.year.set(1) } }, { try await store.write { _ in } },
        { try await store.once("seed") { _ in } }, { try await store.sql("delete from LibraryBook") },
        { try await store.save(makeLoan(id: 1), expires: .distantFuture) }, { try await store.removeExpired() },
        { try await store.documents("people").save("bob", json: "{}") },
        { try await store.documents("people").delete("ada") },
        { try await store.documents("people").index(on: "name") },
        { try await store.documents("new").save("x", json: "{}") },
        { _ = try await store.attach(Data([1, 2, 3])) }, { _ = try store.blocking.attach(Data([1, 2, 3])) },
        { try store.blocking.insert(book) }, { try store.blocking.write { _ in } },
        { try store.blocking.sql("delete from LibraryBook") },
        { try store.blocking.once("seed") { _ in } },
      ]
      for call in calls { await expectError(.readOnly, naming: ".readWrite") { try await call() } }
      let context = Context(store)
      context.insert(book)
      #expect(try context.count(LibraryBook.all) == 31)
      await expectError(.readOnly, naming: ".readWrite") { try context.save() }
      #expect(try await store.documents("people").keys() == ["ada"])
      #expect(try await store.count(LibraryBook.all) == 30)
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<20 { group.addTask { await expectError(.readOnly) { try await store.insert(book) } } }
      }
    }
    #expect(try library.file.bytes == bytes)
    #expect(!(try library.file.names.contains { $0.hasSuffix(".attachments") }))
  }

  @Test("commits that are still in the write-ahead log are read, and stay there")
  func log() throws {
    let writer = try library.open()
    try writer.blocking.insert(makeBook(id: 100, title: "in the log"))
    let copy = try library.copy()
    let log = URL(filePath: copy.path + "-wal")
    let (bytes, logged) = (try copy.bytes, try Data(contentsOf: log))
    #expect(!logged.isEmpty)
    do {
      let store = try Store(at: copy.path, for: LibraryFile.models, configuration: Self.readOnly)
      #expect(try store.blocking.find(LibraryBook.self, 100)?.title == "in the log")
    }
    #expect(try copy.bytes == bytes)
    #expect(try Data(contentsOf: log) == logged)
  }

  @Test("a missing file is .notFound and is not created; a folder and a store in memory are refused")
  func missing() async throws {
    let path = library.file.folder.appending(component: "missing.larder").path(percentEncoded: false)
    for schema in [Store.Configuration.SchemaMode.managed, .existing] {
      await expectError(.notFound, naming: "missing.larder") {
        _ = try Store(
          at: path, for: LibraryBook.self, configuration: Store.Configuration(schema: schema, access: .readOnly))
      }
    }
    #expect(!FileManager.default.fileExists(atPath: path))
    let folder = library.file.folder.path(percentEncoded: false)
    await expectError(.notAStore) { _ = try Store(at: folder, for: LibraryBook.self, configuration: Self.readOnly) }
    await expectError(.unsupported) { _ = try Store(inMemoryFor: LibraryBook.self, configuration: Self.readOnly) }
  }

  @Test("what opening would have to change is .schemaMismatch with the remedy, and a newer file is .newerFile")
  func schema() throws {
    func open(_ model: any Model.Type, _ migrations: [Migration] = []) throws {
      _ = try Store(
        at: library.file.path, for: [model],
        configuration: Store.Configuration(migrations: migrations, access: .readOnly))
    }
    let before = try library.file.bytes
    func expect(_ code: StoreError.Code, naming words: String..., body: () throws -> Void) throws {
      let error = #expect(throws: StoreError.self, performing: body)
      #expect(error?.code == code)
      for word in words { #expect(error?.message.contains(word) == true, "\(error?.message ?? "")") }
      #expect(try library.file.bytes == before)
    }
    try expect(.schemaMismatch, naming: "ProcessEntry", ".readWrite") { try open(ProcessEntry.self) }
    try expect(.schemaMismatch, naming: "pages", ".readWrite") { try open(Newer.Book.self) }
    try expect(.schemaMismatch, naming: "index", ".readWrite") { try open(Indexed.Shelf.self) }
    try expect(.schemaMismatch, naming: "rename people", ".readWrite") {
      try open(LibraryLoan.self, [Migration("rename people") { _ in }])
    }
    try library.tamper("INSERT INTO _larder_migrations (name) VALUES ('from the future')")
    let error = #expect(throws: StoreError.self) { try open(LibraryLoan.self) }
    #expect(error?.code == .newerFile)
  }

  @Test("live results of a store that is opened to be read follow what others commit")
  func live() async throws {
    let writer = try library.open()
    let store = try library.open(Self.readOnly)
    var counts = store.live(LibraryBook.all).makeAsyncIterator()
    #expect(try await counts.next()?.count == 30)
    try await writer.insert(makeBook(id: 31, title: "by another"))
    #expect(try await counts.next()?.count == 31)
  }

  @Test("rows that have expired are hidden and stay, and nobody sweeps or collects")
  func expiry() async throws {
    do {
      let store = try library.open()
      store.sweeper.stop()
      try await store.save(makeLoan(id: 1), expires: .now + 1000)
      try await store.save(makeLoan(id: 2))
    }
    let store = try library.open(Store.Configuration(now: { .now + 5000 }, access: .readOnly))
    #expect(try await store.fetch(LibraryLoan.all) == [makeLoan(id: 2)])
    #expect(try await store.sql("select id from LibraryLoan").count == 1)
    #expect(try await store.sql("select id from main.LibraryLoan").count == 2)
  }

  @Test("attachments are read and verified, and not even a file of a lock is made")
  func attachments() async throws {
    do {
      let store = try library.open()
      store.attachmentCollector.stop()
      let cover = try await store.attach(Data("picture".utf8), name: "cover.png")
      try await store.insert(makeBook(id: 40, title: "illustrated", cover: cover))
    }
    let folder = library.file.path + ".attachments"
    for lock in ["reading.lock", "staging.lock"] { try? FileManager.default.removeItem(atPath: "\(folder)/\(lock)") }
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder).sorted()
    let store = try library.open(Self.readOnly)
    let cover = try #require(try await store.find(LibraryBook.self, 40)?.cover)
    #expect(try await store.data(of: cover) == Data("picture".utf8))
    #expect(try await store.verifyAttachments().isWhole)
    #expect(try await store.check().isHealthy)
    // The file by which the first store was known to be open may go later than the store.
    #expect(Set(try FileManager.default.subpathsOfDirectory(atPath: folder)).isSubset(of: names))
  }

  @Test("a file that Larder did not make is read, and nothing is written to it")
  func existing() async throws {
    let store = try Store(
      at: library.file.path, for: LibraryBook.self, LibraryShelf.self,
      configuration: Store.Configuration(schema: .existing, access: .readOnly))
    #expect(try await store.count(LibraryBook.all) == 30)
    await expectError(.readOnly) { try await store.insert(makeBook(id: 31, title: "x")) }
  }
}

@Suite(
  "Stores that are opened to be read, where this user may not write", .timeLimit(.minutes(20)),
  .enabled(
    if: Surroundings.unprivileged != nil, "permissions do not bind this user, and it cannot run the helper as another"))
struct UnwritableFolderTests {
  private let file: StoreFile
  private let wrapper = Surroundings.unprivileged ?? []

  init() throws {
    file = try StoreFile()
    try file.write([ProcessEntry(number: 1)])
  }

  private func read(_ file: StoreFile) async throws -> [String] {
    let folder = file.folder.path(percentEncoded: false)
    try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder)
    defer { try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder) }
    return try await ChildProcess("read", file.path, within: wrapper).rest()
  }

  @Test("a store whose log is empty is read in a folder that may not be written")
  func emptyLog() async throws {
    #expect(try file.names == ["test.larder"])
    #expect(try await read(file) == ["opened", "1 rows", "readOnly", "healthy"])
    #expect(try file.names == ["test.larder"])
  }

  @Test("a store whose log holds commits is refused there, with the remedy: they would not be seen")
  func fullLog() async throws {
    let store = try file.open(ProcessEntry.self)
    try store.blocking.insert(ProcessEntry(number: 2))
    let copy = try StoreFile()
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: file.path + suffix, toPath: copy.path + suffix)
    }
    let lines = try await read(copy)
    #expect(lines.first == "readOnly")
    #expect(lines.last?.contains("log") == true)
  }
}
