/// What stands between a context's connection and the tables of the file: the changes that are not yet saved.
protocol ConnectionOverlay: AnyObject {
  /// Makes statements that write these tables write pending changes instead, and answers whether a statement has to be compiled again.
  ///
  /// - Throws: `StoreError` `.unsupported` for a table that cannot have pending changes.
  func cover(_ tables: Set<String>) throws -> Bool

  /// The SQL of a model's statement, where it is another than the store's.
  func sql<M: Model>(of kind: ModelStatementKind, _ model: M.Type) throws -> String?

  /// Hears of rows that were read.
  func didRead<M: Model>(_ values: [M])

  /// Hears of rows that were written.
  func didWrite<M: Model>(_ values: [M])

  /// Hears that a statement may have changed rows in another way.
  func didChange()
}
