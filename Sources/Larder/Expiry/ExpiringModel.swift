import Foundation

/// A model whose rows can expire. `@Model(expires: true)` makes one.
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
/// A row whose time has come is returned by no verb, query, aggregate, live result, relationship or SQL, from that very moment on. It is deleted soon
/// afterwards, by the delete rules of what refers to it, unless the clock has only just leapt there. Its key and its unique values are free at once.
public protocol ExpiringModel: Model {}

/// The column that says when a row expires, and the SQL that leaves out rows whose time has come.
enum Expiry {
  /// Seconds since the reference date; NULL for a row that stays.
  static let column = "_expires"

  /// The end of a row that has expired and that a reference keeps: before all others, so that nobody looks for it among those to delete.
  static let kept = -Double.infinity

  /// The end of such a row once the reference may have gone.
  static let released = -Double.greatestFiniteMagnitude

  static func index(of table: String) -> String { "_larder_expires_\(table)" }

  /// The condition that the row's time has not come.
  static func isThere(_ row: String? = nil) -> String {
    let name = row.map { "\($0).\(column)" } ?? column
    return "(\(name) IS NULL OR \(name) > larder_now())"
  }

  /// The condition that the row's time has come.
  static let isOver = "\(column) <= larder_now()"

  /// The view of the rows that are there, whatever else shadows the table.
  static func view(of table: String) -> String { "_larder_unexpired_\(table)" }

  /// What the column holds of a date. Throws `.invalidValue` for one that is no point in time.
  static func stored(_ date: Date?, of model: String) throws -> Value {
    guard let date else { return .null }
    let seconds = date.timeIntervalSinceReferenceDate
    guard seconds.isFinite else {
      throw StoreError(.invalidValue, model: model, "A row of \(model) cannot expire at a date that is no point in time. Give a finite date, or nil.")
    }
    return .real(seconds)
  }
}
