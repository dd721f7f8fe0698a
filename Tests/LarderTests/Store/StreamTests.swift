import Foundation
import Larder
import LarderTestSupport
import Testing

@Suite(.timeLimit(.minutes(20))) struct StreamTests {
  private func withStores(rows: Int, _ body: (Store) async throws -> Void) async throws {
    let parcels = (0..<rows).map { Parcel(id: $0) }
    let memory = try Store(inMemoryFor: Parcel.self)
    try await memory.insert(parcels)
    try await body(memory)
    try await withTemporaryStore(for: Parcel.self, configuration: Store.Configuration(readers: 1)) { store in
      try await store.insert(parcels)
      try await body(store)
    }
  }

  /// More than ever comes: a stream that does not end is found out.
  private func ids(_ stream: StoreStream<Parcel>, atMost limit: Int) async throws -> [Int] {
    var ids: [Int] = []
    for try await parcel in stream.prefix(limit) { ids.append(parcel.id) }
    return ids
  }

  @Test("a stream gives every row once, in order, whatever their number", arguments: [0, 1, 255, 256, 257, 512, 1500])
  func complete(rows: Int) async throws {
    try await withStores(rows: rows) { store in
      let all = try await ids(store.stream(Parcel.all.sorted(by: \.id)), atMost: rows + 10)
      #expect(all == Array(0..<rows))
      let last = try await ids(store.stream(Parcel.all.sorted(by: \.id, order: .reverse).limit(3)), atMost: 10)
      #expect(last == Array((0..<rows).reversed().prefix(3)))
    }
  }

  @Test("a stream that ended stays at its end") func ended() async throws {
    try await withStores(rows: 3) { store in
      var iterator = store.stream(Parcel.all).makeAsyncIterator()
      for _ in 0..<3 {
        let parcel = try await iterator.next()
        #expect(parcel != nil)
      }
      #expect(try await iterator.next() == nil)
      #expect(try await iterator.next() == nil)
    }
  }

  @Test("all rows of a stream are of one commit, and its consumer may write meanwhile") func consistent() async throws {
    try await withStores(rows: 1000) { store in
      var count = 0
      for try await parcel in store.stream(Parcel.all) {
        if count == 0 {
          try await store.deleteAll(Parcel.where { $0.id >= 500 })
          try await store.insert((2000..<2100).map { Parcel(id: $0) })
        }
        #expect(parcel.id < 1000)
        count += 1
      }
      #expect(count == 1000)
      #expect(try await store.count(Parcel.all) == 600)
    }
  }

  @Test("leaving a stream early leaves the store as it was") func early() async throws {
    try await withStores(rows: 2000) { store in
      for _ in 0..<20 {
        for try await parcel in store.stream(Parcel.all.sorted(by: \.id)) where parcel.id >= 3 { break }
      }
      try await store.insert(Parcel(id: 5000))
      #expect(try await store.count(Parcel.all) == 2001)
    }
  }

  @Test("a stream takes rows when they are asked for, not before") func bounded() async throws {
    try await withTemporaryStore(for: Parcel.self) { store in
      try await store.insert((0..<3000).map { Parcel(id: $0) })
      // The last row cannot be read. Whoever takes all rows at once fails at the first.
      try await store.sql("update \(Parcel.self) set weight = 9e999, code = 'x' where id = 2999")
      try await store.sql("pragma user_version")
      var iterator = store.stream(Broken.all.sorted(by: \.id)).makeAsyncIterator()
      for id in 0..<2000 { #expect(try await iterator.next()?.id == id) }
      let error = await #expect(throws: StoreError.self) {
        while try await iterator.next() != nil {}
      }
      #expect(error?.code == .invalidValue)
      #expect(error?.model == "Broken")
      #expect(error?.property == "weight")
      #expect(try await iterator.next() == nil, "a stream that failed is at its end")
    }
  }

  @Test("cancelling the task ends a stream with CancellationError, also in the middle") func cancelled() async throws {
    try await withStores(rows: 2000) { store in
      let (begun, cancelled) = (Gate(), Gate())
      let task = Task {
        var count = 0
        for try await _ in store.stream(Parcel.all) {
          count += 1
          if count == 300 {
            begun.open()
            await cancelled.wait()
          }
        }
        return count
      }
      await begun.wait()
      task.cancel()
      cancelled.open()
      await #expect(throws: CancellationError.self) { try await task.value }
      let count = try await store.count(Parcel.all)
      #expect(count == 2000)
    }
  }

  @Test("a query that cannot be asked fails at the first row") func failing() async throws {
    try await withStores(rows: 1) { store in
      var iterator = store.stream(Parcel.search("x")).makeAsyncIterator()
      let error = await #expect(throws: StoreError.self) { try await iterator.next() }
      #expect(error?.code == .unsupported)
    }
  }

  /// The parcels' table as a type that cannot hold the last weight.
  @Model("parcels") struct Broken {
    enum Weight: Double, Sendable { case one = 1 }
    var id: Int
    var weight: Weight
  }
}
