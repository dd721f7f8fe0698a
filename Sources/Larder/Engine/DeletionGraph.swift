/// The tables that the delete rules of a store's models can reach.
struct DeletionGraph: Sendable {
  /// The tables whose deleted rows may delete other rows of the same table.
  let cascadesToItself: Set<String>
  /// The tables whose deletions may lead through any number of rows, one behind another.
  private let deep: Set<String>
  /// The tables whose deletions may cascade to rows of which one denies the deletion of another. Because SQLite's order
  /// of deletion is undefined, the rule is checked when all are deleted.
  private let deniesOthers: Set<String>
  /// The tables whose rows deny the deletion of others in the same table.
  private let deniesItself: Set<String>

  init(_ tables: [TableDefinition]) {
    var cascades: [String: Set<String>] = [:]
    var denials: [String: Set<String>] = [:]
    for table in tables {
      for reference in table.references {
        if reference.rule == .cascade { cascades[reference.table, default: []].insert(table.name) }
        if reference.rule == .deny { denials[reference.table, default: []].insert(table.name) }
      }
    }
    let reached = Self.reached(by: cascades, from: tables.map(\.name))
    let toItself = Set(reached.filter { $0.value.contains($0.key) }.keys)
    cascadesToItself = toItself
    deep = Set(reached.filter { !$0.value.union([$0.key]).isDisjoint(with: toItself) }.keys)
    deniesOthers = Set(
      reached.filter { table, reached in
        let deleted = reached.union([table])
        return !reached.isEmpty && deleted.contains { !deleted.isDisjoint(with: denials[$0] ?? []) }
      }.keys)
    deniesItself = Set(tables.lazy.map(\.name).filter { denials[$0]?.contains($0) == true })
  }

  /// Returns for each table those whose rows its deleted rows may delete.
  ///
  /// - Parameter cascades: For each table those with references to it that delete their row.
  static func reached(by cascades: [String: Set<String>], from tables: [String]) -> [String: Set<String>] {
    var all: [String: Set<String>] = [:]
    for table in tables {
      var reached: Set<String> = []
      var waiting = cascades[table] ?? []
      while let next = waiting.popFirst() {
        guard reached.insert(next).inserted else { continue }
        waiting.formUnion(cascades[next] ?? [])
      }
      all[table] = reached
    }
    return all
  }

  /// Returns whether rows of the table are deleted before denials are checked.
  ///
  /// - Parameter isOneRow: Whether one row is deleted, not counting those that delete rules delete.
  func defersDenials(of table: String, isOneRow: Bool) -> Bool {
    deniesOthers.contains(table) || (!isOneRow && deniesItself.contains(table))
  }

  /// Returns whether deletions in the table may lead through any number of rows, one behind another.
  func isDeep(_ table: String) -> Bool { deep.contains(table) }

  /// Whether the deletions in some table may lead through any number of rows.
  var hasDeepTables: Bool { !deep.isEmpty }
}
