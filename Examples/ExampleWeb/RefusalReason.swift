/// Why a request was refused, in the form that most pages read.
public struct RefusalReason: Encodable, Sendable {
  private let message: String
  private let fields: [String: String]

  /// Creates a reason.
  ///
  /// - Parameters:
  ///   - message: What the page tells its user.
  ///   - fields: What is wrong with single fields, by their names.
  public init(_ message: String, fields: [String: String] = [:]) {
    self.message = message
    self.fields = fields
  }

  /// Creates the reason for a form with fields that break rules.
  ///
  /// - Parameter fields: What is wrong with each field.
  public init<Field: RawRepresentable<String>>(fields: [Field: String]) {
    let named = fields.map { field, message in (field.rawValue, message) }
    self.init("Something is not right yet.", fields: Dictionary(uniqueKeysWithValues: named))
  }
}
