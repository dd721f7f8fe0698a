/// Why a trigger rejects a change: a derived property couldn't hold its value. Encoded in SQLite's message.
struct DerivedRefusal {
  enum Reason: String {
    /// The property's type can't hold the integer sum.
    case range
    /// Infinities of opposite signs have no sum.
    case notANumber
    /// A `Float` can't hold the sum: it is too large, or none.
    case single
  }

  let model: String
  let property: String
  let reason: Reason

  private static let prefix = "larder derived"
  private static let separator: Character = "\u{1F}"

  init(model: String, property: String, reason: Reason) {
    self.model = model
    self.property = property
    self.reason = reason
  }

  /// Parses a message of SQLite; returns nil for any other message.
  init?(_ text: String) {
    let parts = text.split(separator: Self.separator, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 4, parts[0] == Self.prefix, let reason = Reason(rawValue: parts[1]) else { return nil }
    self.init(model: parts[2], property: parts[3], reason: reason)
  }

  var text: String { [Self.prefix, reason.rawValue, model, property].joined(separator: String(Self.separator)) }

  var error: StoreError { error(key: []) }

  /// Returns the error, with the key of the row that has the property.
  func error(key: [Value]) -> StoreError {
    let problem =
      switch reason {
      case .range:
        "would be an integer outside the range of its type. Give the property the type Int, Double or Decimal, or sum smaller numbers."
      case .notANumber:
        "would be NaN, because the rows hold infinities of both signs. Keep infinities of one sign out of them."
      case .single:
        "would be outside the range of Float, or NaN, because the rows hold infinities of both signs. Give the property the type Double, or keep such numbers out of the rows."
      }
    return StoreError(
      .invalidValue, model: model, property: property, key: key, "The derived \(model).\(property) \(problem)")
  }
}
