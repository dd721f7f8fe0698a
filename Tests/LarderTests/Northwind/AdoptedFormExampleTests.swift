import Foundation
import Larder
import Testing

@Model("Things")
private struct FormedThing: Hashable {
  var id: Int
  var flag: Bool
  var number: Int
  var price: Decimal
  var blob: Decimal
}

@Model("Spans")
private struct WholeSpan: Hashable {
  var id: Int
  var a: Date
  var b: Date
  var c: Date
  var weight: Double
}

/// One example of each mixture of forms that conditions once read otherwise than fetches.
@Suite("Values of other programs in other forms: examples")
struct AdoptedFormExampleTests {
  private let file: StoreFile
  private let store: Store

  init() throws {
    file = try StoreFile()
    try file.sql(
      "create table Things (id INTEGER PRIMARY KEY, flag BOOLEAN, number TEXT, price, blob BLOB)", creating: true)
    try file.sql(
      """
      insert into Things values (1, -1, '7', '10', '9'), (2, 0, '12', 9, 10), (3, 2, '-3', 1.5, '10.50'), \
      (4, 1, '007', '1.50', 2.5)
      """)
    store = try Store(at: file.path, for: FormedThing.self, schema: .existing)
  }

  @Test("whole seconds and whole numbers are real ones when something is computed of them")
  func wholeNumbers() throws {
    let file = try StoreFile()
    try file.sql(
      "create table Spans (id integer primary key, a timestamp, b timestamp, c timestamp, weight numeric)",
      creating: true)
    try file.sql("insert into Spans values (1, 90.0, 0.0, 60.0, 2), (2, 100, 10, 70, 5)")
    let store = try Store(at: file.path, for: WholeSpan.self, schema: .existing)
    let context = Context(store)
    for db in [store.blocking, context, context.child()] as [any StoreWriter] {
      let all = WholeSpan.all.sorted(by: \.id)
      #expect(
        try db.fetch(all.select { $0.a.timeIntervalSince($0.b) / $0.c.timeIntervalSince($0.b) }) == [1.5, 1.5])
      #expect(try db.count(WholeSpan.where { $0.a.timeIntervalSince($0.b) / $0.c.timeIntervalSince($0.b) > 1.2 }) == 2)
      let groups = WholeSpan.all.grouped(by: \.b) { ($0.max(\.a), $0.min(\.c)) }
      #expect(try db.fetch(groups).map { $0.0?.timeIntervalSinceReferenceDate ?? 0 } == [90, 100])
      let ratios = WholeSpan.all.grouped(by: { $0.id > 0 }) { $0.max(\.weight).or(0) / $0.min(\.weight).or(1) }
      #expect(try db.fetch(ratios) == [2.5])
      #expect(try db.max(WholeSpan.all, of: \.weight) == 5)
      #expect(try db.fetch(WholeSpan.where { $0.a == Date(timeIntervalSinceReferenceDate: 90) }).map(\.id) == [1])
      #expect(try db.fetch(WholeSpan.all.sorted(by: \.a).select(\.weight)) == [2, 5])
      #expect(try db.find(WholeSpan.self, 2)?.a == Date(timeIntervalSinceReferenceDate: 100))
    }
    // No integer that a real number isn't equal to.
    try file.sql("update Spans set weight = 9007199254740993 where id = 2")
    let again = try Store(at: file.path, for: WholeSpan.self, schema: .existing)
    #expect(throws: StoreError.self) { try again.blocking.max(WholeSpan.all, of: \.weight) }
  }

  @Test("-1 is true, '7' is less than '12', and numbers in columns without a type are in their order")
  func examples() throws {
    let context = Context(store)
    for db in [store.blocking, context, context.child()] as [any StoreWriter] {
      func ids(_ query: Query<FormedThing>) throws -> [Int] { try db.fetch(query).map(\.id) }
      #expect(try ids(FormedThing.where { $0.flag }.sorted(by: \.id)) == [1, 3, 4])
      #expect(try ids(FormedThing.where { !$0.flag }) == [2])
      #expect(try ids(FormedThing.where { $0.number < 10 }.sorted(by: \.id)) == [1, 3, 4])
      #expect(try ids(FormedThing.where { $0.number == 7 }.sorted(by: \.id)) == [1, 4])
      #expect(try ids(FormedThing.all.sorted(by: \.number).sorted(by: \.id)) == [3, 1, 4, 2])
      #expect(try db.max(FormedThing.all, of: \.number) == 12)
      #expect(try db.max(FormedThing.all, of: \.price) == 10)
      #expect(try ids(FormedThing.all.sorted(by: \.price).sorted(by: \.id)) == [3, 4, 2, 1])
      #expect(try db.max(FormedThing.all, of: \.blob) == Decimal(string: "10.5"))
      #expect(try ids(FormedThing.where { $0.blob > 9 }.sorted(by: \.id)) == [2, 3])
      #expect(try db.fetch(FormedThing.all.grouped(by: \.number) { ($0.key, $0.count) }).map(\.1) == [1, 2, 1])
      try db.deleteAll(FormedThing.where { !$0.flag })
      #expect(try ids(FormedThing.all.sorted(by: \.id)) == [1, 3, 4])
      if db is BlockingStore { try db.insert(FormedThing(id: 2, flag: false, number: 12, price: 9, blob: 10)) }
      (db as? Context)?.rollback()
    }
  }
}
