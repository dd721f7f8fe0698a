public import Foundation

extension StoreReader {
  /// Returns the rows of a query as JSON, with those that `including` loads, each row once.
  ///
  /// ```swift
  /// let json = try db.export(Trip.where { $0.isBooked }.including(\.stops, \.participants))
  /// ```
  ///
  /// ``StoreWriter/import(_:from:keys:)`` reads it back. Dates of expiry are not exported, and of attachments only
  /// their names. The order of an ordered relationship is exported if the inclusion has no condition, sort or limit.
  ///
  /// - Parameter query: The rows, and what to include.
  /// - Returns: The JSON: the rows of each table as their types encode them, a row on each line, with references as
  ///   keys, and the links of many-to-many relationships.
  /// - Throws: ``StoreError`` `.unsupported` if a model isn't Codable, `.invalidValue` for a value that JSON doesn't have,
  ///   such as infinity, and the errors of ``fetch(_:)-(Query<M>)``.
  public func export<M: Model & Codable>(_ query: Query<M>) throws -> Data {
    try graphJSON(of: try fetch(query), query)
  }
}

extension StoreWriter {
  /// Writes the rows that ``StoreReader/export(_:)`` has made JSON of.
  ///
  /// ```swift
  /// try db.import(Trip.self, from: json)  // as they were
  /// try db.import(Trip.self, from: json, keys: .new)  // as copies beside those that are there
  /// ```
  ///
  /// Everything is written, or nothing.
  ///
  /// - Parameters:
  ///   - model: The model of the exported query.
  ///   - json: The JSON.
  ///   - keys: Whether rows keep their keys, the default, or get new ones.
  /// - Returns: The keys of the rows that the query had found, in their order, as they are now.
  /// - Throws: ``StoreError`` `.invalidValue` if the JSON doesn't fit the models, `.unsupported` if a model isn't
  ///   Codable, `.constraint` if there is no integer left for a new key, the errors of ``save(_:)-(M)``, and what
  ///   ``Model/validate()`` and the models' `init(from:)` throw.
  @discardableResult
  public func `import`<M: Model & Codable>(
    _ model: M.Type, from json: Data, keys: ImportedKeys = .kept
  ) throws -> [M.ID] {
    let graph = try GraphImport(json, of: model)
    return try _write(isAtomic: true) { try graph.write(model, keys, $0.connection) }
  }
}

extension Store {
  /// Returns the rows of a query as JSON, with those that `including` loads, each row once.
  ///
  /// ```swift
  /// let json = try await store.export(Trip.where { $0.isBooked }.including(\.stops, \.participants))
  /// ```
  ///
  /// ``import(_:from:keys:)`` reads it back. Dates of expiry are not exported, and of attachments only their names. The
  /// order of an ordered relationship is exported if the inclusion has no condition, sort or limit.
  ///
  /// - Parameter query: The rows, and what to include.
  /// - Returns: The JSON: the rows of each table as their types encode them, a row on each line, with references as
  ///   keys, and the links of many-to-many relationships.
  /// - Throws: ``StoreError`` `.unsupported` if a model isn't Codable, `.invalidValue` for a value that JSON doesn't have,
  ///   such as infinity, and the errors of ``fetch(_:)-(Query<M>)``.
  public func export<M: Model & Codable>(_ query: Query<M>) async throws -> Data {
    try graphJSON(of: try await fetch(query), query)
  }

  /// Writes the rows that ``export(_:)`` has made JSON of.
  ///
  /// ```swift
  /// try await store.import(Trip.self, from: json)  // as they were
  /// try await store.import(Trip.self, from: json, keys: .new)  // as copies beside those that are there
  /// ```
  ///
  /// Everything is written, or nothing.
  ///
  /// - Parameters:
  ///   - model: The model of the exported query.
  ///   - json: The JSON.
  ///   - keys: Whether rows keep their keys, the default, or get new ones.
  /// - Returns: The keys of the rows that the query had found, in their order, as they are now.
  /// - Throws: ``StoreError`` `.invalidValue` if the JSON doesn't fit the models, `.unsupported` if a model isn't
  ///   Codable, `.constraint` if there is no integer left for a new key, the errors of ``save(_:)-(M)``, and what
  ///   ``Model/validate()`` and the models' `init(from:)` throw.
  @discardableResult
  public func `import`<M: Model & Codable>(
    _ model: M.Type, from json: Data, keys: ImportedKeys = .kept
  ) async throws -> [M.ID] {
    let graph = try GraphImport(json, of: model)
    return try await transaction { try graph.write(model, keys, $0) }
  }
}

private func graphJSON<M: Model & Codable>(of rows: [M], _ query: Query<M>) throws -> Data {
  let graph = GraphExport(partialPaths: query.inclusions.reduce(into: []) { $0.formUnion($1.partialPaths) })
  let roots = try rows.map { try graph.add($0) }
  return try graph.json(roots: roots, of: M.schema.table)
}
