public import Foundation

extension StoreWriter {
  /// Inserts a row that expires, or updates the row with the same key and its date of expiry.
  ///
  /// A row that is saved without a date, or with nil, doesn't expire; ``StoreWriter/update(_:)-(M)`` keeps the date.
  ///
  /// - Parameters:
  ///   - value: The value to insert or update.
  ///   - expires: When the row expires. A date in the past deletes the row with the key.
  /// - Throws: ``StoreError`` `.invalidValue` for a date that isn't finite, and the errors of ``save(_:)-(M)``.
  public func save<M: ExpiringModel>(_ value: M, expires: Date?) throws {
    try save([value], expires: expires)
  }

  /// Inserts or updates rows with the same date of expiry: all of them, or none if an error is thrown.
  ///
  /// - Parameters:
  ///   - values: The values to insert or update.
  ///   - expires: When the rows expire.
  /// - Throws: The errors of ``save(_:expires:)-(M,_)``.
  public func save<M: ExpiringModel>(_ values: [M], expires: Date?) throws {
    try _write(isAtomic: true) { try $0.connection.write(values, .upsert, expires: expires) }
  }

  /// Inserts a row that expires.
  ///
  /// - Parameters:
  ///   - value: The value to insert.
  ///   - expires: When the row expires.
  /// - Throws: ``StoreError`` `.invalidValue` for a date that isn't finite, and the errors of
  ///   ``StoreWriter/insert(_:)-(M)``.
  public func insert<M: ExpiringModel>(_ value: M, expires: Date?) throws {
    try insert([value], expires: expires)
  }

  /// Inserts rows with the same date of expiry: all of them, or none if an error is thrown.
  ///
  /// - Parameters:
  ///   - values: The values to insert.
  ///   - expires: When the rows expire.
  /// - Throws: The errors of ``insert(_:expires:)-(M,_)``.
  public func insert<M: ExpiringModel>(_ values: [M], expires: Date?) throws {
    try _write(isAtomic: true) { try $0.connection.write(values, .insert, expires: expires) }
  }

  /// Sets when the row with the key expires.
  ///
  /// - Parameters:
  ///   - model: The type of the row.
  ///   - id: The row's key.
  ///   - date: The date; nil if the row shall not expire.
  /// - Returns: `true` if there is such a row.
  /// - Throws: ``StoreError`` `.invalidValue` for a date that isn't finite, and the errors of any write.
  @discardableResult
  public func setExpiry<M: ExpiringModel>(of model: M.Type, _ id: M.ID, to date: Date?) throws -> Bool {
    let time = try Expiry.stored(date, of: M.schema.modelName)
    return try _write(isAtomic: false) { try $0.connection.setExpiry(time, of: model, id) }
  }

  /// Deletes all expired rows. The store also does so automatically, a few rows at a time.
  ///
  /// - Returns: The number of deleted rows.
  /// - Throws: ``StoreError`` with the codes of any write.
  @discardableResult
  public func removeExpired() throws -> Int {
    try _write(isAtomic: true) { try $0.connection.removeExpired(limit: .max) }
  }
}

extension StoreReader {
  /// Returns when the row with the key expires.
  ///
  /// - Parameters:
  ///   - model: The type of the row.
  ///   - id: The row's key.
  /// - Returns: The date, or nil if the row doesn't expire or doesn't exist.
  /// - Throws: ``StoreError`` with the codes of any read.
  public func expiry<M: ExpiringModel>(of model: M.Type, _ id: M.ID) throws -> Date? {
    try _read(isReentrant: true) { try $0.connection.expiry(of: model, id) ?? nil }
  }
}

extension Store {
  /// Inserts a row that expires, or updates the row with the same key and its date of expiry.
  ///
  /// A row that is saved without a date, or with nil, doesn't expire; `update` keeps the date. Once it expires, no
  /// method or SQL query returns the row, and it is deleted soon afterwards.
  ///
  /// - Parameters:
  ///   - value: The value to insert or update.
  ///   - expires: When the row expires. A date in the past deletes the row with the key.
  /// - Throws: ``StoreError`` `.invalidValue` for a date that isn't finite, the errors of ``save(_:)-(M)``, and
  ///   `CancellationError`.
  public func save<M: ExpiringModel>(_ value: M, expires: Date?) async throws {
    try await save([value], expires: expires)
  }

  /// Inserts or updates rows with the same date of expiry: all of them, or none if an error is thrown.
  ///
  /// - Parameters:
  ///   - values: The values to insert or update.
  ///   - expires: When the rows expire.
  /// - Throws: The errors of ``save(_:expires:)-(M,_)``.
  public func save<M: ExpiringModel>(_ values: [M], expires: Date?) async throws {
    try await write { try $0.save(values, expires: expires) }
  }

  /// Inserts a row that expires.
  ///
  /// - Parameters:
  ///   - value: The value to insert.
  ///   - expires: When the row expires.
  /// - Throws: ``StoreError`` `.invalidValue` for a date that isn't finite, the errors of ``insert(_:)-(M)``, and
  ///   `CancellationError`.
  public func insert<M: ExpiringModel>(_ value: M, expires: Date?) async throws {
    try await insert([value], expires: expires)
  }

  /// Inserts rows with the same date of expiry: all of them, or none if an error is thrown.
  ///
  /// - Parameters:
  ///   - values: The values to insert.
  ///   - expires: When the rows expire.
  /// - Throws: The errors of ``insert(_:expires:)-(M,_)``.
  public func insert<M: ExpiringModel>(_ values: [M], expires: Date?) async throws {
    try await write { try $0.insert(values, expires: expires) }
  }

  /// Sets when the row with the key expires.
  ///
  /// - Parameters:
  ///   - model: The type of the row.
  ///   - id: The row's key.
  ///   - date: The date; nil if the row shall not expire.
  /// - Returns: `true` if there is such a row.
  /// - Throws: ``StoreError`` `.invalidValue` for a date that isn't finite, and the errors of any write.
  @discardableResult
  public func setExpiry<M: ExpiringModel>(of model: M.Type, _ id: M.ID, to date: Date?) async throws -> Bool {
    try await write { try $0.setExpiry(of: model, id, to: date) }
  }

  /// Deletes all expired rows. The store also does so automatically, a few rows at a time.
  ///
  /// - Returns: The number of deleted rows.
  /// - Throws: ``StoreError`` with the codes of any write.
  @discardableResult
  public func removeExpired() async throws -> Int {
    try await write { try $0.removeExpired() }
  }

  /// Returns when the row with the key expires.
  ///
  /// - Parameters:
  ///   - model: The type of the row.
  ///   - id: The row's key.
  /// - Returns: The date, or nil if the row doesn't expire or doesn't exist.
  /// - Throws: ``StoreError`` with the codes of any read.
  public func expiry<M: ExpiringModel>(of model: M.Type, _ id: M.ID) async throws -> Date? {
    try await read { try $0.expiry(of: model, id) }
  }
}
