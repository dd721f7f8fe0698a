public import Observation

/// The rows of a query for user interfaces: an observable collection that follows the store.
///
/// ```swift
/// @MainActor final class NotesModel {
///   let notes: LiveList<Note>
///   init(_ store: Store) { notes = LiveList(Note.all.sorted(by: \.title), in: store) }
/// }
/// ```
///
/// It belongs to the actor that creates it, such as the main actor, and changes there: SwiftUI, and whoever else uses
/// `withObservationTracking`, hears of each change. It ends with its last reference. All rows are in memory; for long
/// lists use ``Store/results(_:)``.
@Observable
public final class LiveList<M: Model>: RandomAccessCollection {
  /// The newest rows, in the query's order; empty until they are loaded.
  public private(set) var rows: [M] = []
  /// Whether the rows of the query have been read.
  public private(set) var isLoaded = false
  /// The error that ended the results; nil while they go on.
  public private(set) var error: (any Error)?
  /// The query whose rows they are. ``show(_:isolation:)`` changes it.
  public private(set) var query: Query<M>
  @ObservationIgnored private let source: any LiveListSource<M>
  @ObservationIgnored private var task: Task<Void, Never>?
  /// Those who wait for the first rows, by streams that end when their task is cancelled.
  @ObservationIgnored private var waiting: [Int: AsyncStream<Void>.Continuation] = [:]
  @ObservationIgnored private var waitingCount = 0

  /// Creates the list of a query's rows, which are read from now on.
  ///
  /// - Parameters:
  ///   - query: The condition, order and inclusions of the rows.
  ///   - store: The store.
  ///   - isolation: The actor to which the list belongs, by default that of the caller.
  public convenience init(_ query: Query<M>, in store: Store, isolation: isolated (any Actor)? = #isolation) {
    self.init(query, source: StoreSource(store: store), isolation: isolation)
  }

  init(_ query: Query<M>, source: some LiveListSource<M>, isolation: isolated (any Actor)?) {
    self.query = query
    self.source = source
    follow(isolation: isolation)
  }

  deinit {
    task?.cancel()
    for continuation in waiting.values { continuation.finish() }
  }

  /// Shows the rows of another query, such as in another order. The present rows stay until the new ones are read.
  ///
  /// - Parameters:
  ///   - query: The new query.
  ///   - isolation: The list's actor, by default that of the caller.
  public func show(_ query: Query<M>, isolation: isolated (any Actor)? = #isolation) {
    guard query != self.query || error != nil else { return }
    task?.cancel()
    (self.query, isLoaded, error) = (query, false, nil)
    follow(isolation: isolation)
  }

  /// Waits until the rows of the query have been read.
  ///
  /// - Parameter isolation: The list's actor, by default that of the caller.
  /// - Throws: The error that ended the results, and `CancellationError`.
  public func load(isolation: isolated (any Actor)? = #isolation) async throws {
    if !isLoaded, error == nil {
      let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
      waitingCount += 1
      let place = waitingCount
      waiting[place] = continuation
      var iterator = stream.makeAsyncIterator()
      _ = await iterator.next(isolation: isolation)
      waiting[place] = nil
      try Task.checkCancellation()
    }
    if let error { throw error }
  }

  /// Inserts a row into the store. The list shows it as soon as it is committed, if it is one of the query's.
  ///
  /// - Parameters:
  ///   - value: The row.
  ///   - isolation: The list's actor, by default that of the caller.
  /// - Throws: The errors of ``Store/insert(_:)-(M)``.
  public func insert(_ value: M, isolation: isolated (any Actor)? = #isolation) async throws {
    try await source.insert(value, isolation: isolation)
  }

  /// Saves a changed row in the store.
  ///
  /// - Parameters:
  ///   - value: The row.
  ///   - isolation: The list's actor, by default that of the caller.
  /// - Throws: The errors of ``Store/save(_:)-(M)``.
  public func save(_ value: M, isolation: isolated (any Actor)? = #isolation) async throws {
    try await source.save(value, isolation: isolation)
  }

  /// Deletes rows of the list from the store, all of them or none: `onDelete` of SwiftUI's `ForEach` has their
  /// positions.
  ///
  /// - Parameters:
  ///   - positions: The positions in the list. One that isn't a position of the list is a programming error and traps.
  ///   - isolation: The list's actor, by default that of the caller.
  /// - Throws: The errors of ``Store/delete(_:)-(M)``.
  public func remove(
    at positions: some Sequence<Int>, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    let values = positions.map { rows[$0] }
    try await source.delete(values, isolation: isolation)
  }

  private func follow(isolation: isolated (any Actor)?) {
    let results = source.results(of: query)
    task = Task { [weak self] in
      // Makes the closure belong to the list's actor.
      _ = isolation
      do {
        for try await rows in results {
          // After `show`, a result of the query before may still arrive.
          if Task.isCancelled { return }
          self?.take(rows)
        }
      } catch {
        if !Task.isCancelled { self?.fail(error) }
      }
    }
  }

  private func take(_ rows: [M]) {
    self.rows = rows
    isLoaded = true
    resume()
  }

  private func fail(_ error: any Error) {
    self.error = error
    resume()
  }

  private func resume() {
    let waiting = waiting
    self.waiting = [:]
    for continuation in waiting.values { continuation.finish() }
  }
}

extension LiveList {
  public var startIndex: Int { rows.startIndex }
  public var endIndex: Int { rows.endIndex }

  public subscript(position: Int) -> M { rows[position] }
}

/// What a list shows and writes to: a store, or a context.
protocol LiveListSource<M> {
  associatedtype M: Model
  func results(of query: Query<M>) -> any AsyncSequence<[M], any Error>
  func insert(_ value: M, isolation: isolated (any Actor)?) async throws
  func save(_ value: M, isolation: isolated (any Actor)?) async throws
  func delete(_ values: [M], isolation: isolated (any Actor)?) async throws
}

private struct StoreSource<M: Model>: LiveListSource {
  let store: Store

  func results(of query: Query<M>) -> any AsyncSequence<[M], any Error> { store.live(query) }

  func insert(_ value: M, isolation: isolated (any Actor)?) async throws { try await store.insert(value) }

  func save(_ value: M, isolation: isolated (any Actor)?) async throws { try await store.save(value) }

  func delete(_ values: [M], isolation: isolated (any Actor)?) async throws { try await store.delete(values) }
}
