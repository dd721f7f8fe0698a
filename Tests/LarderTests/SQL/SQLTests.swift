import Foundation
import GRDBSQLite
import Larder
import LarderTestSupport
import Testing

@Model("odd \"table\"")
struct SQLItem: Hashable {
  var id: Int
  @Attribute(name: "the \"name\"") var name: String
  var rank: Int? = nil
  var weight: Double = 0
  var price: Decimal = 0
  var isLive = false
  var at: Date = Date(timeIntervalSinceReferenceDate: 0)
  var token: UUID = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
  var data: Data = Data([1, 0, 255])
  var shade: Shade = .light
  var level: Level? = nil
  @Embedded var measure: Measure = Measure()
  var tags: [String] = []
}

@Suite struct SQLTests {
  let store: Store
  var db: BlockingStore { store.blocking }

  static let items = [
    SQLItem(id: 1, name: "one", rank: 4, weight: 1.5, price: 12.5, isLive: true, level: .high, tags: ["a", "b"]),
    SQLItem(id: 2, name: "it's \"two\"", shade: .dark, measure: Measure(width: 3, unit: "m")),
    SQLItem(id: 3, name: "three\u{0}?", rank: -1, shade: .mid),
  ]

  init() throws {
    store = try Store(inMemoryFor: SQLItem.self)
    try db.insert(Self.items)
  }

  @Test("what stands behind a statement is refused before it acts, as pragmas do while they are compiled")
  func secondStatement() throws {
    try db.write { db in
      let before = try db.sql("pragma cell_size_check")
      let error = #expect(throws: StoreError.self) { try db.sql("select 1; pragma cell_size_check = on") }
      #expect(error?.code == .unsupported, "\(error as Any)")
      #expect(try db.sql("pragma cell_size_check") == before)
      #expect(try db.sql("select 1 as one; -- and no more\n/* ; */").first?["one"] == 1)
      #expect(try db.sql("pragma cell_size_check") == before)
    }
  }

  @Test("a function with which SQL reads and writes memory is refused, in any case and place")
  func memoryFunction() throws {
    for sql in ["select fts3_tokenizer('simple')", "select 1 where FTS3_Tokenizer('a', x'00') is null"] {
      let error = #expect(throws: StoreError.self) { try db.sql(SQL(raw: sql)) }
      #expect(
        error?.code == .unsupported && error?.message.lowercased().contains("fts3_tokenizer") == true, "\(error as Any)"
      )
    }
  }

  @Test("a file can't call it either, by a constraint of another program")
  func memoryFunctionInFile() throws {
    let file = try StoreFile()
    var handle: OpaquePointer?
    try #require(sqlite3_open(file.path, &handle) == SQLITE_OK)
    try #require(
      sqlite3_exec(
        handle, "CREATE TABLE a (x CHECK (x OR fts3_tokenizer('mine', x'4141414141414141') IS NOT NULL))", nil, nil, nil
      )
        == SQLITE_OK)
    sqlite3_close(handle)
    let store = try Store(at: file.path, schema: .existing)
    let error = #expect(throws: StoreError.self) { try store.blocking.sql("INSERT INTO a VALUES (0)") }
    #expect(error?.message.contains("fts3_tokenizer") == true, "\(error as Any)")
    #expect(throws: StoreError.self) {
      try store.blocking.sql("CREATE VIRTUAL TABLE g USING fts4(t, tokenize=mine)")
    }
  }

  private func ids(_ sql: SQL, sourceLocation: SourceLocation = #_sourceLocation) throws -> [Int] {
    try db.sql(sql, as: Int.self)
  }

  @Test("models and columns become quoted names, whatever characters they hold")
  func names() throws {
    let columns = SQLItem.columns
    #expect(try ids("select id from \(SQLItem.self) where \(columns.name) = \("one")") == [1])
    #expect(try ids("select \(columns.id) from \(SQLItem.self) where \(columns.measure.width) > \(1)") == [2])
    #expect(try ids("select \(SQLItem.self).\(columns.id) from \(SQLItem.self) order by \(columns.name)") == [2, 1, 3])
    #expect(try ids("select id from \(name: "odd \"table\"") where \(name: "the \"name\"") = \("one")") == [1])
  }

  @Test("a value of every storable type is bound")
  func values() throws {
    let columns = SQLItem.columns
    let item = Self.items[0]
    #expect(
      try ids(
        "select id from \(SQLItem.self) where id = \(item.id) and \(columns.name) = \(item.name) and rank = \(item.rank)"
      ) == [1])
    #expect(
      try ids(
        "select id from \(SQLItem.self) where weight = \(item.weight) and price = \(item.price) and isLive = \(item.isLive)"
      ) == [1])
    #expect(
      try ids(
        "select id from \(SQLItem.self) where at = \(item.at) and token = \(item.token) and data = \(item.data) order by id"
      ) == [1, 2, 3])
    #expect(try ids("select id from \(SQLItem.self) where shade = \(Shade.dark)") == [2])
    let level: Level? = .high
    #expect(try ids("select id from \(SQLItem.self) where level = \(level)") == [1])
    let none: Int? = nil
    let noLevel: Level? = nil
    #expect(try ids("select id from \(SQLItem.self) where rank is \(none) and level is \(noLevel)") == [2])
    #expect(try ids("select id from \(SQLItem.self) where rank = \(Value.integer(-1))") == [3])
    let url = try #require(URL(string: "https://example.org/a?b=c"))
    #expect(try db.sql("select \(url)", as: URL.self) == [url])
    let numbers = try #require(try db.sql("select \(UInt8(200)), \(Float(0.5))", as: (UInt8, Float).self).first)
    #expect(numbers.0 == 200)
    #expect(numbers.1 == 0.5)
  }

  @Test("lists become as many parameters, an empty one included")
  func lists() throws {
    #expect(try ids("select id from \(SQLItem.self) where id in (\([1, 3, 99])) order by id") == [1, 3])
    #expect(
      try ids(
        "select id from \(SQLItem.self) where \(SQLItem.columns.name) in (\(["one", "it's \"two\""])) order by id") == [
          1, 2,
        ])
    #expect(try ids("select id from \(SQLItem.self) where id in (\([Int]()))") == [])
    #expect(try ids("select id from \(SQLItem.self) where shade in (\([Shade.mid, .dark])) order by id") == [2, 3])
    #expect(
      try ids(
        "select id from \(SQLItem.self) where token in (\([Self.items[0].token, UUID()])) and id > \(1) order by id")
        == [2, 3])
  }

  @Test("SQL goes into SQL, with its values in their places")
  func nested() throws {
    let live: SQL = "isLive = \(true)"
    let condition: SQL = "(\(live) or \(SQLItem.columns.name) like \("it%"))"
    #expect(try ids("select id from \(SQLItem.self) where \(condition) and id < \(3) order by id") == [1, 2])
    #expect(
      try ids(SQL(raw: "select id from \"odd \"\"table\"\"\" where id > ? order by id", arguments: [1])) == [2, 3])
    #expect(try ids("select \(1)") == [1])
  }

  @Test(
    "attempts at injection are values",
    arguments: ["' or 1=1 --", "\"; drop table x; --", "one' union select 1 --", "?", "?1", ":id", "\u{0}", "%"])
  func injection(_ text: String) throws {
    #expect(try ids("select id from \(SQLItem.self) where \(SQLItem.columns.name) = \(text)") == [])
    #expect(try db.sql("select \(text)", as: String.self) == [text])
    try db.sql("update \(SQLItem.self) set \(name: SQLItem.columns.name) = \(text) where id = \(3)")
    #expect(try db.find(SQLItem.self, 3)?.name == text)
    #expect(throws: StoreError.self) { try db.sql("select \(name: text)") }
    #expect(try db.count(SQLItem.all) == 3)
  }

  @Test("rows are read by name, by position and as a dictionary")
  func rows() throws {
    let rows = try db.sql(
      "select id, \(SQLItem.columns.name) as name, rank, rank as id from \(SQLItem.self) order by \(SQLItem.self).id")
    #expect(rows.count == 3)
    #expect(rows[0]["id"] == 1)
    #expect(rows[0]["name"] == "one")
    #expect(rows[1]["rank"] == .null)
    #expect(rows[1]["nothing"] == nil)
    #expect(rows[0][3] == ("id", 4))
    #expect(rows[0].names == ["id", "name", "rank", "id"])
    #expect(try rows[0].get("name", as: String.self) == "one")
    #expect(try rows[1].get("rank", as: Int?.self) == nil)
    #expect(throws: StoreError.self) { try rows[1].get("rank", as: Int.self) }
    let missing = try #require(throws: StoreError.self) { try rows[0].get("nothing", as: Int.self) }
    #expect(missing.code == .notFound)
    #expect(missing.property == "nothing")
  }

  @Test("rows are read as tuples of one to five, and a wrong number of columns is an error")
  func tuples() throws {
    #expect(try db.sql("select count(*) from \(SQLItem.self)", as: Int.self) == [3])
    let two = try db.sql("select id, rank from \(SQLItem.self) order by id", as: (Int, Int?).self)
    #expect(two.map(\.0) == [1, 2, 3])
    #expect(two.map(\.1) == [4, nil, -1])
    let five = try db.sql(
      "select id, token, at, price, data from \(SQLItem.self) where id = 1", as: (Int, UUID, Date, Decimal, Data).self)
    #expect(five.count == 1)
    #expect(five[0] == (1, Self.items[0].token, Self.items[0].at, 12.5, Self.items[0].data))
    for sql in ["select 1", "select 1, 2, 3"] {
      let error = try #require(throws: StoreError.self) { try db.sql(SQL(raw: sql), as: (Int, Int).self) }
      #expect(error.code == .invalidValue)
    }
    let null = try #require(throws: StoreError.self) {
      try db.sql("select id, rank from \(SQLItem.self) order by id", as: (Int, Int).self)
    }
    #expect(null.code == .invalidValue)
    #expect(null.property == "rank")
    #expect(throws: StoreError.self) { try db.sql("select 'text'", as: Int.self) }
  }

  private struct Summary: Decodable, Equatable, Sendable {
    struct Name: Decodable, Equatable, Sendable {
      let text: String
      init(_ text: String) { self.text = text }
      init(from decoder: any Decoder) throws { text = try decoder.singleValueContainer().decode(String.self) }
    }

    enum CodingKeys: String, CodingKey {
      case id, rank, level, tags, at, token, isLive, price, missing
      case title = "name"
      case shade = "colour"
    }

    var id: Int
    var title: Name
    var rank: Int?
    var shade: Shade
    var level: Level?
    var tags: [String]
    var at: Date
    var token: UUID
    var isLive: Bool
    var price: Decimal
    var missing: String?
  }

  @Test("rows are decoded: enums, optionals, nested JSON, types of a single value")
  func decodables() throws {
    let sql: SQL =
      "select *, \(SQLItem.columns.name) as name, shade as colour from \(SQLItem.self) where id < 3 order by id"
    let expected = Self.items[..<2].map {
      Summary(
        id: $0.id, title: .init($0.name), rank: $0.rank, shade: $0.shade, level: $0.level, tags: $0.tags, at: $0.at,
        token: $0.token,
        isLive: $0.isLive,
        price: $0.price, missing: nil)
    }
    #expect(try db.sql(sql, as: Summary.self) == expected)
    #expect(try db.sql("select shade from \(SQLItem.self) where id = 2", as: Shade.self) == [.dark])
    let missing = try #require(throws: StoreError.self) {
      try db.sql("select id from \(SQLItem.self)", as: Summary.self)
    }
    #expect(missing.code == .invalidValue)
    #expect(missing.message.contains("no value for"))
    #expect(throws: StoreError.self) { try db.sql("select 'no such shade' as colour", as: Shade.self) }
  }

  @Test("SQL that writes does so, and says so to those who watch")
  func writes() async throws {
    var live = store.live(SQLItem.all.sorted(by: \.id)).makeAsyncIterator()
    #expect(try await live.next()?.count == 3)
    try await store.sql("delete from \(SQLItem.self) where id = \(3)")
    #expect(try await live.next()?.map(\.id) == [1, 2])
    try db.sql(
      "insert into \(SQLItem.self) select id + 10, \(SQLItem.columns.name), rank, weight, price, isLive, at, token, data, shade, level, measure_width, measure_unit, measure_grade, tags from \(SQLItem.self)"
    )
    #expect(try await live.next()?.map(\.id) == [1, 2, 11, 12])
    let returned = try db.sql(
      "update \(SQLItem.self) set rank = \(9) where id > \(10) returning id, rank", as: (Int, Int).self)
    #expect(returned.map(\.0).sorted() == [11, 12])
    #expect(returned.map(\.1) == [9, 9])
    #expect(try db.count(SQLItem.where { $0.rank == 9 }) == 2)
  }

  @Test("SQL in a transaction is undone with it, and does not write in a snapshot")
  func transactions() throws {
    struct Refusal: Error {}
    #expect(throws: Refusal.self) {
      try db.write { db in
        try db.sql("delete from \(SQLItem.self)")
        #expect(try db.count(SQLItem.all) == 0)
        throw Refusal()
      }
    }
    #expect(try db.count(SQLItem.all) == 3)
    let error = try #require(throws: StoreError.self) {
      try db.read { db in try db.sql("delete from \(SQLItem.self)") }
    }
    #expect(error.code == .readOnly)
    #expect(try db.count(SQLItem.all) == 3)
  }

  @Test(
    "several statements, transactions and nonsense are refused, and nothing is half done",
    arguments: [
      "delete from \"odd \"\"table\"\"\"; select 1", "begin", "begin immediate", "commit", "rollback", "savepoint a",
      "release a", "", "  ",
      "-- nothing", "selec 1",
      "select * from nowhere", "select nothing from \"odd \"\"table\"\"\"", "select ?", "select ?1, ?2",
      "select 1 \u{0} ; drop table x",
    ])
  func refused(_ text: String) throws {
    let error = try #require(throws: StoreError.self) { try db.sql(SQL(raw: text)) }
    #expect([.unsupported, .schemaMismatch, .invalidValue].contains(error.code), "\(error)")
    #expect(try db.count(SQLItem.all) == 3)
    try db.insert(SQLItem(id: 9, name: "the store still writes"))
  }

  @Test("a semicolon and a comment may end a statement")
  func endings() throws {
    #expect(try ids("select id from \(SQLItem.self) where id = \(1);") == [1])
    #expect(try ids("select id from \(SQLItem.self) where id = \(1); -- the first") == [1])
    #expect(try ids("select id /* one; two */ from \(SQLItem.self) where id = 1 ; /* done */ ") == [1])
  }

  @Test("a value that cannot be stored is refused before the database sees it")
  func unstorable() throws {
    for sql in ["select \(Double.nan)", "select \(UInt64.max)", "select \([1, Double.nan])"] as [SQL] {
      let error = try #require(throws: StoreError.self) { try db.sql(sql) }
      #expect(error.code == .invalidValue)
    }
  }

  @Test("the verbs of the store itself do the same")
  func asynchronous() async throws {
    #expect(try await store.sql("select id from \(SQLItem.self) where id = \(1)").first?["id"] == 1)
    let ranks = try await store.sql("select id, rank from \(SQLItem.self) where id = \(1)", as: (Int, Int).self)
    #expect(ranks.map(\.1) == [4])
    #expect(
      try await store.sql(
        "select id, \(SQLItem.columns.name) as name from \(SQLItem.self) where id = \(1)", as: Named.self) == [
          Named(id: 1, name: "one")
        ])
    await #expect(throws: StoreError.self) { try await store.sql("commit") }
  }

  private struct Named: Decodable, Equatable, Sendable {
    var id: Int
    var name: String
  }
}
