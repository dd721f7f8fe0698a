extension StoreWriter {
  /// Makes a row one of those that belong to a value: `link(cost, \.tags, tag)`. A row that belongs to it already stays as it is.
  ///
  /// In a one-to-many relationship the row's reference changes, and with it the owner that it had.
  ///
  /// - Throws: ``StoreError`` `.notFound` where the row is not stored, `.referenced` where the value is not.
  public func link<M: Model, Target: Model>(_ value: M, _ path: KeyPath<M.Columns, ToManyColumn<M, Target>>, _ other: Target) throws {
    try link(value, path, [other])
  }

  /// Makes rows belong to a value: all of them, or on an error none.
  public func link<M: Model, Target: Model>(_ value: M, _ path: KeyPath<M.Columns, ToManyColumn<M, Target>>, _ others: [Target]) throws {
    let links = try Links(M.columns[keyPath: path], of: value.id)
    try _write(isAtomic: true) { access in
      for other in others { try links.add(other.id, access.connection) }
    }
  }

  /// Makes a row belong to a value no longer, and answers whether it did.
  ///
  /// - Throws: ``StoreError`` `.constraint` where the row's reference is required: delete the row, or link it to another value.
  @discardableResult
  public func unlink<M: Model, Target: Model>(
    _ value: M, _ path: KeyPath<M.Columns, ToManyColumn<M, Target>>, _ other: Target
  ) throws -> Bool {
    let links = try Links(M.columns[keyPath: path], of: value.id)
    return try _write(isAtomic: true) { try links.remove(other.id, $0.connection) }
  }

  /// Makes just these rows belong to a value, in this order where the relationship is ordered.
  ///
  /// - Throws: As ``link(_:_:_:)-(M,_,Target)``, and `.constraint` where a row that belongs to the value now has a required reference and is
  ///   not among them.
  public func setLinks<M: Model, Target: Model>(_ value: M, _ path: KeyPath<M.Columns, ToManyColumn<M, Target>>, _ others: [Target]) throws {
    let links = try Links(M.columns[keyPath: path], of: value.id)
    try _write(isAtomic: true) { try links.replace(with: others.map(\.id), $0.connection) }
  }
}

extension Store {
  /// Makes a row one of those that belong to a value. See ``StoreWriter/link(_:_:_:)-(M,_,Target)``.
  public func link<M: Model, Target: Model>(
    _ value: M, _ path: any KeyPath<M.Columns, ToManyColumn<M, Target>> & Sendable, _ other: Target
  ) async throws {
    try await write { try $0.link(value, path, other) }
  }

  /// Makes rows belong to a value: all of them, or on an error none.
  public func link<M: Model, Target: Model>(
    _ value: M, _ path: any KeyPath<M.Columns, ToManyColumn<M, Target>> & Sendable, _ others: [Target]
  ) async throws {
    try await write { try $0.link(value, path, others) }
  }

  /// Makes a row belong to a value no longer, and answers whether it did. See ``StoreWriter/unlink(_:_:_:)``.
  @discardableResult
  public func unlink<M: Model, Target: Model>(
    _ value: M, _ path: any KeyPath<M.Columns, ToManyColumn<M, Target>> & Sendable, _ other: Target
  ) async throws -> Bool {
    try await write { try $0.unlink(value, path, other) }
  }

  /// Makes just these rows belong to a value, in this order where the relationship is ordered. See ``StoreWriter/setLinks(_:_:_:)``.
  public func setLinks<M: Model, Target: Model>(
    _ value: M, _ path: any KeyPath<M.Columns, ToManyColumn<M, Target>> & Sendable, _ others: [Target]
  ) async throws {
    try await write { try $0.setLinks(value, path, others) }
  }
}
