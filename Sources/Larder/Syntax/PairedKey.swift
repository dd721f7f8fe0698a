/// A key and its owner's key in a join table.
struct PairedKey: Sendable, Hashable {
  let table: String
  /// The column of the owner's key.
  let own: String
  /// The column of the key.
  let other: String
  let owner: SQLNode
  let key: SQLNode

  func replacing(_ replace: (SQLNode) throws -> SQLNode) rethrows -> PairedKey {
    PairedKey(table: table, own: own, other: other, owner: try replace(owner), key: try replace(key))
  }
}
