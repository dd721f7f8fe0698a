/// The four kinds of value that a column of a STRICT table can hold.
///
/// Source: <https://www.sqlite.org/datatype3.html> and <https://www.sqlite.org/stricttables.html>.
public enum StorageClass: String, Sendable, Hashable, Codable {
  /// A 64-bit signed integer.
  case integer = "INTEGER"
  /// A 64-bit floating-point number.
  case real = "REAL"
  /// Text in UTF-8.
  case text = "TEXT"
  /// Bytes, kept as they are.
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
