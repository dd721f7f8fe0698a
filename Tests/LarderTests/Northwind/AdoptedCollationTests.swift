import Foundation
import Larder
import LarderTestSupport
import Synchronization
import Testing

@Model("Shelves")
private struct CollatedShelf: Hashable {
  var id: String
  var title: String = ""
  var label: String?
  @Relationship(inverse: \CollatedBook.shelf) var books: ToMany<CollatedBook> = []
}

@Model("Books")
private struct CollatedBook: Hashable {
  var id: Int
  var shelf: ToOne<CollatedShelf>?
  var title: String
}

/// Columns whose collation equates texts that differ are compared as Swift compares them.
@Suite("Columns of other programs with a collation")
struct AdoptedCollationTests {
  private let file: StoreFile
  private let store: Store

  init() throws {
    file = try StoreFile()
    try file.sql(
      """
      create table Shelves (id TEXT PRIMARY KEY COLLATE NOCASE, title TEXT NOT NULL COLLATE NOCASE UNIQUE, \
      label TEXT COLLATE RTRIM)
      """, creating: true)
    try file.sql(
      "create table Books (id INTEGER PRIMARY KEY, shelf TEXT COLLATE NOCASE, title TEXT NOT NULL COLLATE NOCASE)")
    try file.sql("create index BooksByTitle on Books (title)")
    try file.sql("insert into Shelves values ('abc', 'First', 'x'), ('B', 'Second', 'x '), ('c', 'Third', null)")
    try file.sql(
      """
      insert into Books values (1, 'abc', 'First'), (2, 'ABC', 'first'), (3, 'B', 'FIRST'), (4, 'b', 'Second'), \
      (5, null, 'second')
      """)
    store = try Store(at: file.path, for: CollatedShelf.self, CollatedBook.self, schema: .existing)
  }

  /// The store, a context and its child.
  private var everywhere: [any StoreWriter] {
    let context = Context(store)
    return [store.blocking, context, context.child()]
  }

  private func ids(_ db: any StoreWriter, _ query: Query<CollatedBook>) throws -> [Int] {
    try db.fetch(query).map(\.id).sorted()
  }

  @Test("conditions compare the texts themselves")
  func conditions() throws {
    for db in everywhere {
      #expect(try ids(db, CollatedBook.where { $0.title == "first" }) == [2])
      #expect(try ids(db, CollatedBook.where { $0.title != "first" }) == [1, 3, 4, 5])
      #expect(try ids(db, CollatedBook.where { $0.title < "a" }) == [1, 3, 4])
      #expect(try ids(db, CollatedBook.where { $0.title.isIn(["first", "Second"]) }) == [2, 4])
      let many = ["first", "Second"] + (0..<40).map { "title \($0)" }
      #expect(try ids(db, CollatedBook.where { $0.title.isIn(many) }) == [2, 4])
      #expect(try ids(db, CollatedBook.where { $0.title >= "FIRST" && $0.title <= "First" }) == [1, 3])
      #expect(try ids(db, CollatedBook.where(#Predicate<CollatedBook> { $0.title == "second" })) == [5])
      #expect(try db.fetch(CollatedShelf.where { $0.label == "x" }).map(\.id) == ["abc"])
      #expect(try db.fetch(CollatedShelf.where { $0.id == "ABC" }).isEmpty)
      #expect(try db.fetch(CollatedShelf.where { $0.id == $0.title }).isEmpty)
    }
  }

  @Test("sorts, pages, groups, least and greatest follow the texts themselves")
  func order() throws {
    for db in everywhere {
      let sorted = CollatedBook.all.sorted(by: \.title)
      #expect(try db.fetch(sorted).map(\.title) == ["FIRST", "First", "Second", "first", "second"])
      let second = try #require(try db.fetch(sorted.limit(2)).last)
      #expect(try db.fetch(sorted.after(second)).map(\.title) == ["Second", "first", "second"])
      let groups = try db.fetch(CollatedBook.all.grouped(by: \.title) { ($0.key, $0.count) })
      #expect(groups.map(\.0) == ["FIRST", "First", "Second", "first", "second"])
      #expect(groups.map(\.1) == [1, 1, 1, 1, 1])
      #expect(try db.min(CollatedBook.all, of: \.title) == "FIRST")
      #expect(try db.max(CollatedBook.all, of: \.title) == "second")
    }
  }

  @Test("a deletion and an update by a condition leave rows alone whose texts differ")
  func writing() throws {
    let context = Context(store)
    #expect(try context.updateAll(CollatedBook.where { $0.title == "SECOND" }) { $0.title.set("lost") } == 0)
    #expect(try context.deleteAll(CollatedBook.where { $0.title == "first" }) > 0)
    try context.save()
    #expect(try store.blocking.fetch(CollatedBook.all.sorted(by: \.id)).map(\.id) == [1, 3, 4, 5])
    #expect(try store.blocking.deleteAll(CollatedBook.where { $0.title == "First" }.limit(1)) == 1)
    #expect(
      try store.blocking.updateAll(CollatedBook.where { $0.title == "second" }) { $0.title.set("SECOND") } == 1)
    #expect(try store.blocking.fetch(CollatedBook.all.sorted(by: \.id)).map(\.title) == ["FIRST", "Second", "SECOND"])
  }

  @Test("a key names the row whose key has the same text, and no second row takes its place")
  func keys() throws {
    for db in everywhere {
      #expect(try db.find(CollatedShelf.self, "ABC") == nil)
      #expect(try db.delete(CollatedShelf.self, "ABC") == false)
      let other = CollatedShelf(id: "ABC", title: "Other")
      for error in [
        #expect(throws: StoreError.self, performing: { try db.save(other) }),
        #expect(throws: StoreError.self, performing: { try db.insert(other) }),
      ] {
        #expect(error?.code == .duplicate)
        #expect(error?.model == "CollatedShelf" && error?.property == "id")
      }
      #expect(throws: StoreError.self) { try db.update(other) }
      #expect(try db.fetch(CollatedShelf.all.sorted(by: \.id)).map(\.title) == ["Second", "First", "Third"])
      var shelf = try #require(try db.find(CollatedShelf.self, "abc"))
      shelf.label = "new"
      try db.save(shelf)
      try db.update(shelf)
      #expect(try db.find(CollatedShelf.self, "abc")?.label == "new")
    }
    #expect(try file.sql("select id from Shelves order by rowid").map { $0["id"] } == ["abc", "B", "c"])
  }

  @Test("a key that changes in case alone, and one that is deleted and inserted so, are as in the store after saving")
  func changedKeys() throws {
    let context = Context(store)
    try context.updateAll(CollatedShelf.where { $0.id == "abc" }) { $0.id.set("ABC") }
    context.delete(CollatedShelf.self, "c")
    context.insert(CollatedShelf(id: "C", title: "Third"))
    try context.save()
    #expect(try file.sql("select id from Shelves order by title").map { $0["id"] } == ["ABC", "B", "C"])
    #expect(try store.blocking.find(CollatedShelf.self, "ABC")?.title == "First")
  }

  @Test("relationships lead to the row with the same text, in conditions as in what is loaded")
  func relationships() throws {
    for db in everywhere {
      #expect(try ids(db, CollatedBook.where { $0.shelf.title == "First" }) == [1])
      #expect(try ids(db, CollatedBook.where { $0.shelf == "abc" }) == [1])
      #expect(try db.fetch(CollatedShelf.where { $0.books.count == 1 }).map(\.id).sorted() == ["B", "abc"])
      #expect(
        try db.fetch(CollatedShelf.where { $0.books.contains(where: { $0.title == "FIRST" }) }).map(\.id) == ["B"])
      let shelves = try db.fetch(CollatedShelf.all.sorted(by: \.id).including(\.books))
      #expect(shelves.map { $0.books.loaded?.map(\.id) ?? [] } == [[3], [1], []])
      let books = try db.fetch(CollatedBook.all.sorted(by: \.id).including(\.shelf))
      #expect(books.map { $0.shelf?.loaded?.id } == ["abc", nil, "B", nil, nil])
      let shelf = try #require(shelves.first)
      #expect(try ids(db, shelf.books.all) == [3])
    }
  }

  @Test("a condition still finds its rows by an index with the collation")
  func index() throws {
    let plans = Mutex<[String]>([])
    let traced = try Store(
      at: file.path, for: [CollatedShelf.self, CollatedBook.self],
      configuration: .init(
        schema: .existing, trace: { event in plans.withLock { $0 += event.plan ?? [] } }, traceOptions: [.plans]))
    #expect(try traced.blocking.fetch(CollatedBook.where { $0.title == "first" }).map(\.id) == [2])
    #expect(plans.withLock { $0 }.contains { $0.contains("USING INDEX BooksByTitle") })
    #expect(try traced.blocking.find(CollatedShelf.self, "abc")?.title == "First")
    #expect(plans.withLock { $0 }.contains { $0.contains("SEARCH Shelves USING INDEX") })
  }

  @Test("a column of a view, and one with a collation of the other program, are compared as texts as well")
  func unknownCollations() throws {
    try file.sql("create view Titles as select id, null as shelf, title from Books")
    let view = try Store(at: file.path, for: CollatedTitle.self, schema: .existing).blocking
    #expect(try view.fetch(CollatedTitle.where { $0.title == "first" }).map(\.id) == [2])
    #expect(try view.fetch(CollatedTitle.all.grouped(by: \.title) { ($0.key, $0.count) }).map(\.1) == [1, 1, 1, 1, 1])
  }
}

@Model("Titles")
private struct CollatedTitle: Hashable {
  var id: Int
  var title: String
}
