/// One thing to do to a file so that it fits the models.
enum SchemaStep {
  case createTable(TableDefinition)
  /// Rows that are there get the constant default at once. A column whose default differs from row to row is added without a rule against
  /// NULL; ``rebuild(_:reason:isAdditive:)`` makes it required once it is filled.
  case addColumn(TableDefinition, TableDefinition.Column)
  case renameColumn(TableDefinition, from: String, to: String)
  /// Gives a column that no property claims any longer another name: its own is that of a property that was called otherwise before.
  case setAside(TableDefinition, from: String, to: String)
  case fill(TableDefinition, TableDefinition.Column)
  /// Additive where only columns that are new in this very migration ask for it: nothing that the file held can be lost.
  /// The columns that are named refer to no other table any longer.
  case rebuild(TableDefinition, reason: String, isAdditive: Bool, releasing: [String] = [])
  case createIndex(TableDefinition, TableDefinition.Index)
  case dropIndex(String)
  /// Adds the column that keeps the order of rows that refer to the same row; rows that are there keep the order of their keys.
  case addPosition(TableDefinition, reference: String)
  /// Adds the column that says when a row expires.
  case addExpiry(TableDefinition)
  /// Deletes the rows whose time has come, and removes the column: the model's rows stay from now on.
  case dropExpiry(TableDefinition)
  case createPairs(PairsTable)
  case createTrigger(SchemaTrigger)
  case dropTrigger(String)
  /// Computes a derived column for the rows that are there.
  case derive(DerivedColumn)
  case createSearch(TableDefinition)
  case dropSearch(String)
  /// Makes a full-text index anew that was made by earlier rules of what a word is.
  case renewSearch(TableDefinition)

  var description: String {
    switch self {
    case .createTable(let table): "create the table \(table.name) for \(table.model)"
    case .addColumn(let table, let column): "add the column \(table.name).\(column.name) for \(table.model).\(column.property)"
    case .renameColumn(let table, let from, let to): "rename the column \(table.name).\(from) to \(to)"
    case .setAside(let table, let from, let to): "keep the values of the former \(table.name).\(from) in a column \(to)"
    case .fill(let table, let column): "give \(table.name).\(column.name) its default value where it has none"
    case .rebuild(let table, let reason, _, _): "rebuild the table \(table.name): \(reason)"
    case .createIndex(let table, let index):
      "create \(index.isUnique ? "a unique" : "an") index on \(table.name) (\(index.columns.joined(separator: ", ")))"
    case .dropIndex(let name): "drop the index \(name), which no model asks for any longer"
    case .addPosition(let table, let reference): "keep the order of the rows of \(table.name) that refer to the same row by \(reference)"
    case .addExpiry(let table): "let rows of \(table.name) expire"
    case .dropExpiry(let table): "let rows of \(table.name) expire no longer, and delete those whose time has come"
    case .createPairs(let pairs): "create the table \(pairs.name) for \(pairs.source.model).\(pairs.source.property)"
    case .createTrigger(let trigger): "create the trigger \(trigger.name)"
    case .dropTrigger(let name): "drop the trigger \(name)"
    case .derive(let column): "compute \(column.table).\(column.column) for \(column.model).\(column.property)"
    case .createSearch(let table): "build the full-text index of \(table.name) over \(table.searchable.joined(separator: ", "))"
    case .dropSearch(let table): "drop the full-text index of \(table)"
    case .renewSearch(let table): "build the full-text index of \(table.name) anew, with words that newer symbols are no part of"
    }
  }
}

extension SchemaStep {
  /// The column that the step gives another name.
  var renaming: (table: TableDefinition, from: String, to: String)? {
    switch self {
    case .renameColumn(let table, let from, let to), .setAside(let table, let from, let to): (table, from, to)
    default: nil
    }
  }
}

extension [SchemaStep] {
  /// What a column was called before the steps.
  func formerName(of column: String, in table: TableDefinition) -> String {
    reversed().reduce(column) { name, step in
      guard let renaming = step.renaming, renaming.table.name == table.name, renaming.to.isSameColumn(as: name) else { return name }
      return renaming.from
    }
  }

  /// Whether the steps give columns of the table other names.
  func rename(columnsOf table: TableDefinition) -> Bool {
    contains { $0.renaming?.table.name == table.name }
  }

  /// The columns that the steps add to the table.
  func columnsAdded(to table: TableDefinition) -> [TableDefinition.Column] {
    compactMap { step in
      guard case .addColumn(let owner, let column) = step, owner.name == table.name else { return nil }
      return column
    }
  }
}
