/// Why a trigger rejects a change: a derived property couldn't hold its value. Encoded in SQLite's message.
struct DerivedRefusal {
  enum Reason: String {
    /// The property's type can't hold the integer sum.
    case range
    /// Infinities of opposite signs have no sum.
    case notANumber
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
      }
    return StoreError(
      .invalidValue, model: model, property: property, key: key, "The derived \(model).\(property) \(problem)")
  }
}

extension Connection {
  /// Returns the error of a sum that its property can't hold with the key of the row that has it, if that is the row to
  /// which the refused one refers; any other error unchanged.
  func namingSum<M: Model>(of value: M?, _ error: any Error) -> any Error {
    guard let value, let refusal = error as? StoreError, refusal.code == .invalidValue, refusal.key.isEmpty,
      let owner = environment.tables.first(where: { $0.model == refusal.model }),
      let property = owner.columns.first(where: { $0.property == refusal.property }),
      let derived = owner.derived.first(where: { $0.column == property.name }), derived.rowsTable == M.schema.table,
      case .reference(let column) = derived.rows,
      let reference = M.schema.columns.first(where: { $0.name == column }),
      let key = try? reference.column.storedValue(in: value), !key.isNull
    else { return error }
    // A row that moves changes two sums.
    let stored = (try? find(M.self, value.id)).flatMap { $0 }
    guard stored.map({ (try? reference.column.storedValue(in: $0)) == key }) ?? true else { return error }
    return StoreError(
      refusal.code, model: refusal.model, property: refusal.property, key: [key], refusal.message)
  }
}
