/// The four kinds of value that a column of a STRICT table can hold.
///
/// Source: <https://www.sqlite.org/datatype3.html> and <https://www.sqlite.org/stricttables.html>.
public enum StorageClass: String, Sendable, Hashable, Codable {
  case integer = "INTEGER"
  case real = "REAL"
  case text = "TEXT"
  case blob = "BLOB"
}

/// How two values of a column are put in order, where the order of the stored bytes is not the order of the values.
public enum ValueOrder: String, Sendable, Hashable, Codable {
  /// The order of the stored value itself: numbers by size, text and blobs by their bytes.
  case stored
  /// Decimal numbers kept as text, compared exactly.
  case decimal
  /// Points in time kept as ISO 8601 text, compared as instants.
  case instant
}
