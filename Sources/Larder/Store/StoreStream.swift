import Synchronization

extension Store {
  /// Returns an asynchronous sequence of the query's rows, which uses a bounded amount of memory.
  ///
  /// ```swift
  /// for try await note in store.stream(Note.all) { export(note) }
  /// ```
  ///
  /// All rows belong to the same commit. The stream reads on its own connection, so a slow consumer doesn't block other
  /// calls; but the write-ahead log can't be truncated while it runs. A stream of an in-memory store reads all rows at
  /// its start.
  ///
  /// - Parameter query: The condition, order and inclusions of the rows.
  /// - Returns: A sequence that throws the errors of ``fetch(_:)-(Query<M>)``.
  public func stream<M: Model>(_ query: Query<M>) -> StoreStream<M> {
    StoreStream(store: self, query: query)
  }
}

/// An asynchronous sequence of a query's rows. See ``Store/stream(_:)``.
public struct StoreStream<M: Model>: AsyncSequence, Sendable {
  public typealias Element = M

  let store: Store
  let query: Query<M>

  /// Returns an iterator that reads the rows from the beginning.
  ///
  /// - Returns: The iterator.
  public func makeAsyncIterator() -> Iterator {
    Iterator(store: store, query: query)
  }

  /// The iterator of a ``StoreStream``, with its own connection.
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

    /// Returns the next row.
    ///
    /// - Returns: The row, or nil after the last one.
    /// - Throws: The errors of ``Store/fetch(_:)-(Query<M>)``. After an error, `CancellationError` included, the
    ///   sequence has ended.
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
      // A short page is the last one: SQLite would restart a statement that is stepped past its end.
      if rows.count < StreamCursor<M>.pageSize { finish() }
      return rows
    }

    /// Releases the connection as soon as no rows are left to read.
    private mutating func finish() {
      isFinished = true
      cursor = nil
    }
  }
}

/// The connection and the statement of one stream. Released with its iterator, even if rows are left.
final class StreamCursor<M: Model>: StoreResource {
  private let connection: Connection
  private let lifetime: StoreLifetime
  private let query: Query<M>
  /// The statement that returns the rows, once it has begun. The lock guards the statement and the connection.
  private let statement = Mutex<OpenStatement?>(nil)

  /// `@unchecked Sendable`: only used under the cursor's lock.
  private struct OpenStatement: @unchecked Sendable {
    let statement: PreparedStatement
  }

  static var pageSize: Int { Connection.pageSize }

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
