import Foundation
import Larder
import Testing

private enum First {
  @Model("Note")
  struct Note: Hashable {
    var id: UUID = .v7()
    @Attribute(.indexed, .searchable) var title: String
    var body: String
    var count = 0
  }
}

private enum Second {
  @Model("Note")
  struct Note: Hashable {
    var id: UUID = .v7()
    @Attribute(.searchable, originalName: "title") var name: String
    @Attribute(.searchable) var body: String?
    var count: Double
    @Attribute(.unique) var code: String?
    var token: UUID = .v7()
  }

  @Model("Tag")
  struct Tag: Hashable {
    var id: Int
    @Attribute(.unique) var name: String
  }
}

@Suite("The plan of an opening")
struct PlanTests {
  @Test("the plan for a new file creates none")
  func newFile() throws {
    let file = try StoreFile()
    let plan = try Store.plan(at: file.path, for: Second.Tag.self, First.Note.self)
    #expect(
      plan.steps == [
        "create the table Tag for Tag", "create a unique index on Tag (name)", "create the table Note for Note",
        "create an index on Note (title)",
        "build the full-text index of Note over title",
      ])
    #expect(try file.names == [])
  }

  @Test("the plan says each step, changes nothing, and is what opening does")
  func steps() throws {
    let file = try StoreFile()
    try file.write([First.Note(title: "a", body: "b"), First.Note(title: "c", body: "d")])
    let (bytes, names) = (try file.bytes, try file.names)
    let plan = try Store.plan(at: file.path, for: Second.Note.self, Second.Tag.self)
    #expect(
      plan.steps == [
        "rename the column Note.title to name", "add the column Note.code for Note.code",
        "add the column Note.token for Note.token",
        "create the table Tag for Tag", "create a unique index on Tag (name)",
        "rebuild the table Note: body may be empty, count becomes REAL, token is required",
        "drop the index Note_title_index, which no model asks for any longer", "create a unique index on Note (code)",
        "drop the full-text index of Note", "build the full-text index of Note over name, body",
      ])
    #expect(plan.description.hasPrefix("- rename the column"))
    #expect(try file.bytes == bytes)
    #expect(try file.names == names)
    _ = try file.open(Second.Note.self, Second.Tag.self)
    let after = try Store.plan(at: file.path, for: Second.Note.self, Second.Tag.self)
    #expect(after.isEmpty)
    #expect(after.description == "nothing to do")
  }

  @Test("the plan names the migrations that would run")
  func migrations() throws {
    let file = try StoreFile()
    let done = Migration("done") { _ in }
    try file.write([First.Note(title: "a", body: "b")], migrations: [done])
    let plan = try Store.plan(
      at: file.path, for: First.Note.self,
      configuration: Store.Configuration(migrations: [done, Migration("split \"names\"") { _ in }]))
    #expect(plan.steps == ["run the migration \"split \"names\"\""])
  }

  @Test("a plan beside an open store sees what is committed and disturbs nothing")
  func besideStore() throws {
    let file = try StoreFile()
    let store = try file.open(First.Note.self)
    try store.blocking.insert(First.Note(title: "a", body: "b"))
    #expect(try Store.plan(at: file.path, for: First.Note.self).isEmpty)
    #expect(try Store.plan(at: file.path, for: First.Note.self, Second.Tag.self).steps.count == 2)
    try store.blocking.insert(First.Note(title: "c", body: "d"))
    #expect(try store.blocking.count(First.Note.search("a OR c")) == 2)
  }

  @Test("the plan for an existing file checks it and has no steps")
  func existing() throws {
    let file = try StoreFile()
    let existing = Store.Configuration(schema: .existing)
    #expect(throws: StoreError.self) { try Store.plan(at: file.path, for: First.Note.self, configuration: existing) }
    try file.write([First.Note(title: "a", body: "b")])
    #expect(try Store.plan(at: file.path, for: First.Note.self, configuration: existing).isEmpty)
    let error = #expect(throws: StoreError.self) {
      try Store.plan(at: file.path, for: Second.Tag.self, configuration: existing)
    }
    #expect(error?.code == .schemaMismatch)
  }
}
