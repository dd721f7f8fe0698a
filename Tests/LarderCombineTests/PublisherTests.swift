import Larder
import LarderCombine
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

@Suite("Publishers", .timeLimit(.minutes(1)))
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
