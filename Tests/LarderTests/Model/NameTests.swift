import Larder
import LarderTestSupport
import Testing

/// Names that SQL or Swift reserve, and names of tables and columns with any character.
@Suite struct NameTests {
  @Model struct Select: Hashable {
    var id: Int
    var group: String = "g"
    var order: Int = 1
    var select: Int?
    var from: String = "f"
    var index: Int = 2
    var values: [Int] = [1]
    var rowid: String = "r"
    var oid: String = "o"
    var unique: Bool = true
    @Attribute(.indexed) var check: Double = 0
    @Attribute(.unique) var primary: Int = 0
    @Attribute(.searchable) var table: String = "searchable table"
    var `default`: Int = 3
    var `where`: String = "w"
    var `case`: Int? = nil
    var `self`: Int = 4
    var `init`: Int = 5
    var `class`: String = "c"
    var `in`: Int = 6
    var `nil`: Int = 7
  }

  @Model("an \"odd\" table, ' 🥛; drop table x --") struct Odd: Hashable {
    @Attribute(.primaryKey, name: "the \"key\"") var key: Int
    @Attribute(.indexed, name: "with space") var space: String = ""
    @Attribute(.unique, name: "emoji 🥛, and comma") var emoji: String = ""
    @Attribute(.searchable, name: "it's text") var text: String = ""
    @Attribute(name: "select") var keyword: Int = 0
    @Attribute(name: "%_\\?1$") var signs: Int = 0
    @Attribute(name: "ünïcode") var unicode: [Int] = []
  }

  @Test("A8: properties called like words of SQL and Swift are stored, queried and changed") func keywords() throws {
    let store = try Store(inMemoryFor: Select.self)
    let row = Select(id: 1, group: "x", select: 9, default: 8, where: "y", case: 2)
    try store.blocking.insert(row)
    #expect(try store.blocking.find(Select.self, 1) == row)
    #expect(
      try store.blocking.fetch(
        Select.where { $0.group == "x" && $0.default == 8 && $0.where == "y" && $0.case == 2 && $0.`self` == 4 }) == [
          row
        ])
    #expect(try store.blocking.fetch(Select.search("searchable")) == [row])
    #expect(
      try store.blocking.updateAll(Select.where { $0.`in` == 6 }) {
        $0.order.increment(by: 1); $0.`init`.set(50)
      } == 1)
    let changed = try #require(try store.blocking.find(Select.self, 1))
    #expect(changed.order == 2)
    #expect(changed.`init` == 50)
    try store.blocking.save(row)
    #expect(try store.blocking.fetch(Select.all.sorted(by: \.order).sorted(by: \.default)) == [row])
    let groups = try store.blocking.fetch(Select.all.grouped(by: \.group) { ($0.key, $0.sum(\.index)) })
    #expect(groups.map(\.0) == ["x"])
    #expect(try store.blocking.rows(Select.all).first?["default"] == 8)
  }

  @Test("A8: names of tables and columns may hold quotes, spaces, commas and emoji") func odd() throws {
    try withTemporaryStore(for: Odd.self) { store in
      let row = Odd(key: 1, space: "s", emoji: "e", text: "some words", keyword: 2, signs: 3, unicode: [4])
      try store.blocking.insert(row)
      try store.blocking.save(row)
      #expect(try store.blocking.find(Odd.self, 1) == row)
      #expect(
        try store.blocking.fetch(Odd.where { $0.space == "s" && $0.signs == 3 && $0.unicode.contains(4) }) == [row])
      #expect(try store.blocking.fetch(Odd.search("words").ranked()) == [row])
      #expect(try store.blocking.updateAll(Odd.all) { $0.signs.set(9) } == 1)
      #expect(try store.blocking.sql("select \(Odd.columns.signs) from \(Odd.self)", as: Int.self) == [9])
      let key = #expect(throws: StoreError.self) { try store.blocking.insert(row) }
      #expect(key?.property == "key")
      let unique = #expect(throws: StoreError.self) { try store.blocking.insert(Odd(key: 2, emoji: "e")) }
      #expect(unique?.code == .duplicate)
      #expect(unique?.property == "emoji")
      #expect(try store.blocking.delete(row))
    }
  }

  @Test("A8: a store with odd names opens again as it was") func reopened() throws {
    let folder = try TemporaryFolder()
    let row = Odd(key: 1, text: "words")
    try Store(at: folder.file("a.larder"), for: Odd.self, Select.self).blocking.insert(row)
    let store = try Store(at: folder.file("a.larder"), for: Odd.self, Select.self)
    #expect(try store.blocking.fetch(Odd.search("words")) == [row])
  }
}
