/// An option of `@Attribute` for a property's column.
public struct AttributeOption: Sendable, Hashable {
  enum Kind: Sendable, Hashable { case primaryKey, unique, indexed, searchable, iso8601, counter }
  let kind: Kind

  /// The property is the key, or one part of a composite key.
  public static let primaryKey = AttributeOption(kind: .primaryKey)
  /// No two rows have the same value; NULLs aren't equal. The column is indexed.
  public static let unique = AttributeOption(kind: .unique)
  /// The column has its own index.
  public static let indexed = AttributeOption(kind: .indexed)
  /// The text is part of the model's full-text index.
  public static let searchable = AttributeOption(kind: .searchable)
  /// The date is stored as ISO 8601 text instead of a number of seconds.
  public static let iso8601 = AttributeOption(kind: .iso8601)
  /// The integer counts: replicas that sync, and contexts that save, add up what each has added, and no value replaces
  /// another.
  ///
  /// Additions with `increment(by:)` in `updateAll` are exact. A row that a context writes whole adds the difference
  /// from what the context has read; if it has read several values, see ``MergePolicy/error``.
  public static let counter = AttributeOption(kind: .counter)
}
