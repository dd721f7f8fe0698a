import Foundation
import Larder

/// Documents as rows: each top-level property has a state of its own, and is a part of the JSON in the table.
extension ReplicaFile {
  /// What is known of the properties of a document, or of one that was deleted.
  ///
  /// - Parameters:
  ///   - row: The state of the row without properties.
  ///   - shown: The values of the collection's columns, if the document is visible.
  ///   - table: The number of the collection.
  ///   - cells: The properties that were written later, and those that are held.
  func documentProperties(
    of row: RowState, shown: [String: ReplicatedValue]?, in table: Int64, _ cells: [Int64: Cell]
  ) throws -> [PropertyState] {
    let known = try propertyNames(of: table)
    var named: [String: Cell] = [:]
    for (id, cell) in cells {
      guard let name = known[id] else { throw damaged }
      // Of two names that are equal as Swift compares texts, a document has one.
      if let other = named[name], (other.length, other.stamp) > (cell.length, cell.stamp) { continue }
      named[name] = cell
    }
    let json = shown?[ModuleTable.json] ?? named[ModuleTable.json]?.value
    named[ModuleTable.json] = nil
    var values: [String: ReplicatedValue] = [:]
    if case .text(let text)? = json {
      for property in DocumentParts.of(text) {
        values[CollectionName.exchange(property: property.name)] = .text(property.value)
      }
    }
    if let shown { values[ModuleTable.expires] = shown[ModuleTable.expires] ?? .null }
    var properties: [PropertyState] = []
    for name in Set(values.keys).union(named.keys) {
      let cell = named[name]
      let value = cell.flatMap { $0.isHeld ? $0.value : nil } ?? values[name] ?? .null
      let state = PropertyState(
        name: name, value: value, stamp: cell?.stamp ?? row.insertion, causalLength: cell?.length ?? row.insertionLength
      )
      // Nothing of a deleted document shines through the one that was inserted in its place.
      if state.causalLength == row.insertionLength { properties.append(state) }
    }
    return properties
  }

  /// The values that a collection shows of a document, in the order of its columns.
  func documentValues(_ state: RowState, _ table: TrackedTable) throws -> [ReplicatedValue] {
    var properties: [(name: String, value: Data)] = []
    for property in state.properties {
      guard let name = CollectionName.property(property.name), case .text(let json) = property.value else { continue }
      properties.append((name, json))
    }
    let json = try DocumentParts.document(properties)
    return table.properties.map { property in
      property.column.name == ModuleTable.json ? .text(json) : state.value(of: property.name)
    }
  }

  /// Tells the collection of a document that is about to be written what it has.
  func noteDocument(_ state: RowState, _ table: TrackedTable) throws {
    let names = state.properties.filter { !$0.value.isNull }.compactMap { CollectionName.property($0.name) }
    _ = try connection.prepareCollection(table.description.name, names)
  }
}

extension Tracker {
  /// Creates the collections of documents that have come, unless they don't take part here. In a transaction of the
  /// caller's, before what is known of the file is read.
  ///
  /// - Returns: Whether there were any.
  @discardableResult
  func takeUp(_ documents: [RowState]) throws -> Bool {
    try takeUp(collections: Set(documents.filter(\.isThere).map { ExactName($0.table) }))
  }

  /// - Parameter names: The names of tables in the exchange.
  func takeUp(collections names: Set<ExactName>) throws -> Bool {
    let names = names.filter { CollectionName.isPossible($0.text) }
    if names.isEmpty { return false }
    var present = try localCollections()
    for collection in try connection.collections { present.insert(ExactName(CollectionName.exchange(collection))) }
    let new = names.subtracting(present).map(\.text).sorted().compactMap(CollectionName.collection)
    let areNew = try CollectionArrival.of(connection).create(new, connection)
    // Once for all of them, because it looks at every table.
    if areNew { try fit() }
    return areNew
  }

  /// Creates the collection if documents of it have come while it didn't take part. In a transaction of the caller's.
  fileprivate func takeUpWaitingDocuments(of collection: String) throws {
    let haveCome = try connection.finds(
      """
      SELECT 1 FROM \(SyncTables.rows) WHERE status = 5 AND length % 2 = 1 \
      AND table_id = (SELECT id FROM \(SyncTables.tables) WHERE name = ?1)
      """, [.init(CollectionName.exchange(collection))])
    if haveCome { _ = try connection.prepareCollection(collection) }
  }

  /// The names in the exchange of the collections that stay on this device.
  func localCollections() throws -> Set<ExactName> {
    Set(try connection.rows("SELECT name FROM \(SyncTables.tables) WHERE is_local = 1") { ExactName($0.text(0)) })
  }

  /// Records the deletion of all documents of a collection that is about to be removed.
  func removeCollection(_ name: String) throws {
    let exchangeName = ExactName(CollectionName.exchange(name))
    guard let table = try tracked().first(where: { ExactName($0.name) == exchangeName }) else { return }
    try connection.run("DELETE FROM main.\(table.quotedName)")
    try release(table)
  }
}

extension StoreSync {
  /// Returns whether a collection of documents takes part in sync. All do, unless ``setSyncs(_:collection:)`` says otherwise.
  ///
  /// - Parameter collection: The name of the collection.
  /// - Throws: `StoreError` `.unsupported` if sync is off in the file; the errors of any read.
  public func syncs(collection: String) async throws -> Bool {
    try await store.readingModule { connection in
      _ = try ReplicaFile(connection)
      return try !Tracker(connection).localCollections().contains(ExactName(CollectionName.exchange(collection)))
    }
  }

  /// Sets whether a collection of documents takes part in sync, in this file. It is remembered if sync is disabled.
  ///
  /// A collection that no longer does keeps its documents. What was sent before, and what others send of it, is held and
  /// handed on. If it takes part again, what others sent is shown at once, what was changed here meanwhile is sent with the
  /// next exchange, and documents that were deleted here come back. Of a value that both may have changed, that of the
  /// others counts, and the one that was here is listed in ``conflicts()``.
  ///
  /// - Parameters:
  ///   - syncs: Whether it takes part.
  ///   - collection: The name of the collection, whether or not it exists.
  /// - Throws: `StoreError` `.unsupported` if sync is off in the file; the errors of any write.
  public func setSyncs(_ syncs: Bool, collection: String) async throws {
    try await store.writingModule { connection in
      try connection.transaction {
        _ = try ReplicaFile(connection)
        try connection.run(
          """
          INSERT INTO \(SyncTables.tables) (name, key_count, is_local) VALUES (?1, 1, ?2)
            ON CONFLICT (name) DO UPDATE SET is_local = excluded.is_local
          """, [.init(CollectionName.exchange(collection)), .integer(syncs ? 0 : 1)])
        if syncs { try Tracker(connection).takeUpWaitingDocuments(of: collection) }
        try Tracker(connection).fit()
      }
    }
  }
}
