import Logging

/// Executes the steps of a plan, in the transaction of opening.
struct SchemaChanges {
  private let connection: Connection
  private let log: Logger?
  private let backUp: () throws -> Void
  private let writer = SchemaWriter()

  /// - Parameter backUp: Called before each step that could lose data.
  init(_ connection: Connection, log: Logger?, backUp: @escaping () throws -> Void) {
    self.connection = connection
    self.log = log
    self.backUp = backUp
  }

  /// Executes the steps that come before the named migrations, and fills new columns in existing rows.
  func performOpening(_ steps: [SchemaStep]) throws {
    for step in steps { try perform(step) }
    for case .addColumn(let table, let column) in steps where try constantDefault(of: column, table) == nil {
      try fill(column, of: table)
    }
  }

  func perform(_ step: SchemaStep) throws {
    log?.info("changing the schema", metadata: ["step": "\(step.description)"])
    switch step {
    case .createTable(let table): try connection.change(writer.createTable(table))
    case .addColumn(let table, let column):
      try connection.change(writer.addColumn(column, to: table, default: try constantDefault(of: column, table)))
    case .renameColumn(let table, let from, let to), .setAside(let table, let from, let to):
      try connection.change(
        "ALTER TABLE \(Quoting.name(table.name)) RENAME COLUMN \(Quoting.name(from)) TO \(Quoting.name(to))")
    case .fill(let table, let column): try fill(column, of: table)
    case .clearReference(let table, let reference): try clear(reference, of: table)
    case .rebuild(let table, _, let isAdditive, let released):
      if !isAdditive { try backUp() }
      try rebuild(table, releasing: released)
    case .createIndex(let table, let index): try connection.change(writer.createIndex(index, on: table.name))
    case .dropIndex(let name): try connection.change("DROP INDEX IF EXISTS \(Quoting.name(name))")
    case .addPosition(let table, let reference):
      for statement in writer.addPosition(of: reference, to: table) { try connection.change(statement) }
    case .addExpiry(let table):
      try connection.change("ALTER TABLE \(Quoting.name(table.name)) ADD COLUMN \(Expiry.column) REAL")
    case .dropExpiry(let table):
      try backUp()
      try connection.change("DELETE FROM \(Quoting.name(table.name)) WHERE \(Expiry.isOver)")
      try connection.change("DROP INDEX IF EXISTS \(Quoting.name(Expiry.index(of: table.name)))")
      try connection.change("ALTER TABLE \(Quoting.name(table.name)) DROP COLUMN \(Expiry.column)")
    case .createPairs(let pairs):
      for statement in writer.createPairs(pairs) { try connection.change(statement) }
    case .createTrigger(let trigger): try connection.change(trigger.creation)
    case .dropTrigger(let name): try connection.change("DROP TRIGGER IF EXISTS \(Quoting.name(name))")
    case .derive(let column): try connection.clampingSums { try connection.change(column.fill) }
    case .createSearch(let table):
      for statement in writer.createSearch(table) { try connection.change(statement) }
    case .renewSearch(let table):
      for statement in writer.dropSearch(of: table.name) + writer.createSearch(table) {
        try connection.change(statement)
      }
    case .orderJSON(let table): try JSONForm(table).order(on: connection, log)
    case .dropSearch(let table):
      for statement in writer.dropSearch(of: table) { try connection.change(statement) }
    }
  }

  private func constantDefault(of column: TableDefinition.Column, _ table: TableDefinition) throws -> Value? {
    do {
      return try column.constantDefault()
    } catch let failure as ValueFailure {
      throw StoreError(failure, model: table.model, property: column.property)
    }
  }

  /// Sets the column to its default in every row without a value; a computed default is computed for each row.
  private func fill(_ column: TableDefinition.Column, of table: TableDefinition) throws {
    guard let defaultValue = column.defaultValue, let state = try TableState.read(table.name, from: connection) else {
      return
    }
    let name = Quoting.name(table.name)
    let quoted = Quoting.name(column.name)
    do {
      guard column.isDefaultComputed, let number = state.rowNumber else {
        let value = try defaultValue()
        if value.isNull { return }
        return try connection.change("UPDATE \(name) SET \(quoted) = ?1 WHERE \(quoted) IS NULL", [value])
      }
      for row in try connection.query("SELECT \(number) AS number FROM \(name) WHERE \(quoted) IS NULL") {
        try connection.change(
          "UPDATE \(name) SET \(quoted) = ?1 WHERE \(number) = ?2", [try defaultValue(), row["number"] ?? .null])
      }
    } catch let failure as ValueFailure {
      throw StoreError(failure, model: table.model, property: column.property)
    }
  }

  private func clear(_ reference: TableReference, of table: TableDefinition) throws {
    let (name, column) = (Quoting.name(table.name), Quoting.name(reference.column))
    // The target's column comes first: its collation decides, as in a foreign key.
    let dangling = """
      \(column) IS NOT NULL AND NOT EXISTS \
      (SELECT 1 FROM \(Quoting.name(reference.table)) AS target WHERE target.\(Quoting.name(reference.key)) = \(name).\(column))
      """
    guard try !connection.query("SELECT 1 FROM \(name) WHERE \(dangling) LIMIT 1").isEmpty else { return }
    try backUp()
    try connection.change("UPDATE \(name) SET \(column) = NULL WHERE \(dangling)")
  }

  /// Recreates the table with the model's rules and copies the rows. Source:
  /// <https://www.sqlite.org/lang_altertable.html#otheralter>.
  private func rebuild(_ table: TableDefinition, releasing released: [String]) throws {
    guard let state = try TableState.read(table.name, from: connection) else { return }
    let temporary = "\(ReservedNames.prefix)new_\(table.name)"
    let others = state.columns.filter {
      table.column($0.name) == nil && $0.name != ReservedNames.rowID && !$0.isGenerated
    }
    let dependents = try connection.query(
      "SELECT sql FROM sqlite_master WHERE lower(tbl_name) = lower(?) AND type IN ('index', 'trigger') AND sql IS NOT NULL",
      [.text(table.name)])
    var target = (table.columns.map(\.name) + others.map(\.name)).map(Quoting.name)
    var source = target
    if !table.isKeyRowID, let number = state.rowNumber {
      target.insert(Quoting.name(ReservedNames.rowID), at: 0)
      source.insert(number, at: 0)
    }
    let references = try connection.query("PRAGMA foreign_key_list(\(Quoting.name(state.name)))").filter { row in
      row["from"]?.text.map { name in !released.contains { $0.isSameColumn(as: name) } } ?? false
    }
    try connection.change(writer.createTable(table, named: temporary, keeping: others, references))
    try connection.change(
      "INSERT INTO \(Quoting.name(temporary)) (\(target.joined(separator: ", "))) SELECT \(source.joined(separator: ", ")) FROM \(Quoting.name(state.name))"
    )
    try connection.change("DROP TABLE \(Quoting.name(state.name))")
    // Views and triggers of other tables refer to the table that is missing for a moment; only legacy renaming ignores
    // them.
    try connection.change("PRAGMA legacy_alter_table = ON")
    defer { try? connection.change("PRAGMA legacy_alter_table = OFF") }
    try connection.change("ALTER TABLE \(Quoting.name(temporary)) RENAME TO \(Quoting.name(table.name))")
    for row in dependents {
      if let sql = row["sql"]?.text { try connection.change(sql) }
    }
  }
}
