import Foundation
import Testing

@testable import Larder

/// Who is woken by a commit, and what subscribers leave behind.
@Suite("Live results: waking", .timeLimit(.minutes(20)))
struct LiveWakingTests {
  private let file: StoreFile
  private let store: Store
  private let counter: StatementCounter

  init() throws {
    file = try StoreFile()
    store = try Store(
      at: file.path, for: Shelf.self, Book.self, Visitor.self, configuration: Store.Configuration(readers: 1))
    counter = try StatementCounter(store)
  }

  @Test(
    "B9: a commit to another table, or to columns that the query does not read, wakes nobody: nothing is fetched for it"
  )
  func irrelevant() async throws {
    try await store.insert(Book(id: 1, title: "A", genre: "poem"))
    let store = store
    // The consumer says each time what it got; it is asleep, or on its way to sleep, when the next commit comes.
    let (values, continuation) = AsyncStream.makeStream(of: [String].self)
    let consumer = Task {
      for try await titles in store.live({ db in
        try db.sql("select title from Book where genre = 'poem'").map { $0["title"]?.text ?? "" }
      }) {
        continuation.yield(titles)
      }
    }
    let counts = Task { for try await _ in store.live({ db in try db.count(Book.all) }) { continuation.yield([]) } }
    var iterator = values.makeAsyncIterator()
    _ = await (iterator.next(), iterator.next())
    _ = counter.take()
    for number in 0..<50 {
      try await store.insert(Visitor(name: "\(number)"))
      try await store.updateAll(Book.all) { $0.pages.set(number) }
      try await store.updateAll(Book.all) { $0.note.set("n") }
    }
    try await store.updateAll(Book.all) { $0.title.set("B") }
    // The first look for commits of other processes may wake each of the two once, whenever it comes.
    var extra = 0
    while let titles = await iterator.next(), titles != ["B"] { extra += 1 }
    #expect(extra <= 2)
    // The check of the snapshot's view and the query itself, for each of the two at most twice; 150 commits went by.
    #expect(counter.take() <= 8)
    consumer.cancel()
    counts.cancel()
    try await consumer.value
    try await counts.value
  }

  @Test("B9: a query hears of the columns that it reads or filters by, and a count of rows that come and go alone")
  func regions() throws {
    let store = store
    func region(_ read: @Sendable (Connection) throws -> Void) throws -> Region {
      try store.withReader { connection in try connection.tracking { try read(connection) }.1 }
    }
    let count = try region { _ = try $0.count(Book.all) }
    #expect(count.tables == ["Book": .named([])])
    let filtered = try region { _ = try $0.count(Book.where { $0.pages > 1 }) }
    #expect(filtered.tables == ["Book": .named(["pages"])])
    let related = try region { _ = try $0.count(Shelf.where { $0.books.contains { $0.pages > 1 } }) }
    #expect(Set(related.tables.keys) == ["Shelf", "Book"])

    var update = Region()
    update.insert(table: "Book", column: "title")
    var insertion = Region()
    insertion.insert(table: "Book")
    #expect(!update.overlaps(count) && !update.overlaps(filtered))
    #expect(insertion.overlaps(count) && count.overlaps(insertion) && insertion.overlaps(related))
  }

  @Test(
    "B9: after 1,000 subscriptions that came and went nothing is left: no observer, no watched table, no further connection"
  )
  func nothingIsLeft() async throws {
    let store = store
    for round in 0..<1000 {
      let (given, continuation) = AsyncStream.makeStream(of: Void.self)
      let task = Task {
        if round.isMultiple(of: 2) {
          for try await _ in store.live(Book.all) { continuation.yield() }
        } else {
          for try await _ in store.changes(Book.all) { continuation.yield() }
        }
      }
      for await _ in given.prefix(1) {}
      task.cancel()
      try await task.value
    }
    #expect(store.live.isEmpty)
    #expect(store.live.watchedTables == [])
    #expect(store.readers?.connectionCount == 1)
  }

  @Test("B9: a consumer that leaves the loop is forgotten, also while others go on")
  func leaving() async throws {
    var staying = store.live(Book.all).makeAsyncIterator()
    _ = try await staying.next()
    for try await _ in store.live(Shelf.all) { break }
    #expect(store.live.watchedTables == ["Book"])
    try await store.insert(Book(id: 1))
    #expect(try await staying.next()?.count == 1)
  }

  @Test("B9: a slow consumer of a burst gets the newest state alone, however many commits there were")
  func burst() async throws {
    var results = store.live(Book.all).makeAsyncIterator()
    #expect(try await results.next() == [])
    _ = counter.take()
    for id in 0..<500 { try await store.insert(Book(id: id)) }
    #expect(try await results.next()?.count == 500)
    #expect(counter.take() == 1)
  }

  @Test("B9: with writers at work, no state comes after a newer one, and the last one is never missed")
  func order() async throws {
    let file = try StoreFile()
    let store = try file.open(Book.self)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for consumer in 0..<4 {
        group.addTask {
          var last = -1
          let counts = store.live { db in (try db.count(Book.all), try db.fetch(Book.all).count) }
          for try await (count, rows) in counts {
            #expect(count == rows)
            #expect(count >= last)
            last = count
            if count == 600 { break }
            if consumer.isMultiple(of: 2) { await Task.yield() }
          }
          #expect(last == 600)
        }
      }
      for writer in 0..<3 {
        group.addTask { for number in 0..<200 { try await store.insert(Book(id: writer * 200 + number)) } }
      }
      try await group.waitForAll()
    }
    #expect(store.live.isEmpty)
  }
}
