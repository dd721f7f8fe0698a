extension SchemaPlanner {
  /// Why the table has to be rebuilt so that its foreign keys are those of the model.
  func changedReferences(of state: TableState, _ table: TableDefinition, added: Set<String>) throws -> [String] {
    let dialect = Dialect.sqlite
    let current = try connection.query("PRAGMA foreign_key_list(\(dialect.quote(state.name)))")
    func rule(of name: String) -> (table: String, key: String, rule: String)? {
      guard let row = current.first(where: { $0["from"]?.text?.isSameColumn(as: name) == true }) else { return nil }
      return (row["table"]?.text ?? "", row["to"]?.text ?? "", row["on_delete"]?.text ?? "")
    }
    return table.columns.compactMap { column in
      guard !added.contains(column.name), let stored = state.column(column.name)?.storedName else { return nil }
      switch (table.reference(of: column.name), rule(of: stored)) {
      case (nil, nil): return nil
      case (nil, let old?): return "\(column.name) refers to \(old.table) no longer"
      case (let new?, nil): return "\(column.name) refers to \(new.table)"
      case (let new?, let old?):
        if !old.table.isSameColumn(as: new.table) || !old.key.isSameColumn(as: new.key) { return "\(column.name) refers to \(new.table)" }
        return old.rule == new.rule.sql ? nil : "the delete rule of \(column.name) becomes \(new.rule.sql)"
      }
    }
  }

  /// Triggers that are missing or no longer asked for, and the columns that have to be computed because theirs are new.
  func triggers() throws -> [SchemaStep] {
    let writer = SchemaWriter()
    let rows = try connection.query("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
    var present: [String: String] = [:]
    for row in rows {
      if let name = row["name"]?.text, SchemaTrigger.prefixes.contains(where: name.hasPrefix) { present[name] = row["sql"]?.text }
    }
    let order = tables.flatMap { writer.orderTriggers($0) } + tables.flatMap(\.pairs).flatMap { writer.orderTriggers($0) }
    let derived = tables.flatMap(\.derived).map { (column: $0, triggers: $0.triggers(writer.dialect)) }
    let wanted = order + derived.flatMap(\.triggers)
    let obsolete = present.filter { name, sql in !wanted.contains { $0.name == name && $0.sql == sql } }.keys.sorted()
    let missing = wanted.filter { present[$0.name] != $0.sql }
    return obsolete.map { .dropTrigger($0) } + missing.map { .createTrigger($0) }
      + derived.filter { entry in entry.triggers.contains { present[$0.name] != $0.sql } }.map { .derive($0.column) }
  }
}
