extension SQLWriter {
  /// The number of conditions joined in a row: SQLite nests each one deeper than the one before, and limits the depth
  /// to a thousand.
  private static let width = 50

  mutating func write(_ junction: Junction) throws {
    try write(junction.conditions[...], junction.op)
  }

  private mutating func write(_ conditions: ArraySlice<SQLNode>, _ op: BinaryOperator) throws {
    let size = (conditions.count + Self.width - 1) / Self.width
    write("(")
    for start in stride(from: conditions.startIndex, to: conditions.endIndex, by: size) {
      if start > conditions.startIndex { write(" \(op.rawValue) ") }
      let end = min(start + size, conditions.endIndex)
      if end - start == 1 { try write(conditions[start]) } else { try write(conditions[start..<end], op) }
    }
    write(")")
  }
}
