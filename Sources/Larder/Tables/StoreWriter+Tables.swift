public import Foundation

/// Writing without the Swift types of the rows.
///
/// All rules that the file keeps hold: types, required values, unique values, delete rules, derived values, full-text
/// indexes, expiry. What a model's ``Model/validate()`` refuses is Swift code of the program, of which the file knows
/// nothing.
extension StoreWriter {
  /// Inserts a row.
  ///
  /// - Parameters:
  ///   - values: The values by the names of their properties, in any form that ``TableDescription/Property/stored(_:)``
  ///     converts. What isn't named is nil; a key that is a UUID or an integer is then made anew.
  ///   - table: The name of the table, or of the model.
  ///   - date: When the row expires; nil for a row that stays.
  /// - Returns: The key of the row.
  /// - Throws: ``StoreError`` `.invalidValue` for a value that its property can't hold, or one that is missing; `.notFound`
  ///   for a name that is no property; `.unsupported` for a view, a collection, or a date where rows don't expire; and
  ///   the codes of any write.
  @discardableResult
  public func insert(_ values: [String: Value], into table: String, expires date: Date? = nil) throws -> [Value] {
    try _write(isAtomic: true) { try $0.connection.insert(values, into: table, expires: date) }
  }

  /// Writes some properties of a row, and leaves the others as they are.
  ///
  /// - Parameters:
  ///   - values: The values by the names of their properties, in any form that ``TableDescription/Property/stored(_:)``
  ///     converts. The key can't be changed.
  ///   - key: The values of the key's properties, in their order.
  ///   - table: The name of the table, or of the model.
  /// - Throws: ``StoreError`` `.notFound` if no row has the key, or a name is no property; `.invalidValue` for a value
  ///   that its property can't hold; `.unsupported` for what can't be written; and the codes of any write.
  public func update(_ values: [String: Value], ofRowWith key: [Value], in table: String) throws {
    try _write(isAtomic: true) { try $0.connection.update(values, of: key, in: table) }
  }

  /// Deletes a row. Rows that refer to it follow their delete rules.
  ///
  /// - Parameters:
  ///   - key: The values of the key's properties, in their order.
  ///   - table: The name of the table, or of the model.
  /// - Returns: `true` if there was such a row.
  /// - Throws: ``StoreError`` `.referenced` if a rule denies it, and the codes of any write.
  @discardableResult
  public func deleteRow(with key: [Value], from table: String) throws -> Bool {
    try _write(isAtomic: true) { try $0.connection.delete(TableQuery(table).key(key)) > 0 }
  }

  /// Deletes all rows of a query. Rows that refer to them follow their delete rules.
  ///
  /// - Parameter query: The query. Its order matters only if it has a limit.
  /// - Returns: The number of rows, without those that delete rules have deleted.
  /// - Throws: ``StoreError`` `.referenced` if a rule denies it, and the codes of any write. Nothing is deleted then.
  @discardableResult
  public func deleteAll(_ query: TableQuery) throws -> Int {
    try _write(isAtomic: true) { try $0.connection.delete(query) }
  }

  /// Sets when a row expires.
  ///
  /// - Parameters:
  ///   - date: The date; nil for a row that stays.
  ///   - key: The values of the key's properties, in their order.
  ///   - table: The name of the table, or of the model.
  /// - Throws: ``StoreError`` `.unsupported` if rows of the table don't expire, `.notFound` if no row has the key, and
  ///   the codes of any write.
  public func setExpiry(ofRowWith key: [Value], in table: String, to date: Date?) throws {
    try _write(isAtomic: true) { try $0.connection.setExpiry(of: key, in: table, to: date) }
  }
}

extension StoreReader {
  /// Returns when a row expires.
  ///
  /// - Parameters:
  ///   - key: The values of the key's properties, in their order.
  ///   - table: The name of the table, or of the model.
  /// - Returns: The date; nil for a row that stays, and where there is none.
  /// - Throws: ``StoreError`` with the codes of any read.
  public func expiry(ofRowWith key: [Value], in table: String) throws -> Date? {
    try _read(isReentrant: true) { try $0.connection.expiry(of: key, in: table) }
  }
}

extension Store {
  /// Inserts a row without its Swift type: ``StoreWriter/insert(_:into:expires:)``.
  ///
  /// - Parameters:
  ///   - values: The values by the names of their properties.
  ///   - table: The name of the table, or of the model.
  ///   - date: When the row expires; nil for a row that stays.
  /// - Returns: The key of the row.
  /// - Throws: The errors of ``StoreWriter/insert(_:into:expires:)``.
  @discardableResult
  public func insert(_ values: [String: Value], into table: String, expires date: Date? = nil) async throws -> [Value] {
    try await transaction { try $0.insert(values, into: table, expires: date) }
  }

  /// Writes some properties of a row without its Swift type: ``StoreWriter/update(_:ofRowWith:in:)``.
  ///
  /// - Parameters:
  ///   - values: The values by the names of their properties.
  ///   - key: The values of the key's properties, in their order.
  ///   - table: The name of the table, or of the model.
  /// - Throws: The errors of ``StoreWriter/update(_:ofRowWith:in:)``.
  public func update(_ values: [String: Value], ofRowWith key: [Value], in table: String) async throws {
    try await transaction { try $0.update(values, of: key, in: table) }
  }

  /// Deletes a row without its Swift type: ``StoreWriter/deleteRow(with:from:)``.
  ///
  /// - Parameters:
  ///   - key: The values of the key's properties, in their order.
  ///   - table: The name of the table, or of the model.
  /// - Returns: `true` if there was such a row.
  /// - Throws: The errors of ``StoreWriter/deleteRow(with:from:)``.
  @discardableResult
  public func deleteRow(with key: [Value], from table: String) async throws -> Bool {
    try await transaction { try $0.delete(TableQuery(table).key(key)) > 0 }
  }

  /// Deletes all rows of a query without their Swift type: ``StoreWriter/deleteAll(_:)-(TableQuery)``.
  ///
  /// - Parameter query: The query.
  /// - Returns: The number of rows, without those that delete rules have deleted.
  /// - Throws: The errors of ``StoreWriter/deleteAll(_:)-(TableQuery)``.
  @discardableResult
  public func deleteAll(_ query: TableQuery) async throws -> Int {
    try await transaction { try $0.delete(query) }
  }
}
