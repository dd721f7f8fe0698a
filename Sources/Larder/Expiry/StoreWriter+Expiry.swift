public import Foundation

extension StoreWriter {
  /// Adds a row that expires, or updates the one with the same key and sets when it expires.
  ///
  /// A row that is saved without a date, or with nil, stays; ``update(_:)-(M)`` leaves the date as it is.
  ///
  /// - Parameter expires: When the row is gone. A date that has passed deletes what has the key.
  /// - Throws: As ``save(_:)-(M)``; ``StoreError`` `.invalidValue` for a date that is not finite.
  public func save<M: ExpiringModel>(_ value: M, expires: Date?) throws {
    try save([value], expires: expires)
  }

  /// Adds or updates rows that expire together: all of them, or on an error none.
  public func save<M: ExpiringModel>(_ values: [M], expires: Date?) throws {
    try _write(isAtomic: true) { try $0.connection.write(values, .upsert, expires: expires) }
  }

  /// Adds a row that expires.
  ///
  /// - Throws: As ``insert(_:)-(M)``; ``StoreError`` `.invalidValue` for a date that is not finite.
  public func insert<M: ExpiringModel>(_ value: M, expires: Date?) throws {
    try insert([value], expires: expires)
  }

  /// Adds rows that expire together: all of them, or on an error none.
  public func insert<M: ExpiringModel>(_ values: [M], expires: Date?) throws {
    try _write(isAtomic: true) { try $0.connection.write(values, .insert, expires: expires) }
  }

  /// Sets when the row with the key expires, nil for never, and answers whether there is such a row.
  ///
  /// - Throws: ``StoreError`` `.invalidValue` for a date that is not finite.
  @discardableResult
  public func setExpiry<M: ExpiringModel>(of model: M.Type, _ id: M.ID, to date: Date?) throws -> Bool {
    let time = try Expiry.stored(date, of: M.schema.modelName)
    return try _write(isAtomic: false) { try $0.connection.setExpiry(time, of: model, id) }
  }

  /// Deletes all rows whose time has come, and answers how many. The store does it by itself, a few at a time.
  @discardableResult
  public func removeExpired() throws -> Int {
    try _write(isAtomic: true) { try $0.connection.removeExpired(limit: .max) }
  }
}

extension StoreReader {
  /// When the row with the key expires; nil for a row that stays, and if there is none.
  public func expiry<M: ExpiringModel>(of model: M.Type, _ id: M.ID) throws -> Date? {
    try _read(isReentrant: true) { try $0.connection.expiry(of: model, id) ?? nil }
  }
}

extension Store {
  /// Adds a row that expires, or updates the one with the same key and sets when it expires.
  ///
  /// A row that is saved without a date, or with nil, stays; `update` leaves the date as it is. The row is gone from the very moment on, and deleted
  /// soon afterwards.
  ///
  /// - Parameter expires: When the row is gone. A date that has passed deletes what has the key.
  /// - Throws: As ``save(_:)-(M)``; ``StoreError`` `.invalidValue` for a date that is not finite; `CancellationError`.
  public func save<M: ExpiringModel>(_ value: M, expires: Date?) async throws {
    try await save([value], expires: expires)
  }

  /// Adds or updates rows that expire together: all of them, or on an error none.
  public func save<M: ExpiringModel>(_ values: [M], expires: Date?) async throws {
    try await write { try $0.save(values, expires: expires) }
  }

  /// Adds a row that expires.
  ///
  /// - Throws: As ``insert(_:)-(M)``; ``StoreError`` `.invalidValue` for a date that is not finite; `CancellationError`.
  public func insert<M: ExpiringModel>(_ value: M, expires: Date?) async throws {
    try await insert([value], expires: expires)
  }

  /// Adds rows that expire together: all of them, or on an error none.
  public func insert<M: ExpiringModel>(_ values: [M], expires: Date?) async throws {
    try await write { try $0.insert(values, expires: expires) }
  }

  /// Sets when the row with the key expires, nil for never, and answers whether there is such a row.
  @discardableResult
  public func setExpiry<M: ExpiringModel>(of model: M.Type, _ id: M.ID, to date: Date?) async throws -> Bool {
    try await write { try $0.setExpiry(of: model, id, to: date) }
  }

  /// Deletes all rows whose time has come, and answers how many. The store does it by itself, a few at a time.
  @discardableResult
  public func removeExpired() async throws -> Int {
    try await write { try $0.removeExpired() }
  }

  /// When the row with the key expires; nil for a row that stays, and if there is none.
  public func expiry<M: ExpiringModel>(of model: M.Type, _ id: M.ID) async throws -> Date? {
    try await read { try $0.expiry(of: model, id) }
  }
}
