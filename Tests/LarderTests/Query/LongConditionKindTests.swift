import Foundation
import Larder
import LarderTestSupport
import Testing

@Model
private struct Hamper {
  var id: Int
  var label: String?
  var code: String
  var price: Decimal?
  var weight: Double?
  var sent: Date?
  var isOpen: Bool?
  var token: Data?
}

/// A table that another program has made, whose columns hold what they like.
@Model("crates")
private struct Crate {
  var id: Int
  var amount: Int?
  var price: Decimal?
  var label: String?
}

@Suite("Long lists of conditions on each type of value")
struct LongConditionKindTests {
  private static let labels = ["a", "A", "é", "e\u{301}", "a\0b", "a\0", "", "1", "1.0"]

  private func hampers() -> [Hamper] {
    Self.labels.enumerated().map { position, label in
      Hamper(
        id: position, label: label, code: label, price: Decimal(position) / 10, weight: Double(position) / 10,
        sent: Date(timeIntervalSince1970: Double(position) + 0.123456), isOpen: position.isMultiple(of: 2),
        token: Data(label.utf8))
    } + [Hamper(id: 100, code: "none")]
  }

  /// Compares a chain, long enough to become one comparison, with what Swift and the conditions one by one say. Texts
  /// are equal if their bytes are.
  private func expectAgreement<Value: Equatable>(
    _ store: Store, _ value: (Hamper) -> Value?, _ equals: (Value) -> QueryExpression<Bool>,
    _ differs: (Value) -> QueryExpression<Bool>, _ present: [Value], _ filler: (Int) -> Value
  ) throws {
    let constants = present + (0..<60).map(filler)
    let rows = hampers()
    let isAny = constants.dropFirst().reduce(equals(constants[0])) { $0 || equals($1) }
    let isNone = constants.dropFirst().reduce(differs(constants[0])) { $0 && differs($1) }
    func isEqual(_ one: Value, _ other: Value) -> Bool {
      if let one = one as? String, let other = other as? String { return one.utf8.elementsEqual(other.utf8) }
      return one == other
    }
    let found = rows.filter { row in
      value(row).map { value in constants.contains { isEqual($0, value) } } ?? false
    }.map(\.id).sorted()
    let others = rows.map(\.id).filter { !found.contains($0) }.sorted()
    let context = Context(store)
    for db in [store.blocking, context, context.child()] as [any StoreReader] {
      func ids(_ condition: QueryExpression<Bool>) throws -> [Int] {
        try db.fetch(Hamper.where { _ in condition }.sorted(by: \.id)).map(\.id)
      }
      let place: Comment = "\(Value.self) in \(type(of: db))"
      #expect(try ids(isAny) == found, place)
      #expect(try ids(!isAny) == others, place)
      #expect(try ids(isNone) == others, place)
      #expect(try ids(!isNone) == found, place)
      let single = try constants.reduce(into: Set<Int>()) { result, constant in
        result.formUnion(try ids(equals(constant)))
      }
      #expect(single.sorted() == found, place)
    }
  }

  @Test("they find what the conditions find one by one, nil included, in a store and in contexts")
  func kinds() throws {
    let store = try Store(inMemoryFor: Hamper.self)
    try store.blocking.insert(hampers())
    let columns = Hamper.columns
    for present in [[], ["é"], ["a\0b", "A"], Self.labels] {
      try expectAgreement(
        store, \.label, { columns.label == $0 }, { columns.label != $0 }, present, { "filler \($0)" })
    }
    try expectAgreement(
      store, \.price, { columns.price == $0 }, { columns.price != $0 }, [Decimal(string: "0.30")!, 0],
      { Decimal($0) + 100 })
    try expectAgreement(
      store, \.weight, { columns.weight == $0 }, { columns.weight != $0 }, [0.1, -0.0, 0.7], { Double($0) + 100.5 })
    try expectAgreement(
      store, \.sent, { columns.sent == $0 }, { columns.sent != $0 }, [Date(timeIntervalSince1970: 3.123456)],
      { Date(timeIntervalSince1970: Double($0) + 3.123457) })
    try expectAgreement(store, \.isOpen, { columns.isOpen == $0 }, { columns.isOpen != $0 }, [true], { _ in true })
    try expectAgreement(
      store, \.token, { columns.token == $0 }, { columns.token != $0 }, [Data("a".utf8), Data()],
      { Data([0xFF, UInt8($0)]) })
  }

  @Test("they agree with the conditions one by one on what another program has written")
  func adopted() throws {
    let file = try StoreFile()
    let foreign = try Store(at: file.path, for: Hamper.self)
    try foreign.blocking.sql("CREATE TABLE crates (id INTEGER PRIMARY KEY, amount, price, label)")
    for (id, values) in ["7, '1.50', 'a'", "'7', 1.5, 'A'", "NULL, NULL, NULL", "8.0, 1, '7'", "9, '2', 7"].enumerated()
    {
      try foreign.blocking.sql(SQL(raw: "INSERT INTO crates VALUES (\(id), \(values))"))
    }
    let store = try Store(at: file.path, for: Crate.self, schema: .existing)
    let amounts = [7, 8] + Array(100..<160)
    let prices = [Decimal(string: "1.5")!, 2] + (100..<160).map { Decimal($0) }
    let labels = ["a", "7"] + (100..<160).map { "filler \($0)" }
    func ids(_ condition: QueryExpression<Bool>) throws -> [Int] {
      try store.blocking.fetch(Crate.where { _ in condition }.sorted(by: \.id)).map(\.id)
    }
    func expectAgreement(_ equal: [QueryExpression<Bool>], _ different: [QueryExpression<Bool>]) throws {
      let singly = try equal.reduce(into: Set<Int>()) { $0.formUnion(try ids($1)) }.sorted()
      let apart = try different.reduce(into: Set(0..<5)) { $0.formIntersection(try ids($1)) }.sorted()
      #expect(!singly.isEmpty && !apart.isEmpty)
      #expect(try ids(equal.dropFirst().reduce(equal[0]) { $0 || $1 }) == singly)
      #expect(try ids(different.dropFirst().reduce(different[0]) { $0 && $1 }) == apart)
    }
    let columns = Crate.columns
    try expectAgreement(amounts.map { columns.amount == $0 }, amounts.map { columns.amount != $0 })
    try expectAgreement(prices.map { columns.price == $0 }, prices.map { columns.price != $0 })
    try expectAgreement(labels.map { columns.label == $0 }, labels.map { columns.label != $0 })
  }
}
