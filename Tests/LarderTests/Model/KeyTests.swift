import Foundation
import Larder
import LarderTestSupport
import Testing

@Suite struct KeyTests {
  @Model("Order Details") struct Line: Hashable {
    @Attribute(.primaryKey, name: "OrderID") var order: Int
    @Attribute(.primaryKey, name: "Product ID") var product: String
    var quantity: Int = 1
  }

  @Model struct Country: Hashable {
    var name: String
    @Attribute(.primaryKey, name: "iso code") var code: String
  }

  @Model struct Day: Hashable {
    @Attribute(.primaryKey, .iso8601) var date: Date
    var note: String = ""
  }

  @Model struct Slot: Hashable {
    @Attribute(.primaryKey) var room: UUID
    @Attribute(.primaryKey) var weekday: KeyTests.Weekday
    @Attribute(.primaryKey, .iso8601) var from: Date
    var title: String
  }

  enum Weekday: Int, Codable, Hashable, Sendable { case monday = 1, tuesday }

  /// A key is all that it has.
  @Model struct Word: Hashable {
    var id: String
  }

  @Test("A2: a key of several properties finds, updates and deletes one row") func composite() throws {
    let store = try Store(inMemoryFor: Line.self)
    let lines = [Line(order: 1, product: "a"), Line(order: 1, product: "b"), Line(order: 2, product: "a")]
    try store.blocking.insert(lines)
    #expect(lines[1].id == Line.ID(order: 1, product: "b"))
    #expect(try store.blocking.find(Line.self, Line.ID(order: 2, product: "a")) == lines[2])
    #expect(try store.blocking.find(Line.self, Line.ID(order: 2, product: "b")) == nil)
    try store.blocking.save(Line(order: 1, product: "b", quantity: 7))
    #expect(try store.blocking.fetch(Line.all.sorted(by: \.quantity)).map(\.quantity) == [1, 1, 7])
    let error = #expect(throws: StoreError.self) { try store.blocking.insert(lines[0]) }
    #expect(error?.code == .duplicate)
    #expect(error?.model == "Line")
    #expect(error?.message.contains("order, product") == true)
    #expect(try store.blocking.delete(lines[0]))
    #expect(try store.blocking.delete(Line.self, lines[2].id))
    #expect(try store.blocking.fetch(Line.all).map(\.id) == [lines[1].id])
  }

  @Test("A2: a key may have another name than id") func named() throws {
    let store = try Store(inMemoryFor: Country.self)
    try store.blocking.insert(Country(name: "China", code: "CN"))
    #expect(try store.blocking.find(Country.self, "CN")?.id == "CN")
    try store.blocking.update(Country(name: "中国", code: "CN"))
    #expect(try store.blocking.fetch(Country.all) == [Country(name: "中国", code: "CN")])
    #expect(try store.blocking.rows(Country.all).first?.names == ["name", "iso code"])
  }

  @Test("A2: dates as text, identifiers and raw values are parts of a key") func kinds() throws {
    let store = try Store(inMemoryFor: Day.self, Slot.self)
    let day = Day(date: Date(timeIntervalSinceReferenceDate: 86_400), note: "x")
    try store.blocking.insert(day)
    #expect(try store.blocking.find(Day.self, day.date) == day)
    try store.blocking.save(Day(date: day.date, note: "y"))
    #expect(try store.blocking.fetch(Day.all).map(\.note) == ["y"])
    #expect(try store.blocking.delete(Day.self, day.date))
    let slot = Slot(room: UUID(), weekday: .tuesday, from: day.date, title: "a")
    try store.blocking.insert(slot)
    #expect(try store.blocking.find(Slot.self, slot.id) == slot)
    #expect(try store.blocking.find(Slot.self, Slot.ID(room: slot.room, weekday: .monday, from: slot.from)) == nil)
  }

  @Test("a model may be nothing but its key") func bare() throws {
    let store = try Store(inMemoryFor: Word.self)
    try store.blocking.insert(Word(id: "a"))
    try store.blocking.save(Word(id: "a"))
    try store.blocking.save([Word(id: "a"), Word(id: "b")])
    try store.blocking.update(Word(id: "b"))
    #expect(throws: StoreError.self) { try store.blocking.update(Word(id: "c")) }
    #expect(try store.blocking.count(Word.all) == 2)
  }

  @Test("the key of an integer is the row identifier itself") func rowIdentifier() throws {
    let store = try Store(inMemoryFor: Scalars.IntRow.self)
    try store.blocking.insert(Scalars.IntRow(id: .max, value: 0, maybe: nil))
    try store.blocking.insert(Scalars.IntRow(id: .min, value: 1, maybe: nil))
    #expect(
      try store.blocking.sql("select rowid from \(Scalars.IntRow.self) order by 1", as: Int.self) == [.min, .max])
    #expect(try store.blocking.find(Scalars.IntRow.self, .min)?.value == 1)
  }

  @Test("tables are STRICT, and columns of properties that are not optional refuse NULL") func strict() throws {
    let store = try Store(inMemoryFor: Country.self)
    let isStrict = try store.blocking.sql("select strict from pragma_table_list where name = 'Country'", as: Bool.self)
    #expect(isStrict == [true])
    let error = #expect(throws: StoreError.self) {
      try store.blocking.sql("insert into Country (\"iso code\") values ('X')")
    }
    #expect(error?.code == .constraint)
  }
}
