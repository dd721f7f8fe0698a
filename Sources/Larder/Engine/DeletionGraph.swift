/// The tables that the delete rules of a store's models can reach.
struct DeletionGraph: Sendable {
  /// The tables whose deleted rows may delete other rows of the same table.
  let cascadesToItself: Set<String>
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
    var toItself: Set<String> = []
    var others: Set<String> = []
    for table in tables {
      var reached: Set<String> = []
      var waiting = cascades[table.name] ?? []
      while let next = waiting.popFirst() {
        guard reached.insert(next).inserted else { continue }
        waiting.formUnion(cascades[next] ?? [])
      }
      if reached.contains(table.name) { toItself.insert(table.name) }
      let deleted = reached.union([table.name])
      let isDenied = deleted.contains { !deleted.isDisjoint(with: denials[$0] ?? []) }
      if !reached.isEmpty, isDenied { others.insert(table.name) }
    }
    cascadesToItself = toItself
    deniesOthers = others
    deniesItself = Set(tables.lazy.map(\.name).filter { denials[$0]?.contains($0) == true })
  }

  /// Returns whether rows of the table are deleted before denials are checked.
  ///
  /// - Parameter isOneRow: Whether one row is deleted, not counting those that delete rules delete.
  func defersDenials(of table: String, isOneRow: Bool) -> Bool {
    deniesOthers.contains(table) || (!isOneRow && deniesItself.contains(table))
  }
}
