/// The currencies that accounts are kept in. All three have hundredths.
enum Currency: String, Codable, CaseIterable, Sendable {
  case cny = "CNY"
  case eur = "EUR"
  case usd = "USD"

  /// "CNY, EUR, USD", for messages.
  static let list = allCases.map(\.rawValue).joined(separator: ", ")
}
