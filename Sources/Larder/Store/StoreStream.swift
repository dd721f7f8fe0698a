import Synchronization

extension Store {
  /// The rows of the query one after another, in bounded memory, all of the same commit.
  ///
  /// ```swift
  /// for try await note in store.stream(Note.all) { export(note) }
  /// ```
  ///
  /// The stream reads on a connection of its own, so that a slow consumer keeps nobody waiting; while it runs, the write-ahead log cannot be
  /// emptied. A stream of an in-memory store takes all rows at its start.
  public func stream<M: Model>(_ query: Query<M>) -> StoreStream<M> {
    StoreStream(store: self, query: query)
  }
}

/// An asynchronous sequence of a query's rows. Made by ``Store/stream(_:)``.
public struct StoreStream<M: Model>: AsyncSequence, Sendable {
  public typealias Element = M

  let store: Store
  let query: Query<M>

  public func makeAsyncIterator() -> Iterator {
    Iterator(store: store, query: query)
  }

  /// What reads the rows, on a connection of its own that is closed together with it.
  public struct Iterator: AsyncIteratorProtocol {
    private let store: Store
    private let query: Query<M>
    private var cursor: StreamCursor<M>?
    private var page: ArraySlice<M> = []
    private var isFinished = false

    init(store: Store, query: Query<M>) {
      self.store = store
      self.query = query
    }

    /// The next row, or nil after the last. Throws what ``Store/fetch(_:)-(Query<M>)`` throws.
    ///
    /// After an error, `CancellationError` included, the stream is at its end.
    public mutating func next() async throws -> M? {
      do {
        try Task.checkCancellation()
        if page.isEmpty, !isFinished { page = try await nextPage()[...] }
        return page.popFirst()
      } catch {
        page = []
        finish()
        throw error
      }
    }

    private mutating func nextPage() async throws -> [M] {
      guard store.path != nil else {
        finish()
        return try await store.fetch(query)
      }
      let (store, query, begun) = (store, query, cursor)
      let (cursor, rows) = try await store.lifetime.working {
        let cursor = try begun ?? StreamCursor(try store.makeReader(), query, of: store.lifetime)
        return (cursor, try await cursor.nextPage())
      }
      self.cursor = cursor
      // A short page is the last one: SQLite begins a statement anew that is stepped past its end.
      if rows.count < StreamCursor<M>.pageSize { finish() }
      return rows
    }

    /// Gives the connection back as soon as nothing is left to read.
    private mutating func finish() {
      isFinished = true
      cursor = nil
    }
  }
}

/// The connection and the statement of one stream. Released with the iterator, also in the middle of the rows.
final class StreamCursor<M: Model>: StoreResource {
  private let connection: Connection
  private let lifetime: StoreLifetime
  private let query: Query<M>
  /// The statement that the rows come from, once it was begun. The lock guards it and, with it, the connection.
  private let statement = Mutex<OpenStatement?>(nil)

  /// `@unchecked Sendable`: used under the cursor's lock alone.
  private struct OpenStatement: @unchecked Sendable {
    let statement: PreparedStatement
  }

  static var pageSize: Int { 256 }

  init(_ connection: Connection, _ query: Query<M>, of lifetime: StoreLifetime) {
    self.connection = connection
    self.query = query
    self.lifetime = lifetime
    lifetime.keep(self)
  }

  deinit {
    lifetime.forget(self)
    statement.withLock { $0 = nil }
  }

  func close() {
    // A page that is being read is waited for by the lock.
    statement.withLock { statement in
      statement = nil
      connection.close()
    }
  }

  func nextPage() async throws -> [M] {
    try await BackgroundWork.run(on: connection) { connection in
      try self.statement.withLock { open in
        let statement = try open?.statement ?? self.begin()
        open = OpenStatement(statement: statement)
        var rows: [M] = []
        rows.reserveCapacity(Self.pageSize)
        while rows.count < Self.pageSize, try connection.step(statement, ErrorContext(M.self)) {
          rows.append(try connection.decode(M.self, statement))
        }
        try connection.load(self.query.inclusions, into: &rows)
        return rows
      }
    }
  }

  private func begin() throws -> PreparedStatement {
    // What the rows are related to has to be of the same commit. The transaction ends with the connection.
    if !query.inclusions.isEmpty { try connection.execute("BEGIN DEFERRED") }
    var writer = connection.environment.makeWriter()
    try query.select(&writer)
    let statement = try connection.compile(writer.sql)
    do {
      try statement.bind(writer.arguments)
    } catch let code as ResultCode {
      throw connection.error(code.code, ErrorContext(M.self))
    }
    return statement
  }
}
