import Larder

/// The names that people give to replicas.
extension ReplicaFile {
  /// Returns the name of a replica; nil if it has none.
  func name(of replica: ReplicaID) throws -> String? {
    try connection.first(
      "SELECT name FROM \(SyncTables.replicas) WHERE replica = ?1 AND name <> ''", [.blob(replica.bytes)]
    ) { $0.text(0) }
  }

  /// Gives a replica a name, unless it has a later one.
  func setName(_ name: ReplicaName) throws {
    let id = try id(of: name.replica)
    let arguments: [ReplicatedValue] = [.integer(id), .integer(name.time)]
    guard try connection.finds("SELECT 1 FROM \(SyncTables.replicas) WHERE id = ?1 AND name_time < ?2", arguments)
    else {
      return
    }
    try connection.run(
      "UPDATE \(SyncTables.replicas) SET name_time = ?2, name = ?3, name_position = ?4 WHERE id = ?1",
      arguments + [.init(name.name), .integer(try tick())])
  }

  /// Returns the names that changed between two positions.
  func names(after position: Int64, upTo end: Int64) throws -> [ReplicaName] {
    try connection.rows(
      """
      SELECT replica, name_time, name FROM \(SyncTables.replicas) WHERE name_position > ?1 AND name_position <= ?2 \
      ORDER BY name_position
      """, [.integer(position), .integer(end)]
    ) { row in
      guard let replica = ReplicaID(row.bytes(0)) else { throw damaged }
      return ReplicaName(replica: replica, time: row.integer(1), name: row.text(2))
    }
  }
}

extension StoreSync {
  /// Returns the name that a person gave to a replica.
  ///
  /// - Parameter replica: The replica; by default this file.
  /// - Returns: nil if nobody gave it one, or this file hasn't heard of it.
  /// - Throws: `StoreError` `.unsupported` if sync is off in the file; the errors of any read.
  public func name(of replica: ReplicaID? = nil) async throws -> String? {
    try await store.readingModule { connection in
      let file = try ReplicaFile(connection)
      return try file.name(of: try replica ?? file.own())
    }
  }

  /// Gives this file a name for people, such as "Ada's laptop". It reaches other replicas with the next exchange, where
  /// conflicts name it.
  ///
  /// - Parameter name: The name, of at most 256 bytes in UTF-8; empty to take it away.
  /// - Throws: `StoreError` `.invalidValue` for a longer name, `.unsupported` if sync is off in the file; the errors of any
  ///   write.
  public func setName(_ name: String) async throws {
    guard name.utf8.count <= ReplicaName.longest else {
      throw StoreError(
        .invalidValue, ofModel: nil,
        "The name of a replica has more than \(ReplicaName.longest) bytes. Give it a shorter one.")
    }
    try await store.writingModule { connection in
      try connection.transaction {
        let file = try ReplicaFile(connection)
        try file.identify()
        try file.setName(ReplicaName(replica: try file.own(), time: try file.tick(), name: name))
      }
    }
  }
}
