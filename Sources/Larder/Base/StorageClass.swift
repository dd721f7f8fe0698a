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

/// The order of a column's values, which may differ from the order of the stored bytes.
public enum ValueOrder: String, Sendable, Hashable, Codable {
  /// The order of the stored value: numbers by size, text and blobs by their bytes.
  case stored
  /// Decimal numbers stored as text, compared exactly.
  case decimal
  /// Dates stored as ISO 8601 text, compared chronologically.
  case instant
}
