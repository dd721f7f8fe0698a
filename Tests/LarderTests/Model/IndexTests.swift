import Larder
import LarderTestSupport
import Testing

@Suite struct IndexTests {
  @Model struct Book: Hashable {
    var id: Int
    var author: String
    var year: Int
    @Attribute(.unique) var isbn: String?
    @Attribute(.indexed) var shelf: String = ""
    var edition: Int = 1

    static var indexes: [Index<Self>] {
      [Index(\.author, \.year), Index(\.author, \.edition, unique: true)]
    }
  }

  @Test("A1: indexes come into being with the table") func created() throws {
    let store = try Store(inMemoryFor: Book.self)
    let sql = try store.blocking.sql(
      "select sql from sqlite_master where type = 'index' and sql is not null order by name", as: String.self)
    #expect(
      sql == [
        #"CREATE UNIQUE INDEX "Book_author_edition_unique" ON "Book" ("author", "edition")"#,
        #"CREATE INDEX "Book_author_year_index" ON "Book" ("author", "year")"#,
        #"CREATE UNIQUE INDEX "Book_isbn_unique" ON "Book" ("isbn")"#,
        #"CREATE INDEX "Book_shelf_index" ON "Book" ("shelf")"#,
      ])
  }

  @Test("a unique value is refused twice, and nil is not") func unique() throws {
    let store = try Store(inMemoryFor: Book.self)
    try store.blocking.insert(Book(id: 1, author: "a", year: 1, isbn: "x"))
    try store.blocking.insert(Book(id: 2, author: "b", year: 1, isbn: nil))
    try store.blocking.insert(Book(id: 3, author: "c", year: 1, isbn: nil))
    let error = #expect(throws: StoreError.self) {
      try store.blocking.save(Book(id: 4, author: "d", year: 1, isbn: "x"))
    }
    #expect(error?.code == .duplicate)
    #expect(error?.property == "isbn")
    #expect(try store.blocking.fetch(Book.all.sorted(by: \.id)).map(\.id) == [1, 2, 3])
  }

  @Test("a compound unique rule names all of its properties") func compound() throws {
    let store = try Store(inMemoryFor: Book.self)
    try store.blocking.insert(Book(id: 1, author: "a", year: 1))
    try store.blocking.insert(Book(id: 2, author: "a", year: 1, edition: 2))
    let error = #expect(throws: StoreError.self) { try store.blocking.insert(Book(id: 3, author: "a", year: 2)) }
    #expect(error?.code == .duplicate)
    #expect(error?.model == "Book")
    #expect(error?.message.contains("author, edition") == true)
  }

  @Test("queries use the indexes") func used() throws {
    let store = try Store(inMemoryFor: Book.self)
    let plan = try store.blocking.sql("explain query plan select * from \(Book.self) where author = 'a' and year > 3")
    #expect(plan.contains { $0["detail"]?.text?.contains("Book_author_year_index") == true })
  }
}
