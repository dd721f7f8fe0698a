import Foundation
import Synchronization
import Testing

@testable import Larder

@Suite("Traces, caches and connections that are just opened", .timeLimit(.minutes(20)))
struct TraceTests {
  private let library: LibraryFile
  private let events = Recorder<TraceEvent>()

  init() throws {
    library = try LibraryFile()
  }

  private func open(_ options: Store.Configuration.TraceOptions = []) throws -> Store {
    let store = try library.open(Store.Configuration(trace: { [events] in events.append($0) }, traceOptions: options))
    events.removeAll()
    return store
  }

  /// The events of the statements that users see.
  private func events(_ prefix: String) -> [TraceEvent] { events.elements.filter { $0.sql.hasPrefix(prefix) } }

  @Test("a trace tells of each statement: its role, its rows, whether it writes, and no value")
  func facts() async throws {
    let store = try open()
    try await store.insert(makeBook(id: 50, title: "a secret title", shelf: ToOne(1)))
    let insert = try #require(events("INSERT INTO \"LibraryBook\"").first)
    #expect(insert.role == .writer && insert.isWrite && insert.returnedRows == 0)
    // The row, the derived count of its shelf, and what the full-text index writes.
    #expect(insert.changedRows > 1)
    #expect(insert.expandedSQL == nil && insert.plan == nil && insert.duration > .zero)
    events.removeAll()
    #expect(try await store.fetch(LibraryBook.where { $0.title == "a secret title" }).count == 1)
    let select = try #require(events("SELECT").first { $0.sql.contains("LibraryBook") })
    #expect(select.role == .reader && !select.isWrite && select.returnedRows == 1 && select.changedRows == 0)
    #expect(!events.elements.contains { "\($0)".contains("secret") || $0.sql.contains("secret") })
    let context = Context(store)
    #expect(try context.count(LibraryBook.all) == 31)
    #expect(events.elements.contains { $0.role == .context })
  }

  @Test("values and plans are told where they are asked for")
  func options() async throws {
    let store = try open([.values, .plans])
    _ = try await store.fetch(LibraryBook.where { $0.year == 1907 })
    let select = try #require(events("SELECT").first { $0.sql.contains("LibraryBook") })
    #expect(select.expandedSQL?.contains("1907") == true)
    #expect(select.plan?.contains { $0.contains("LibraryBook_year_index") } == true)
    #expect(!events.elements.contains { $0.sql.hasPrefix("EXPLAIN") })
    // The plan's own statement changes nothing of what live results know of the statement.
    var years = store.live(LibraryBook.where { $0.year == 1907 }).makeAsyncIterator()
    #expect(try await years.next()?.count == 1)
    try await store.insert(makeBook(id: 60, title: "x", year: 1907))
    #expect(try await years.next()?.count == 2)
    try await store.deleteAll(LibraryBook.search("number"))
    #expect(try await store.count(LibraryBook.all) == 1)
  }

  @Test("a statement that fails, and one that is not read to its end, are told of too")
  func ends() async throws {
    let store = try open()
    await expectError(.duplicate) { try await store.insert(makeBook(id: 1, title: "again")) }
    #expect(events("INSERT").count == 1)
    events.removeAll()
    #expect(try await store.first(LibraryBook.all.sorted(by: \.id))?.id == 1)
    // The store's own work in the background is told of as well.
    let select = try #require(events("SELECT").first { $0.sql.contains("LibraryBook") })
    #expect(select.returnedRows == 1)
  }

  @Test("without a trace no connection has one")
  func none() throws {
    let store = try library.open()
    #expect(try store.withWriter { $0.tracer == nil })
    #expect(try store.withReader { $0.tracer == nil })
  }

  @Test(
    "the sizes of the cache and of the mapped memory hold for readers, the writer and contexts; negative ones are refused"
  )
  func sizes() async throws {
    let store = try library.open(Store.Configuration(cacheSize: 8 << 20, mmapSize: 1 << 20))
    let context = Context(store)
    let contextConnection = try context.open().connection.connection
    for connection in [{ try store.withWriter($0) }, { try store.withReader($0) }, { try $0(contextConnection) }]
      as [((Connection) throws -> [Value]) throws -> [Value]]
    {
      let found = try connection { connection in
        try ["cache_size", "mmap_size"].compactMap { try connection.query("PRAGMA \($0)").first?.first?.value }
      }
      #expect(found == [.integer(-8192), .integer(1 << 20)])
    }
    withExtendedLifetime(context) {}
    await expectError(.unsupported, naming: "cacheSize") { _ = try library.open(Store.Configuration(cacheSize: -1)) }
    await expectError(.unsupported, naming: "mmapSize") { _ = try library.open(Store.Configuration(mmapSize: -1)) }
  }

  @Test("onOpen is called for each connection before it is used, with its role")
  func onOpen() async throws {
    let roles = Recorder<ConnectionRole>()
    let store = try library.open(
      Store.Configuration(onOpen: { connection in
        roles.append(connection.role)
        try connection.execute("CREATE TEMP TABLE mine (x); INSERT INTO mine VALUES (7)")
      }))
    #expect(roles.elements == [.writer])
    #expect(try await store.sql("select x from mine", as: Int.self) == [7])
    #expect(try await store.write { try $0.sql("select x from mine", as: Int.self) } == [7])
    let context = Context(store)
    #expect(try context.sql("select x from mine", as: Int.self) == [7])
    #expect(roles.elements == [.writer, .reader, .context])
  }

  @Test("what onOpen throws, and what it may not do, makes the opening fail")
  func onOpenErrors() async throws {
    struct Mine: Error {}
    #expect(throws: Mine.self) { try library.open(Store.Configuration(onOpen: { _ in throw Mine() })) }
    func expect(_ sql: String, naming word: String) async {
      await expectError(.unsupported, naming: word) {
        _ = try library.open(Store.Configuration(onOpen: { try $0.execute(sql) }))
      }
    }
    await expect("BEGIN", naming: "transaction")
    await expect("PRAGMA foreign_keys = OFF", naming: "foreign keys")
    await expect("this is no SQL", naming: "onOpen")
    // A reader is opened by the first read.
    let store = try library.open(Store.Configuration(onOpen: { if $0.role == .reader { try $0.execute("BEGIN") } }))
    await expectError(.unsupported, naming: "transaction") { _ = try await store.fetch(LibraryBook.all) }
    try await store.insert(makeBook(id: 70, title: "x"))
  }
}
