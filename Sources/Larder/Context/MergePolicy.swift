/// What ``Context/save()`` does with rows that somebody else changed since they were first read in the context.
///
/// A row is in conflict where it was changed here and there, deleted on one side and changed on the other, or inserted on both. Rows that were
/// given the same values on both sides are not.
public enum MergePolicy: Sendable, Hashable, CaseIterable {
  /// Throws ``StoreError`` `.conflict`, and saves nothing. The default.
  case error
  /// Property by property: what the store changed stays, and what only the context changed is written. Rows that the store deleted stay deleted,
  /// and rows that it changed are not deleted.
  case preferStore
  /// Property by property: what the context changed is written, and what only the store changed stays. Rows that the context changed are there
  /// afterwards, and rows that it deleted are not.
  case preferContext
  /// The context's row is written whole.
  case overwrite
  /// The store's row stays whole, and the context's changes to it are dropped.
  case rollback
}
