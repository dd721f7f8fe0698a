import Foundation
import GRDBSQLite

/// The statements of one connection that save rows by unique properties.
///
/// They do what ``Connection/save(_:matching:)`` does with several statements, for models whose rows no trigger of
/// another program changes and that have no derived values, nor values that the file stores in other forms.
final class UpsertStatements {
  private struct Key: Hashable {
    let model: ObjectIdentifier
    let columns: [String]
  }

  private var entries: [Key: UpsertStatement] = [:]
  /// The one that was used last. Key paths that are written in the source are the same object each time.
  private var last: (model: ObjectIdentifier, path: AnyKeyPath, entry: UpsertStatement)?
  /// How often all statements were removed.
  fileprivate private(set) var generation = 0

  func removeAll() {
    entries.removeAll()
    last = nil
    generation += 1
  }

  fileprivate func entry<M: Model>(
    for paths: [PartialKeyPath<M.Columns>], _ make: ([any AnyColumn<M>]) throws -> UpsertStatement
  ) throws -> UpsertStatement {
    let model = ObjectIdentifier(M.self)
    if let last, last.model == model, paths.count == 1, last.path === paths[0] { return last.entry }
    let entry = try entry(for: try M.columns(at: paths), make)
    if paths.count == 1 { last = (model, paths[0], entry) }
    return entry
  }

  fileprivate func entry<M: Model>(
    for columns: [any AnyColumn<M>], _ make: ([any AnyColumn<M>]) throws -> UpsertStatement
  ) throws -> UpsertStatement {
    let key = Key(model: ObjectIdentifier(M.self), columns: columns.map(\.name))
    if let entry = entries[key] { return entry }
    let entry = try make(columns)
    entries[key] = entry
    return entry
  }
}

/// A statement that inserts a row, or updates the one that has its unique values and reports that row's key.
private final class UpsertStatement {
  /// Nil for a model that isn't saved this way.
  let statement: PreparedStatement?
  /// Whether a value is equal to the row that was stored of it, and has nothing that isn't stored.
  let isExact: Bool
  let recompilations: Int32
  /// The schema for which the statement was made, and the last transaction that began with it.
  let schemaVersion: Int64
  var transaction = 0
  let updated: UpdatedKey

  init(
    _ statement: PreparedStatement?, _ updated: UpdatedKey = UpdatedKey { _ in false }, isExact: Bool = false,
    schemaVersion: Int64 = 0
  ) {
    self.statement = statement
    self.schemaVersion = schemaVersion
    self.updated = updated
    self.isExact = isExact
    recompilations = statement?.recompilations ?? 0
  }
}

/// The key of the row that a statement has updated, as the statement reports it while it is executed.
final class UpdatedKey {
  private static var type: UnsafePointer<CChar> {
    let name: StaticString = "larder.key"
    return UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
  }

  /// Whether the program can read the columns of a key.
  private let isReadable: ([Value]) -> Bool
  /// The key, if it is another one than that of the saved value.
  private(set) var other: [Value]?
  /// Whether the row was left as it is, because its key can't be read.
  private(set) var isRefused = false

  init(isReadable: @escaping ([Value]) -> Bool) { self.isReadable = isReadable }

  /// `larder_updates(key, column…)`: records the columns of the key of the row that is to be updated, and returns whether
  /// the program can read them.
  static let function = ScalarFunction(
    "larder_updates", -1,
    reading: { call in
      guard let key = call.object(0, type, as: UpdatedKey.self) else { return .integer(0) }
      let columns = Array(call.values.dropFirst(1))
      key.isRefused = !key.isReadable(columns)
      key.other = columns
      return .integer(key.isRefused ? 0 : 1)
    })

  func clear() {
    other = nil
    isRefused = false
  }

  /// Binds the object to a parameter for as long as the statement exists.
  func bind(to statement: PreparedStatement, at index: Int32) {
    sqlite3_bind_pointer(statement.pointer, index, Unmanaged.passRetained(self).toOpaque(), Self.type) { pointer in
      if let pointer { Unmanaged<UpdatedKey>.fromOpaque(pointer).release() }
    }
  }
}

extension Connection {
  /// Saves the value by unique properties with one statement, within a transaction, and returns the row.
  ///
  /// - Returns: Nil if nothing was done, because the model or the place needs other statements, or it was refused.
  func upsert<M: Model>(_ value: M, matching paths: [PartialKeyPath<M.Columns>]) throws -> M? {
    try upsert(value, try upserts.entry(for: paths) { (columns: [any AnyColumn<M>]) in try makeUpsert(columns, value) })
  }

  func upsert<M: Model>(_ value: M, matching columns: [any AnyColumn<M>]) throws -> M? {
    try upsert(value, try upserts.entry(for: columns) { try makeUpsert($0, value) })
  }

  /// Saves the values by unique properties, within a transaction, and returns the rows, in the order of the values.
  func save<M: Model>(_ values: [M], matching columns: [any AnyColumn<M>]) throws -> [M] {
    var rows: [M] = []
    rows.reserveCapacity(values.count)
    var current: (entry: UpsertStatement, generation: Int)?
    for value in values {
      // Encoding a value may change the schema.
      if current?.generation != upserts.generation {
        current = (try upserts.entry(for: columns) { try makeUpsert($0, value) }, upserts.generation)
      }
      if let entry = current?.entry, let row = try upsert(value, entry) {
        rows.append(row)
      } else {
        rows.append(try save(value, matching: columns))
      }
    }
    return rows
  }

  private func upsert<M: Model>(_ value: M, _ entry: UpsertStatement) throws -> M? {
    // Outside of a transaction, the row could be changed before it is read again.
    guard let statement = entry.statement, !statement.isInUse, !isAutocommitting else { return nil }
    if entry.transaction != transactionNumber {
      // A trigger that came since would be executed. Within a transaction, only this connection changes the schema.
      guard try schemaVersionOfFile == entry.schemaVersion else {
        upserts.removeAll()
        return nil
      }
      entry.transaction = transactionNumber
    }
    try environment.features.willWrite({ [value] }, .upsert, self)
    entry.updated.clear()
    var execution = RowExecution(try checked(statement).pointer, arena: statement.arena, requiresChange: false)
    do {
      statement.isInUse = true
      defer {
        statement.reset()
        statement.isInUse = false
      }
      try value._execute(&execution)
    } catch let code as ResultCode {
      // Those who do it with several statements explain why it is refused.
      if code.code & 0xFF == SQLITE_CONSTRAINT { return nil }
      throw error(code.code, ErrorContext(M.self))
    } catch {
      throw Self.naming(error, M.self, M.schema.writtenColumns, at: Int(execution.failedParameter) - 1)
    }
    if entry.updated.isRefused { return nil }
    note(statement)
    // If the schema has changed, perhaps by a trigger, the row may be another one.
    let isRecompiled = statement.recompilations != entry.recompilations
    if isRecompiled { upserts.removeAll() }
    if let key = entry.updated.other { return try stored(key) }
    return entry.isExact && !isRecompiled ? value : try stored(value.id)
  }

  /// Returns the row with the stored key, which was saved just before.
  private func stored<M: Model>(_ key: [Value]) throws -> M {
    let context = ErrorContext(M.self)
    return try using(try statement(.find, M.self), key.map { .value($0) }, context) { statement in
      guard try step(statement, context) else { throw StoreError.deletedByTrigger(M.self) }
      return try decode(M.self, statement)
    }
  }

  private func makeUpsert<M: Model>(_ columns: [any AnyColumn<M>], _ example: M) throws -> UpsertStatement {
    try checkUnique(columns)
    let schema = M.schema
    var targets: [String] = []
    for column in columns where !targets.contains(column.name) { targets.append(column.name) }
    let isPlain =
      overlay == nil && environment.isManaged && !schema.expires
      && !schema.columns.contains { $0.derivation != nil }
      && columns.allSatisfy { [.stored, .decimal].contains($0.type.order) && !$0.type.isJSON }
    // What a trigger changes in the row is to be returned as well; those of Larder change no other columns than derived
    // ones.
    guard isPlain, try !hasForeignTriggers else { return UpsertStatement(nil) }
    let keys = schema.keyColumns.map { Quoting.name($0.name) }
    let names = Set(schema.keyColumns.map(\.name) + columns.map(\.name))
    let assigned = schema.writtenColumns.map(\.name).filter { !names.contains($0) }.map(Quoting.name)
    guard !assigned.isEmpty else { return UpsertStatement(nil) }
    let own = keys.map { "\(schema.statements.row).\($0)" }
    let isSame = zip(own, keys).map { "\($0) IS excluded.\($1)" }.joined(separator: " AND ")
    let parameter = schema.writtenColumns.count + 1
    let statement = try compile(
      """
      \(schema.statements.insert) ON CONFLICT (\(targets.map(Quoting.name).joined(separator: ", "))) \
      DO UPDATE SET \(assigned.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")) \
      WHERE (\(isSame)) OR larder_updates(\(Quoting.parameter(parameter)), \(own.joined(separator: ", ")))
      """)
    let updated = UpdatedKey { columns in
      zip(schema.keyColumns, columns).allSatisfy { (try? $0.column.value(of: $1)) != nil }
    }
    updated.bind(to: statement, at: Int32(parameter))
    return UpsertStatement(
      statement, updated, isExact: Self.isExact(example), schemaVersion: try schemaVersionOfFile)
  }

  private var hasForeignTriggers: Bool {
    get throws {
      try !query(
        """
        SELECT 1 FROM (SELECT type, name FROM main.sqlite_master UNION ALL SELECT type, name FROM temp.sqlite_master)
        WHERE type = 'trigger' AND substr(name, 1, \(ReservedNames.prefix.count)) <> '\(ReservedNames.prefix)' LIMIT 1
        """
      ).isEmpty
    }
  }

  /// Returns whether a value is equal to the row that is stored of it: all properties are columns, of types whose stored
  /// form has all of the value.
  private static func isExact<M: Model>(_ example: M) -> Bool {
    let schema = M.schema
    let properties = Set(schema.columns.map(\.property))
    let declared = Mirror(reflecting: example).children.map { $0.label ?? "" }
    return schema.relationships.isEmpty && Set(declared) == properties
      && schema.columns.allSatisfy { column in
        // Dates as text have no parts of a millisecond.
        column.type.order != .instant && type(of: column.column.keyPath).valueType is any ExactlyStored.Type
      }
  }
}

/// A type whose values are equal to what is read of their stored form.
private protocol ExactlyStored {}

extension Int: ExactlyStored {}
extension Int8: ExactlyStored {}
extension Int16: ExactlyStored {}
extension Int32: ExactlyStored {}
extension Int64: ExactlyStored {}
extension UInt8: ExactlyStored {}
extension UInt16: ExactlyStored {}
extension UInt32: ExactlyStored {}
extension Bool: ExactlyStored {}
extension Double: ExactlyStored {}
extension String: ExactlyStored {}
extension Data: ExactlyStored {}
extension Date: ExactlyStored {}
extension UUID: ExactlyStored {}
extension Decimal: ExactlyStored {}
extension Optional: ExactlyStored where Wrapped: ExactlyStored {}
