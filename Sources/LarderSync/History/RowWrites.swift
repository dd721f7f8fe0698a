public import Larder

/// When and by whom a row and its properties were written last.
public struct RowWrites: Sendable, Hashable {
  /// A write of one replica.
  public struct Write: Sendable, Hashable {
    /// When it was written, and by which replica.
    public let stamp: Stamp
    /// The name of the replica; nil if nobody gave it one, or this file hasn't heard of it.
    public let replicaName: String?
    /// Whether it was written in this file.
    public let isOwn: Bool
  }

  /// The last insertion of the row, or its deletion.
  public let row: Write
  /// Whether the row was deleted.
  public let isDeleted: Bool
  /// The last write of each property, by the name of its column; of a document, by the name of its top-level property.
  /// Those of the key are missing, and so are counters to which nobody has added anything, and properties that show a
  /// default because the app that inserted the row lacks them.
  public let properties: [String: Write]
}

extension StoreSync {
  /// Returns when and by whom a row was written.
  ///
  /// - Parameters:
  ///   - key: The stored values of the row's key, in the order of its columns; of a document, its key.
  ///   - table: The name of the table, or of the collection of documents.
  /// - Returns: nil if the row was never there, or has expired; also if the model doesn't take part in sync.
  /// - Throws: `StoreError` `.unsupported` if sync is off in the file; the errors of any read.
  /// - Complexity: A few look-ups.
  public func writes(ofRowWith key: [Value], in table: String) async throws -> RowWrites? {
    try await store.readingModule { connection in
      let file = try ReplicaFile(connection)
      guard let tracked = file.tables.first(where: { $0.description.name.lowercased() == table.lowercased() }),
        let row = try file.row(RowKey(table: tracked.name, key: key.map { ReplicatedValue($0) })),
        row.status != .expired
      else { return nil }
      return try RowWrites(row.state, in: tracked, file)
    }
  }
}

extension RowWrites {
  fileprivate init(_ state: RowState, in table: TrackedTable, _ file: ReplicaFile) throws {
    let own = try file.own()
    var names: [ReplicaID: String?] = [:]
    func write(_ stamp: Stamp) throws -> Write {
      let name = try names[stamp.replica] ?? file.name(of: stamp.replica)
      names[stamp.replica] = name
      return Write(stamp: stamp, replicaName: name, isOwn: stamp.replica == own)
    }
    let columns = Dictionary(uniqueKeysWithValues: table.properties.map { ($0.name, $0.column.name) })
    let known = state.properties.filter { $0.name != RowState.mergedInto }
    var stamps = Dictionary(known.map { ($0.name, $0.stamp) }, uniquingKeysWith: max)
    stamps.merge(state.contributions.map { ($0.property, $0.stamp) }, uniquingKeysWith: max)
    row = try write(state.stamp)
    isDeleted = !state.isThere
    properties = Dictionary(
      try stamps.map { name, stamp in
        (columns[name] ?? CollectionName.property(name, of: state), try write(stamp))
      }, uniquingKeysWith: { $0.stamp < $1.stamp ? $1 : $0 })
  }
}
