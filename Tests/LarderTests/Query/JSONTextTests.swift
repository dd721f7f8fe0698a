import Foundation
import Larder
import LarderTestSupport
import Testing

private struct Part: Codable, Hashable, Sendable {
  var name: String
  var price: Decimal
}

private enum Size: UInt8, Codable {
  case small = 1
  case large
}

/// Each type that is a single value in JSON, alone and in collections.
private struct Singles: Codable, Hashable, Sendable {
  var bytes: [UInt8] = [0, 255]
  var byte: UInt8? = 7
  var int8: Set<Int8> = [-128, 127]
  var int16: [Int16: Int16] = [1: 2]
  var int32: Set<Int32> = [1, -1]
  var int64 = Int64.max
  var uint = UInt.max
  var uint16: [[UInt16]] = [[1], []]
  var uint32: UInt32? = 1
  var uint64: Set<UInt64> = [UInt64.max, 0]
  var float: Float = 1.5
  var floats: Set<Float> = [0.1, 2]
  var flags: Set<Bool> = [true, false]
  var sizes: [Size] = [.small, .large]
}

private struct Box: Codable, Hashable, Sendable {
  var labels: Set<String> = []
  var counts: [UUID: Int] = [:]
  var deep: [[Set<Int>]] = []
  var maybe: Set<UUID>?
  var when: Date = Date(timeIntervalSinceReferenceDate: 12.5)
  var data = Data([1, 2, 3])
  var price: Decimal = 1
  var link = URL(filePath: "/a/b")
  var parts: [String: Set<String>] = [:]
  var singles = Singles()
}

@Model
private struct JSONText: Hashable {
  var id: Int
  var tags: [String] = []
  var members: [String: String] = [:]
  var parts: [Part] = []
  var prices: [Decimal] = []
  var reals: [Double] = []
  var box: Box = Box()
  var boxes: [UUID: Set<Int>]?
}

/// Text and numbers in JSON, compared as the JSON says it.
@Suite("JSON: texts and numbers")
struct JSONTextTests {
  private let store: Store
  private var db: BlockingStore { store.blocking }

  init() throws {
    store = try Store(inMemoryFor: JSONText.self)
  }

  private func ids(_ condition: (JSONText.Columns) -> some QueryExpressible<Bool>) throws -> Set<Int> {
    Set(try db.fetch(JSONText.where(condition)).map(\.id))
  }

  private static let pieces = [
    "a", "b", "\0", "\"", "\\", "/", "é", "e\u{301}", "😀", "\u{10FFFF}", "\u{10FFFF}0", "\n", "\u{1F}", "0", "1", " ",
    "[", "]", "{", ".", "u0000",
    "\u{7F}",
  ]

  private static func text(_ random: inout SplitMix64) -> String {
    (0..<Int.random(in: 0...3, using: &random)).map { _ in random.pick(pieces) }.joined()
  }

  /// The JSON with other white space and other escapes, as other programs write it.
  private static func rewritten(_ texts: [String], _ random: inout SplitMix64) -> String {
    let strings = texts.map { text in
      let units = text.utf16.map { unit in
        let hex = String(unit, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - hex.count)
          + (Bool.random(using: &random) ? hex.uppercased() : hex)
      }
      return "\"\(units.joined())\""
    }
    return " [ " + strings.joined(separator: " ,\n") + "]\t"
  }

  private static func same(_ left: String, _ right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }

  @Test("texts in arrays and objects are compared byte for byte, whatever they hold and however the JSON spells them")
  func texts() throws {
    var random = SplitMix64(seed: TestSeed.value)
    var rows: [JSONText] = []
    for id in 0..<150 {
      var row = JSONText(id: id)
      row.tags = (0..<Int.random(in: 0...4, using: &random)).map { _ in Self.text(&random) }
      for _ in 0..<Int.random(in: 0...3, using: &random) { row.members[Self.text(&random)] = Self.text(&random) }
      row.parts = row.tags.map { Part(name: $0, price: 1) }
      rows.append(row)
    }
    try db.insert(rows)
    for row in rows where row.id.isMultiple(of: 3) {
      try db.sql("update \(JSONText.self) set tags = \(Self.rewritten(row.tags, &random)) where id = \(row.id)")
    }
    for round in 0..<150 {
      let row = random.pick(rows)
      let text = row.tags.randomElement(using: &random) ?? Self.text(&random)
      let key = row.members.keys.sorted().first ?? Self.text(&random)
      func expect(
        _ found: Set<Int>, sourceLocation: SourceLocation = #_sourceLocation, _ isExpected: (JSONText) -> Bool
      ) {
        #expect(
          found == Set(rows.filter(isExpected).map(\.id)), "seed \(TestSeed.value), round \(round)",
          sourceLocation: sourceLocation)
      }
      expect(try ids { $0.tags.contains(text) }) { $0.tags.contains { Self.same($0, text) } }
      expect(try ids { !$0.tags.contains(text) }) { !$0.tags.contains { Self.same($0, text) } }
      expect(try ids { $0.tags[0] == text }) { $0.tags.first.map { Self.same($0, text) } ?? false }
      expect(try ids { $0.parts.contains(Part(name: text, price: 1)) }) {
        $0.parts.contains { Self.same($0.name, text) }
      }
      expect(try ids { $0.parts[0]["name"] == text }) { $0.parts.first.map { Self.same($0.name, text) } ?? false }
      let value = row.members[key] ?? ""
      expect(try ids { $0.members[key] == value }) { other in
        other.members.first { Self.same($0.key, key) }.map { Self.same($0.value, value) } ?? false
      }
      expect(try ids { $0.members[key] == nil }) { other in !other.members.contains { Self.same($0.key, key) } }
      expect(Set(try db.fetch(JSONText.where(#Predicate<JSONText> { $0.tags.contains { $0 == text } })).map(\.id))) {
        other in
        other.tags.contains { Self.same($0, text) }
      }
    }
  }

  @Test("half of a surrogate pair, which others may write, is a replacement character and no error")
  func surrogates() throws {
    try db.insert(JSONText(id: 1))
    try db.sql("update \(JSONText.self) set tags = \(#"["\ud800", "\udc00x", "\ud83d\ude00", "\ud800\u0041"]"#)")
    for text in ["\u{FFFD}", "\u{FFFD}x", "😀", "\u{FFFD}A"] {
      #expect(try db.count(JSONText.where { $0.tags.contains(text) }) == 1)
    }
    #expect(try db.count(JSONText.where { $0.tags.contains("A") }) == 0)
  }

  @Test("a number as text is no number, and a decimal has all of its digits")
  func numbers() throws {
    let big = try #require(Decimal(string: "12345678901234567890.5"))
    let next = try #require(Decimal(string: "12345678901234567891.5"))
    try db.insert([
      JSONText(id: 1, tags: ["1"], parts: [Part(name: "a", price: big)], prices: [big, 1], reals: [0.1]),
      JSONText(id: 2, tags: ["1.0"], parts: [Part(name: "a", price: next)], prices: [next, 2], reals: [1]),
    ])
    #expect(try ids { $0.prices.contains(big) } == [1])
    #expect(try ids { $0.prices.contains(next) } == [2])
    #expect(try ids { $0.prices[0] == big } == [1])
    #expect(try ids { $0.prices[0] != big } == [2])
    #expect(try ids { $0.prices[0] < next } == [1])
    #expect(try ids { $0.prices[0].as(Decimal.self) == next } == [2])
    #expect(try ids { $0.parts.contains(Part(name: "a", price: big)) } == [1])
    #expect(try ids { $0.tags.contains("1") } == [1])
    #expect(try ids { $0.tags[0] == 1 } == [])
    try db.sql("update \(JSONText.self) set reals = '[0.10000000000000001, 1e0]', prices = '[1.0, 2.50]' where id = 2")
    #expect(try ids { $0.reals.contains(0.1) } == [1, 2])
    #expect(try ids { $0.reals.contains(1) } == [2])
    #expect(try ids { $0.prices.contains(1) } == [1, 2])
    #expect(try ids { $0.prices.contains(Decimal(string: "2.5") ?? 0) } == [2])
  }

  @Test(
    "broken JSON is an error at every place",
    arguments: ["[1,", "[01]", "[\"a]", "[\"\\x\"]", "[1] 2", "{\"a\":}", "nul", "[\"\\u12\"]", "[,]"])
  func broken(_ json: String) throws {
    try db.insert(JSONText(id: 1))
    try db.sql("update \(JSONText.self) set tags = \(json)")
    #expect(throws: StoreError.self) { try ids { $0.tags.contains("x") } }
    #expect(throws: StoreError.self) { try ids { $0.tags[0] == "x" } }
  }

  @Test("one of many values with nested sets is found, however many there are", arguments: [2, 100, 5000])
  func many(_ count: Int) throws {
    let key = UUID()
    func value(_ number: Int) -> [UUID: Set<Int>]? { [key: [number, number + 1, number + 2]] }
    try db.insert([JSONText(id: 1, boxes: value(count - 1)), JSONText(id: 2, boxes: value(-9)), JSONText(id: 3)])
    // As a program wrote it that did not sort them.
    try db.insert(JSONText(id: 4, boxes: value(0)))
    try db.sql("update \(JSONText.self) set boxes = replace(boxes, '[0,1,2]', '[2,0,1]') where id = 4")
    let values = (0..<count).map(value)
    for other in [db, Context(store)] as [any StoreReader] {
      #expect(try other.fetch(JSONText.where { $0.boxes.isIn(values) }.sorted(by: \.id)).map(\.id) == [1, 4])
      #expect(
        try other.fetch(JSONText.where { $0.boxes.isIn(values + [nil]) }.sorted(by: \.id)).map(\.id) == [1, 3, 4])
      #expect(try other.fetch(JSONText.where { !$0.boxes.isIn(values) }.sorted(by: \.id)).map(\.id) == [2, 3])
      let predicate = #Predicate<JSONText> { values.contains($0.boxes) }
      #expect(try other.fetch(JSONText.where(predicate).sorted(by: \.id)).map(\.id) == [1, 4])
    }
  }

  @Test("values with nested sets and dictionaries are one text at every depth, and are found wherever they stand")
  func unordered() throws {
    var random = SplitMix64(seed: TestSeed.value &* 53)
    for number in 0..<50 {
      let place: Comment = "seed \(TestSeed.value), number \(number)"
      let value = Self.box(using: &random)
      let boxes = value.counts.mapValues { Set((0..<3).map { _ in Int.random(in: 0...9, using: &random) } + [$0]) }
      let context = Context(store)
      let db: any StoreWriter = [store.blocking, context, context.child()][number % 3]
      try db.deleteAll(JSONText.all)
      try db.insert(JSONText(id: 1, box: Self.remade(value, using: &random), boxes: boxes))
      try db.insert(JSONText(id: 2))
      try db.insert(JSONText(id: 3, box: Self.remade(value, using: &random)))
      func ids(_ condition: (JSONText.Columns) -> some QueryExpressible<Bool>) throws -> [Int] {
        try db.fetch(JSONText.where(condition).sorted(by: \.id)).map(\.id)
      }
      #expect(try ids { $0.box == value } == [1, 3], place)
      #expect(try ids { $0.box != value } == [2], place)
      #expect(try ids { $0.boxes == boxes } == [1], place)
      #expect(try db.find(JSONText.self, 1)?.box == value, place)
      #expect(try db.fetch(JSONText.all.grouped(by: \.box) { ($0.key, $0.count) }).map(\.1).sorted() == [1, 2], place)
      // As a program wrote it that did not sort them.
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      let json = String(decoding: try encoder.encode(Self.remade(value, using: &random)), as: UTF8.self)
      try db.sql("update \(JSONText.self) set box = \(json) where id = 1")
      #expect(try ids { $0.box == value } == [1, 3], place)
      #expect(try ids { $0.box != value } == [2], place)
      #expect(try ids { $0.box.isIn([value, Box()]) } == [1, 2, 3], place)
      let others = (0..<(number.isMultiple(of: 5) ? 120 : 3)).map { Box(price: Decimal($0 + 2)) } + [value]
      #expect(try ids { $0.box.isIn(others) } == [1, 3], place)
      func ids(_ predicate: Predicate<JSONText>) throws -> [Int] {
        try db.fetch(JSONText.where(predicate).sorted(by: \.id)).map(\.id)
      }
      #expect(try ids(#Predicate { $0.box == value }) == [1, 3], place)
      #expect(try ids(#Predicate { value != $0.box }) == [2], place)
      #expect(try ids(#Predicate { others.contains($0.box) }) == [1, 3], place)
      #expect(try ids(#Predicate { $0.boxes == boxes }) == [1], place)
      #expect(JSONText.where { $0.box == value } == JSONText.where { $0.box == value }, place)
    }
    TestSeed.tried(50 * 13, .queries, "queries of JSON without an order")
  }

  /// A value whose sets and dictionaries have several elements, at several depths.
  private static func box(using random: inout SplitMix64) -> Box {
    var box = Box()
    let ids = (0..<Int.random(in: 2...6, using: &random)).map { _ in
      UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, UInt8.random(in: 0...255, using: &random)))
    }
    func numbers() -> Set<Int> {
      Set((0..<Int.random(in: 0...5, using: &random)).map { _ in Int.random(in: -99...99, using: &random) })
    }
    box.labels = Set(["red", "blue", "green", "é", "e\u{301}x", "\"", ""].filter { _ in random.once(in: 2) })
    box.counts = Dictionary(ids.map { ($0, Int($0.uuid.15)) }, uniquingKeysWith: { first, _ in first })
    box.deep = (0..<3).map { _ in (0..<Int.random(in: 1...3, using: &random)).map { _ in numbers() } }
    box.maybe = random.once(in: 3) ? nil : Set(ids)
    box.parts = ["x": Set(numbers().map(String.init)), "y": []]
    return box
  }

  /// Returns an equal value whose sets and dictionaries were filled in another order and had another size.
  private static func remade(_ value: Box, using random: inout SplitMix64) -> Box {
    var box = value
    box.labels = Set(minimumCapacity: Int.random(in: 1...64, using: &random))
    for label in value.labels.sorted().shuffled(using: &random) { box.labels.insert(label) }
    box.counts = Dictionary(minimumCapacity: Int.random(in: 1...64, using: &random))
    for (id, count) in value.counts.sorted(by: { $0.value < $1.value }).shuffled(using: &random) {
      box.counts[id] = count
    }
    return box
  }
}
