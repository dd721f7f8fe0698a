/// The unsaved changes of a context, which its connection sees in place of the file's tables.
protocol ConnectionOverlay: AnyObject {
  /// Whether statements write to the file's own tables, because the changes are being saved.
  var isSaving: Bool { get }

  /// Redirects statements that write these tables to unsaved rows. Returns whether a statement has to be compiled
  /// again.
  ///
  /// - Throws: `StoreError` `.unsupported` for a table that can't have unsaved changes.
  func cover(_ tables: Set<String>) throws -> Bool

  /// Returns the SQL of a model's statement, if it differs from the store's.
  func sql<M: Model>(of kind: ModelStatementKind, _ model: M.Type) throws -> String?

  /// Applies the delete rules of expired rows whose keys these values are about to take.
  func willTakeKeys<M: Model>(of values: [M]) throws

  /// Called with rows that were read.
  func didRead<M: Model>(_ values: [M])

  /// Called with rows that were written.
  func didWrite<M: Model>(_ values: [M]) throws

  /// Called after a statement that may have changed or deleted rows in another way.
  func didChange() throws
}
