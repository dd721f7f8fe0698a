extension Store {
  /// Writes some properties of a value to the row with its key, and leaves the others as they are in the file.
  ///
  /// ```swift
  /// try await store.update(note, only: \.title, \.modifiedAt)
  /// ```
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - paths: The properties to write.
  /// - Throws: ``StoreError`` `.notFound` if no row has the key, `.unsupported` for a property that can't be set, the
  ///   errors of ``insert(_:)-(M)``, and what ``Model/validate()`` throws.
  public func update<M: Model>(_ value: M, only paths: PartialKeyPath<M.Columns>...) async throws {
    let columns = try M.columns(at: paths)
    try await transaction { try $0.update(value, only: columns) }
  }

  /// Saves a value by a unique property instead of its key: the row that has the same value of it keeps its key and gets
  /// all other properties; if there is none, the value is inserted.
  ///
  /// ```swift
  /// let person = try await store.save(Person(email: "ada@example.org", name: "Ada"), onConflict: \.email)
  /// ```
  ///
  /// Columns that the model doesn't declare keep their values, and so does the date when an existing row expires. All
  /// properties are written, also those with the default of the struct; ``update(_:only:)`` writes some.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - paths: The unique property, or the properties of a unique index.
  /// - Returns: The row as it is stored, with its key and its derived values.
  /// - Throws: ``StoreError`` `.unsupported` if several rows may have the same values of the properties, `.duplicate` if
  ///   another unique value exists already, the errors of ``insert(_:)-(M)``, and what ``Model/validate()`` throws.
  /// - Complexity: One statement, and a look-up unless the value is what is stored: if the row has another key, or the
  ///   model has relationships or properties whose stored form may differ. Three statements for models that can expire or
  ///   have derived properties, and in files that other programs made or have added triggers to.
  @discardableResult
  public func save<M: Model>(_ value: M, onConflict paths: PartialKeyPath<M.Columns>...) async throws -> M {
    let columns = try M.columns(at: paths)
    return try await transaction { try $0.save(value, matching: columns) }
  }

  /// Saves values by a unique property instead of their keys, as ``save(_:onConflict:)-(M,_)`` does, all of them or none.
  ///
  /// Of two values with the same value of the property, the later one counts.
  ///
  /// - Parameters:
  ///   - values: The values.
  ///   - paths: The unique property, or the properties of a unique index.
  /// - Returns: The rows as they are stored, in the order of the values.
  /// - Throws: The errors of ``save(_:onConflict:)-(M,_)``.
  @discardableResult
  public func save<M: Model>(
    _ values: [M], onConflict paths: PartialKeyPath<M.Columns>...
  ) async throws -> [M] {
    let columns = try M.columns(at: paths)
    return try await transaction { try $0.save(values, matching: columns) }
  }

  /// Inserts a row, unless its key or a unique value is there already.
  ///
  /// - Parameter value: The value.
  /// - Returns: `true` if the row was inserted; `false` if nothing was changed.
  /// - Throws: The errors of ``insert(_:)-(M)``, except `.duplicate`.
  @discardableResult
  public func insertIfAbsent<M: Model>(_ value: M) async throws -> Bool {
    do {
      try await insert(value)
      return true
    } catch let error as StoreError where error.code == .duplicate {
      return false
    }
  }

  /// Returns the rows with the keys, in the order of the keys.
  ///
  /// - Parameters:
  ///   - model: The type of the rows.
  ///   - keys: The keys, which may occur more than once.
  /// - Returns: One element for each key: its row, or nil if no row has the key.
  /// - Throws: The errors of ``find(_:_:)-(M.Type,M.ID)``.
  /// - Complexity: One look-up for each key, in one statement.
  public func find<M: Model>(_ model: M.Type, _ keys: [M.ID]) async throws -> [M?] {
    try await reading { try $0.rows(of: model, with: keys[...], []) }
  }
}
