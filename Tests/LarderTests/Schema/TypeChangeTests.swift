import Foundation
import Larder
import Testing

private enum First {
  @Model("Note")
  struct Note: Hashable {
    var id: Int
    var amount: Double = 1.5
    var count: Int = 1
    var code: String = "12"
    var data: Data = Data([1, 2, 3])
  }
}

private enum Second {
  enum Shade: String, Sendable { case light }

  @Model("Note")
  struct WholeAmount: Hashable {
    var id: Int
    var amount: Int
    var count: Int
    var code: String
    var data: Data
  }

  @Model("Note")
  struct SmallCount: Hashable {
    var id: Int
    var amount: Double
    var count: Int8
    var code: String
    var data: Data
  }

  @Model("Note")
  struct NumericCode: Hashable {
    var id: Int
    var amount: Double
    var count: Int
    var code: Int
    var data: Data
  }

  @Model("Note")
  struct Wide: Hashable {
    var id: Int
    var amount: Double
    var count: Double
    var code: String
    var data: Data
  }

  @Model("Note")
  struct Listed: Hashable {
    var id: Int
    var amount: Double
    var count: Int
    var code: [String]
    var data: Data
  }

  @Model("Note")
  struct Identified: Hashable {
    var id: Int
    var amount: Double
    var count: Int
    var code: String
    var data: UUID
  }
}

@Suite("Properties whose type changes")
struct TypeChangeTests {
  private let file: StoreFile

  init() throws {
    file = try StoreFile()
    try file.write([First.Note(id: 1), First.Note(id: 2, amount: 2, count: 1000)])
  }

  @Test("Double does not become Int while a row has a fraction")
  func fractions() throws {
    try file.expectRefusal(.schemaMismatch, of: "amount", naming: "WholeAmount.amount", "migration") {
      _ = try file.open(Second.WholeAmount.self)
    }
    try file.expectRefusal(.schemaMismatch, of: "amount") {
      _ = try Store.plan(at: file.path, for: Second.WholeAmount.self)
    }
  }

  @Test("a migration that leaves a fraction is refused, with the row")
  func fractionsAfterMigration() throws {
    try file.expectRefusal(.schemaMismatch, of: "amount", naming: "row 1 of Note") {
      _ = try file.open(Second.WholeAmount.self, migrations: [Migration("nothing") { _ in }])
    }
  }

  @Test("a migration makes a Double an Int")
  func rounded() throws {
    let round = Migration("whole amounts") { db in try db.sql("update Note set amount = round(amount)") }
    let store = try file.open(Second.WholeAmount.self, migrations: [round])
    #expect(try store.blocking.fetch(Second.WholeAmount.all.sorted(by: \.id)).map(\.amount) == [2, 2])
    #expect(try file.sql("select amount from Note", in: "test.larder.backup-1").map { $0["amount"] } == [1.5, 2.0])
  }

  @Test("Int does not become Int8 while a row is out of range, and does when none is")
  func narrower() throws {
    try file.expectRefusal(.schemaMismatch, of: "count", naming: "SmallCount.count", "row 2 of Note") {
      _ = try file.open(Second.SmallCount.self)
    }
    try file.sql("update Note set count = -128")
    do {
      let store = try file.open(Second.SmallCount.self)
      #expect(try store.blocking.fetch(Second.SmallCount.all).map(\.count) == [-128, -128])
    }
    #expect(try file.open(First.Note.self).blocking.count(First.Note.where { $0.count == -128 }) == 2)
  }

  @Test("String does not become Int by itself, and does with a migration")
  func text() throws {
    try file.expectRefusal(.schemaMismatch, of: "code", naming: "NumericCode.code") {
      _ = try file.open(Second.NumericCode.self)
    }
    try file.sql("update Note set code = '12 kg' where id = 2")
    try file.expectRefusal(.schemaMismatch, of: "code", naming: "row 2 of Note") {
      _ = try file.open(Second.NumericCode.self, migrations: [Migration("nothing") { _ in }])
    }
    let convert = Migration("codes are numbers") { db in try db.sql("update Note set code = replace(code, ' kg', '')") }
    let store = try file.open(Second.NumericCode.self, migrations: [convert])
    #expect(try store.blocking.fetch(Second.NumericCode.all).map(\.code) == [12, 12])
  }

  @Test("Int becomes Double by itself")
  func wider() throws {
    let store = try file.open(Second.Wide.self)
    #expect(try store.blocking.fetch(Second.Wide.all.sorted(by: \.id)).map(\.count) == [1, 1000])
    try store.blocking.insert(Second.Wide(id: 3, amount: 1, count: 0.5, code: "", data: Data()))
  }

  @Test("Int does not become Double where a number would change, and the error names the row")
  func widerThanDouble() throws {
    try file.sql("update Note set count = 9007199254740993 where id = 2")
    try file.expectRefusal(.schemaMismatch, of: "count", naming: "row 2 of Note") {
      _ = try file.open(Second.Wide.self)
    }
  }

  @Test("String becomes an array where every row holds one")
  func json() throws {
    try file.expectRefusal(.schemaMismatch, of: "code", naming: "row 1 of Note") {
      _ = try file.open(Second.Listed.self)
    }
    try file.sql("update Note set code = '[\"a\"]'")
    let store = try file.open(Second.Listed.self)
    #expect(try store.blocking.fetch(Second.Listed.all).map(\.code) == [["a"], ["a"]])
  }

  @Test("Data becomes a UUID where every row has sixteen bytes")
  func identifier() throws {
    try file.expectRefusal(.schemaMismatch, of: "data", naming: "row 1 of Note") {
      _ = try file.open(Second.Identified.self)
    }
    try file.sql("update Note set data = zeroblob(16)")
    let store = try file.open(Second.Identified.self)
    #expect(
      try Set(store.blocking.fetch(Second.Identified.all).map(\.data.uuidString)) == [
        "00000000-0000-0000-0000-000000000000"
      ])
  }
}
