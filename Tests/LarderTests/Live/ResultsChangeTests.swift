import Foundation
import LarderTestSupport
import Testing

@testable import Larder

/// The differences between the results of a query.
@Suite("Live results: changes", .timeLimit(.minutes(20)))
struct ResultsChangeTests {
  private let file: StoreFile
  private let store: Store

  init() throws {
    file = try StoreFile()
    store = try file.open(Shelf.self, Book.self, Poster.self, Visitor.self)
  }

  @Test("B9: the first change inserts all rows, and each later one names what was removed, inserted, moved and updated")
  func kinds() async throws {
    try await store.insert([
      Book(id: 1, title: "a"), Book(id: 2, title: "b"), Book(id: 3, title: "c"), Book(id: 4, title: "d"),
    ])
    var changes = store.changes(Book.all.sorted(by: \.title)).makeAsyncIterator()
    let first = try #require(try await changes.next())
    #expect(first.values.map(\.id) == [1, 2, 3, 4])
    #expect(first.inserted == [0, 1, 2, 3])
    #expect(first.removed.isEmpty && first.moved.isEmpty && first.updated.isEmpty)
    #expect(first.applying(to: []) == first.values)

    try await store.write { db in
      try db.delete(Book.self, 2)
      try db.insert(Book(id: 5, title: "cc"))
      try db.updateAll(Book.where { $0.id == 1 }) { $0.title.set("e") }
    }
    let second = try #require(try await changes.next())
    #expect(second.values.map(\.id) == [3, 5, 4, 1])
    #expect(second.removed == [1])
    #expect(second.inserted == [1])
    #expect(second.moved == [ResultsMove(from: 0, to: 3)])
    #expect(second.updated == [3])
    #expect(second.applying(to: first.values) == second.values)
  }

  @Test("B9: a commit that changes none of the rows is left out")
  func leftOut() async throws {
    try await store.insert([Book(id: 1, pages: 1), Book(id: 2, pages: 2)])
    var changes = store.changes(Book.where { $0.pages < 10 }).makeAsyncIterator()
    _ = try await changes.next()
    try await store.insert(Book(id: 3, pages: 30))
    try await store.update(Book(id: 1, pages: 1))
    try await store.updateAll(Book.where { $0.id == 2 }) { $0.pages.set(3) }
    let change = try #require(try await changes.next())
    #expect(change.updated == [1])
    #expect(change.removed.isEmpty && change.inserted.isEmpty && change.moved.isEmpty)
  }

  @Test("B9: what rows hold is compared for models whose values cannot be")
  func incomparable() async throws {
    try await store.insert([Poster(id: "a", rank: 1, tags: ["x", "y", "z"]), Poster(id: "b", rank: 2)])
    var changes = store.changes(Poster.all.sorted(by: \.rank)).makeAsyncIterator()
    _ = try await changes.next()
    try await store.write { db in
      try db.update(Poster(id: "a", rank: 1, tags: ["z", "y", "x"]))
      try db.update(Poster(id: "b", rank: 2, caption: "new"))
    }
    #expect(try await changes.next()?.updated == [1])
  }

  @Test("B9: what was included is a part of the content", arguments: [true, false])
  func included(isToMany: Bool) async throws {
    try await store.insert([Shelf(id: 1, name: "left"), Shelf(id: 2, name: "right")])
    try await store.insert([Book(id: 1, shelf: ToOne(1)), Book(id: 2, shelf: ToOne(2)), Book(id: 3)])
    if isToMany {
      var changes = store.changes(Shelf.all.sorted(by: \.id).including(\.books)).makeAsyncIterator()
      _ = try await changes.next()
      try await store.updateAll(Book.where { $0.id == 2 }) { $0.title.set("new") }
      #expect(try await changes.next()?.updated == [1])
      try await store.delete(Book.self, 1)
      #expect(try await changes.next()?.updated == [0])
    } else {
      var changes = store.changes(Book.all.sorted(by: \.id).including(\.shelf)).makeAsyncIterator()
      _ = try await changes.next()
      try await store.updateAll(Shelf.where { $0.id == 2 }) { $0.name.set("new") }
      #expect(try await changes.next()?.updated == [1])
    }
  }

  @Test("B9: whatever random histories do, the old rows and the change give the new rows")
  func histories() async throws {
    var random = SplitMix64(seed: TestSeed.value)
    var changes = store.changes(Book.where { $0.pages < 80 }.sorted(by: \.genre).sorted(by: \.title))
      .makeAsyncIterator()
    var rows = try #require(try await changes.next()?.values)
    var tried = 0
    for step in 0..<150 {
      let isChange = try change(&random)
      guard isChange else { continue }
      let change = try #require(try await changes.next())
      #expect(apply(change, to: rows) == change.values, "seed \(TestSeed.value), step \(step)")
      #expect(change.applying(to: rows) == change.values, "seed \(TestSeed.value), step \(step)")
      rows = change.values
      tried += 1
    }
    TestSeed.tried(tried, .liveChecks, "changes of results")
    #expect(try await store.fetch(Book.where { $0.pages < 80 }.sorted(by: \.genre).sorted(by: \.title)) == rows)
  }

  /// A transaction of some random writes; false where the rows of the history's query stay as they are.
  private func change(_ random: inout SplitMix64) throws -> Bool {
    let query = Book.where { $0.pages < 80 }.sorted(by: \.genre).sorted(by: \.title)
    let before = try store.blocking.fetch(query)
    try store.blocking.write { db in
      for _ in 0..<Int.random(in: 1...12, using: &random) {
        let id = Int.random(in: 0..<60, using: &random)
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<6:
          let title = random.pick(["a", "b", "c", "d", "e"])
          try db.save(
            Book(id: id, title: title, genre: random.pick(["x", "y"]), pages: Int.random(in: 0..<100, using: &random)))
        case 6: try db.updateAll(Book.where { $0.title == "c" }) { $0.genre.set("y") }
        case 7: try db.deleteAll(Book.where { $0.id > 50 })
        default: try db.delete(Book.self, id)
        }
      }
    }
    return try store.blocking.fetch(query) != before
  }

  /// As a table view does it: rows go, then rows come, then rows are shown anew.
  private func apply(_ change: ResultsChange<Book>, to old: [Book]) -> [Book] {
    var rows = old
    for position in (change.removed + change.moved.map(\.from)).sorted(by: >) { rows.remove(at: position) }
    let arrivals = change.inserted.map { ($0, change.values[$0]) } + change.moved.map { ($0.to, old[$0.from]) }
    for (position, row) in arrivals.sorted(by: { $0.0 < $1.0 }) { rows.insert(row, at: position) }
    for position in change.updated { rows[position] = change.values[position] }
    return rows
  }

  @Test("B9: of all lists of up to six rows, the change is right and moves as few rows as can be")
  func exhaustive() throws {
    let old = Array(0..<6)
    for size in 0...6 {
      for new in Self.arrangements(of: [0, 1, 2, 3, 4, 5, 6], size) {
        let difference = ResultsDifference(from: old, to: new)
        #expect(difference.removed == old.filter { !new.contains($0) }, "\(new)")
        #expect(difference.inserted == new.indices.filter { new[$0] == 6 }, "\(new)")
        #expect(difference.moved.allSatisfy { old[$0.from] == new[$0.to] }, "\(new)")
        let moved = Set(difference.moved.map { new[$0.to] })
        let staying = new.filter { $0 < 6 && !moved.contains($0) }
        #expect(staying == staying.sorted(), "\(new)")
        #expect(staying.count == Self.longestIncreasing(new.filter { $0 < 6 }), "\(new)")
      }
    }
  }

  @Test("B9: keys that are there more than once, as in a table that Larder has not made, are matched one with one")
  func duplicates() {
    let difference = ResultsDifference(from: ["a", "b", "a", "c"], to: ["a", "a", "a", "b"])
    #expect(difference.removed == [3])
    #expect(difference.inserted.count == 1)
    #expect(difference.moved.count == 1)
  }

  @Test("B9: every row of a long list that is turned around but one moves, and that is found at once")
  func reversal() {
    let difference = ResultsDifference(from: Array(0..<20_000), to: Array((0..<20_000).reversed()))
    #expect(difference.moved.count == 19_999)
    #expect(
      ResultsDifference(from: Array(0..<20_000), to: [19_999] + Array(0..<19_999)).moved == [
        ResultsMove(from: 19_999, to: 0)
      ])
  }

  /// All ways to put some of the values in a row.
  private static func arrangements(of values: [Int], _ size: Int) -> [[Int]] {
    guard size > 0 else { return [[]] }
    return values.flatMap { first in arrangements(of: values.filter { $0 != first }, size - 1).map { [first] + $0 } }
  }

  private static func longestIncreasing(_ values: [Int]) -> Int {
    var lengths: [Int] = []
    for (position, value) in values.enumerated() {
      lengths.append((0..<position).filter { values[$0] < value }.map { lengths[$0] }.max().map { $0 + 1 } ?? 1)
    }
    return lengths.max() ?? 0
  }
}
