/// A row of any table.
struct RowKey: Sendable, Comparable {
  let table: String
  let key: [ReplicatedValue]

  static func < (left: RowKey, right: RowKey) -> Bool {
    if left.table != right.table { return left.table < right.table }
    for (left, right) in zip(left.key, right.key) where left != right { return left < right }
    return left.key.count < right.key.count
  }
}

extension RowKey: Hashable {
  static func == (left: RowKey, right: RowKey) -> Bool {
    left.key == right.key && ExactName(left.table) == ExactName(right.table)
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(ExactName(table))
    hasher.combine(key)
  }
}

extension RowState {
  /// The row that has the state.
  var rowKey: RowKey { RowKey(table: table, key: key) }
}
