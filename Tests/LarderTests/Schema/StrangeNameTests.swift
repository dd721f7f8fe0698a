import Foundation
import Larder
import Testing

private enum First {
  @Model("my \"note's\" 🥛 table")
  struct Note: Hashable {
    var id: UUID = .v7()
    @Attribute(.indexed, .searchable, name: "the \"title\" 🥛") var title: String
    @Attribute(.unique, name: "it's; a number--") var number: Int
    var group: String = "select"
    var leaving: Int
  }
}

private enum Second {
  @Model("my \"note's\" 🥛 table")
  struct Note: Hashable {
    var id: UUID = .v7()
    @Attribute(.indexed, .searchable, name: "name's \"🐄\"", originalName: "the \"title\" 🥛") var title: String
    @Attribute(.unique, name: "it's; a number--") var number: Double
    @Attribute(.searchable) var group: String?
    @Attribute(.searchable, name: "a 'new' \"one\"") var added: String = "it's \"new\""
    @Attribute(.unique, name: "rowid") var token: UUID = .v7()
  }
}

@Suite("Names with quotes, spaces and emoji")
struct StrangeNameTests {
  @Test("A8: tables and columns of any name go through every kind of change")
  func migrates() throws {
    let file = try StoreFile("it's a \"store\" 🥛.larder")
    try file.write([First.Note(title: "milk", number: 1, leaving: 1), First.Note(title: "coal", number: 2, leaving: 2)])
    #expect(try Store.plan(at: file.path, for: Second.Note.self).steps.count > 5)
    let store = try file.open(Second.Note.self)
    let db = store.blocking
    #expect(try db.fetch(Second.Note.all.sorted(by: \.number)).map(\.title) == ["milk", "coal"])
    #expect(try db.fetch(Second.Note.search("milk AND new")).map(\.number) == [1])
    try db.insert(Second.Note(title: "ash", number: 2.5, group: nil))
    #expect(try db.fetch(Second.Note.search("ash")).map(\.added) == ["it's \"new\""])
    #expect(try Set(db.fetch(Second.Note.all).map(\.token)).count == 3)
    let error = #expect(throws: StoreError.self) { try db.insert(Second.Note(title: "x", number: 2)) }
    #expect(error?.property == "number")
    let drop = Migration("drop") { db in try db.dropColumn("leaving", of: Second.Note.self) }
    _ = try file.open(Second.Note.self, migrations: [drop])
    #expect(try file.names.contains("it's a \"store\" 🥛.larder.backup-1"))
  }
}
