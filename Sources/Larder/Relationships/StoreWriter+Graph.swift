extension StoreWriter {
  /// Saves a value and the rows of a relationship that it holds: all of them, or none if an error is thrown.
  ///
  /// The rows of a ``ToMany`` get the value as their owner, and their order if the relationship is ordered; the row of
  /// a ``ToOne`` is the value that the reference was created from. Stored rows that aren't in the value stay unchanged;
  /// to unlink them, use ``setLinks(_:_:_:)``. A relationship that isn't loaded is ignored.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - path: The relationship, as in `save(account, including: \.costs)`.
  /// - Throws: The errors of ``save(_:)-(M)``.
  public func save<M: Model, Related: RelationshipColumn>(
    _ value: M, including path: KeyPath<M.Columns, Related>
  ) throws where Related.Root == M {
    try _write(isAtomic: true) { access in
      try access.connection.write([value], .upsert)
      _ = try M.columns[keyPath: path]._saveRelated(of: value, access)
    }
  }

  /// Saves a value and the rows of two relationships that it holds: `save(account, including: \.costs, \.tags)`.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - first: A relationship.
  ///   - second: Another relationship of the value.
  /// - Throws: The errors of ``save(_:)-(M)``.
  public func save<M: Model, First: RelationshipColumn, Second: RelationshipColumn>(
    _ value: M, including first: KeyPath<M.Columns, First>, _ second: KeyPath<M.Columns, Second>
  ) throws where First.Root == M, Second.Root == M {
    try _write(isAtomic: true) { access in
      try access.connection.write([value], .upsert)
      let rows = try M.columns[keyPath: first]._saveRelated(of: value, access)
      _ = try M.columns[keyPath: second]._saveRelated(of: value, access)
      // The same rows may be in both, each time as if the other relationship weren't there.
      if First.Target.self == Second.Target.self { try M.columns[keyPath: first]._relate(rows, to: value, access) }
    }
  }

  /// Saves a value, the rows of a relationship that it holds, and the rows of a relationship of those:
  /// `save(account, including: \.costs, then: \.tags)`.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - path: The relationship.
  ///   - next: The relationship of its rows.
  /// - Throws: The errors of ``save(_:)-(M)``.
  public func save<M: Model, First: RelationshipColumn, Second: RelationshipColumn>(
    _ value: M, including path: KeyPath<M.Columns, First>, then next: KeyPath<First.Target.Columns, Second>
  ) throws where First.Root == M, Second.Root == First.Target {
    try _write(isAtomic: true) { access in
      try access.connection.write([value], .upsert)
      for related in try M.columns[keyPath: path]._saveRelated(of: value, access) {
        _ = try First.Target.columns[keyPath: next]._saveRelated(of: related, access)
      }
      // What leads back to the value is an older state of it.
      if Second.Target.self == M.self { try access.connection.write([value], .upsert) }
    }
  }
}

extension Store {
  /// Saves a value and the rows of a relationship that it holds. See ``StoreWriter/save(_:including:)``.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - path: The relationship.
  /// - Throws: The errors of ``save(_:)-(M)``.
  public func save<M: Model, Related: RelationshipColumn>(
    _ value: M, including path: any KeyPath<M.Columns, Related> & Sendable
  ) async throws where Related.Root == M {
    try await write { try $0.save(value, including: path) }
  }

  /// Saves a value and the rows of two relationships that it holds.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - first: A relationship.
  ///   - second: Another relationship of the value.
  /// - Throws: The errors of ``save(_:)-(M)``.
  public func save<M: Model, First: RelationshipColumn, Second: RelationshipColumn>(
    _ value: M, including first: any KeyPath<M.Columns, First> & Sendable,
    _ second: any KeyPath<M.Columns, Second> & Sendable
  ) async throws where First.Root == M, Second.Root == M {
    try await write { try $0.save(value, including: first, second) }
  }

  /// Saves a value, the rows of a relationship that it holds, and the rows of a relationship of those.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - path: The relationship.
  ///   - next: The relationship of its rows.
  /// - Throws: The errors of ``save(_:)-(M)``.
  public func save<M: Model, First: RelationshipColumn, Second: RelationshipColumn>(
    _ value: M, including path: any KeyPath<M.Columns, First> & Sendable,
    then next: any KeyPath<First.Target.Columns, Second> & Sendable
  ) async throws where First.Root == M, Second.Root == First.Target {
    try await write { try $0.save(value, including: path, then: next) }
  }
}

extension ToOneColumn {
  public func _saveRelated(of value: Root, _ access: WriteAccess) throws -> [Target] {
    guard let related = target(self.value(value))?.loaded else { return [] }
    try access.connection.write([related], .upsert)
    return [related]
  }
}

extension ToOneColumn {
  public func _relate(_ rows: [Target], to value: Root, _ access: WriteAccess) throws {}
}

extension ToManyColumn {
  public func _relate(_ rows: [Target], to value: Root, _ access: WriteAccess) throws {
    let resolution = try RelationshipResolution(self)
    guard resolution.pairs == nil else { return }
    let links = try Links(self, of: value.id, on: access.connection)
    for row in rows { try links.add(row.id) }
  }

  public func _saveRelated(of value: Root, _ access: WriteAccess) throws -> [Target] {
    guard var related = value[keyPath: keyPath].loaded else { return [] }
    let resolution = try RelationshipResolution(self)
    if resolution.pairs == nil {
      let assign = try owning(value, resolution)
      for position in related.indices { try assign(&related[position]) }
    }
    try access.connection.write(related, .upsert)
    let links = try Links(self, of: value.id, on: access.connection)
    if resolution.pairs != nil {
      for row in related { try links.add(row.id) }
    }
    if resolution.isOrdered { try links.order(related.map(\.id)) }
    return related
  }

  /// Returns a closure that makes a row refer to the owner.
  private func owning(
    _ owner: Root, _ resolution: RelationshipResolution<Root, Target>
  ) throws -> (inout Target) throws -> Void {
    func refuse(_ row: Target, _ isSame: Bool) throws {
      if isSame { return }
      let property = resolution.reference?.property ?? ""
      throw StoreError(
        .unsupported, model: "\(Target.self)", property: property,
        "\(Target.self).\(property) is a constant and refers to another \(Root.self) than the one it is saved with. Declare it with `var`."
      )
    }
    switch resolution.reference {
    case let reference as ToOneDefinition<Target, Root, ToOne<Root>>:
      guard let assign = reference.column.assign else {
        return { try refuse($0, reference.column.value($0).id == owner.id) }
      }
      return { assign(&$0, ToOne(owner.id)) }
    case let reference as ToOneDefinition<Target, Root, ToOne<Root>?>:
      guard let assign = reference.column.assign else {
        return { try refuse($0, reference.column.value($0)?.id == owner.id) }
      }
      return { assign(&$0, ToOne(owner.id)) }
    default: preconditionFailure("a reference leads to another model than its relationship says")
    }
  }
}
