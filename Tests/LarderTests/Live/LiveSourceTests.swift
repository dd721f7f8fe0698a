import Foundation
import Synchronization
import Testing

@testable import Larder

/// Whatever writes is heard of, whenever it commits.
@Suite("Live results: sources", .timeLimit(.minutes(20)))
struct LiveSourceTests {
  private let file: StoreFile
  private let store: Store

  init() throws {
    file = try StoreFile()
    store = try file.open(Shelf.self, Book.self, LiveEntry.self, LiveTag.self)
  }

  @Test("B9: a commit in the middle of a read is answered by one more value", arguments: [true, false])
  func commitWhileReading(isFirst: Bool) async throws {
    let store = store
    let calls = Atomic<Int>(0)
    let calling = isFirst ? 1 : 2
    var counts = store.live { db in
      let count = try db.count(Book.all)
      // The snapshot does not see it.
      if calls.add(1, ordering: .relaxed).newValue == calling { try store.blocking.insert(Book(id: 1)) }
      #expect(try db.count(Book.all) == count)
      return count
    }.makeAsyncIterator()
    #expect(try await counts.next() == 0)
    if !isFirst {
      try await store.insert(Book(id: 2))
      #expect(try await counts.next() == 1)
    }
    #expect(try await counts.next() == (isFirst ? 1 : 2))
    #expect(calls.load(ordering: .relaxed) == calling + 1)
  }

  @Test("B9: a commit in the middle of a read that does not concern it is not answered")
  func otherCommitWhileReading() async throws {
    let store = store
    let calls = Atomic<Int>(0)
    var counts = store.live { db in
      if calls.add(1, ordering: .relaxed).newValue == 1 { try store.blocking.insert(Shelf(id: 1)) }
      return try db.count(Book.all)
    }.makeAsyncIterator()
    #expect(try await counts.next() == 0)
    try await store.insert(Book(id: 1))
    #expect(try await counts.next() == 1)
    #expect(calls.load(ordering: .relaxed) == 2)
  }

  @Test("B9: a commit in the middle of a read to a table that the read comes to for the first time is not missed")
  func commitToNewTableWhileReading() async throws {
    let store = store
    let calls = Atomic<Int>(0)
    var counts = store.live { db in
      let books = try db.count(Book.all)
      guard books > 0 else { return 0 }
      let shelves = try db.count(Shelf.all)
      if calls.add(1, ordering: .relaxed).newValue == 1 { try store.blocking.insert(Shelf(id: 1)) }
      return books + shelves
    }.makeAsyncIterator()
    #expect(try await counts.next() == 0)
    try await store.insert(Book(id: 1))
    #expect(try await counts.next() == 1)
    #expect(try await counts.next() == 2)
  }

  @Test("B9: a page of results that is read while a row is deleted is not kept")
  func resultsWhileDeleting() async throws {
    try await store.insert([Book(id: 1, title: "a"), Book(id: 2, title: "b")])
    let results = try await store.results(Book.all.sorted(by: \.id))
    for id in 1...2 {
      #expect(results[id - 1]?.id == id)
      try await store.delete(Book.self, id)
      #expect(results[id - 1] == nil)
    }
  }

  @Test("B9: a context that saves is heard of, and one that does not save is not")
  func context() async throws {
    var titles = store.live(Book.all.sorted(by: \.id)).makeAsyncIterator()
    #expect(try await titles.next() == [])
    let context = Context(store)
    context.insert(Book(id: 1, title: "pending"))
    try await store.insert(Book(id: 2, title: "saved"))
    #expect(try await titles.next()?.map(\.id) == [2])
    try context.save()
    #expect(try await titles.next()?.map(\.id) == [1, 2])
  }

  @Test("B9: a search is followed, by the words that rows gain and lose")
  func search() async throws {
    var found = store.live(LiveEntry.search("milk")).makeAsyncIterator()
    #expect(try await found.next() == [])
    try await store.insert([LiveEntry(id: 1, text: "milk and honey"), LiveEntry(id: 2, text: "bread")])
    #expect(try await found.next()?.map(\.id) == [1])
    try await store.updateAll(LiveEntry.where { $0.id == 2 }) { $0.text.set("bread and milk") }
    #expect(try await found.next()?.map(\.id).sorted() == [1, 2])
  }

  @Test("B9: links of many with many are followed")
  func links() async throws {
    let (entry, stamp) = (LiveEntry(id: 1), LiveTag(id: 1, word: "new"))
    try await store.insert(entry)
    try await store.insert(stamp)
    var entries = store.live(LiveEntry.all.including(\.stamps)).makeAsyncIterator()
    #expect(try await entries.next()?.first?.stamps.count == 0)
    try await store.link(entry, \.stamps, stamp)
    #expect(try await entries.next()?.first?.stamps.map(\.word) == ["new"])
    try await store.updateAll(LiveTag.all) { $0.word.set("old") }
    #expect(try await entries.next()?.first?.stamps.map(\.word) == ["old"])
    try await store.unlink(entry, \.stamps, stamp)
    #expect(try await entries.next()?.first?.stamps.count == 0)
  }

  @Test(
    "B9: transactions, blocking writes, writes that are done once, and those that wait in line together are heard of")
  func writers() async throws {
    let store = store
    var counts = store.live { db in try db.count(Book.all) }.makeAsyncIterator()
    #expect(try await counts.next() == 0)
    try store.blocking.insert(Book(id: 1))
    #expect(try await counts.next() == 1)
    try await store.once("seed") { db in try db.insert(Book(id: 2)) }
    #expect(try await counts.next() == 2)
    try await store.write { db in
      try db.insert(Book(id: 3))
      try? db.savepoint { db in
        try db.insert(Book(id: 4))
        throw CancellationError()
      }
    }
    #expect(try await counts.next() == 3)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for id in 10..<60 { group.addTask { try await store.insert(Book(id: id)) } }
      try await group.waitForAll()
    }
    #expect(try await counts.next() == 53)
  }
}
