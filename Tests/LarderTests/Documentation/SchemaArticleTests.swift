import Foundation
import Larder
import Testing

enum SchemaArticle {
  enum First {
    @Model
    struct Person {
      var id: Int
      var name: String
    }
  }

  enum Second {
    @Model
    struct Person: Hashable {
      var id: Int
      var first: String
      var last: String
      @Attribute(.indexed) var born: Date?
      @Attribute(originalName: "phone") var telephone: String = ""
    }
  }

  enum Third {
    @Model
    struct Person: Hashable {
      var id: Int
      var first: String
      var last: String
      @Attribute(.indexed) var born: Date?
    }
  }
}

@Suite("Documentation: Schema and migrations")
@MainActor
struct SchemaArticleTests {
  private typealias Person = SchemaArticle.Second.Person

  @Test("a named migration fills new columns from old ones")
  func migration() async throws {
    let folder = try ArticleFolder()
    let url = folder.file("people.larder")
    try await Store(at: url, for: SchemaArticle.First.Person.self).insert(
      .init(id: 1, name: "Ada Lovelace") as SchemaArticle.First.Person)

    let refused = #expect(throws: StoreError.self) { try Store(at: url, for: Person.self) }
    #expect(refused?.code == .schemaMismatch)
    #expect(refused?.property == "first")

    let split = Migration("2026-11 split names") { db in
      let columns = try db.sql("select name from pragma_table_info('Person')", as: String.self)
      guard columns.contains("name") else { return }  // a new file has nothing to split
      for row in try db.sql("select id, name from \(Person.self)") {
        let id: Int = try row.get("id")
        let name: String = try row.get("name")
        let parts = name.split(separator: " ", maxSplits: 1).map(String.init)
        try db.sql(
          "update \(Person.self) set first = \(parts.first ?? ""), last = \(parts.last ?? "") where id = \(id)")
      }
      try db.dropColumn("name", of: Person.self)
    }
    let configuration = Store.Configuration(migrations: [split])
    print(try Store.plan(at: url, for: Person.self, configuration: configuration))
    let store = try Store(at: url, for: Person.self, configuration: configuration)

    #expect(try await store.fetch(Person.all) == [Person(id: 1, first: "Ada", last: "Lovelace", born: nil)])
    #expect(try await store.rows(Person.all).first?.names == ["id", "first", "last", "born", "telephone"])
    #expect(FileManager.default.fileExists(atPath: url.path + ".backup-1"))
    let fresh = try Store(at: folder.file("fresh.larder"), for: Person.self, configuration: configuration)
    #expect(try await fresh.count(Person.all) == 0)
    #expect(try await store.sql("select name from _larder_migrations", as: String.self) == ["2026-11 split names"])
  }

  @Test("an older program does not open the file of a newer one")
  func newerFile() throws {
    let folder = try ArticleFolder()
    let url = folder.file("people.larder")
    _ = try Store(at: url, for: SchemaArticle.Third.Person.self)
    _ = try Store(at: url, for: SchemaArticle.Second.Person.self)

    typealias Person = SchemaArticle.Third.Person
    let refused = #expect(throws: StoreError.self) { try Store(at: url, for: Person.self) }
    #expect(refused?.code == .newerFile)

    let removal = Migration("2027-01 no more telephones") { db in
      try db.dropColumn("telephone", of: Person.self)
    }
    _ = try Store(at: url, for: Person.self, configuration: .init(migrations: [removal]))
  }
}
