/// What saving a context does with rows that another connection changed since the context first read them.
///
/// A row is in conflict if it was changed on both sides, deleted on one side and changed on the other, or inserted on
/// both. It isn't if both sides gave it the same values.
///
/// What two sides have added to a counter is never in conflict: under every policy, the store's value and what the
/// context has added are added up, within the range of its type.
public enum MergePolicy: Sendable, Hashable, CaseIterable {
  /// Throws ``StoreError`` `.conflict`, and saves nothing. The default.
  ///
  /// A context with this policy also refuses a row that is written whole if it knows several values of a counter: it
  /// can't tell from which of them the row was made, and so what to add.
  case error
  /// Merges by property: changes in the store win, and other changes of the context are written. Rows that were deleted
  /// in the store stay deleted, and rows that were changed there aren't deleted.
  case preferStore
  /// Merges by property: changes of the context win, and other changes in the store stay. Rows that the context changed
  /// are inserted again if necessary, and rows that it deleted are deleted.
  case preferContext
  /// The context's row replaces the store's row.
  case overwrite
  /// The store's row stays unchanged, and the context's changes to it are discarded.
  case rollback
}
