extension SchemaPlanner {
  /// Returns why the table has to be rebuilt to have the model's foreign keys.
  func changedReferences(of state: TableState, _ table: TableDefinition, added: Set<String>) throws -> [String] {
    let current = try connection.query("PRAGMA foreign_key_list(\(Quoting.name(state.name)))")
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
        if !old.table.isSameColumn(as: new.table) || !old.key.isSameColumn(as: new.key) {
          return "\(column.name) refers to \(new.table)"
        }
        return old.rule == new.rule.sql ? nil : "the delete rule of \(column.name) becomes \(new.rule.sql)"
      }
    }
  }

  /// Returns why the table has to be rebuilt to remove the rule of a removed property. A foreign key that Larder didn't
  /// create stays.
  func formerReferences(
    of state: TableState, _ table: TableDefinition, _ opening: [SchemaStep], _ entry: Catalogue.Entry?
  ) throws -> [(column: String, reason: String)] {
    guard let entry else { return [] }
    let former = entry.columnNames + entry.retired
    return try connection.query("PRAGMA foreign_key_list(\(Quoting.name(state.name)))").compactMap { row in
      guard let stored = row["from"]?.text,
        let column = state.columns.first(where: { $0.storedName?.isSameColumn(as: stored) == true })
      else {
        return nil
      }
      let name = opening.formerName(of: column.name, in: table)
      guard table.column(column.name) == nil, former.contains(where: name.isSameColumn(as:)) else { return nil }
      return (column.name, "\(column.name), which has left the model, refers to \(row["table"]?.text ?? "") no longer")
    }
  }

  /// Returns the optional references whose property was removed and is back.
  ///
  /// A column that referred to another table, or was no reference, is none of them: its values mean something else.
  func returnedReferences(
    of table: TableDefinition, _ opening: [SchemaStep], _ entry: Catalogue.Entry?
  ) -> [TableReference] {
    guard let entry, !entry.retired.isEmpty else { return [] }
    return table.references.filter { reference in
      let former = opening.formerName(of: reference.column, in: table)
      return reference.isOptional && entry.retired.contains(where: former.isSameColumn(as:))
        && entry.referencedTable(of: former)?.isSameColumn(as: reference.table) == true
    }
  }

  /// Returns missing and obsolete triggers, and the columns to compute because their triggers are new.
  func triggers() throws -> [SchemaStep] {
    let writer = SchemaWriter()
    let rows = try connection.query("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
    var present: [String: String] = [:]
    for row in rows {
      if let name = row["name"]?.text, SchemaTrigger.prefixes.contains(where: name.hasPrefix) {
        present[name] = row["sql"]?.text
      }
    }
    let order =
      tables.flatMap { writer.orderTriggers($0) } + tables.flatMap(\.pairs).flatMap { writer.orderTriggers($0) }
    let derived = tables.flatMap(\.derived).inOrderOfDerivation.map { (column: $0, triggers: $0.triggers) }
    let wanted = order + derived.flatMap(\.triggers)
    let others = try othersTriggers()
    let obsolete = present.filter { name, sql in
      !wanted.contains { $0.name == name && $0.sql == sql }
        && (wanted.contains { $0.name == name } || !others.contains(where: name.hasPrefix))
    }.keys.sorted()
    let missing = wanted.filter { present[$0.name] != $0.sql }
    return obsolete.map { .dropTrigger($0) } + missing.map { .createTrigger($0) }
      + derived.filter { entry in entry.triggers.contains { present[$0.name] != $0.sql } }.map { .derive($0.column) }
  }

  /// The prefixes of triggers that belong to models of other programs.
  private func othersTriggers() throws -> [String] {
    guard hasCatalogue else { return [] }
    let own = Set(tables.map(\.name.asciiLowercased))
    return try Catalogue.tables(in: connection).filter { !own.contains($0.asciiLowercased) }.flatMap {
      name -> [String] in
      guard let entry = try Catalogue.entry(of: name, in: connection) else { return [] }
      return (entry.derived ?? []).map { SchemaTrigger.prefix("derived", $0.table, $0.column) }
        + (entry.references ?? []).map { SchemaTrigger.prefix("order", name, $0.column) }
        + (entry.pairs ?? []).map { SchemaTrigger.prefix("order", $0.name) }
    }
  }
}
