import Larder
import LarderCombine
import LarderSync
import LarderTestSupport
import Testing

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

@Model
struct Song: Hashable {
  var id: Int
  var title: String = ""
}

@Model
struct Tune: Hashable {
  var id: String
}

@Suite("Publishers", .timeLimit(.minutes(20)))
struct PublisherTests {
  @Test("B9: a publisher sends the rows now, and again after each commit that matters")
  func follows() async throws {
    let store = try Store(inMemoryFor: Song.self)
    let inbox = Inbox<[Song]>(demand: .unlimited)
    store.publisher(for: Song.all.sorted(by: \.id)).subscribe(inbox)
    #expect(await inbox.next() == .value([]))
    try await store.insert(Song(id: 1))
    #expect(await inbox.next() == .value([Song(id: 1)]))
    inbox.cancel()
  }

  @Test("B9: a publisher hears of what an exchange of sync brought")
  func sync() async throws {
    let (store, other) = (try Store(inMemoryFor: Tune.self), try Store(inMemoryFor: Tune.self))
    try await store.sync.enable()
    try await other.sync.enable()
    let inbox = Inbox<[Tune]>(demand: .unlimited)
    store.publisher(for: Tune.all).subscribe(inbox)
    #expect(await inbox.next() == .value([]))
    try await other.insert(Tune(id: "1"))
    try await store.sync.exchange(with: other.sync)
    #expect(await inbox.next() == .value([Tune(id: "1")]))
    inbox.cancel()
  }

  @Test("B9: no value comes that was not asked for, and the next one is then the newest")
  func demand() async throws {
    let store = try Store(inMemoryFor: Song.self)
    let inbox = Inbox<[Song]>(demand: .max(1))
    store.publisher(for: Song.all.sorted(by: \.id)).subscribe(inbox)
    #expect(await inbox.next() == .value([]))
    for id in 1...20 { try await store.insert(Song(id: id)) }
    #expect(inbox.isEmpty)
    inbox.request(.max(1))
    guard case .value(let songs) = await inbox.next() else {
      Issue.record("no value came")
      return
    }
    #expect(songs.map(\.id) == Array(1...20))
    #expect(inbox.isEmpty)
    inbox.cancel()
  }

  @Test("B9: a cancelled subscriber is released and gets nothing more")
  func cancel() async throws {
    let store = try Store(inMemoryFor: Song.self)
    weak var released: Inbox<[Song]>?
    do {
      let inbox = Inbox<[Song]>(demand: .unlimited)
      released = inbox
      store.publisher(for: Song.all).subscribe(inbox)
      #expect(await inbox.next() == .value([]))
      inbox.cancel()
      try await store.insert(Song(id: 1))
      // Whoever subscribes after that has had its value before the cancelled one could have had it.
      let other = Inbox<[Song]>(demand: .unlimited)
      store.publisher(for: Song.all).subscribe(other)
      #expect(await other.next() == .value([Song(id: 1)]))
      #expect(inbox.isEmpty)
      other.cancel()
    }
    while released != nil { await Task.yield() }
  }

  @Test("B9: an error of the read ends the publisher")
  func failure() async throws {
    struct Refusal: Error {}
    let store = try Store(inMemoryFor: Song.self)
    let inbox = Inbox<Int>(demand: .unlimited)
    store.publisher { db in
      let count = try db.count(Song.all)
      guard count < 2 else { throw Refusal() }
      return count
    }.subscribe(inbox)
    #expect(await inbox.next() == .value(0))
    try await store.insert(Song(id: 1))
    #expect(await inbox.next() == .value(1))
    try await store.insert(Song(id: 2))
    #expect(await inbox.next() == .failure("Refusal"))
  }

  @Test("B9: changes are published as changes, and those that nobody asked for yet are one")
  func changes() async throws {
    let store = try Store(inMemoryFor: Song.self)
    let (changes, continuation) = AsyncStream.makeStream(of: ResultsChange<Song>.self)
    let inbox = Inbox<[Int]>(demand: .max(1))
    let changed = store.changesPublisher(for: Song.all.sorted(by: \.title))
    changed.map { change in
      continuation.yield(change)
      return change.inserted
    }.subscribe(inbox)
    var iterator = changes.makeAsyncIterator()
    #expect(await inbox.next() == .value([]))
    #expect(await iterator.next()?.values == [])
    try await store.insert([Song(id: 1, title: "b"), Song(id: 2, title: "c")])
    try await store.insert(Song(id: 3, title: "a"))
    try await store.delete(Song.self, 2)
    inbox.request(.max(1))
    #expect(await inbox.next() == .value([0, 1]))
    let change = try #require(await iterator.next())
    #expect(change.applying(to: []).map(\.id) == [3, 1])
    inbox.cancel()
  }

  @Test("B9: sections and groups are published as well")
  func sectionsAndGroups() async throws {
    let store = try Store(inMemoryFor: Song.self)
    try await store.insert([Song(id: 1, title: "b"), Song(id: 2, title: "a"), Song(id: 3, title: "a")])
    let sections = Inbox<[ResultsSection<String, Song>]>(demand: .max(1))
    store.publisher(for: Song.all.sorted(by: \.title), sectionedBy: \.title).subscribe(sections)
    guard case .value(let value) = await sections.next() else {
      Issue.record("no value came")
      return
    }
    #expect(value.map(\.key) == ["a", "b"])
    sections.cancel()
    let groups = Inbox<[Int]>(demand: .max(1))
    store.publisher(for: Song.all.grouped(by: \.title) { ($0.key, $0.count) }).map { $0.map(\.1) }.subscribe(groups)
    #expect(await groups.next() == .value([2, 1]))
    groups.cancel()
  }

  @Test(
    "B9: after a thousand subscriptions that were cancelled, most before their first value, the store is as quick to answer"
  )
  func thousandCancelled() async throws {
    let store = try Store(inMemoryFor: Song.self)
    for round in 0..<1000 {
      let inbox = Inbox<[Song]>(demand: round.isMultiple(of: 3) ? .none : .unlimited)
      store.publisher(for: Song.all).subscribe(inbox)
      if round.isMultiple(of: 10), !round.isMultiple(of: 3) { #expect(await inbox.next() == .value([])) }
      inbox.cancel()
    }
    try await store.insert(Song(id: 1))
    #expect(try await store.count(Song.all) == 1)
  }

  @Test("B9: operators work on it: sink gets the values until it is cancelled")
  func sink() async throws {
    let store = try Store(inMemoryFor: Song.self)
    let (values, continuation) = AsyncStream.makeStream(of: [Int].self)
    let cancellable = store.publisher(for: Song.all.sorted(by: \.id)).map { $0.map(\.id) }.removeDuplicates()
      .sink { _ in
      } receiveValue: {
        continuation.yield($0)
      }
    var iterator = values.makeAsyncIterator()
    #expect(await iterator.next() == [])
    try await store.insert(Song(id: 7))
    #expect(await iterator.next() == [7])
    cancellable.cancel()
  }
}
