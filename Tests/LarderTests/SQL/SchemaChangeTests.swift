import Foundation
import Testing

@testable import Larder

@Model
private struct Sheet: Hashable {
  var id: Int
  var first: String = "one"
  var second: String = "two"
}

private struct Loose: Decodable, Sendable {
  var id: Int
  var second: String?
  var third: Int?
}

/// SQL whose tables change after it was compiled.
@Suite("SQL: the schema changes")
struct SchemaChangeTests {
  private let file: StoreFile
  private let store: Store
  private var db: BlockingStore { store.blocking }

  init() throws {
    file = try StoreFile()
    store = try file.open(Sheet.self)
    try store.blocking.insert(Sheet(id: 1))
  }

  private func expect(_ names: [String], _ values: [Value], sourceLocation: SourceLocation = #_sourceLocation) throws {
    let row = try #require(try db.sql("select * from Sheet").first, sourceLocation: sourceLocation)
    #expect(row.names == names, sourceLocation: sourceLocation)
    #expect(row.map(\.value) == values, sourceLocation: sourceLocation)
  }

  @Test(
    "rows have the names and values of the columns of now, whoever has altered the table", arguments: [true, false])
  func rows(isForeign: Bool) throws {
    func alter(_ sql: SQL) throws { if isForeign { try file.sql(sql) } else { try db.sql(sql) } }
    try expect(["id", "first", "second"], [1, "one", "two"])
    try alter("alter table Sheet drop column first")
    try expect(["id", "second"], [1, "two"])
    try alter("alter table Sheet add column third integer default 3")
    try expect(["id", "second", "third"], [1, "two", 3])
    #expect(try db.sql("select * from Sheet", as: Loose.self).first?.third == 3)
    try alter("alter table Sheet rename column third to fourth")
    try expect(["id", "second", "fourth"], [1, "two", 3])
    #expect(try db.sql("select * from Sheet", as: Loose.self).first?.third == nil)
  }

  @Test("a column that was renamed is known to every connection", arguments: [true, false])
  func renamedTwice(isForeign: Bool) throws {
    func alter(_ sql: SQL) throws { if isForeign { try file.sql(sql) } else { try db.sql(sql) } }
    // A reader has the schema in memory.
    try expect(["id", "first", "second"], [1, "one", "two"])
    try alter("alter table Sheet rename column second to third")
    try db.sql("alter table Sheet rename column third to fourth")
    #expect(try db.sql("update Sheet set fourth = 'four' returning fourth", as: String.self) == ["four"])
    try alter("alter table Sheet rename column fourth to fifth")
    #expect(try db.sql("select fifth from Sheet", as: String.self) == ["four"])
    #expect(throws: StoreError.self) { try db.sql("select fourth from Sheet") }
  }

  @Test("the width of a tuple is compared with the columns of now", arguments: [true, false])
  func tuples(isForeign: Bool) throws {
    func alter(_ sql: SQL) throws { if isForeign { try file.sql(sql) } else { try db.sql(sql) } }
    #expect(try db.sql("select * from Sheet", as: (Int, String, String).self).count == 1)
    #expect(throws: StoreError.self) { try db.sql("select * from Sheet where id > 5", as: (Int, String).self) }
    try alter("alter table Sheet drop column first")
    #expect(try db.sql("select * from Sheet", as: (Int, String).self).first?.1 == "two")
    #expect(throws: StoreError.self) { try db.sql("select * from Sheet", as: (Int, String, String).self) }
    #expect(throws: StoreError.self) { try db.sql("select * from Sheet where id > 5", as: (Int, String, String).self) }
  }

  @Test(
    "a statement that writes and returns another number of columns than the tuple has writes nothing",
    arguments: [true, false])
  func returning(isForeign: Bool) throws {
    func alter(_ sql: SQL) throws { if isForeign { try file.sql(sql) } else { try db.sql(sql) } }
    #expect(try db.sql("update Sheet set second = 'a' returning *", as: (Int, String, String).self).count == 1)
    try alter("alter table Sheet add column third integer default 3")
    #expect(throws: StoreError.self) {
      try db.sql("update Sheet set second = 'b' returning *", as: (Int, String, String).self)
    }
    #expect(try db.sql("select second from Sheet", as: String.self) == ["a"])
    func transaction(_ db: Transaction) throws {
      #expect(throws: StoreError.self) { try db.sql("update Sheet set second = 'c' returning id", as: (Int, Int).self) }
      #expect(try db.sql("select second from Sheet", as: String.self) == ["a"])
      _ = try db.sql("update Sheet set second = 'd' returning *", as: (Int, Int).self)
    }
    #expect(throws: StoreError.self) { try db.write(transaction) }
    #expect(try db.sql("select second from Sheet", as: String.self) == ["a"])
  }
}
