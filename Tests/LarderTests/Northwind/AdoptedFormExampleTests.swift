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
