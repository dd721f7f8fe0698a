public import Larder

/// A row that changed: inserted, updated or deleted.
public struct RowChange: Sendable, Hashable {
  /// A property of a row.
  public struct Property: Sendable, Hashable {
    /// The property's name in the exchange: the name that its column had first.
    public let name: String
    /// The stored value.
    public let value: Value
    /// When and by whom it was written.
    public let stamp: Stamp
    /// The causal length of the row when it was written.
    package let causalLength: Int64
  }

  /// A counter of a row, which shows the sum of what all replicas have added.
  public struct Counter: Sendable, Hashable {
    /// The property's name in the exchange: the name that its column had first.
    public let name: String
    /// The sum, or the bound of 64-bit integers that it has passed.
    public let sum: Int64
    /// When and by whom something was added last.
    public let stamp: Stamp
  }

  /// The name of the table, or of the collection of documents, in lowercase.
  public let table: String
  /// Whether the row is a document. The values of its properties are JSON, and null for those that were removed.
  public let isDocument: Bool
  /// The values of the key, in the order of its columns.
  public let key: [Value]
  /// Whether the row was deleted. Its properties are the last that it had.
  public let isDeleted: Bool
  /// When and by whom the row was inserted, or deleted, last.
  public let stamp: Stamp
  /// The properties that aren't part of the key, sorted by name.
  public let properties: [Property]
  /// The counters to which somebody has added something, sorted by name.
  public let counters: [Counter]
  /// The number of insertions and deletions, which decides before the stamp does.
  package let causalLength: Int64

  /// The stamp of the last write to the row.
  public var lastWrite: Stamp { (properties.map(\.stamp) + counters.map(\.stamp)).reduce(stamp, max) }

  init(_ state: RowState) {
    table = CollectionName.collection(state.table) ?? state.table
    isDocument = state.isDocument
    key = state.key.map(\.stored)
    isDeleted = !state.isThere
    stamp = state.stamp
    properties = state.properties.filter { $0.name != RowState.mergedInto }.map {
      Property(
        name: CollectionName.property($0.name, of: state), value: $0.value.stored, stamp: $0.stamp,
        causalLength: $0.causalLength)
    }
    counters = Dictionary(grouping: state.contributions, by: \.property).compactMap { name, contributions in
      contributions.map(\.stamp).max().map { stamp in
        Counter(name: name, sum: state.sum(of: name).clamped(to: .min ... .max), stamp: stamp)
      }
    }.sorted { $0.name < $1.name }
    causalLength = state.causalLength
  }
}

/// A part of the history of a store.
public struct History: Sendable, Hashable {
  /// The rows that changed, in the order of their last change; each row once.
  public let changes: [RowChange]
  /// Where this part ends; pass it to `Store.history(after:limit:)` for the next.
  public let cursor: ChangeCursor
  /// Whether nothing changed after ``cursor`` when the history was read.
  public let isLast: Bool
}

extension Store {
  /// Returns the rows that changed after a cursor, deleted ones among them, as they are now.
  ///
  /// It is the base for caches and search engines outside of the store, which follow its changes:
  ///
  /// ```swift
  /// let history = try await store.history(after: cursor)
  /// for change in history.changes { … }
  /// cursor = history.cursor
  /// ```
  ///
  /// Changes that came from other replicas are among them, and so are rows that are set aside here. Deletions are among them
  /// until they are forgotten: who reads the history less often than `setRetention(_:)` says begins anew, without a cursor.
  ///
  /// - Parameters:
  ///   - cursor: The end of what is known; nil for everything that there is.
  ///   - limit: The greatest number of rows.
  /// - Returns: The changes, and where they end.
  /// - Throws: `StoreError` `.unsupported` if sync is off in the file, `.invalidValue` for a cursor of another file;
  ///   the errors of any read.
  /// - Complexity: One lookup if nothing changed.
  public func history(after cursor: ChangeCursor? = nil, limit: Int = 1000) async throws -> History {
    try await readingModule { connection in
      let file = try ReplicaFile(connection)
      let batch = try file.changes(
        after: cursor ?? ChangeCursor(replica: try file.own(), position: 0), for: nil, limit: Swift.max(1, limit))
      return History(changes: batch.rows.map(RowChange.init), cursor: batch.upTo, isLast: batch.isLast)
    }
  }
}

extension ReplicatedValue {
  /// The value as the rest of Larder has it. Bytes that aren't UTF-8 are replaced in a text.
  var stored: Value {
    switch self {
    case .null: .null
    case .integer(let value): .integer(value)
    case .real(let value): .real(value)
    case .text(let bytes): .text(String(decoding: bytes, as: UTF8.self))
    case .blob(let bytes): .blob(bytes)
    }
  }
}
