import Foundation
import Testing

@testable import Larder

@Suite("Live results: sections", .timeLimit(.minutes(20)))
struct ResultsSectionTests {
  @Test("B9: rows are sectioned by a property, and the sections follow the commits")
  func property() async throws {
    let store = try Store(inMemoryFor: Book.self, Shelf.self)
    try await store.insert([
      Book(id: 1, title: "b", genre: "novel"), Book(id: 2, title: "a", genre: "poem"),
      Book(id: 3, title: "a", genre: "novel"),
    ])
    var results = store.live(Book.all.sorted(by: \.genre).sorted(by: \.title), sectionedBy: \.genre).makeAsyncIterator()
    let sections = try #require(try await results.next())
    #expect(sections.map(\.key) == ["novel", "poem"])
    #expect(sections.map { $0.map(\.id) } == [[3, 1], [2]])
    #expect(Set(sections.map(\.id)).count == 2)
    try await store.updateAll(Book.where { $0.id == 2 }) { $0.genre.set("essay") }
    #expect(try await results.next()?.map(\.key) == ["essay", "novel"])
    try await store.deleteAll(Book.where { $0.genre == "novel" })
    #expect(try await results.next()?.map(\.key) == ["essay"])
  }

  @Test("B9: rows are sectioned by what a closure computes, and by an optional")
  func computed() async throws {
    let store = try Store(inMemoryFor: Book.self, Shelf.self)
    try await store.insert((1...5).map { Book(id: $0, pages: $0 * 100, note: $0 == 3 ? "n" : nil) })
    var sizes = store.live(Book.all.sorted(by: \.pages), sectionedBy: { $0.pages >= 300 ? "long" : "short" })
      .makeAsyncIterator()
    #expect(try await sizes.next()?.map { "\($0.key) \($0.count)" } == ["short 2", "long 3"])
    var notes = store.live(Book.all.sorted(by: \.note), sectionedBy: \.note).makeAsyncIterator()
    #expect(try await notes.next()?.map(\.key) == [nil, "n"])
  }

  @Test("B9: rows of one section that stand apart in the query's order are put together where the first one stands")
  func apart() async throws {
    let store = try Store(inMemoryFor: Book.self, Shelf.self)
    try await store.insert([
      Book(id: 1, genre: "a"), Book(id: 2, genre: "b"), Book(id: 3, genre: "a"), Book(id: 4, genre: "c"),
    ])
    var results = store.live(Book.all.sorted(by: \.id), sectionedBy: \.genre).makeAsyncIterator()
    #expect(try await results.next()?.map { $0.map(\.id) } == [[1, 3], [2], [4]])
  }
}
