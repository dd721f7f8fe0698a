import Foundation
import Larder

/// A value of each row, as a query says it and as plain Swift says it.
struct HaulTerm<Output: Tokenized>: AnyHaulTerm, Sendable {
  /// The value as a person would write it, for the message of a failure.
  let text: String
  let build: @Sendable (Haul.Columns) -> QueryExpression<Output>
  let value: @Sendable (Haul, HaulWorld) -> Output

  init(
    _ text: String, _ build: @escaping @Sendable (Haul.Columns) -> some QueryExpressible<Output>,
    _ value: @escaping @Sendable (Haul, HaulWorld) -> Output
  ) {
    (self.text, self.value) = (text, value)
    self.build = { build($0).expression }
  }
}

/// A value of any type.
protocol AnyHaulTerm: Sendable {
  associatedtype Output: Tokenized

  var text: String { get }
  var build: @Sendable (Haul.Columns) -> QueryExpression<Output> { get }
  var value: @Sendable (Haul, HaulWorld) -> Output { get }
}

extension AnyHaulTerm {
  func token(_ haul: Haul, _ world: HaulWorld) -> Token { value(haul, world).token }
}

/// A value as a file compares and sorts it: texts by their bytes, nil first.
enum Token: Hashable, Comparable {
  case null
  case number(Decimal)
  case real(Double)
  case bytes([UInt8])

  static func < (left: Token, right: Token) -> Bool {
    switch (left, right) {
    case (.null, .null): false
    case (.null, _): true
    case (.number(let one), .number(let other)): one < other
    case (.real(let one), .real(let other)): one < other
    case (.bytes(let one), .bytes(let other)): one.lexicographicallyPrecedes(other)
    // Values of one query have one type.
    default: false
    }
  }
}

/// A value with a ``Token``.
protocol Tokenized: Sendable {
  var token: Token { get }
  /// Whether the tokens have the order of the values in a file.
  static var isOrdered: Bool { get }
}

extension Tokenized {
  static var isOrdered: Bool { true }
}

extension Int: Tokenized {
  var token: Token { .number(Decimal(self)) }
}

extension Bool: Tokenized {
  var token: Token { .number(self ? 1 : 0) }
}

extension Double: Tokenized {
  var token: Token { .real(self) }
}

extension Decimal: Tokenized {
  var token: Token { .number(self) }
}

extension Date: Tokenized {
  var token: Token { .real(timeIntervalSinceReferenceDate) }
}

extension String: Tokenized {
  var token: Token { .bytes(Array(utf8)) }
}

extension UUID: Tokenized {
  var token: Token { uuidString.token }
}

extension Shade: Tokenized {
  var token: Token { rawValue.token }
}

extension Level: Tokenized {
  var token: Token { rawValue.token }
}

extension ToOne: Tokenized where Target.ID: Tokenized {
  var token: Token { id.token }
}

extension Optional: Tokenized where Wrapped: Tokenized {
  var token: Token { self?.token ?? .null }
  static var isOrdered: Bool { Wrapped.isOrdered }
}

/// The elements' bytes in their order, each with its length.
extension Set: Tokenized where Element == String {
  static var isOrdered: Bool { false }
  var token: Token {
    let elements = map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
    return .bytes(elements.flatMap { [UInt8($0.count)] + $0 })
  }
}

extension Dictionary: Tokenized where Key == Int, Value == Set<String> {
  static var isOrdered: Bool { false }
  var token: Token {
    .bytes(
      sorted { $0.key < $1.key }.flatMap { key, texts -> [UInt8] in
        guard case .bytes(let bytes) = texts.token else { return [] }
        return [255, UInt8(key)] + bytes
      })
  }
}

extension Haul {
  /// All that is stored of the row.
  var tokens: [Token] {
    [
      id.token, code.token, label.token, amount.token, rank.token, price.token, fee.token, weight.token, at.token,
      due.token, day.token, left.token, isOpen.token, isKnown.token, token.token, shade.token, level.token, tags.token,
      marks.token, measure.width.token, measure.unit.token, measure.grade.token, pier.token, parent.token,
    ]
  }
}

extension Pier {
  /// All that is stored of the row.
  var tokens: [Token] { [id.token, name.token, size.token, toll.token] }
}
