/// One step of a migration.
enum SchemaStep {
  case createTable(TableDefinition)
  /// Existing rows get the constant default immediately. A column whose default differs between rows is first added as
  /// optional; ``rebuild(_:reason:isAdditive:releasing:)`` makes it required once it is filled.
  case addColumn(TableDefinition, TableDefinition.Column)
  case renameColumn(TableDefinition, from: String, to: String)
  /// Renames a column without a property, whose name another property needs.
  case setAside(TableDefinition, from: String, to: String)
  case fill(TableDefinition, TableDefinition.Column)
  /// Sets a reference to NULL where its row was deleted while the property was removed and its delete rule rested.
  case clearReference(TableDefinition, TableReference)
  /// Additive if only columns that are new in this migration need it, so that no existing data can be lost. The named
  /// columns lose their references.
  case rebuild(TableDefinition, reason: String, isAdditive: Bool, releasing: [String] = [])
  case createIndex(TableDefinition, TableDefinition.Index)
  case dropIndex(String)
  /// Adds the column for the order of rows that refer to the same row. Existing rows are in the order of their keys.
  case addPosition(TableDefinition, reference: String)
  /// Adds the column for the date of expiry.
  case addExpiry(TableDefinition)
  /// Deletes expired rows, and drops the column: the model's rows no longer expire.
  case dropExpiry(TableDefinition)
  case createPairs(PairsTable)
  case createTrigger(SchemaTrigger)
  case dropTrigger(String)
  /// Computes a derived column for existing rows.
  case derive(DerivedColumn)
  case createSearch(TableDefinition)
  case dropSearch(String)
  /// Rebuilds a full-text index of an earlier tokenizer version.
  case renewSearch(TableDefinition)
  /// Writes JSON that has the parts of a set or dictionary in another order in the canonical one.
  case orderJSON(TableDefinition)

  var description: String {
    switch self {
    case .createTable(let table): "create the table \(table.name) for \(table.model)"
    case .addColumn(let table, let column):
      "add the column \(table.name).\(column.name) for \(table.model).\(column.property)"
    case .renameColumn(let table, let from, let to): "rename the column \(table.name).\(from) to \(to)"
    case .setAside(let table, let from, let to): "keep the values of the former \(table.name).\(from) in a column \(to)"
    case .fill(let table, let column): "give \(table.name).\(column.name) its default value where it has none"
    case .clearReference(let table, let reference):
      "set \(table.name).\(reference.column) to NULL where it refers to a row of \(reference.table) that is not there"
    case .rebuild(let table, let reason, _, _): "rebuild the table \(table.name): \(reason)"
    case .createIndex(let table, let index):
      "create \(index.isUnique ? "a unique" : "an") index on \(table.name) (\(index.columns.joined(separator: ", ")))"
    case .dropIndex(let name): "drop the index \(name), which no model asks for any longer"
    case .addPosition(let table, let reference):
      "keep the order of the rows of \(table.name) that refer to the same row by \(reference)"
    case .addExpiry(let table): "let rows of \(table.name) expire"
    case .dropExpiry(let table): "let rows of \(table.name) expire no longer, and delete those whose time has come"
    case .createPairs(let pairs): "create the table \(pairs.name) for \(pairs.source.model).\(pairs.source.property)"
    case .createTrigger(let trigger): "create the trigger \(trigger.name)"
    case .dropTrigger(let name): "drop the trigger \(name)"
    case .derive(let column): "compute \(column.table).\(column.column) for \(column.model).\(column.property)"
    case .createSearch(let table):
      "build the full-text index of \(table.name) over \(table.searchable.joined(separator: ", "))"
    case .dropSearch(let table): "drop the full-text index of \(table)"
    case .renewSearch(let table):
      "build the full-text index of \(table.name) anew, with words that newer symbols are no part of"
    case .orderJSON(let table): "write the sets and dictionaries in the JSON of \(table.name) in one order"
    }
  }
}

extension SchemaStep {
  /// Whether reading doesn't need the step.
  var isOnlyForWriting: Bool {
    switch self {
    case .renewSearch, .orderJSON: true
    default: false
    }
  }

  /// The column that the step renames.
  var renaming: (table: TableDefinition, from: String, to: String)? {
    switch self {
    case .renameColumn(let table, let from, let to), .setAside(let table, let from, let to): (table, from, to)
    default: nil
    }
  }
}

extension [SchemaStep] {
  /// Returns the name of a column before the steps.
  func formerName(of column: String, in table: TableDefinition) -> String {
    reversed().reduce(column) { name, step in
      guard let renaming = step.renaming, renaming.table.name == table.name, renaming.to.isSameColumn(as: name) else {
        return name
      }
      return renaming.from
    }
  }

  /// Returns whether the steps rename columns of the table.
  func rename(columnsOf table: TableDefinition) -> Bool {
    contains { $0.renaming?.table.name == table.name }
  }

  /// Returns the columns that the steps add to the table.
  func columnsAdded(to table: TableDefinition) -> [TableDefinition.Column] {
    compactMap { step in
      guard case .addColumn(let owner, let column) = step, owner.name == table.name else { return nil }
      return column
    }
  }
}
