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
    // What the rows are related to has to be of the same commit.
    StoreStream(
      store: self,
      source: StreamSource(
        isTransaction: !query.inclusions.isEmpty, context: { ErrorContext(M.self) },
        select: { try query.writeSelect(&$0) },
        decode: { try $0.decode(M.self, $1) }, load: { try $0.load(query.inclusions, into: &$1) },
        fetch: { try await $0.fetch(query) }))
  }

  /// Returns an asynchronous sequence of the query's selected values, groups or joined rows, which uses a bounded amount
  /// of memory.
  ///
  /// - Parameter query: A query with `select`, `grouped` or `join`.
  /// - Returns: A sequence that throws the errors of ``fetch(_:)-(Query<M>)``.
  public func stream<Q: ValueQuery>(_ query: Q) -> StoreStream<Q.Result> where Q.Result: Sendable {
    let statement = query._statement
    return StoreStream(
      store: self,
      source: StreamSource(
        isTransaction: false, context: { ErrorContext(statement.model) }, select: statement.write,
        decode: { try $0.decode(statement, $1) }, load: { _, _ in }, fetch: { try await $0.fetch(query) }))
  }
}

/// What a stream reads.
struct StreamSource<Element: Sendable>: Sendable {
  /// Whether one transaction lasts for all pages.
  let isTransaction: Bool
  let context: @Sendable () -> ErrorContext
  let select: @Sendable (inout SQLWriter) throws -> Void
  let decode: @Sendable (Connection, PreparedStatement) throws -> Element
  /// Loads what belongs to a page of elements.
  let load: @Sendable (Connection, inout [Element]) throws -> Void
  /// Reads all at once.
  let fetch: @Sendable (Store) async throws -> [Element]
}

/// An asynchronous sequence of a query's results. See ``Store/stream(_:)-(Query<M>)``.
public struct StoreStream<Element: Sendable>: AsyncSequence, Sendable {
  let store: Store
  let source: StreamSource<Element>

  /// Returns an iterator that reads the rows from the beginning.
  ///
  /// - Returns: The iterator.
  public func makeAsyncIterator() -> Iterator {
    Iterator(store: store, source: source)
  }

  /// The iterator of a ``StoreStream``, with its own connection.
  public struct Iterator: AsyncIteratorProtocol {
    private let store: Store
    private let source: StreamSource<Element>
    private var cursor: StreamCursor<Element>?
    private var page: ArraySlice<Element> = []
    private var isFinished = false

    init(store: Store, source: StreamSource<Element>) {
      self.store = store
      self.source = source
    }

    /// Returns the next result.
    ///
    /// - Returns: The result, or nil after the last one.
    /// - Throws: The errors of ``Store/fetch(_:)-(Query<M>)``. After an error, `CancellationError` included, the
    ///   sequence has ended.
    public mutating func next() async throws -> Element? {
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

    private mutating func nextPage() async throws -> [Element] {
      guard store.path != nil else {
        finish()
        return try await source.fetch(store)
      }
      let (store, source, begun) = (store, source, cursor)
      let (cursor, rows) = try await store.lifetime.working {
        let cursor = try begun ?? StreamCursor(try store.makeReader(), source, of: store.lifetime)
        return (cursor, try await cursor.nextPage())
      }
      self.cursor = cursor
      // A short page is the last one: SQLite would restart a statement that is stepped past its end.
      if rows.count < StreamCursor<Element>.pageSize { finish() }
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
final class StreamCursor<Element: Sendable>: StoreResource {
  private let connection: Connection
  private let lifetime: StoreLifetime
  private let source: StreamSource<Element>
  /// The statement that returns the rows, once it has begun. The lock guards the statement and the connection.
  private let statement = Mutex<OpenStatement?>(nil)

  /// `@unchecked Sendable`: only used under the cursor's lock.
  private struct OpenStatement: @unchecked Sendable {
    let statement: PreparedStatement
  }

  static var pageSize: Int { Connection.pageSize }

  init(_ connection: Connection, _ source: StreamSource<Element>, of lifetime: StoreLifetime) {
    self.connection = connection
    self.source = source
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

  func nextPage() async throws -> [Element] {
    try await BackgroundWork.run(on: connection) { connection in
      try self.statement.withLock { open in
        let statement = try open?.statement ?? self.begin()
        open = OpenStatement(statement: statement)
        var rows: [Element] = []
        rows.reserveCapacity(Self.pageSize)
        while rows.count < Self.pageSize, try connection.step(statement, self.source.context()) {
          rows.append(try self.source.decode(connection, statement))
        }
        try self.source.load(connection, &rows)
        return rows
      }
    }
  }

  private func begin() throws -> PreparedStatement {
    // The transaction ends with the connection.
    if source.isTransaction { try connection.execute("BEGIN DEFERRED") }
    var writer = connection.environment.makeWriter()
    try source.select(&writer)
    let statement = try connection.compile(writer.sql)
    if writer.hasFragments { try connection.checkDecimals(of: statement, writer.sql, isTyped: true) }
    do {
      try statement.bind(writer.arguments)
    } catch let code as ResultCode {
      throw connection.error(code.code, source.context())
    }
    return statement
  }
}
