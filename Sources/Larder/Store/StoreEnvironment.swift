/// What all connections of a store share, fixed once the store is open.
final class StoreEnvironment: Sendable {
  /// The tables of the store's models.
  let tables: [TableDefinition]

  /// The columns of a file that Larder did not make; none in one that it did.
  let adopted: AdoptedColumns

  /// How far deletions reach.
  let deletions: DeletionGraph

  /// Where a context looks for text; nil where the full-text indexes of the file have all of it.
  let pendingText: PendingText?

  /// The time by which rows expire.
  let clock: ExpiryClock

  /// Where the bytes of attachments are.
  let attachments: AttachmentStorage

  /// Whether the connections may write.
  let gate: WriteGate

  /// Whether the file is read as one that nobody changes, because its folder has no room for the files by which processes agree.
  let isImmutable: Bool

  init(
    tables: [TableDefinition] = [], adopted: AdoptedColumns = AdoptedColumns(), pendingText: PendingText? = nil,
    clock: ExpiryClock = ExpiryClock(), attachments: AttachmentStorage = AttachmentStorage(storePath: nil, isManaged: false),
    gate: WriteGate = WriteGate(), isImmutable: Bool = false
  ) {
    self.tables = tables
    self.adopted = adopted
    deletions = DeletionGraph(tables)
    self.pendingText = pendingText
    self.clock = clock
    self.attachments = attachments
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

  /// The model's statements; where the file holds values in other forms than Larder's, those that compare and write them so.
  private func statements<M: Model>(of model: M.Type) -> ModelStatements {
    let schema = M.schema
    let columns = schema.columns.map { adopted.mixed($0.name, of: schema.table) }
    // A context's own views stand in the place of the tables, and are what it writes to.
    let isContext = pendingText != nil
    guard columns.contains(where: { $0 != nil }) || (schema.expires && isContext) else { return schema.statements }
    return ModelStatements(
      table: schema.table, columns: schema.columns.map(\.name), keyIndexes: schema.keyIndexes,
      writtenIndexes: schema.writtenIndexes, expires: schema.expires && !isContext, forms: AdoptedStatements(columns))
  }

  /// Whether the file holds some of the model's values in other forms than Larder's.
  func hasOtherForms<M: Model>(_ model: M.Type) -> Bool {
    M.schema.columns.contains { adopted.mixed($0.name, of: M.schema.table) != nil }
  }
}
