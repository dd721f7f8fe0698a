extension DerivedColumn {
  private static let clampingKey = "clamping"

  /// The condition, in triggers, that no sum may be refused. Every program can evaluate it.
  static let isClamping = "EXISTS (SELECT 1 FROM \(Catalogue.infoTable) WHERE key = '\(clampingKey)')"

  fileprivate static let startClamping =
    "INSERT INTO \(Catalogue.infoTable) (key, value) VALUES ('\(clampingKey)', 1) ON CONFLICT DO NOTHING"
  fileprivate static let endClamping = "DELETE FROM \(Catalogue.infoTable) WHERE key = '\(clampingKey)'"
}

extension Connection {
  /// Calls the closure in a savepoint or transaction. Triggers refuse none of its changes because of a sum that a property
  /// can't hold: the property gets the nearest value that it can.
  ///
  /// - Parameter body: The closure.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws, and the errors of any write.
  func clampingSums<Result>(_ body: () throws -> Result) throws -> Result {
    func clamping() throws -> Result {
      try change(DerivedColumn.startClamping)
      let result = try body()
      try change(DerivedColumn.endClamping)
      return result
    }
    return try isAutocommitting ? transaction(clamping) : savepoint(clamping)
  }
}
