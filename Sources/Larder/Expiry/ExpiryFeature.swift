/// The expiry of rows as a feature of a store: views hide expired rows, and the sweeper deletes them.
final class ExpiryFeature: StoreFeature {
  let clock: ExpiryClock
  /// Called when live results may show expired rows: when the program begins to observe (false), and after commits of
  /// other connections (true).
  let observation = Listener<Bool>()

  init(_ clock: ExpiryClock) {
    self.clock = clock
  }

  var functions: [ScalarFunction] {
    // The current time by which rows expire, in seconds since the reference date.
    [ScalarFunction("larder_now", 0, isDeterministic: false) { [clock] _ in .real(clock.now) }]
  }

  func didOpen(_ connection: Connection) throws {
    try connection.installExpiryViews()
  }

  // MARK: Writing

  func willWrite<M: Model>(_ values: () -> [M], _ kind: ModelStatementKind, _ connection: Connection) throws {
    if M.schema.expires, kind != .update { try connection.removeExpired(withKeysOf: values()) }
  }

  func removeHidden<M: Model>(withUniqueValuesOf value: M, _ connection: Connection) throws -> Bool {
    try connection.removeExpired(withUniqueValuesOf: value)
  }

  func withoutHidden<Result>(
    after error: StoreError, _ connection: Connection, _ body: () throws -> Result
  ) throws
    -> Result
  {
    try connection.withoutExpired(ExpirySpan(until: clock.now), after: error, body)
  }

  // MARK: Views

  func hidesTable(writtenBy sql: String, _ connection: Connection) throws -> Bool {
    try connection.writesBehindExpiryViews(sql)
  }

  func hidesTable(writtenBy facts: StatementFacts, _ connection: Connection) -> Bool {
    connection.writesExpiryView(facts)
  }

  func revealingTables<Result>(_ connection: Connection, _ body: () throws -> Result) throws -> Result {
    try connection.withoutExpiryViews(body)
  }

  func withoutViews<Result>(_ connection: Connection, _ body: () throws -> Result) throws -> Result {
    try connection.withoutExpiryShadows(body)
  }

  // MARK: Sweeping

  func hasWork(_ connection: Connection) throws -> Bool {
    let hasContents = try connection.expiringContents.contains { try $0.canExpire(connection) }
    return hasContents || connection.environment.tables.contains(where: \.expires)
  }

  func start(_ writer: Writer, hasWork: Bool) -> (any StoreService)? {
    Sweeper(writer, self, isNeeded: hasWork)
  }

  func observersNeedNews(hasForeignCommits: Bool) {
    observation(hasForeignCommits)
  }
}

/// A feature that stores expiring rows in tables without a model, such as documents.
protocol ExpiringContents: StoreFeature {
  /// Returns whether the file has such rows.
  func canExpire(_ connection: Connection) throws -> Bool
  /// Deletes rows that have expired within the span, and returns their number.
  ///
  /// - Parameter limit: The greatest number of rows to delete.
  func removeExpired(_ span: ExpirySpan, limit: Int, _ connection: Connection) throws -> Int
  /// Returns when the first of these rows after the time expires; infinity if none does.
  func nextExpiry(after time: Double, _ connection: Connection) throws -> Double
  /// Returns the tables of these rows, and the columns with the dates of expiry.
  func expiringTables(_ connection: Connection) throws -> [(table: String, column: String)]
}

extension Connection {
  var expiringContents: [any ExpiringContents] { environment.features.all(as: (any ExpiringContents).self) }
  /// Expired rows that may have lost the references that kept them.
  var expiryReleases: ExpiryReleases { state(ExpiryReleases.self, ExpiryReleases(self)) }
}

extension StoreEnvironment {
  /// The clock that decides whether rows have expired.
  var clock: ExpiryClock { features[ExpiryFeature.self].clock }
}
