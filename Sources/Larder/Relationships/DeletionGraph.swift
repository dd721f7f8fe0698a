/// How far deletions reach by the delete rules of a store's models.
struct DeletionGraph: Sendable {
  /// The tables whose deleted rows may take other rows of the same table along.
  let cascadesToItself: Set<String>
  /// The tables whose deleted rows may take along rows of which one denies that another is deleted. Which of them SQLite deletes first is not to
  /// decide: the rule is judged when all are gone.
  private let deniesOthers: Set<String>
  /// The tables whose rows deny that others of the same table are deleted.
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

  /// Whether rows of the table are deleted before it is asked what denies it.
  ///
  /// - Parameter isOneRow: Whether one row is deleted, apart from those that delete rules delete.
  func defersDenials(of table: String, isOneRow: Bool) -> Bool {
    deniesOthers.contains(table) || (!isOneRow && deniesItself.contains(table))
  }
}
