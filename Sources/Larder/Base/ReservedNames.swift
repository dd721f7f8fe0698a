/// The names that Larder reserves in a file.
enum ReservedNames {
  /// The prefix of Larder's own tables, indexes, views and triggers.
  static let prefix = "_larder_"

  /// The hidden column that keeps the row ID stable if the key isn't an integer.
  static let rowID = "_rowid"

  /// The hidden column with the date of expiry: seconds since the reference date; NULL for a row that doesn't expire.
  static let expires = "_expires"

  /// Returns the hidden column with the position of a row among those that refer to the same row by the column.
  static func position(of reference: String) -> String { "_\(reference)_position" }

  /// The comment in Larder's temporary views that have the name of a table.
  static let viewMark = "/*larder*/"

  /// Returns whether the table, index, view or trigger is Larder's or SQLite's own.
  static func isOwn(_ name: String) -> Bool { name.hasPrefix(prefix) || name.hasPrefix("sqlite_") }

  /// Returns whether a model's table may not have the name.
  static func isReserved(table: String) -> Bool {
    [prefix, "sqlite_"].contains(where: table.asciiLowercased.hasPrefix)
  }
}
