import Foundation
import LarderTestSupport
import Testing

@testable import Larder

/// What conditions say, in plain Swift.
private enum Oracle {
  static func isEqual(_ left: DocumentValue, _ right: DocumentValue) -> Bool {
    switch (left, right) {
    case (.null, .null): return true
    case (.bool(let left), .bool(let right)): return left == right
    case (.text(let left), .text(let right)): return Array(left.utf8) == Array(right.utf8)
    case (.array(let left), .array(let right)):
      return left.count == right.count && zip(left, right).allSatisfy { isEqual($0, $1) }
    case (.object(let left), .object(let right)):
      return left.count == right.count
        && left.allSatisfy { name, value in right[name].map { isEqual(value, $0) } ?? false }
    default: return numberOrder(left, right) == 0
    }
  }

  static func numberOrder(_ left: DocumentValue, _ right: DocumentValue) -> Int? {
    switch (left, right) {
    case (.integer(let left), .integer(let right)): return left < right ? -1 : left == right ? 0 : 1
    case (.real(let left), .real(let right)): return left < right ? -1 : left == right ? 0 : 1
    case (.integer, .real(let real)) where real.isInfinite: return real < 0 ? 1 : -1
    case (.integer(let integer), .real(let real)):
      let (left, right) = (Decimal(integer), Decimal(string: String(format: "%.6f", real)) ?? 0)
      return left < right ? -1 : left == right ? 0 : 1
    case (.real, .integer): return numberOrder(right, left).map { -$0 }
    default: return nil
    }
  }

  static func order(_ left: DocumentValue, _ right: DocumentValue) -> Int? {
    guard case (.text(let leftText), .text(let rightText)) = (left, right) else { return numberOrder(left, right) }
    let (left, right) = (Array(leftText.utf8), Array(rightText.utf8))
    return left == right ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1
  }

  static func contains(_ value: DocumentValue, _ part: DocumentValue) -> Bool {
    switch (value, part) {
    case (.array(let values), _): return values.contains { isEqual($0, part) }
    case (.text(let text), .text(let part)):
      let fold: (String) -> String = {
        String(decoding: $0.utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }, as: UTF8.self)
      }
      let (text, part) = (Array(fold(text).utf8), Array(fold(part).utf8))
      return part.isEmpty
        || (0..<max(0, text.count - part.count + 1)).contains { Array(text[$0..<($0 + part.count)]) == part }
    default: return false
    }
  }

  static func holds(_ value: DocumentValue?, _ comparison: Condition.Operator, _ operand: DocumentValue) -> Bool {
    let value = value ?? .null
    switch comparison {
    case .equal: return isEqual(value, operand)
    case .notEqual: return value != .null && !isEqual(value, operand)
    case .lessThan: return order(value, operand).map { $0 < 0 } ?? false
    case .greaterThan: return order(value, operand).map { $0 > 0 } ?? false
    case .lessThanOrEqual: return order(value, operand).map { $0 <= 0 } ?? false
    case .greaterThanOrEqual: return order(value, operand).map { $0 >= 0 } ?? false
    case .contains: return contains(value, operand)
    case .inList: return operand.array?.contains { isEqual(value, $0) } ?? false
    }
  }
}

@Suite("Documents: conditions as plain Swift says them", .timeLimit(.minutes(20)))
struct DocumentOracleTests {
  private static let seed = TestSeed.value

  private static let scalars: [DocumentValue] = [
    nil, true, false, 0, 1, 2, -1, 1.0, 0.5, 2.5, -1.5, .real(-0.0), .integer(.max), .integer(.min), .integer(1 << 53),
    .integer((1 << 53) + 1),
    .real(0x1p53), 1e15, "", "1", "0", "2.5", "true", "false", "null", "[1]", "[]", "{}", "{\"a\":1}", "a", "A", "ab",
    "aB", "é", "e\u{301}", "É",
    "b%",
    "b_", "a\u{0}", "a\u{0}b", "\u{0}", "\\u0000", "a\\b", "\"", "it's", "2026-01-01", "2026-01-01T00:00:00.000000000Z",
    "z", "😀",
  ]

  private static func value(depth: Int, _ generator: inout SplitMix64) -> DocumentValue {
    switch Int.random(in: 0..<(depth > 2 ? 8 : 11), using: &generator) {
    case 8: .array((0..<Int.random(in: 0...3, using: &generator)).map { _ in value(depth: depth + 1, &generator) })
    case 9, 10:
      .object(
        Document(
          (0..<Int.random(in: 0...2, using: &generator)).map { _ in
            (["a", "b", "a.b"].randomElement(using: &generator) ?? "a", value(depth: depth + 1, &generator))
          }))
    default: scalars.randomElement(using: &generator) ?? nil
    }
  }

  private static func find(_ path: DocumentPath, _ document: Document, key: String) -> DocumentValue? {
    if path.isKey { return .text(key) }
    return path.steps.reduce(.object(document)) { (value: DocumentValue?, step) in
      switch step {
      case .name(let name): value?[name]
      case .position(let position):
        value?.array.flatMap { array in DocumentValue.array(array)[position < 0 ? position + array.count : position] }
      }
    }
  }

  private static let paths = [
    DocumentPath("v"), DocumentPath("v"), DocumentPath("v", "a"), DocumentPath("v", 0), DocumentPath("v", -1),
    DocumentPath("v", "a", "b"),
    DocumentPath("v", "a.b"), DocumentPath("v", 1, "a"), DocumentPath("a\"b.c", "a"), DocumentPath("w\"x", "a"),
    DocumentPath("none"),
    DocumentPath("key"),
  ]

  private struct Question: CustomStringConvertible {
    let description: String
    let predicate: Condition
    let holds: (Document, String) -> Bool
  }

  private static func question(depth: Int, _ generator: inout SplitMix64) -> Question {
    if depth < 3, Int.random(in: 0..<3, using: &generator) == 0 {
      let (left, right) = (question(depth: depth + 1, &generator), question(depth: depth + 1, &generator))
      switch Int.random(in: 0..<3, using: &generator) {
      case 0:
        return Question(description: "(\(left) && \(right))", predicate: left.predicate && right.predicate) {
          left.holds($0, $1) && right.holds($0, $1)
        }
      case 1:
        return Question(description: "(\(left) || \(right))", predicate: left.predicate || right.predicate) {
          left.holds($0, $1) || right.holds($0, $1)
        }
      default: return Question(description: "!\(left)", predicate: !left.predicate) { !left.holds($0, $1) }
      }
    }
    let path = paths.randomElement(using: &generator) ?? paths[0]
    let comparison = Condition.Operator.allCases.randomElement(using: &generator) ?? .equal
    var operand = value(depth: 1, &generator)
    if comparison == .inList { operand = .array((0..<4).map { _ in value(depth: 1, &generator) }) }
    if comparison == .notEqual, Bool.random(using: &generator) {
      let property = DocumentProperties()[path]
      return Question(description: "\(path) != \(operand)", predicate: property != operand) {
        !Oracle.isEqual(find(path, $0, key: $1) ?? .null, operand)
      }
    }
    let predicate = Condition([Condition(path.description, comparison, operand)])
    return Question(description: "\(path) \(comparison) \(operand)", predicate: predicate) {
      Oracle.holds(find(path, $0, key: $1), comparison, operand)
    }
  }

  @Test("B5: every condition on every kind of value finds what plain Swift finds, with and without indexes")
  func random() throws {
    var generator = SplitMix64(seed: Self.seed)
    let store = try Store(inMemoryFor: DocumentShelf.self).blocking
    let things = store.documents("things")
    var documents: [String: Document] = [:]
    for (number, scalar) in Self.scalars.enumerated() { documents["s\(number)"] = ["v": scalar] }
    for number in 0..<150 {
      var document: Document = [:]
      if number % 10 > 0 { document["v"] = Self.value(depth: 0, &generator) }
      document["a\"b.c"] = Self.value(depth: 1, &generator)
      document["w\"x"] = Self.value(depth: 1, &generator)
      documents["k\(number)"] = document
    }
    documents["a\u{0}b"] = ["v": 1]
    documents["2"] = [:]
    try things.save(keyed: documents.map { (key: $0.key, value: $0.value) })
    for round in 0..<3000 {
      if round == 1500 { for path in Self.paths where !path.isKey { try things.index(on: path.description) } }
      let question = Self.question(depth: 0, &generator)
      let expected = documents.filter { question.holds($0.value, $0.key) }.keys.sorted()
      let found = try things.keys(DocumentQuery(question.predicate, validatesProperties: false)).sorted()
      #expect(found == expected, "seed \(Self.seed), round \(round): \(question)")
      guard found == expected else { return }
    }
    TestSeed.tried(3000, .queries, "queries of documents")
  }

  @Test("B5: decimals compare by size with the texts and numbers of documents")
  func decimals() throws {
    let things = try Store(inMemoryFor: DocumentShelf.self).blocking.documents("things")
    try things.save(json: [
      (key: "nine", value: #"{"v": "9.50"}"#), (key: "ten", value: #"{"v": "10"}"#),
      (key: "large", value: #"{"v": 1e300}"#),
      (key: "tenth", value: #"{"v": 0.1}"#), (key: "eleven", value: #"{"v": 11}"#),
      (key: "word", value: #"{"v": "10 apples"}"#),
      (key: "true", value: #"{"v": true}"#), (key: "list", value: #"{"v": ["10.0"]}"#),
      (key: "small", value: #"{"v": 5e-324}"#),
    ])
    #expect(try things.keys { $0.v > Decimal(10) }.sorted() == ["eleven", "large"])
    #expect(try things.keys { $0.v < Decimal(10) }.sorted() == ["nine", "small", "tenth"])
    #expect(try things.keys { $0.v == (Decimal(string: "0.1") ?? 0) } == ["tenth"])
    #expect(try things.keys { $0.v.isIn([Decimal(10), 11]) }.sorted() == ["eleven", "ten"])
    #expect(try things.keys { $0.v.contains(Decimal(10)) } == ["list"])
    #expect(throws: StoreError.self) { try things.keys { $0.v == Decimal.nan } }
  }

  @Test("B5: a condition with a decimal is exact for texts with more digits, and greater ones, than a decimal holds")
  func longNumbers() throws {
    let things = try Store(inMemoryFor: DocumentShelf.self).blocking.documents("things")
    // In the order of the numbers; "|" stands for 0.1, 1 and 1e20.
    let texts = [
      "-1e200", "-12345678901234567890123456789012345678901234567890", "-1", "-1e-200", "1e-200",
      "0.0999999999999999999999999999999999999999999",
      "|",
      "0.1000000000000000000000000000000000000000000000001", "0.99999999999999999999999999999999999999999999", "|",
      "1.0000000000000000000000000000000000000000000000001", "99999999999999999999.9999999999999999999999999999", "|",
      "100000000000000000000.0000000000000000000000000001", "12345678901234567890123456789012345678901234567890",
      "1E+200",
    ]
    for (number, text) in texts.enumerated() where text != "|" { try things.save("\(number)", ["v": .text(text)]) }
    try things.save("word", ["v": "1e200 apples"])
    let positions = texts.indices.filter { texts[$0] == "|" }
    for (text, position) in zip(["0.1", "1", "1e20"], positions) {
      let decimal = try #require(Decimal(string: text))
      let less = try things.keys { $0.v < decimal }.compactMap { Int($0) }.sorted()
      let greater = try things.keys { $0.v >= decimal }.compactMap { Int($0) }.sorted()
      #expect(less == texts.indices.filter { $0 < position && texts[$0] != "|" })
      #expect(greater == texts.indices.filter { $0 > position && texts[$0] != "|" })
    }
  }
}
