import Foundation
import Testing

@testable import Larder

/// Live values of any read: aggregates, groups, relationships and closures.
@Suite("Live reads", .timeLimit(.minutes(20)))
struct LiveReadTests {
  private let file: StoreFile
  private let store: Store

  init() throws {
    file = try StoreFile()
    store = try file.open(Shelf.self, Book.self, Visitor.self)
  }

  @Test("B9: a count, a sum or whatever a closure reads is followed")
  func aggregates() async throws {
    var counts = store.live { db in try db.count(Book.where { $0.pages > 100 }) }.makeAsyncIterator()
    var sums = store.live { db in (try db.sum(Book.all, of: \.pages), try db.max(Book.all, of: \.title)) }
      .makeAsyncIterator()
    #expect(try await counts.next() == 0)
    #expect(try await sums.next() ?? (1, "") == (0, nil))
    try await store.insert(Book(id: 1, title: "A", pages: 200))
    #expect(try await counts.next() == 1)
    #expect(try await sums.next() ?? (1, "") == (200, "A"))
    try await store.updateAll(Book.all) { $0.pages.set(300) }
    #expect(try await sums.next() ?? (1, "") == (300, "A"))
    #expect(try await counts.next() == 1)
    try await store.delete(Book.self, 1)
    #expect(try await counts.next() == 0)
  }

  @Test("B9: the groups of a grouped query are followed")
  func groups() async throws {
    var groups = store.live(Book.all.grouped(by: \.genre) { ($0.key, $0.count) }).makeAsyncIterator()
    #expect(try await groups.next()?.count == 0)
    try await store.insert([Book(id: 1, genre: "novel"), Book(id: 2, genre: "novel"), Book(id: 3, genre: "poem")])
    let first = try await groups.next() ?? []
    #expect(first.map(\.0) == ["novel", "poem"])
    #expect(first.map(\.1) == [2, 1])
    try await store.delete(Book.self, 1)
    #expect(try await groups.next()?.map(\.1) == [1, 1])
  }

  @Test("B9: what a query includes is followed, also where there was nothing to include at first")
  func including() async throws {
    var shelves = store.live(Shelf.all.sorted(by: \.id).including(\.books) { $0.sorted(by: \.title) })
      .makeAsyncIterator()
    #expect(try await shelves.next() == [])
    try await store.insert(Shelf(id: 1))
    #expect(try await shelves.next()?.first?.books.loaded == [])
    try await store.insert(Book(id: 1, title: "B", shelf: ToOne(1)))
    #expect(try await shelves.next()?.first?.books.map(\.title) == ["B"])
    try await store.insert(Book(id: 2, title: "A", shelf: ToOne(1)))
    #expect(try await shelves.next()?.first?.books.map(\.title) == ["A", "B"])
    try await store.updateAll(Book.where { $0.id == 2 }) { $0.title.set("C") }
    #expect(try await shelves.next()?.first?.books.map(\.title) == ["B", "C"])
  }

  @Test("B9: a closure that asks other questions each time is followed in those of its last call")
  func changingQuestions() async throws {
    var names = store.live { db in
      try db.count(Visitor.all) == 0
        ? try db.fetch(Book.all.sorted(by: \.id)).map(\.title) : try db.fetch(Shelf.all).map(\.name)
    }.makeAsyncIterator()
    #expect(try await names.next() == [])
    try await store.insert(Book(id: 1, title: "A"))
    #expect(try await names.next() == ["A"])
    try await store.insert(Visitor())
    #expect(try await names.next() == [])
    #expect(store.live.watchedTables == ["Visitor", "Shelf"])
    try await store.insert(Shelf(id: 1, name: "Left"))
    #expect(try await names.next() == ["Left"])
  }

  @Test("B9: what a trigger, a delete rule or plain SQL writes is heard of")
  func indirectWrites() async throws {
    try await store.insert(Shelf(id: 1))
    try await store.insert(Book(id: 1, shelf: ToOne(1)))
    var references = store.live { db in try db.fetch(Book.all).map { $0.shelf?.id } }.makeAsyncIterator()
    #expect(try await references.next() == [1])
    try await store.delete(Shelf.self, 1)
    #expect(try await references.next() == [nil])
    try await store.sql("insert into \(Book.self) (id, title, genre, pages) values (2, '', '', 0)")
    #expect(try await references.next() == [nil, nil])
  }

  @Test("B9: an error ends the sequence", arguments: [true, false])
  func error(isFirst: Bool) async throws {
    struct Refusal: Error {}
    let store = store
    var values = store.live { db in
      guard try db.count(Book.all) < (isFirst ? 0 : 1) else { throw Refusal() }
      return 1
    }.makeAsyncIterator()
    if !isFirst {
      #expect(try await values.next() == 1)
      try await store.insert(Book(id: 1))
    }
    do {
      _ = try await values.next()
      Issue.record("nothing was thrown")
    } catch is Refusal {}
    #expect(try await values.next() == nil)
    #expect(store.live.isEmpty)
  }

  @Test("B9: a live read of a store in memory is followed as well")
  func memory() async throws {
    let store = try Store(inMemoryFor: Book.self)
    var counts = store.live { db in try db.count(Book.all) }.makeAsyncIterator()
    #expect(try await counts.next() == 0)
    try await store.insert([Book(id: 1), Book(id: 2)])
    #expect(try await counts.next() == 2)
  }
}
