import Foundation
import Larder
import Testing

/// Every kind of query gives before the save what it gives after it.
@Suite("Context: queries over what is pending", .timeLimit(.minutes(20)))
struct ContextQueryTests {
  private let store: Store
  private let context: Context

  init() throws {
    store = try Store(inMemoryFor: Bookcase.self, Volume.self, Author.self, Agency.self, Label.self)
    try store.blocking.write { db in
      try db.insert([Bookcase(id: 1, name: "left"), Bookcase(id: 2, name: "right")])
      try db.insert(Author(id: 1, name: "Ada"))
      try db.insert(
        (1...10).map { Volume(id: $0, title: "old volume \($0)", pages: $0 * 10, price: Decimal($0), shelf: ToOne(1)) })
    }
    context = Context(store)
    context.insert(Bookcase(id: 3, name: "new"))
    context.update(Bookcase(id: 2, name: "renamed"))
    context.insert([
      Volume(id: 11, title: "new sea of sea", code: "n", pages: 5, price: 2.5, shelf: ToOne(3), author: ToOne(1)),
      Volume(
        id: 12, title: "new sky over the sea and a long way of words after it", pages: 500, price: 0.5, shelf: ToOne(2)),
    ])
    try context.updateAll(Volume.where { $0.id.isIn([3, 4]) }) {
      $0.title.set("changed sea")
      $0.pages.increment(by: 1000)
    }
    try context.deleteAll(Volume.where { $0.id > 8 && $0.id < 11 })
    context.delete(Volume.self, 1)
    #expect(context.refusals.isEmpty)
  }

  private func check<Output: Equatable>(
    _ query: (any StoreReader) throws -> Output, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let pending = try query(context)
    #expect(try query(context.child()) == pending, sourceLocation: sourceLocation)
    let stored = try query(store.blocking)
    try context.save()
    #expect(try query(store.blocking) == pending, sourceLocation: sourceLocation)
    #expect(try query(context) == pending, sourceLocation: sourceLocation)
    #expect(stored != pending, "the check tells nothing", sourceLocation: sourceLocation)
  }

  @Test("C3: filters, sorts, limits and pages")
  func rows() throws {
    try check { db in
      [
        try db.fetch(Volume.where { $0.pages > 50 || $0.title.hasPrefix("new") }.sorted(by: \.pages, order: .reverse))
          .map(\.id),
        try db.fetch(Volume.all.sorted(by: \.price).limit(3, offset: 2)).map(\.id),
        try db.fetch(
          Volume.all.sorted(by: \.title).after(Volume(id: 3, title: "changed sea", shelf: ToOne(1))).limit(4)
        ).map(\.id),
        try db.fetch(Volume.all.sorted(by: \.id).reversed().limit(2)).map(\.id),
        try db.fetch(Volume.where(#Predicate { $0.code == "n" })).map(\.id),
        [
          try db.count(Volume.where { $0.shelf.name == "renamed" }), try db.exists(Volume.where { $0.id == 1 }) ? 1 : 0,
        ],
      ]
    }
  }

  @Test("C3: aggregates and groups")
  func aggregates() throws {
    try check { db in
      let groups = try db.fetch(Volume.all.grouped(by: \.shelf.name) { ($0.key, $0.sum(\.pages), $0.count) })
      let sum = try db.sum(Volume.all, of: \.price)
      let longest = try db.max(Volume.all, of: \.pages)
      let mean = try db.average(Volume.all.sorted(by: \.id).limit(3), of: \.pages)
      return
        "\(groups.map { "\($0)" }.sorted()) \(sum) \(longest ?? 0) \(mean ?? 0) \(try db.min(Volume.all, of: \.price) ?? 0)"
    }
  }

  @Test("C3: relationships in both directions, and including")
  func relationships() throws {
    try check { db in
      let shelves = try db.fetch(Bookcase.all.sorted(by: \.id).including(\.volumes, then: \.author))
      return [
        shelves.map {
          "\($0.name) \($0.worth) \($0.count) \($0.longest ?? 0) \($0.volumes.map { "\($0.id)\($0.author?.loaded?.name ?? "")" }.sorted())"
        },
        try db.fetch(Bookcase.where { $0.volumes.contains { $0.pages > 400 } }.sorted(by: \.id)).map(\.name),
        try db.fetch(Bookcase.where { $0.volumes.count > 1 }.sorted(by: \.id)).map(\.name),
        try db.fetch(Volume.all.sorted(by: \.shelf.name).sorted(by: \.id)).map { "\($0.id)" },
      ]
    }
  }

  @Test("C3: searches, ranked ones and snippets")
  func searches() throws {
    try check { db in
      [
        try db.fetch(Volume.search("sea").sorted(by: \.id)).map { "\($0.id)" },
        try db.fetch(Volume.search("volume OR sky").sorted(by: \.id)).map { "\($0.id)" },
        [
          "\(try db.fetch(Volume.search("sea").ranked()).first?.id ?? 0) \(try db.count(Volume.search("sea").where { $0.pages > 100 }))"
        ],
        try db.matches(Volume.search("way"), style: SnippetStyle(marks: ("<", ">"), words: 5)).map(\.snippet),
      ]
    }
  }

  @Test("C3: SQL of the user's own")
  func sql() throws {
    try check { db in
      try db.sql(
        "select s.name, count(*) from \(Volume.self) v join \(Bookcase.self) s on s.id = v.shelf where pages > \(10) group by s.id order by s.id",
        as: (String, Int).self
      ).map { "\($0.0) \($0.1)" }
    }
  }

  @Test("C3: SQL that writes waits for the save like everything else, and SQL that changes the schema is refused")
  func writingSQL() throws {
    let titles = try context.sql(
      "update \(Volume.self) set title = 'sql' where id = \(5) returning title", as: String.self)
    #expect(titles == ["sql"])
    try context.sql("insert into \(Label.self) (name) values ('numbered')")
    #expect(try context.fetch(Label.all).map(\.id) == [1])
    #expect(try store.blocking.find(Volume.self, 5)?.title == "old volume 5")
    #expect(throws: StoreError.self) { try context.sql("create table other (id)") }
    #expect(throws: StoreError.self) { try context.sql("delete from main.\(Volume.self)") }
    #expect(throws: StoreError.self) {
      try context.sql("insert into _larder_search_Volume (rowid, title) values (99, 'x')")
    }
    context.undo()
    try context.save()
    #expect(try store.blocking.find(Volume.self, 5)?.title == "sql")
    #expect(try store.blocking.count(Label.all) == 0)
  }
}
