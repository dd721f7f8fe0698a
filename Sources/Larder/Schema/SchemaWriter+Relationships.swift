extension SchemaWriter {
  /// Returns the join table of a many-to-many relationship. Pairs are deleted with either side.
  func createPairs(_ pairs: PairsTable) -> [String] {
    let name = Quoting.name(pairs.name)
    func column(_ name: String, _ side: PairsTable.Side) -> String {
      "\(name) \(side.type.rawValue) NOT NULL REFERENCES \(Quoting.name(side.table)) (\(Quoting.name(side.key))) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED"
    }
    let columns = [
      column(PairsTable.source, pairs.source), column(PairsTable.target, pairs.target),
      "\(PairsTable.position) INTEGER",
      "\(PairsTable.inversePosition) INTEGER", "PRIMARY KEY (\(PairsTable.source), \(PairsTable.target))",
    ]
    return [
      "CREATE TABLE \(name) (\n  \(columns.joined(separator: ",\n  "))\n) STRICT, WITHOUT ROWID",
      "CREATE INDEX \(Quoting.name("\(pairs.name)_\(PairsTable.target)_index")) ON \(name) (\(PairsTable.target))",
    ]
  }

  /// Returns SQL that adds the column of the order, and orders existing rows by key.
  func addPosition(of reference: String, to table: TableDefinition) -> [String] {
    let name = Quoting.name(table.name)
    let position = Quoting.name(ReservedNames.position(of: reference))
    let number = Quoting.name(table.rowIDColumn)
    let rank = "row_number() OVER (PARTITION BY \(Quoting.name(reference)) ORDER BY \(number))"
    return [
      "ALTER TABLE \(name) ADD COLUMN \(position) INTEGER",
      "UPDATE \(name) SET \(position) = ranked.rank FROM (SELECT \(number) AS number, \(rank) AS rank FROM \(name)) AS ranked WHERE \(name).\(number) = ranked.number",
    ]
  }

  /// Returns the triggers that give a new row the last position among those of its owner.
  func orderTriggers(_ table: TableDefinition) -> [SchemaTrigger] {
    table.references.filter(\.isOrdered).flatMap { reference -> [SchemaTrigger] in
      let name = Quoting.name(table.name)
      let column = Quoting.name(reference.column)
      let position = Quoting.name(ReservedNames.position(of: reference.column))
      let number = Quoting.name(table.rowIDColumn)
      let last = "(SELECT \(SchemaTrigger.next(after: position)) FROM \(name) WHERE \(column) = new.\(column))"
      let move = "UPDATE \(name) SET \(position) = \(last) WHERE \(number) = new.\(number)"
      let start = SchemaTrigger.prefix("order", table.name, reference.column)
      return [
        SchemaTrigger(
          "\(start)insert", "AFTER INSERT", on: table.name,
          when: "new.\(position) IS NULL AND new.\(column) IS NOT NULL", [move]),
        SchemaTrigger(
          "\(start)update", "AFTER UPDATE OF \(column)", on: table.name,
          // A row that leaves keeps its position, so that it isn't changed once more with each deletion of its target.
          when: "old.\(column) IS NOT new.\(column) AND new.\(column) IS NOT NULL",
          ["UPDATE \(name) SET \(position) = NULL WHERE \(number) = new.\(number)", move]),
      ]
    }
  }

  /// Returns the triggers that give a new pair the last position on each ordered side.
  func orderTriggers(_ pairs: PairsTable) -> [SchemaTrigger] {
    let name = Quoting.name(pairs.name)
    func place(_ position: String, _ own: String, _ isOrdered: Bool) -> String? {
      guard isOrdered else { return nil }
      let last = "(SELECT \(SchemaTrigger.next(after: position)) FROM \(name) WHERE \(own) = new.\(own))"
      return
        "UPDATE \(name) SET \(position) = \(last) WHERE \(PairsTable.source) = new.\(PairsTable.source) AND \(PairsTable.target) = new.\(PairsTable.target) AND \(position) IS NULL"
    }
    let statements = [
      place(PairsTable.position, PairsTable.source, pairs.source.isOrdered),
      place(PairsTable.inversePosition, PairsTable.target, pairs.target.isOrdered),
    ].compactMap { $0 }
    return statements.isEmpty
      ? []
      : [
        SchemaTrigger(SchemaTrigger.prefix("order", pairs.name) + "insert", "AFTER INSERT", on: pairs.name, statements)
      ]
  }
}
