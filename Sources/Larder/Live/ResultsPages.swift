import Synchronization

/// Loads the pages of a ``Results``, and caches some of them until a commit affects them.
final class ResultsPages<M: Model>: Sendable {
  private let store: Store
  private let inclusions: [Inclusion<M>]
  private let observer = LiveObserver()
  private let loaded = Mutex(LoadedPages<M>())

  init(_ store: Store, _ inclusions: [Inclusion<M>]) {
    self.store = store
    self.inclusions = inclusions
    store.live.add(observer)
  }

  deinit {
    store.live.remove(observer)
  }

  func row(at position: Int, of keys: [M.ID]) -> M? {
    let (page, offset) = position.quotientAndRemainder(dividingBy: Results<M>.pageSize)
    let version = observer.version
    let (rows, missing) = loaded.withLock { ($0.take(page, version, store.environment.clock), $0.missing) }
    if let rows { return rows[offset] }
    // No lock is held here: a caller that holds every connection may be waiting for a page of these results.
    guard let (pages, times) = try? load(missing, of: keys) else { return nil }
    if observer.version == version { loaded.withLock { $0.keep(pages, version, times) } }
    return pages.first { $0.page == page }?.rows[offset]
  }

  func rows(with keys: ArraySlice<M.ID>) async throws -> [M?] {
    guard !keys.isEmpty else { return [] }
    let inclusions = inclusions
    return try await store.reading { try $0.rows(of: M.self, with: keys, inclusions) }
  }

  /// Loads adjacent pages with one statement. Also returns the times at which they are right.
  private func load(
    _ pages: ClosedRange<Int>, of keys: [M.ID]
  ) throws -> (pages: [(page: Int, rows: [M?])], times: LoadedTimes) {
    let size = Results<M>.pageSize
    let last = (keys.count - 1) / size
    let pages = pages.clamped(to: 0...last)
    let range = pages.lowerBound * size..<min(keys.count, (pages.upperBound + 1) * size)
    let (rows, times) = try store.live.reading(observer) {
      try store.withReader { connection in
        let clock = store.environment.clock
        let time = clock.now
        let (rows, region) = try connection.tracking { try connection.rows(of: M.self, with: keys[range], inclusions) }
        let expiring = store.environment.tables.filter { $0.expires && region.tables[$0.name] != nil }
        let end = try expiring.map { try connection.nextExpiry(of: $0, after: time) }.min()
        return ((rows, end.map { LoadedTimes(start: clock.now, end: $0) } ?? LoadedTimes()), region)
      }
    }
    let loaded = pages.map { page in
      let start = page * size - range.lowerBound
      return (page: page, rows: Array(rows[start..<min(rows.count, start + size)]))
    }
    return (loaded, times)
  }
}

/// The times by which rows are hidden at which loaded pages are right: later ones hide further rows, and earlier ones
/// show rows that had expired.
private struct LoadedTimes {
  /// When the last of the pages was read.
  var start = -Double.infinity
  /// When the first of the rows may expire.
  var end = Double.infinity

  /// Whether rows that can expire were read.
  var isLimited: Bool { start > -.infinity }

  func contains(_ time: Double) -> Bool { time >= start && time < end }

  mutating func formIntersection(_ other: LoadedTimes) {
    start = max(start, other.start)
    end = min(end, other.end)
  }
}

/// A few cached pages. The least recently used one is replaced.
private struct LoadedPages<M: Model> {
  /// The number of cached pages.
  static var limit: Int { 8 }

  private var pages: [Int: [M?]] = [:]
  /// The loaded pages, the most recently used last.
  private var recent: [Int] = []
  /// The page that was requested last, and the pages to load if it isn't loaded.
  private var current: Int?
  private(set) var missing = 0...0
  /// The number of commits that had affected the rows when the pages were read.
  private var version = 0
  private var times = LoadedTimes()

  /// Returns the page if it is loaded and current. If the previous page was its neighbor, the next page in that
  /// direction is prefetched.
  mutating func take(_ page: Int, _ version: Int, _ clock: ExpiryClock) -> [M?]? {
    defer { current = page }
    if version > self.version || (times.isLimited && !times.contains(clock.now)) { forget(version) }
    if let rows = pages[page] {
      touch(page)
      return rows
    }
    switch current {
    case page - 1 where pages[page + 1] == nil: missing = page...page + 1
    case page + 1 where page > 0 && pages[page - 1] == nil: missing = page - 1...page
    default: missing = page...page
    }
    return nil
  }

  mutating func keep(_ rows: [(page: Int, rows: [M?])], _ version: Int, _ times: LoadedTimes) {
    guard version == self.version else { return }
    self.times.formIntersection(times)
    for (page, rows) in rows {
      pages[page] = rows
      touch(page)
      if recent.count > Self.limit { pages[recent.removeFirst()] = nil }
    }
  }

  private mutating func touch(_ page: Int) {
    guard recent.last != page else { return }
    recent.removeAll { $0 == page }
    recent.append(page)
  }

  private mutating func forget(_ version: Int) {
    pages.removeAll(keepingCapacity: true)
    recent.removeAll(keepingCapacity: true)
    self.version = version
    times = LoadedTimes()
  }
}

extension Connection {
  /// Returns the keys of the query's rows, in its order.
  func keys<M: Model>(of query: Query<M>) throws -> [M.ID] {
    var writer = environment.makeWriter()
    try query.writeSelect(&writer) { writer in
      for (position, key) in M.schema.keyNodes.enumerated() {
        if position > 0 { writer.write(", ") }
        try writer.write(key)
      }
    }
    let context = ErrorContext(M.self)
    return try using(writer, context) { statement in
      var keys: [M.ID] = []
      while try step(statement, context) {
        var row = RowReader(statement.pointer)
        do {
          keys.append(try M.key(from: &row))
        } catch {
          throw Self.naming(error, M.self, M.schema.keyColumns, at: Int(row.index) - 1)
        }
      }
      return keys
    }
  }
}
