import Foundation
import Larder

/// What sync knows of a file, for the time of one use of a connection.
///
/// It keeps what doesn't change meanwhile: the tables and the numbers of replicas.
final class ReplicaFile {
  let connection: ModuleConnection
  private let content: TrackedFile.Content
  /// The names of tables that no model has, by number.
  private var names: [Int64: (name: String, keyCount: Int)] = [:]
  /// The properties of all tables that were heard of, by the numbers of the tables.
  private var known: [Int64: [Tracker.KnownProperty]] = [:]
  /// The same by the bytes of their names: names that are equal as Swift compares texts may be different columns.
  private var knownByName: [Int64: [Data: Tracker.KnownProperty]] = [:]
  /// Those that were asked for, by their names.
  private var latest: [Int64: [String: Tracker.KnownProperty]] = [:]
  /// The names of properties by number, by the numbers of the tables.
  private var knownNames: [Int64: [Int64: String]] = [:]
  private var replicas: [Int64: ReplicaID] = [:]
  private var replicaNumbers: [ReplicaID: Int64] = [:]
  /// The numbers of the properties that tables show, by the numbers of the tables.
  private var shownProperties: [Int64: Set<Int64>] = [:]
  /// The statements that read the values of a row, by the numbers of the tables.
  private var selections: [Int64: String] = [:]
  private(set) var keyCount: Int
  /// Whether any row has contributions to counters, and values that lost: most files have none.
  lazy var hasContributions = hasRows(SyncTables.counters)
  lazy var hasLosses = hasRows(SyncTables.conflicts)
  /// Whether any deletion was forgotten.
  lazy var hasForgottenRows = hasRows(SyncTables.forgotten)
  /// The number of the replica from which rows come that may name attachments.
  var attachmentSender: Int64?

  /// - Throws: `StoreError` `.unsupported` if the file isn't tracked.
  init(_ connection: ModuleConnection) throws {
    guard try SyncTables.exist(connection) else {
      throw StoreError(
        .unsupported, ofModel: nil,
        "Sync is off in this file. Open the store with Store.Configuration(sync: .on), or call store.sync.enable().")
    }
    self.connection = connection
    content = try TrackedFile.of(connection).content(connection)
    keyCount = content.keyCount
  }

  private func hasRows(_ table: String) -> Bool {
    // An error comes up again when the rows are read.
    (try? connection.finds("SELECT 1 FROM \(table) LIMIT 1")) ?? true
  }

  // MARK: Tables

  var tables: [TrackedTable] { content.tables }
  func table(_ name: String) -> TrackedTable? { content.tablesByName[ExactName(name)] }
  func table(_ id: Int64) -> TrackedTable? { content.tablesByID[id] }
  /// The values that properties have in rows of models that lack them, by the numbers of the properties.
  var defaults: [Int64: ReplicatedValue] { content.defaults }
  /// What tells programs apart whose models differ.
  var modelsDigest: Data { content.modelsDigest }

  /// The number of a table, which is recorded if it is new.
  ///
  /// - Parameter keyCount: The number of values of its keys.
  func tableID(of name: String, keyCount: Int) throws -> Int64 {
    if let table = table(name) { return table.id }
    if let id = names.first(where: { ExactName($0.value.name) == ExactName(name) })?.key {
      return id
    }
    try connection.run(
      "INSERT INTO \(SyncTables.tables) (name, key_count) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
      [.init(name), .integer(Int64(keyCount))])
    guard let id = try Tracker(connection).tableID(of: name) else { throw damaged }
    return id
  }

  /// The name of a table, and the number of values of its keys.
  func name(_ id: Int64) throws -> (name: String, keyCount: Int) {
    if let table = table(id) { return (table.name, table.description.keys.count) }
    if let name = names[id] { return name }
    guard
      let name = try connection.first(
        "SELECT name, key_count FROM \(SyncTables.tables) WHERE id = ?1", [.integer(id)],
        { (name: $0.text(0), keyCount: Int($0.integer(1))) })
    else { throw damaged }
    names[id] = name
    return name
  }

  /// The number of values in the keys of every table that was heard of.
  func keyCounts() throws -> [ExactName: Int] {
    let counts = try connection.rows("SELECT name, key_count FROM \(SyncTables.tables)") { row in
      (ExactName(row.text(0)), Int(row.integer(1)))
    }
    return Dictionary(uniqueKeysWithValues: counts)
  }

  /// The statement that reads the values of the row with a key.
  func selectionOfValues(_ table: TrackedTable) -> String {
    if let selection = selections[table.id] { return selection }
    let condition = table.description.keys.enumerated().map { "\($1.name.quotedName) = ?\($0 + 1)" }
    let columns = table.properties.isEmpty ? ["1"] : table.properties.map(\.column.name.quotedName)
    let selection =
      "SELECT \(columns.joined(separator: ", ")) FROM main.\(table.quotedName) WHERE \(condition.joined(separator: " AND "))"
    selections[table.id] = selection
    return selection
  }

  // MARK: Properties

  /// The properties of a table, those that no model has among them.
  func properties(of table: Int64) throws -> [Tracker.KnownProperty] {
    if let properties = known[table] { return properties }
    let properties = try Tracker(connection).properties(of: table)
    known[table] = properties
    return properties
  }

  /// The names of the properties of a table, by their numbers.
  func propertyNames(of table: Int64) throws -> [Int64: String] {
    let properties = try properties(of: table)
    if let names = knownNames[table], names.count == properties.count { return names }
    let names = Dictionary(properties.map { ($0.id, $0.name) }) { $1 }
    knownNames[table] = names
    return names
  }

  /// Whether a table has a column for the property.
  func isShown(_ property: Int64, in table: Int64) -> Bool {
    if let properties = shownProperties[table] { return properties.contains(property) }
    let properties = Set(self.table(table)?.properties.map(\.id) ?? [])
    shownProperties[table] = properties
    return properties.contains(property)
  }

  /// The property with the name, which is recorded if it is new.
  func property(_ name: String, of table: Int64) throws -> Tracker.KnownProperty {
    if let property = latest[table]?[name], property.name.utf8.elementsEqual(name.utf8) { return property }
    let property = try recordedProperty(name, of: table)
    latest[table, default: [:]][name] = property
    return property
  }

  private func recordedProperty(_ name: String, of table: Int64) throws -> Tracker.KnownProperty {
    let bytes = Data(name.utf8)
    if knownByName[table] == nil {
      knownByName[table] = Dictionary(try properties(of: table).map { (Data($0.name.utf8), $0) }) { first, _ in first }
    }
    if let property = knownByName[table]?[bytes] { return property }
    try connection.run(
      "INSERT INTO \(SyncTables.properties) (table_id, name) VALUES (?1, ?2)", [.integer(table), .init(name)])
    guard let id = try connection.first("SELECT last_insert_rowid()", [], { $0.integer(0) }) else { throw damaged }
    let property = Tracker.KnownProperty(
      id: id, name: name, column: nil, isLookedUp: false, isCounter: false, absentUntil: 0)
    known[table]?.append(property)
    knownByName[table]?[bytes] = property
    return property
  }

  // MARK: Replicas

  func replica(_ id: Int64) throws -> ReplicaID {
    if let replica = replicas[id] { return replica }
    let bytes = try connection.first("SELECT replica FROM \(SyncTables.replicas) WHERE id = ?1", [.integer(id)]) {
      $0.bytes(0)
    }
    guard let replica = bytes.flatMap({ ReplicaID($0) }) else { throw damaged }
    replicas[id] = replica
    replicaNumbers[replica] = id
    return replica
  }

  /// The number of a replica; nil if it was never heard of.
  func knownID(of replica: ReplicaID) throws -> Int64? {
    if let known = replicaNumbers[replica] { return known }
    guard
      let id = try connection.first(
        "SELECT id FROM \(SyncTables.replicas) WHERE replica = ?1", [.blob(replica.bytes)], { $0.integer(0) })
    else { return nil }
    replicas[id] = replica
    replicaNumbers[replica] = id
    return id
  }

  /// The number of a replica, which is recorded if it is new.
  func id(of replica: ReplicaID) throws -> Int64 {
    if let id = try knownID(of: replica) { return id }
    try connection.run("INSERT INTO \(SyncTables.replicas) (replica) VALUES (?1)", [.blob(replica.bytes)])
    guard let id = try knownID(of: replica) else { throw damaged }
    return id
  }

  func stamp(_ time: Int64, _ replica: Int64) throws -> Stamp {
    guard let stamp = Stamp(time: time, replica: try self.replica(replica)) else { throw damaged }
    return stamp
  }

  // MARK: The clock

  struct Clock {
    let now: Int64
    let replica: Int64
    let settled: Int64
    /// Up to when everything was certainly written in this file, and not in one of which it is a copy. Nothing that is later
    /// was handed out.
    let identified: Int64
  }

  func clock() throws -> Clock {
    guard
      let clock = try connection.first(
        "SELECT now, replica, settled, identified FROM \(SyncTables.clock)", [],
        { row in
          Clock(now: row.integer(0), replica: row.integer(1), settled: row.integer(2), identified: row.integer(3))
        })
    else { throw damaged }
    return clock
  }

  /// This replica.
  func own() throws -> ReplicaID { try replica(clock().replica) }

  /// Advances the clock, and past a time that was heard of.
  ///
  /// - Returns: The new time, which is also the position of what is written now.
  func tick(past time: Int64 = 0) throws -> Int64 {
    try connection.run("UPDATE \(SyncTables.clock) SET now = max(now, ?1)", [.integer(time)])
    try connection.run(SyncTables.tick)
    return try clock().now
  }

  // MARK: Keys

  /// The columns for keys, and the arguments for a key, beginning with the number of the table.
  var keyCondition: String {
    (["table_id = ?1"] + SyncTables.keys(keyCount).enumerated().map { "\($1) = ?\($0 + 2)" }).joined(separator: " AND ")
  }

  func arguments(_ table: Int64, _ key: [ReplicatedValue]) -> [ReplicatedValue] {
    [.integer(table)] + key + Array(repeating: .integer(0), count: Swift.max(0, keyCount - key.count))
  }

  /// Makes room for keys with this number of values.
  func widenKeys(to count: Int) throws {
    guard count > keyCount else { return }
    let tracker = Tracker(connection)
    try tracker.widenKeys(to: count)
    // They name the columns of keys.
    try tracker.renewTriggers()
    keyCount = count
  }

  var damaged: StoreError {
    StoreError(
      .corrupt, ofModel: nil,
      "The tables in which sync keeps what it knows of this file contradict each other. Restore the file from a backup, or call store.sync.disable() and enable() to make it a new replica."
    )
  }
}
