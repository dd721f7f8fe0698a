import Foundation
import Testing

@testable import Larder

@Suite("Documents: conditions on numbers", .timeLimit(.minutes(20)))
struct DocumentNumberTests {
  private static let values: [(key: String, value: DocumentValue)] = [
    ("zero", 0), ("minusZero", .real(-0.0)), ("one", 1), ("oneReal", 1.0), ("tenth", 0.1), ("third", .real(1 / 3)),
    ("least", .real(.leastNonzeroMagnitude)), ("greatest", .real(.greatestFiniteMagnitude)),
    ("lowest", .real(-.greatestFiniteMagnitude)),
    ("beyond", .integer((1 << 53) + 1)), ("exact", .integer(1 << 53)), ("exactReal", .real(0x1p53)),
    ("max", .integer(.max)), ("min", .integer(.min)),
    ("maxReal", .real(0x1p63)), ("minReal", .real(-0x1p63)),
  ]

  private func makeNumbers() throws -> BlockingDocuments<BlockingStore, Document> {
    let numbers = try Store(inMemoryFor: DocumentShelf.self).blocking.documents("numbers")
    try numbers.save(keyed: Self.values.map { (key: $0.key, value: ["n": $0.value] as Document) })
    try numbers.save(keyed: ["text": ["n": "1"], "nothing": ["n": nil], "without": [:]])
    return numbers
  }

  /// Compares as mathematics does: an integer is not rounded before.
  private static func order(_ left: DocumentValue, _ right: DocumentValue) -> Int {
    switch (left, right) {
    case (.integer(let left), .integer(let right)): left < right ? -1 : left > right ? 1 : 0
    case (.integer(let left), .real(let right)): order(left, right)
    case (.real(let left), .integer(let right)): -order(right, left)
    default: (left.real ?? 0) < (right.real ?? 0) ? -1 : (left.real ?? 0) > (right.real ?? 0) ? 1 : 0
    }
  }

  private static func order(_ left: Int64, _ right: Double) -> Int {
    if right >= 0x1p63 { return -1 }
    if right < -0x1p63 { return 1 }
    let whole = Int64(right.rounded(.towardZero))
    if left != whole { return left < whole ? -1 : 1 }
    let rest = right - right.rounded(.towardZero)
    return rest > 0 ? -1 : rest < 0 ? 1 : 0
  }

  @Test(
    "B5: integers and doubles compare by their exact values, with every operator",
    arguments: Condition.Operator.allCases, [false, true])
  func exact(_ comparison: Condition.Operator, _ isIndexed: Bool) throws {
    let numbers = try makeNumbers()
    if isIndexed { try numbers.index(on: "n") }
    let operands = Self.values.map(\.value) + [.real(.infinity), .real(-.infinity), .integer(2), .real(0.5)]
    for operand in operands where comparison != .contains {
      let expected = Self.values.filter { element in
        let order = Self.order(element.value, operand)
        return switch comparison {
        case .equal, .inList: order == 0
        case .notEqual: order != 0
        case .lessThan: order < 0
        case .greaterThan: order > 0
        case .lessThanOrEqual: order <= 0
        case .greaterThanOrEqual: order >= 0
        case .contains: false
        }
      }
      let value: DocumentValue = comparison == .inList ? [operand] : operand
      let found = try numbers.keys(where: [Condition("n", comparison, value)])
      // A text is not equal to a number either.
      #expect(
        Set(found) == Set(expected.map(\.key) + (comparison == .notEqual ? ["text"] : [])),
        "n \(comparison.rawValue) \(operand)")
    }
  }

  @Test("B5: infinity is greater than all numbers, equal to none, in no list, and in no text")
  func infinite() throws {
    let numbers = try makeNumbers()
    #expect(try numbers.count { $0.n < Double.infinity } == Self.values.count)
    #expect(try numbers.count { $0.n > -Double.infinity } == Self.values.count)
    #expect(try numbers.count { $0.n == Double.infinity } == 0)
    #expect(try numbers.count { $0.n.isIn([Double.infinity, 0.1]) } == 1)
    #expect(try numbers.count { $0.n != Double.infinity } == Self.values.count + 3)
    try numbers.save("word", ["n": "information"])
    #expect(try numbers.count { $0.n.contains(Double.infinity) } == 0)
  }

  @Test("B5: a condition with NaN is refused with the property's name, because to SQLite it would be NULL")
  func notANumber() throws {
    let numbers = try makeNumbers()
    try numbers.save("list", ["n": [1, nil]])
    for comparison in Condition.Operator.allCases {
      let value: DocumentValue = comparison == .inList ? [1, .real(.nan)] : .real(.nan)
      let error = #expect(throws: StoreError.self) { try numbers.keys(where: [Condition("n", comparison, value)]) }
      #expect(error?.code == .invalidValue && error?.model == "numbers" && error?.property == "n", "\(comparison)")
    }
    #expect(throws: StoreError.self) { try numbers.keys { $0.n == Double.nan } }
    #expect(throws: StoreError.self) { try numbers.keys { $0.n != Double.nan } }
    #expect(throws: StoreError.self) { try numbers.keys { !($0.n < Double.nan) } }
    #expect(throws: StoreError.self) { try numbers.keys { $0.n.isIn([Double.nan]) } }
  }

  @Test("B5: numbers are elements of arrays by their values, and no parts of texts")
  func elements() throws {
    let numbers = try makeNumbers()
    let beyond: Int64 = (1 << 53) + 1
    let elements: [DocumentValue] = [1, 2.5, .integer(beyond), .real(-0.0)]
    try numbers.save("list", ["n": .array(elements)])
    try numbers.save("digits", ["n": "2.5 or 12"])
    try numbers.save("object", ["n": ["a": 2.5]])
    #expect(try numbers.keys { $0.n.contains(2.5) } == ["list"])
    #expect(try numbers.keys { $0.key == "list" && $0.n.contains(0) } == ["list"])
    #expect(try numbers.keys { $0.key == "list" && $0.n.contains(1.0) } == ["list"])
    #expect(try numbers.keys { $0.key == "list" && $0.n.contains(0x1p53) } == [])
    #expect(try numbers.keys { $0.key == "list" && $0.n.contains(beyond) } == ["list"])
  }

  @Test("B4: sorted by a number, integers and doubles stand in one order, behind what has none and before texts")
  func sorted() throws {
    let numbers = try makeNumbers()
    let keys = try numbers.keys(sort: "n, key")
    let expected = Self.values.sorted { left, right in
      let order = Self.order(left.value, right.value)
      return order == 0 ? left.key < right.key : order < 0
    }
    #expect(keys == ["nothing", "without"] + expected.map(\.key) + ["text"])
    #expect(try numbers.keys(sort: "n desc, key desc") == keys.reversed())
  }
}
