import Larder

/// The columns of a tracked table that get the names of others: names can be swapped and reused.
///
/// It decides as the migration of the table does: a rename is done once, and the model's description says which were done.
struct RenamedColumns {
  /// The new names by the former ones.
  private(set) var names: [String: String] = [:]
  /// The columns whose names are taken by others. Their properties have no column any longer.
  private(set) var displaced: Set<String> = []

  /// - Parameters:
  ///   - former: The table as it was described; nil if it is new.
  ///   - columns: The names of the columns with properties.
  ///   - table: The table as the model describes it.
  init(from former: ModuleTable?, columns: [String], to table: ModuleTable) {
    guard let former else { return }
    for column in table.columns {
      guard let original = column.originalName,
        let source = Self.source(of: column, original, columns, former, table), names[source] == nil,
        !former.columns.contains(where: { known in
          known.name.isSameColumn(as: column.name) && known.originalName?.isSameColumn(as: original) == true
        })
      else { continue }
      names[source] = column.name
    }
    let others = columns.filter { names[$0] == nil }
    let taken = others.filter { names.values.contains(where: $0.isSameColumn(as:)) }
    // With a reference goes the order of the rows that have it.
    let positions = taken.map(ModuleTable.positionColumn(of:))
    displaced = Set(taken + others.filter { positions.contains(where: $0.isSameColumn(as:)) })
  }

  /// Returns the column that had the name, also if it has got another one since then that the model no longer has; nil if
  /// there is none.
  private static func source(
    of column: ModuleTable.Column, _ original: String, _ columns: [String], _ former: ModuleTable, _ table: ModuleTable
  ) -> String? {
    let isOther = !original.isSameColumn(as: column.name)
    if isOther, let source = columns.first(where: original.isSameColumn(as:)) { return source }
    if columns.contains(where: column.name.isSameColumn(as:)) { return nil }
    return columns.first { name in
      !table.columns.contains { $0.name.isSameColumn(as: name) }
        && former.columns.contains { known in
          known.name.isSameColumn(as: name) && known.originalName?.isSameColumn(as: original) == true
        }
    }
  }
}
