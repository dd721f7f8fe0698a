extension DerivedColumn {
  /// Whether the values that the column is computed from are those of the other one.
  func isDerived(from other: DerivedColumn) -> Bool {
    value == other.column && rowsTable == other.table
  }
}

extension [DerivedColumn] {
  /// The columns, each after those that it is derived from.
  var inOrderOfDerivation: [DerivedColumn] {
    guard contains(where: { $0.isOfDerived == true }) else { return self }
    var seen: Set<DerivedColumn> = []
    var order: [DerivedColumn] = []
    func visit(_ column: DerivedColumn) {
      guard seen.insert(column).inserted else { return }
      for source in self where column.isDerived(from: source) { visit(source) }
      order.append(column)
    }
    for column in self { visit(column) }
    return order
  }
}
