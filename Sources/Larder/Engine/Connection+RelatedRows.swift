extension Connection: RelatedRowReader {
  func pairs(
    of keys: [SQLNode]?, table: String, own: String, other: String, isOrdered: Bool
  ) throws -> [(own: Value, other: Value)] {
    var writer = environment.makeWriter()
    writer.write("SELECT \(own), \(other) FROM \(Quoting.name(table))")
    if let keys {
      writer.write(" WHERE ")
      try writer.write(
        .isIn(.column(ColumnReference(table: table, name: own, type: ColumnType(storageClass: .blob))), keys, .stored))
    }
    if isOrdered {
      writer.write(" ORDER BY \(own == PairsTable.source ? PairsTable.position : PairsTable.inversePosition)")
    }
    return try using(writer, nil) { statement in
      var pairs: [(own: Value, other: Value)] = []
      while try step(statement, nil) {
        pairs.append((StoredColumn(statement.pointer, 0).value, StoredColumn(statement.pointer, 1).value))
      }
      return pairs
    }
  }
}
