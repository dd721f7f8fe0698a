import Synchronization

/// Loads the pages of a ``DocumentResults``, and caches some of them until a commit affects the collection.
final class DocumentPages: Sendable {
  /// A document as it was read.
  struct Row: Sendable {
    let json: String
    let expires: Double?
    let clock: ExpiryClock

    /// Whether the document has not expired since it was read.
    var isLive: Bool { expires.map { $0 > clock.now } ?? true }
  }

  private struct State {
    var pages: [Int: [Row?]] = [:]
    /// The loaded pages, the most recently used last.
    var recent: [Int] = []
    /// The number of commits that had affected the collection when the pages were read.
    var version = 0
    /// The latest time by which a loaded page lacks a document. At earlier times that document may not have expired.
    var start = -Double.infinity
  }

  static let size = 100
  /// The number of cached pages.
  private static let limit = 8

  private let store: Store
  private let table: DocumentTable
  private let observer = LiveObserver()
  private let state = Mutex(State())

  init(_ store: Store, _ table: DocumentTable) {
    self.store = store
    self.table = table
    store.live.add(observer)
  }

  deinit {
    store.live.remove(observer)
  }

  func row(at position: Int, of keys: [String]) -> Row? {
    let (page, offset) = position.quotientAndRemainder(dividingBy: Self.size)
    let version = observer.version
    if let rows = take(page, version) { return rows[offset].flatMap { $0.isLive ? $0 : nil } }
    let range = page * Self.size..<min(keys.count, (page + 1) * Self.size)
    // No lock is held here: a caller that holds every connection may be waiting for a page of these results.
    let loaded = try? store.live.reading(observer) {
      try store.withReader { connection in try connection.tracking { try table.on(connection).rows(keys[range]) } }
    }
    guard let loaded else { return nil }
    keep(page, loaded, version)
    return loaded[offset]
  }

  func rows(with keys: ArraySlice<String>) async throws -> [Row?] {
    guard !keys.isEmpty else { return [] }
    return try await store.reading { [table] in try table.on($0).rows(keys) }
  }

  private func take(_ page: Int, _ version: Int) -> [Row?]? {
    state.withLock { state in
      if version > state.version || (state.start > -.infinity && store.environment.clock.now < state.start) {
        state = State()
        state.version = version
      }
      guard let rows = state.pages[page] else { return nil }
      state.recent.removeAll { $0 == page }
      state.recent.append(page)
      return rows
    }
  }

  private func keep(_ page: Int, _ rows: [Row?], _ version: Int) {
    guard observer.version == version else { return }
    state.withLock { state in
      guard state.version == version else { return }
      state.pages[page] = rows
      if rows.contains(where: { $0 == nil }) { state.start = max(state.start, store.environment.clock.now) }
      state.recent.removeAll { $0 == page }
      state.recent.append(page)
      if state.recent.count > Self.limit { state.pages[state.recent.removeFirst()] = nil }
    }
  }
}
