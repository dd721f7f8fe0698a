import Foundation

/// The format in which a file that Larder didn't create stores a value, derived from an example.
struct AdoptedForm {
  private let example: Value
  private let type: ColumnType

  init(_ example: Value, _ type: ColumnType) {
    self.example = example
    self.type = type
  }

  /// The words for false and true.
  private static let words = [("false", "true"), ("no", "yes"), ("0", "1")]

  /// Returns a value in the format of the example, or unchanged if the example has no such format.
  func form(of value: Value) -> Value {
    switch example {
    case .text(let text): self.text(of: value, like: text)
    case .integer, .real: number(of: value)
    case .blob, .null: value
    }
  }

  private func text(of value: Value, like example: String) -> Value {
    if type.numberForm == .boolean, let integer = value.integer {
      let pair = Self.words.first { example.lowercased() == $0.0 || example.lowercased() == $0.1 } ?? ("0", "1")
      return .text(spelled(integer == 0 ? pair.0 : pair.1, like: example))
    }
    switch (type.textForm, value) {
    case (.uuid, .blob):
      guard let uuid = try? UUID(storedValue: value) else { return value }
      return .text(example == example.uppercased() ? uuid.uuidString : uuid.uuidString.lowercased())
    case (.date, .real(let seconds)):
      return (try? DateFormat.iso8601.encode(Date(timeIntervalSinceReferenceDate: seconds))) ?? value
    case (nil, .integer(let integer)): return .text(String(integer))
    case (nil, .blob(let data)): return String(validating: data, as: UTF8.self).map { .text($0) } ?? value
    default: return value
    }
  }

  private func spelled(_ word: String, like example: String) -> String {
    if example == example.lowercased() { return word }
    return example == example.uppercased() ? word.uppercased() : word.capitalized
  }

  /// Decimal numbers and text dates, if the file stores numbers.
  private func number(of value: Value) -> Value {
    guard case .text(let text) = value else { return value }
    switch type.order {
    case .decimal:
      if let integer = Int64(text) { return .integer(integer) }
      guard let real = Double(text), Decimal(canonical: "\(real)") == Decimal(canonical: text) else { return value }
      return .real(real)
    case .instant: return ISO8601.date(from: text).map { .real($0.timeIntervalSinceReferenceDate) } ?? value
    case .stored: return value
    }
  }
}
