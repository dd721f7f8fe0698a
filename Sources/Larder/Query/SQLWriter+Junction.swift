extension SQLWriter {
  /// The number of conditions joined in a row: SQLite nests each one deeper than the one before, and limits the depth
  /// to a thousand.
  private static let width = 50
  /// The number of conditions joined by AND that SQLite may take apart. It passes them on to the parts of a view one by
  /// one, each nested deeper than the one before.
  private static let separableCount = 500

  mutating func write(_ junction: Junction) throws {
    let conditions = junction.conditions
    try write(conditions[...], junction.op, isSeparable: conditions.count <= Self.separableCount)
  }

  private mutating func write(
    _ conditions: ArraySlice<SQLNode>, _ op: BinaryOperator, isSeparable: Bool
  ) throws {
    let size = (conditions.count + Self.width - 1) / Self.width
    write("(")
    for start in stride(from: conditions.startIndex, to: conditions.endIndex, by: size) {
      if start > conditions.startIndex { write(" \(op.rawValue) ") }
      let end = min(start + size, conditions.endIndex)
      if end - start == 1 {
        try write(conditions[start])
      } else {
        // SQLite doesn't look into the operand of a unary plus, which has its value.
        if !isSeparable { write("+") }
        try write(conditions[start..<end], op, isSeparable: isSeparable)
      }
    }
    write(")")
  }
}
