import Foundation
import Larder
import LarderTestSupport
import Testing

/// A model with everything that is stored in more than one way.
@Model("parcel post")
struct MailItem: Hashable {
  var id: UUID = .v7()
  var label: String
  var worth: Decimal?
  @Embedded var size: Size = Size()
  var stickers: [String] = []
  var carrier: ToOne<Carrier>?

  @Embeddable
  struct Size: Hashable {
    var width = 1.0
    var height: Double?
  }
}

@Model
struct Carrier: Hashable {
  var id: Int
  var name: String
  @Relationship(inverse: \MailItem.carrier) var load: ToMany<MailItem> = []
}

/// Columns of an older table in another order, with one that the model doesn't have.
@Model("odd order")
struct OddOrder: Hashable {
  var id: Int
  var first: String
  var second: Int?
}

@Suite("Models from SQL, and SQL in typed queries")
struct SQLModelTests {
  private let store: Store
  private let post = Carrier(id: 1, name: "Post")
  private let bike = Carrier(id: 2, name: "Bike")
  private let parcels: [MailItem]

  init() throws {
    store = try Store(inMemoryFor: MailItem.self, Carrier.self)
    parcels = [
      MailItem(label: "a", worth: 9, stickers: ["x", "y"], carrier: ToOne(post)),
      MailItem(label: "b", worth: 10, size: .init(width: 2, height: 3), carrier: ToOne(post)),
      MailItem(label: "c", worth: nil),
    ]
    try store.blocking.insert([post, bike])
    try store.blocking.insert(parcels)
  }

  @Test("a model is read from its columns, or from all columns of its table")
  func models() async throws {
    let listed = try await store.sql(
      "select \(MailItem.columns) from \(MailItem.self) order by \(MailItem.columns.label)",
      as: MailItem.self)
    #expect(listed == parcels)
    let all = try await store.sql("select * from \(MailItem.self) order by label desc", as: MailItem.self)
    #expect(all == parcels.reversed())
    let swapped = try store.blocking.sql(
      "select name, 1 as unrelated, id from \(Carrier.self) order by 1", as: Carrier.self)
    #expect(swapped.map(\.id) == [2, 1])
    let one = try await store.read { db in
      try db.sql(
        "with heavy as (select * from \(MailItem.self) where size_width > 1) select \(MailItem.columns, of: "heavy") from heavy",
        as: MailItem.self)
    }
    #expect(one == [parcels[1]])
    let optional = try await store.sql("select \(Carrier.columns) from \(Carrier.self) order by id", as: Carrier?.self)
    #expect(optional == [post, bike])
  }

  @Test("a tuple has models, rows that a join did not find, and values")
  func tuples() async throws {
    let pairs = try await store.sql(
      """
      select \(Carrier.columns), \(MailItem.columns, of: "p"), length(p.label)
      from \(Carrier.self) left join \(MailItem.self) p on p.\(MailItem.columns.carrier) = \(Carrier.columns.id)
      order by \(Carrier.columns.id), p.label
      """, as: (Carrier, MailItem?, Int?).self)
    #expect(pairs.map(\.0) == [post, post, bike])
    #expect(pairs.map(\.1) == [parcels[0], parcels[1], nil])
    #expect(pairs.map(\.2) == [1, 1, nil])
    let grouped = try await store.sql(
      "select \(Carrier.self).*, count(*) from \(Carrier.self) join \(MailItem.self) on carrier = \(Carrier.columns.id) group by 1",
      as: (Carrier, Int).self)
    #expect(grouped.map(\.1) == [2])
    let counted = try store.blocking.sql(
      "select count(*), \(Carrier.columns) from \(Carrier.self)", as: (Int, Carrier).self)
    #expect(counted.map(\.0) == [2])
  }

  @Test("a row that doesn't fit says what it returns and how to select a model")
  func misfits() async throws {
    func message(_ sql: SQL) async -> String? {
      await #expect(throws: StoreError.self) { _ = try await store.sql(sql, as: Carrier.self) }?.message
    }
    #expect(await message("select id from \(Carrier.self)")?.contains("no column name; it returns id.") == true)
    #expect(
      await message("select a.*, b.* from \(Carrier.self) a, \(Carrier.self) b")?.contains("id more than once") == true)
    #expect(await message("select null as id, name from \(Carrier.self)")?.contains("Carrier.id holds NULL") == true)
    let tuple = await #expect(throws: StoreError.self) {
      try await store.sql("select name, id, 1 from \(Carrier.self)", as: (Carrier, Int).self)
    }
    #expect(
      tuple?.message.contains("returns name, id, 1, and the tuple expects [id, name], a value.") == true)
  }

  @Test("a table with other columns, in another order, is read by their names")
  func order() async throws {
    let folder = try TemporaryFolder()
    let file = folder.file("odd.sqlite")
    let raw = try Store(at: file)
    try await raw.sql(
      "create table \"odd order\" (second INTEGER, extra TEXT, first TEXT not null, id INTEGER primary key)")
    try await raw.sql("insert into \"odd order\" values (2, 'e', 'f', 1), (null, null, 'g', 3)")
    await raw.close()
    let store = try Store(at: file, for: OddOrder.self, schema: .existing)
    let rows = try await store.sql("select * from \(OddOrder.self) order by id", as: OddOrder.self)
    #expect(rows == [OddOrder(id: 1, first: "f", second: 2), OddOrder(id: 3, first: "g", second: nil)])
  }

  @Test("a context's SQL reads its own rows as models")
  func contexts() throws {
    let context = Context(store)
    context.insert(Carrier(id: 3, name: "Ship"))
    context.delete(Carrier.self, 1)
    #expect(
      try context.fetch(Carrier.where { SQL("\($0.id) % 2 = \(1)") }).map(\.name) == ["Ship"])
  }

  @Test("SQL is a condition, a sort, a selected value and a key of groups")
  func fragments() async throws {
    let labels = ["a", "c"]
    let query = MailItem.where { SQL("\($0.label) in (\(labels)) -- a comment") }.sorted(order: .reverse) {
      SQL("upper(\($0.label))").as(String.self)
    }
    #expect(try await store.fetch(query).map(\.label) == ["c", "a"])
    #expect(try await store.count(MailItem.where { !SQL("\($0.worth) > \(Decimal(9))").as(Bool.self) }) == 2)
    let values = try await store.fetch(
      MailItem.select { ($0.label, SQL("\($0.size.width) * 2").as(Double.self)) }.sorted(by: \.label))
    #expect(values.map(\.1) == [2, 4, 2])
    let groups = try await store.fetch(
      MailItem.all.grouped(by: { SQL("length(\($0.label))").as(Int.self) }) { ($0.key, $0.count) })
    #expect(groups.map(\.0) == [1] && groups.map(\.1) == [3])
    // A condition that is unknown is false, and its negation true, as for every other condition.
    #expect(try await store.count(MailItem.where { SQL("\($0.worth) > 0").as(Bool.self) || $0.label == "c" }) == 3)
    #expect(try await store.fetch(MailItem.where { SQL("\($0.carrier.name) = \("Post")") }).count == 2)
    let joined = Carrier.join(MailItem.self) { SQL("\($0.id) = \($1.carrier)").as(Bool.self) }
    #expect(try await store.count(joined) == 2)
    let later = MailItem.where { SQL("\($0.label) > 'a'") }
    try await store.updateAll(later) { $0.stickers.set(["new"]) }
    #expect(try await store.count(MailItem.where { $0.stickers == ["new"] }) == 2)
    let page = MailItem.all.sorted { SQL("lower(\($0.label))").as(String.self) }.limit(1)
    let first = try #require(try await store.fetch(page).first)
    #expect(try await store.fetch(page.after(first)).map(\.label) == ["b"])
    let error = await #expect(throws: StoreError.self) {
      try await store.fetch(MailItem.where { SQL("\($0.size.width) = \(Double.nan)") })
    }
    #expect(error?.code == .invalidValue)
  }

  @Test("live results follow the tables that the SQL reads")
  func live() async throws {
    let query = MailItem.where { SQL("exists (select 1 from \(Carrier.self) c where c.id = \($0.carrier))") }
    var rows = store.live(query).makeAsyncIterator()
    #expect(try await rows.next()?.count == 2)
    try await store.sql("pragma defer_foreign_keys = on")
    try await store.updateAll(MailItem.where { $0.label == "a" }) { $0.carrier.set(nil) }
    #expect(try await rows.next()?.count == 1)
  }

  @Test("columns, references, expressions and queries are interpolated")
  func interpolations() async throws {
    let columns = MailItem.columns
    func labels(_ condition: SQL) async throws -> [String] {
      try await store.sql("select label from \(MailItem.self) where \(condition) order by 1", as: String.self)
    }
    #expect(try await labels("\(columns.carrier) = \(ToOne(post))") == ["a", "b"])
    let none: ToOne<Carrier>? = nil
    #expect(try await labels("\(columns.carrier) is \(none)") == ["c"])
    #expect(try await labels("\(columns.carrier.name) = 'Post'") == ["a", "b"])
    #expect(try await labels("\(columns.worth * 2 + 1) = \(Decimal(21))") == ["b"])
    #expect(try await labels("carrier in (\(Carrier.where { $0.name == "Post" }.select(\.id)))") == ["a", "b"])
    try await store.sql("update \(MailItem.self) set \(name: columns.label) = \("d") where \(columns.carrier) is null")
    #expect(try await labels("\(name: columns.carrier) is null") == ["d"])
    // Both tables have an id and a name of their own.
    let both = try await store.sql(
      "select \(columns.id) from \(Carrier.self) join \(MailItem.self) on \(columns.carrier) = \(Carrier.columns.id) where \(Carrier.columns.id) = 1",
      as: UUID.self)
    #expect(both.count == 2)
  }

  @Test("an unknown name is answered with the names that there are")
  func unknown() async throws {
    func message(_ sql: SQL) async -> String? {
      await #expect(throws: StoreError.self) { try await store.sql(sql) }?.message
    }
    let column = await message("select labels from \(MailItem.self)") ?? ""
    #expect(column.contains("Did you mean label?") && column.contains("id, label, worth, "), "\(column)")
    #expect(
      await message("select 1 from carriers")?.contains("have Carrier, parcel post (MailItem).") == true)
    #expect(await message("select \(MailItem.columns.label) from \(Carrier.self)")?.contains("parcel post has") == true)
    #expect(
      await message("update \(Carrier.self) set \(Carrier.columns.name) = 'x'")?.contains(
        "\\(name: Model.columns.property)")
        == true)
  }
}
