import Larder

extension TrackingTriggers {
  /// The condition that an expired row that a reference keeps was marked so.
  func isMarked(_ column: String) -> String {
    "coalesce(new.\(column.quotedName) IN (\(ModuleTable.expiryMarks.joined(separator: ", "))), 0)"
  }

  /// The date stays in the state when an expired row is marked because a reference keeps it.
  var marking: String? {
    guard let property = table.registers.first(where: { $0.column.name == table.description.expiryColumn }),
      !table.isCollection
    else {
      return nil
    }
    let column = property.column.name
    let wasMarked = isMarked(column).replacing("new.", with: "old.")
    return trigger(
      "mark", "UPDATE OF \(column.quotedName)", when: "\(isMarked(column)) AND NOT \(wasMarked)",
      [
        """
        INSERT INTO \(SyncTables.cells) (row, property, length, time, replica, held, value)
          SELECT id, \(property.id), length - 1 + length % 2, \(property.insertionTime), replica, 3, old.\(column.quotedName)
          FROM \(SyncTables.rows) WHERE \(isRow("new"))
          ON CONFLICT (row, property) DO UPDATE SET held = 3, value = excluded.value WHERE held <> 3
        """
      ])
  }
}
