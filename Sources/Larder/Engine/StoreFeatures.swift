/// The features of a store.
struct StoreFeatures: Sendable {
  private let list: [(type: ObjectIdentifier, feature: any StoreFeature)]

  init(_ features: [any StoreFeature]) {
    list = features.map { (ObjectIdentifier(type(of: $0)), $0) }
  }

  /// The feature of the type, which must be one of the store's.
  ///
  /// - Complexity: A comparison for each feature, of which there are few.
  subscript<Feature: StoreFeature>(_ type: Feature.Type) -> Feature {
    for (id, feature) in list where id == ObjectIdentifier(type) { return unsafeDowncast(feature, to: type) }
    preconditionFailure("\(type) is not among the features of this store")
  }

  /// The features that conform to a protocol of another feature.
  func all<Kind>(as kind: Kind.Type) -> [Kind] { list.compactMap { $0.feature as? Kind } }

  var functions: [ScalarFunction] { list.flatMap(\.feature.functions) }
  var isObserving: Bool { list.contains { $0.feature.isObserving } }

  func forEach(_ body: (any StoreFeature) throws -> Void) rethrows {
    for (_, feature) in list { try body(feature) }
  }

  func willWrite<M: Model>(_ values: () -> [M], _ kind: ModelStatementKind, _ connection: Connection) throws {
    for (_, feature) in list { try feature.willWrite(values, kind, connection) }
  }

  func willExecute(_ arguments: [SQLWriter.Argument], _ connection: Connection) throws {
    for (_, feature) in list { try feature.willExecute(arguments, connection) }
  }

  func hasUnjudgedRows(inTable name: String, _ connection: Connection) throws -> Bool {
    try list.contains { try $0.feature.hasUnjudgedRows(inTable: name, connection) }
  }

  func removeHidden<M: Model>(withUniqueValuesOf value: M, _ connection: Connection) throws -> Bool {
    for (_, feature) in list where try feature.removeHidden(withUniqueValuesOf: value, connection) { return true }
    return false
  }

  func withoutHidden<Result>(
    after error: StoreError, _ connection: Connection, _ body: () throws -> Result
  ) throws
    -> Result
  {
    var refusal = error
    for (_, feature) in list {
      do {
        return try feature.withoutHidden(after: refusal, connection, body)
      } catch let error as StoreError where error.code == .duplicate {
        refusal = error
      }
    }
    throw refusal
  }

  func refusal(_ message: String, _ context: ErrorContext?) -> StoreError? {
    for (_, feature) in list {
      if let error = feature.refusal(message, context) { return error }
    }
    return nil
  }

  func didCommit(_ writes: [StatementFacts]) {
    for (_, feature) in list { feature.didCommit(writes) }
  }

  func didRollBack(_ connection: Connection, isOver: Bool) {
    for (_, feature) in list { feature.didRollBack(connection, isOver: isOver) }
  }

  func statement(ofUserSQL sql: String, _ connection: Connection) throws -> PreparedStatement? {
    for (_, feature) in list {
      if let statement = try feature.statement(ofUserSQL: sql, connection) { return statement }
    }
    return nil
  }

  /// The feature with a view because of which SQL couldn't be compiled.
  func hiding(tableWrittenBy sql: String, _ connection: Connection) throws -> (any StoreFeature)? {
    try list.first { try $0.feature.hidesTable(writtenBy: sql, connection) }?.feature
  }

  /// The feature with a view that a compiled statement would write to.
  func hiding(tableWrittenBy facts: StatementFacts, _ connection: Connection) -> (any StoreFeature)? {
    if facts.temporaryWrites.isEmpty { return nil }
    return list.first { $0.feature.hidesTable(writtenBy: facts, connection) }?.feature
  }

  /// Calls the closure while no view of a feature stands for a table of the file.
  func withoutViews<Result>(_ connection: Connection, _ body: () throws -> Result) throws -> Result {
    func leaving(_ rest: ArraySlice<(type: ObjectIdentifier, feature: any StoreFeature)>) throws -> Result {
      guard let first = rest.first else { return try body() }
      return try first.feature.withoutViews(connection) { try leaving(rest.dropFirst()) }
    }
    return try leaving(list[...])
  }

  /// Calls the closure, which deletes expired rows.
  func expiring<Result>(until time: Double, _ connection: Connection, _ body: () throws -> Result) throws -> Result {
    func entering(_ rest: ArraySlice<(type: ObjectIdentifier, feature: any StoreFeature)>) throws -> Result {
      guard let first = rest.first else { return try body() }
      return try first.feature.expiring(until: time, connection) { try entering(rest.dropFirst()) }
    }
    return try entering(list[...])
  }

  /// Where the data of an attachment is that has not come yet; nil if no feature knows.
  func remedy(forMissingAttachment digest: String, _ connection: Connection) throws -> String? {
    try list.lazy.compactMap { try $0.feature.remedy(forMissingAttachment: digest, connection) }.first
  }

  func observersNeedNews(hasForeignCommits: Bool) {
    for (_, feature) in list { feature.observersNeedNews(hasForeignCommits: hasForeignCommits) }
  }
}
