/// How far an import is.
struct ImportProgress: Encodable, Equatable, Sendable {
  let done: Int
  let total: Int
  let refused: Int
  /// The number of costs that are left out because the ledger already has them.
  let skipped: Int
  /// Whether all of it is in the file for good.
  let isSaved: Bool
}
