import Foundation

/// A model whose rows can expire, declared with `@Model(expires: true)`.
///
/// ```swift
/// @Model(expires: true)
/// struct Session {
///   var id: UUID = .v7()
///   var user: String
/// }
///
/// try await store.save(session, expires: .now + 3600)
/// ```
///
/// Once a row expires, no method, live result, relationship or SQL query returns it, and its key and unique values are
/// available again. It is deleted soon afterwards, with the delete rules of the rows that refer to it, unless the clock
/// has only just jumped to that time.
public protocol ExpiringModel: Model {}

/// The column with the date of expiry, and the SQL that excludes expired rows.
enum Expiry {
  /// The name of the column: seconds since the reference date; NULL for a row that doesn't expire.
  static let column = ReservedNames.expires

  /// The value of an expired row that a reference keeps. It sorts before all others, so the row isn't found among those
  /// to delete.
  static let kept = -Double.infinity

  /// The value of such a row once the reference may have gone.
  static let released = -Double.greatestFiniteMagnitude

  static func index(of table: String) -> String { "\(ReservedNames.prefix)expires_\(table)" }

  /// Returns the condition that the row has not expired.
  static func isThere(_ row: String? = nil) -> String {
    let name = row.map { "\($0).\(column)" } ?? column
    return "(\(name) IS NULL OR \(name) > larder_now())"
  }

  /// The condition that the row has expired.
  static let isOver = "\(column) <= larder_now()"

  /// Returns the name of the view of rows that have not expired, regardless of a context's view of the table.
  static func view(of table: String) -> String { "\(ReservedNames.prefix)unexpired_\(table)" }

  /// Returns the stored form of a date. Throws `.invalidValue` for a date that isn't finite.
  static func stored(_ date: Date?, of model: String) throws -> Value {
    guard let date else { return .null }
    let seconds = date.timeIntervalSinceReferenceDate
    guard seconds.isFinite else {
      throw StoreError(
        .invalidValue, model: model,
        "A row of \(model) cannot expire at a date that is no point in time. Give a finite date, or nil.")
    }
    return .real(seconds)
  }
}
