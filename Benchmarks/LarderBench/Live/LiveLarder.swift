import Larder

@Model
struct LiveItem {
  var id: Int
  var title: String
  var body: String
  var price: Double
  var count: Int
}

@Model
struct LiveBystander {
  var id: Int
  var title: String
}

/// Live results of Larder: a query of 50 rows out of 1,000.
struct LiveLarder {
  private let store: Store

  init(path: String) throws {
    store = try Store(at: path, for: LiveItem.self, LiveBystander.self)
    try store.blocking.insert(
      (0..<1000).map { LiveItem(id: $0, title: "Title \($0)", body: "The body of row \($0)", price: 1, count: 0) })
  }

  /// How long it takes from the beginning of an update until the new result is there.
  func refreshes(_ count: Int) async throws -> [Double] {
    var results = store.live(LiveItem.where { $0.id < 50 }.sorted(by: \.id)).makeAsyncIterator()
    _ = try await results.next()
    return try await liveTimes(count) { number in
      try await store.update(LiveItem(id: 7, title: "Title 7", body: "The body of row 7", price: 1, count: number))
      while let rows = try await results.next() {
        guard rows[7].count != number else { break }
      }
    }
  }

  func writes(_ count: Int, observers: Int) async throws -> [Double] {
    let store = store
    let (ready, continuation) = AsyncStream.makeStream(of: Void.self)
    let tasks = (0..<observers).map { _ in
      Task { for try await _ in store.live(LiveBystander.all.sorted(by: \.title)) { continuation.yield() } }
    }
    for await _ in ready.prefix(observers) {}
    let times = try await liveTimes(count) { number in
      try await store.update(LiveItem(id: 7, title: "Title 7", body: "The body of row 7", price: 1, count: number))
    }
    for task in tasks { task.cancel() }
    for task in tasks { try await task.value }
    return times
  }
}
