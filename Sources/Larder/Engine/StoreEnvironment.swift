/// What all connections of a store share. It doesn't change after the store has opened.
final class StoreEnvironment: Sendable {
  /// The tables of the store's models.
  let tables: [TableDefinition]

  /// The columns of a file that Larder didn't create whose stored format differs from Larder's. Empty for Larder's own
  /// files.
  let adopted: AdoptedColumns

  /// The tables that the delete rules of each table can reach.
  let deletions: DeletionGraph

  /// Where a context searches unsaved text; nil if the file's full-text indexes have all text.
  let pendingText: PendingText?

  /// The features of the store.
  let features: StoreFeatures

  /// Whether the tables are Larder's own, rather than those of a file that another program made.
  let isManaged: Bool

  /// Whether the connections may write.
  let gate: WriteGate

  /// Whether the file is opened as immutable, because its folder can't hold the log's index.
  let isImmutable: Bool

  init(
    tables: [TableDefinition] = [], adopted: AdoptedColumns = AdoptedColumns(), pendingText: PendingText? = nil,
    features: StoreFeatures, isManaged: Bool, gate: WriteGate = WriteGate(), isImmutable: Bool = false
  ) {
    self.tables = tables
    self.adopted = adopted
    deletions = DeletionGraph(tables)
    self.pendingText = pendingText
    self.features = features
    self.isManaged = isManaged
    self.gate = gate
    self.isImmutable = isImmutable
  }

  func makeWriter() -> SQLWriter {
    SQLWriter(adopted: adopted, pendingText: pendingText)
  }

  func sql<M: Model>(of kind: ModelStatementKind, _ model: M.Type) -> String {
    let statements = statements(of: model)
    return switch kind {
    case .find: statements.find
    case .insert: statements.insert
    case .upsert: statements.upsert
    case .update: statements.update
    case .delete: statements.delete
    case .fetchAll: "SELECT \(statements.columns) FROM \(statements.table)"
    }
  }

  /// Returns the model's statements, adapted if SQL doesn't compare values of the file as Swift does.
  private func statements<M: Model>(of model: M.Type) -> ModelStatements {
    let schema = M.schema
    let columns = schema.columns.map { adopted.column($0.name, of: schema.table) }
    // A context's own views stand in the place of the tables, and are what it writes to.
    let isContext = pendingText != nil
    guard columns.contains(where: { $0 != nil }) || (schema.expires && isContext) else { return schema.statements }
    return ModelStatements(
      table: schema.table, columns: schema.columns.map(\.name), keyIndexes: schema.keyIndexes,
      writtenIndexes: schema.writtenIndexes, expires: schema.expires && !isContext, forms: AdoptedStatements(columns))
  }

  /// Returns whether the file stores some of the model's values in formats other than Larder's.
  func hasOtherForms<M: Model>(_ model: M.Type) -> Bool {
    M.schema.columns.contains { adopted.mixed($0.name, of: M.schema.table) != nil }
  }
}
