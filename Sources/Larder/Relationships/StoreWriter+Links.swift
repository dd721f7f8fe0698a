extension StoreWriter {
  /// Links a row to a value: `link(cost, \.tags, tag)`. A row that is already linked stays unchanged.
  ///
  /// In a one-to-many relationship this changes the row's reference, and so its owner.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - path: The relationship of the value.
  ///   - other: The row to link.
  /// - Throws: ``StoreError`` `.notFound` if the row isn't stored, `.referenced` if the value isn't stored, and the
  ///   errors of any write.
  public func link<M: Model, Target: Model>(
    _ value: M, _ path: KeyPath<M.Columns, ToManyColumn<M, Target>>, _ other: Target
  ) throws {
    try link(value, path, [other])
  }

  /// Links rows to a value: all of them, or none if an error is thrown.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - path: The relationship of the value.
  ///   - others: The rows to link.
  /// - Throws: The errors of ``link(_:_:_:)-(M,_,Target)``.
  public func link<M: Model, Target: Model>(
    _ value: M, _ path: KeyPath<M.Columns, ToManyColumn<M, Target>>, _ others: [Target]
  ) throws {
    try _write(isAtomic: true) { access in
      let links = try Links(M.columns[keyPath: path], of: value.id, on: access.connection)
      for other in others { try links.add(other.id) }
    }
  }

  /// Unlinks a row from a value.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - path: The relationship of the value.
  ///   - other: The row to unlink.
  /// - Returns: `true` if the row was linked to the value.
  /// - Throws: ``StoreError`` `.constraint` if the row's reference is required (delete the row, or link it to another
  ///   value), and the errors of any write.
  @discardableResult
  public func unlink<M: Model, Target: Model>(
    _ value: M, _ path: KeyPath<M.Columns, ToManyColumn<M, Target>>, _ other: Target
  ) throws -> Bool {
    try _write(isAtomic: true) {
      try Links(M.columns[keyPath: path], of: value.id, on: $0.connection).remove(other.id)
    }
  }

  /// Links exactly these rows to a value, in this order if the relationship is ordered, and unlinks all others.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - path: The relationship of the value.
  ///   - others: The rows to link.
  /// - Throws: ``StoreError`` `.constraint` if a row to unlink has a required reference, and the errors of
  ///   ``link(_:_:_:)-(M,_,Target)``.
  public func setLinks<M: Model, Target: Model>(
    _ value: M, _ path: KeyPath<M.Columns, ToManyColumn<M, Target>>, _ others: [Target]
  ) throws {
    try _write(isAtomic: true) {
      try Links(M.columns[keyPath: path], of: value.id, on: $0.connection).replace(with: others.map(\.id))
    }
  }
}

extension Store {
  /// Links a row to a value. See ``StoreWriter/link(_:_:_:)-(M,_,Target)``.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - path: The relationship of the value.
  ///   - other: The row to link.
  /// - Throws: The errors of ``StoreWriter/link(_:_:_:)-(M,_,Target)``.
  public func link<M: Model, Target: Model>(
    _ value: M, _ path: any KeyPath<M.Columns, ToManyColumn<M, Target>> & Sendable, _ other: Target
  ) async throws {
    try await write { try $0.link(value, path, other) }
  }

  /// Links rows to a value: all of them, or none if an error is thrown.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - path: The relationship of the value.
  ///   - others: The rows to link.
  /// - Throws: The errors of ``StoreWriter/link(_:_:_:)-(M,_,Target)``.
  public func link<M: Model, Target: Model>(
    _ value: M, _ path: any KeyPath<M.Columns, ToManyColumn<M, Target>> & Sendable, _ others: [Target]
  ) async throws {
    try await write { try $0.link(value, path, others) }
  }

  /// Unlinks a row from a value. See ``StoreWriter/unlink(_:_:_:)``.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - path: The relationship of the value.
  ///   - other: The row to unlink.
  /// - Returns: `true` if the row was linked to the value.
  /// - Throws: The errors of ``StoreWriter/unlink(_:_:_:)``.
  @discardableResult
  public func unlink<M: Model, Target: Model>(
    _ value: M, _ path: any KeyPath<M.Columns, ToManyColumn<M, Target>> & Sendable, _ other: Target
  ) async throws -> Bool {
    try await write { try $0.unlink(value, path, other) }
  }

  /// Links exactly these rows to a value, in this order if the relationship is ordered. See
  /// ``StoreWriter/setLinks(_:_:_:)``.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - path: The relationship of the value.
  ///   - others: The rows to link.
  /// - Throws: The errors of ``StoreWriter/setLinks(_:_:_:)``.
  public func setLinks<M: Model, Target: Model>(
    _ value: M, _ path: any KeyPath<M.Columns, ToManyColumn<M, Target>> & Sendable, _ others: [Target]
  ) async throws {
    try await write { try $0.setLinks(value, path, others) }
  }
}
