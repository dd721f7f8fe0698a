import Foundation
import Larder
import Testing

private enum First {
  @Model("Note")
  struct Note: Hashable {
    var id: Int
    var title: String
    var subtitle: String?
  }
}

private enum Second {
  @Model("Note")
  struct Required: Hashable {
    var id: Int
    var title: String
    var subtitle: String?
    var views: Int
  }

  @Model("Note")
  struct Subtitled: Hashable {
    var id: Int
    var title: String
    var subtitle: String
  }

  @Model("Note")
  struct Defaulted: Hashable {
    var id: Int
    var title: String
    var subtitle: String = "none"
  }

  @Model("Note")
  struct Untitled: Hashable {
    var id: Int
    var title: String?
    var subtitle: String?
  }

  @Model("Note")
  struct Unique: Hashable {
    var id: Int
    @Attribute(.unique) var title: String
    @Attribute(.unique) var subtitle: String?
  }

  @Model("Note")
  struct UniqueConstant: Hashable {
    var id: Int
    var title: String
    var subtitle: String?
    @Attribute(.unique) var code = "same"
  }

  @Model("Note")
  struct UniquePair: Hashable {
    var id: Int
    var title: String
    var subtitle: String?
    var year = 2026
    static var indexes: [Index<UniquePair>] { [Index(\.title, \.year, unique: true)] }
  }
}

@Suite("Values that rows need, and rules that rows break")
struct RequiredValueTests {
  private let file: StoreFile

  init() throws {
    file = try StoreFile()
    try file.write([
      First.Note(id: 1, title: "a", subtitle: "x"), First.Note(id: 2, title: "b", subtitle: nil),
      First.Note(id: 3, title: "a", subtitle: nil),
    ])
  }

  @Test("a new property without a default is refused, with the property and the remedy")
  func withoutDefault() throws {
    try file.expectRefusal(.schemaMismatch, of: "views", naming: "Required.views", "default", "migration") {
      _ = try file.open(Second.Required.self)
    }
    try file.expectRefusal(.schemaMismatch, of: "views") {
      _ = try Store.plan(at: file.path, for: Second.Required.self)
    }
    let store = try file.open(First.Note.self)
    #expect(try store.blocking.count(First.Note.all) == 3)
  }

  @Test("a new property without a default is added to a table without rows")
  func emptyTable() throws {
    try file.sql("delete from Note")
    try file.write([Second.Required(id: 1, title: "a", views: 1)])
    #expect(try file.sql("select 1 from pragma_table_info('Note') where name = 'views' and \"notnull\" = 1").count == 1)
    #expect(try file.names == ["test.larder"])
  }

  @Test("an optional property becomes required where every row has a value")
  func becomesRequired() throws {
    try file.sql("update Note set subtitle = 'y' where subtitle is null")
    let store = try file.open(Second.Subtitled.self)
    #expect(try store.blocking.fetch(Second.Subtitled.all.sorted(by: \.id)).map(\.subtitle) == ["x", "y", "y"])
    #expect(throws: StoreError.self) { try store.blocking.sql("insert into Note (id, title) values (9, 'x')") }
  }

  @Test("an optional property does not become required while a row has none")
  func staysOptional() throws {
    try file.expectRefusal(.schemaMismatch, of: "subtitle", naming: "Subtitled.subtitle", "default") {
      _ = try file.open(Second.Subtitled.self)
    }
    try file.expectRefusal(.schemaMismatch, of: "subtitle") {
      _ = try Store.plan(at: file.path, for: Second.Subtitled.self)
    }
  }

  @Test("an optional property that becomes required gets its default where it has none")
  func becomesDefaulted() throws {
    let store = try file.open(Second.Defaulted.self)
    #expect(try store.blocking.fetch(Second.Defaulted.all.sorted(by: \.id)).map(\.subtitle) == ["x", "none", "none"])
  }

  @Test("a required property becomes optional")
  func becomesOptional() throws {
    let store = try file.open(Second.Untitled.self)
    try store.blocking.insert(Second.Untitled(id: 4))
    #expect(try store.blocking.fetch(Second.Untitled.all.sorted(by: \.id)).map(\.title) == ["a", "b", "a", nil])
  }

  @Test("a unique rule that rows break is refused, with the rows")
  func unique() throws {
    try file.expectRefusal(.schemaMismatch, of: "title", naming: "Unique.title", "1 and 3") {
      _ = try file.open(Second.Unique.self)
    }
    try file.expectRefusal(.schemaMismatch, of: "title", naming: "1 and 3") {
      _ = try Store.plan(at: file.path, for: Second.Unique.self)
    }
  }

  @Test("a unique rule does not mind several rows without a value")
  func uniqueNulls() throws {
    try file.sql("update Note set title = 'c' where id = 3")
    let store = try file.open(Second.Unique.self)
    let error = #expect(throws: StoreError.self) {
      try store.blocking.insert(Second.Unique(id: 4, title: "d", subtitle: "x"))
    }
    #expect(error?.code == .duplicate)
    #expect(error?.property == "subtitle")
  }

  @Test("a new unique property with one default for all is refused where there are several rows")
  func uniqueConstant() throws {
    try file.expectRefusal(.schemaMismatch, of: "code") {
      _ = try Store.plan(at: file.path, for: Second.UniqueConstant.self)
    }
    try file.expectRefusal(.schemaMismatch, of: "code") { _ = try file.open(Second.UniqueConstant.self) }
  }

  @Test("a compound unique rule over an old and a new property is refused, with the rows")
  func uniquePair() throws {
    try file.expectRefusal(.schemaMismatch, of: "title", naming: "title, year", "1 and 3") {
      _ = try file.open(Second.UniquePair.self)
    }
    try file.expectRefusal(.schemaMismatch, of: "title", naming: "1 and 3") {
      _ = try Store.plan(at: file.path, for: Second.UniquePair.self)
    }
  }
}
