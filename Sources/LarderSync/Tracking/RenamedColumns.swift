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
          Self.isSame(known.name, column.name) && known.originalName.map { Self.isSame($0, original) } == true
        })
      else { continue }
      names[source] = column.name
    }
    displaced = Set(
      columns.filter { column in names[column] == nil && names.values.contains { Self.isSame($0, column) } })
  }

  /// Returns the column that had the name, also if it has got another one since then that the model no longer has; nil if
  /// there is none.
  private static func source(
    of column: ModuleTable.Column, _ original: String, _ columns: [String], _ former: ModuleTable, _ table: ModuleTable
  ) -> String? {
    if !isSame(original, column.name), let source = columns.first(where: { isSame($0, original) }) { return source }
    if columns.contains(where: { isSame($0, column.name) }) { return nil }
    return columns.first { name in
      !table.columns.contains { isSame($0.name, name) }
        && former.columns.contains { known in
          isSame(known.name, name) && known.originalName.map { isSame($0, original) } == true
        }
    }
  }

  /// Whether SQLite takes two names for the same column.
  private static func isSame(_ name: String, _ other: String) -> Bool {
    func folded(_ name: String) -> [UInt8] { name.utf8.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 } }
    return folded(name) == folded(other)
  }
}
