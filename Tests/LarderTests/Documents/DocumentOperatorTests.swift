import Foundation
import LarderTestSupport
import Testing

@testable import Larder

@Suite("Documents: operators, truth values and names", .timeLimit(.minutes(20)))
struct DocumentOperatorTests {
  private func makeThings() throws -> BlockingDocuments<BlockingStore, Document> {
    let things = try Store(inMemoryFor: DocumentShelf.self).blocking.documents("things")
    try things.save(keyed: [
      "int": ["v": 5], "real": ["v": 5.5], "text": ["v": "five"], "upper": ["v": "FIVE %"], "yes": ["v": true],
      "no": ["v": false],
      "array": ["v": [5, "five", true, nil, 5.5, ["five"], ["a": "five"]]], "empty": ["v": []],
      "object": ["v": ["v": "five"]], "null": ["v": nil],
      "none": [:],
    ])
    return things
  }

  @Test(
    "B5: every operator with every kind of value",
    arguments: [
      (Condition.Operator.equal, 5, ["int"]), (.equal, 5.5, ["real"]), (.equal, "five", ["text"]),
      (.equal, true, ["yes"]), (.equal, false, ["no"]),
      (.equal, [], ["empty"]), (.equal, ["v": "five"], ["object"]), (.equal, nil, ["none", "null"]),
      (.notEqual, 5, ["array", "empty", "no", "object", "real", "text", "upper", "yes"]),
      (.notEqual, "five", ["array", "empty", "int", "no", "object", "real", "upper", "yes"]),
      (.notEqual, nil, ["array", "empty", "int", "no", "object", "real", "text", "upper", "yes"]),
      (.lessThan, 5.5, ["int"]), (.lessThanOrEqual, 5.5, ["int", "real"]), (.greaterThan, 5, ["real"]),
      (.greaterThanOrEqual, 5, ["int", "real"]), (.lessThan, nil, []), (.greaterThan, nil, []),
      (.lessThan, "f", ["upper"]), (.lessThanOrEqual, "five", ["text", "upper"]),
      (.greaterThan, "f", ["text"]), (.greaterThanOrEqual, "five", ["text"]),
      (.contains, 5, ["array"]), (.contains, 5.5, ["array"]), (.contains, true, ["array"]),
      (.contains, "five", ["array", "text", "upper"]),
      (.contains, "IV", ["text", "upper"]), (.contains, "%", ["upper"]), (.contains, "_", []),
      (.contains, nil, ["array"]),
      (.contains, ["five"], ["array"]), (.contains, ["a": "five"], ["array"]), (.contains, "a", []),
      (.inList, [5, "five"], ["int", "text"]), (.inList, [true], ["yes"]),
      (.inList, [5.5, false, "x"], ["no", "real"]), (.inList, [], []),
      (.inList, [nil], ["none", "null"]), (.lessThan, ["z"], []), (.greaterThan, true, []),
      (.inList, [["v": "five"]], ["object"]),
    ] as [(Condition.Operator, DocumentValue, [String])])
  func operators(_ comparison: Condition.Operator, _ value: DocumentValue, _ expected: [String]) throws {
    let things = try makeThings()
    #expect(try things.keys(where: [Condition("v", comparison, value)]).sorted() == expected)
    try things.index(on: "v")
    #expect(try things.keys(where: [Condition("v", comparison, value)]).sorted() == expected, "with an index")
    #expect(try things.fetch(where: [Condition("v", comparison, value)]).map(\.key).sorted() == expected)
    #expect(try things.count(where: [Condition("v", comparison, value)]) == expected.count)
    #expect(try things.deleteAll(where: [Condition("v", comparison, value)]) == expected.count)
    #expect(try things.count() == 11 - expected.count)
  }

  @Test("B5: a text that looks like an array is none, a truth value is no number, and neither is part of a number")
  func lookalikes() throws {
    let things = try Store(inMemoryFor: DocumentShelf.self).blocking.documents("lookalikes")
    for (key, value) in [
      ("array", [1]), ("text", "[1]"), ("two", 2), ("twelve", 12), ("twenty", 20), ("pair", [2, 3]), ("flags", [true]),
      ("one", 1), ("eleven", 11), ("zero", 0), ("yes", true), ("no", false),
    ] as [(String, DocumentValue)] {
      try things.save(key, ["v": value])
    }
    #expect(try things.keys(where: [Condition("v", .equal, "[1]")]) == ["text"])
    #expect(try things.keys(where: [Condition("v", .equal, true)]) == ["yes"])
    #expect(try things.keys(where: [Condition("v", .equal, 1)]) == ["one"])
    let mixed = Condition("v", .inList, [false, 12] as [DocumentValue])
    #expect(try things.keys(where: [mixed]).sorted() == ["no", "twelve"])
    #expect(try things.keys(where: [Condition("v", .equal, 0)]) == ["zero"])
    #expect(try things.keys(where: [Condition("v", .contains, 2)]) == ["pair"])
    #expect(try things.keys(where: [Condition("v", .contains, true)]) == ["flags"])
    #expect(try things.keys(where: [Condition("v", .contains, 1)]) == ["array"])
    #expect(try things.keys(where: [Condition("v", .lessThan, "z")]) == ["text"])
    #expect(try things.keys(where: [Condition("v", .greaterThanOrEqual, "[")]) == ["text"])
  }

  @Test("B5: the key is compared as a property called key, with every operator")
  func keys() throws {
    let things = try makeThings()
    #expect(try things.keys(where: [Condition("key", .equal, "int")]) == ["int"])
    #expect(try things.keys(where: [Condition("key", .notEqual, "int")]).count == 10)
    #expect(try things.keys(where: [Condition("key", .contains, "EA")]) == ["real"])
    #expect(
      try things.keys(where: [Condition("key", .inList, ["int", "real", "nobody"])], sort: "key") == ["int", "real"])
    #expect(
      try things.keys(where: [Condition("key", .lessThan, "empty"), Condition("key", .greaterThanOrEqual, "a")]) == [
        "array"
      ])
    #expect(try things.keys { $0.key == "int" || $0.key > "upper" }.sorted() == ["int", "yes"])
  }

  @Test("B5: inList without a list is refused with the property's name")
  func noList() throws {
    let error = #expect(throws: StoreError.self) { try makeThings().keys(where: [Condition("v", .inList, "five")]) }
    #expect(error?.code == .invalidValue && error?.property == "v" && error?.message.contains("as an array") == true)
  }

  @Test("B5: whatever sets of conditions there are, those of a set must all hold and one set suffices")
  func randomSets() throws {
    var random = SplitMix64(seed: TestSeed.value)
    let numbers = try Store(inMemoryFor: DocumentShelf.self).blocking.documents("numbers")
    let documents = (0..<60).map { number in
      (key: "\(number)", a: Int.random(in: 0..<6, using: &random), b: Int.random(in: 0..<6, using: &random))
    }
    try numbers.save(
      keyed: documents.map {
        (key: $0.key, value: ["a": .integer(Int64($0.a)), "b": .integer(Int64($0.b))] as Document)
      })
    let operators: [(Condition.Operator, (Int, Int) -> Bool)] = [
      (.equal, ==), (.notEqual, !=), (.lessThan, <), (.greaterThan, >), (.lessThanOrEqual, <=),
      (.greaterThanOrEqual, >=),
    ]
    for step in 0..<300 {
      var conditions: [Condition] = []
      var tests: [Int: [(Int, Int) -> Bool]] = [:]
      for _ in 0..<Int.random(in: 0...5, using: &random) {
        let (comparison, holds) = operators[Int.random(in: operators.indices, using: &random)]
        let (set, bound, isFirst) = (
          Int.random(in: 0..<3, using: &random), Int.random(in: 0..<6, using: &random), Bool.random(using: &random)
        )
        conditions.append(Condition(set: set, isFirst ? "a" : "b", comparison, bound))
        tests[set, default: []].append { a, b in holds(isFirst ? a : b, bound) }
      }
      let expected = documents.filter { document in
        tests.isEmpty || tests.values.contains { $0.allSatisfy { $0(document.a, document.b) } }
      }
      #expect(
        try Set(numbers.keys(where: conditions)) == Set(expected.map(\.key)),
        "seed \(TestSeed.value), step \(step): \(conditions)")
    }
    TestSeed.tried(300, .queries, "queries of documents")
  }

  private struct Switch: Codable, Equatable {
    var isOn: Bool
    var others: [Bool] = []
    var perhaps: Bool?
  }

  @Test(
    "B3: every spelling of a truth value, in a type, in an array, as an optional and as a value",
    arguments: [
      ("true", true), ("false", false), ("0", false), ("1", true), ("2", true), ("-1", true),
      ("9223372036854775807", true), ("\"1\"", true),
      ("\"yes\"", true), ("\"YES\"", true), ("\"true\"", true), ("\"TRUE\"", true), ("\"0\"", false), ("\"no\"", false),
      ("\"NO\"", false),
      ("\"false\"", false), ("\"FALSE\"", false),
    ])
  func truth(_ json: String, _ expected: Bool) throws {
    let store = try Store(inMemoryFor: DocumentShelf.self).blocking
    try store.documents("switches").save(
      "a", json: "{\"isOn\": \(json), \"others\": [\(json), true], \"perhaps\": \(json)}")
    #expect(
      try store.documents("switches", of: Switch.self).find("a")
        == Switch(isOn: expected, others: [expected, true], perhaps: expected))
    #expect(try store.documents("switches").find("a")?["isOn"]?.bool == expected)
    #expect(try DocumentValue(json: json).bool == expected)
  }

  @Test(
    "B3: what is no truth value is an error that names the collection, the document and the property",
    arguments: ["\"maybe\"", "\"\"", "\"Yes\"", "\"2\"", "1.5", "[]", "{}", "null"])
  func noTruth(_ json: String) throws {
    let store = try Store(inMemoryFor: DocumentShelf.self).blocking
    try store.documents("switches").save("a", json: "{\"isOn\": \(json), \"others\": []}")
    let error = #expect(throws: StoreError.self) { try store.documents("switches", of: Switch.self).find("a") }
    #expect(error?.code == .invalidValue && error?.model == "switches")
    #expect(error?.message.contains("\"a\"") == true && error?.message.contains("isOn") == true, "\(error as Any)")
    #expect(try DocumentValue(json: json).bool == nil)
  }

  @Test(
    "B4: an unknown property is an error with the name that was meant, wherever it stands, unless it is told to be ignored",
    arguments: [
      ("nmae", "name"), ("Name", "name"), ("hoem town", "home town"), ("agee", "age"), ("ke", "key"), ("zzzzzzzz", nil),
    ])
  func didYouMean(_ wrong: String, _ right: String?) throws {
    let people = try Store(inMemoryFor: DocumentShelf.self).blocking.documents("people")
    try people.save(keyed: ["a": ["name": "A", "age": 1, "home town": "X"], "b": ["name": "B"]])
    let condition = Condition(wrong, .equal, 1)
    let calls: [() throws -> Void] = [
      { _ = try people.keys(where: [condition]) }, { _ = try people.keys(sort: "\"\(wrong)\" desc") },
      { _ = try people.keys { $0[wrong] == 1 } },
      { _ = try people.keys { $0.name == "A" && !($0.age == 1 || $0[wrong] != nil) } },
      { _ = try people.fetch(where: [condition]) },
      { _ = try people.fetch { $0[wrong].contains("x") } }, { _ = try people.count(where: [condition]) },
      { _ = try people.count { $0[wrong] == 1 } },
      { _ = try people.deleteAll(where: [condition]) }, { _ = try people.deleteAll { $0[wrong].isIn([1]) } },
    ]
    for (number, call) in calls.enumerated() {
      let error = #expect(throws: StoreError.self, "call \(number)") { try call() }
      #expect(error?.code == .schemaMismatch && error?.model == "people" && error?.property == wrong, "call \(number)")
      #expect(
        error?.message.contains(right.map { "Did you mean \($0)?" } ?? "Correct the name") == true, "\(error as Any)")
      #expect(error?.message.contains("validatesProperties: false") == true)
    }
    #expect(try people.keys(where: [condition], validatesProperties: false) == [])
    #expect(try people.keys(sort: "\"\(wrong)\", key desc", validatesProperties: false) == ["b", "a"])
    #expect(try people.keys(validatesProperties: false) { $0[wrong] == nil && $0.name == "A" } == ["a"])
    #expect(try people.fetch(validatesProperties: false) { $0[wrong] == 1 }.isEmpty)
    #expect(try people.count(where: [condition], validatesProperties: false) == 0)
    #expect(try people.deleteAll(where: [condition], validatesProperties: false) == 0)
    #expect(try people.deleteAll(validatesProperties: false) { $0[wrong] == 1 } == 0)
    #expect(try people.contains("a") && people.contains("b") && !people.contains("c"))
  }

  @Test(
    "B4: a sort order is names between commas with asc or desc, in quotation marks where a name needs them",
    arguments: [
      ("", "abcd"), ("  ", "abcd"), ("n", "cadb"), ("n asc", "cadb"), ("n DESC, key", "bdac"), ("g, n desc", "badc"),
      ("g desc,n", "cdab"),
      ("\"g\" desc , \"n\" Asc", "cdab"), ("\"x, y\" desc", "dcba"), ("\"desc\"", "bcda"), ("desc", "bcda"),
      ("desc desc, key", "adcb"),
      ("key desc", "dcba"),
    ])
  func sorts(_ sort: String, _ expected: String) throws {
    let things = try Store(inMemoryFor: DocumentShelf.self).blocking.documents("things")
    for (key, n, g, xy, desc) in [("a", 2, "x", 1, 4), ("b", 4, "x", 2, 1), ("c", 1, "y", 3, 2), ("d", 3, "y", 4, 3)]
      as [(String, Int, String, Int, Int)]
    {
      try things.save(
        key, ["n": DocumentValue(n), "g": .text(g), "x, y": DocumentValue(xy), "desc": DocumentValue(desc)])
    }
    #expect(try things.keys(sort: sort).joined() == expected)
    #expect(try things.fetch(sort: sort, limit: 2, offset: 1).map(\.key).joined() == expected.dropFirst().prefix(2))
  }

  @Test("B4: an order that cannot be read is an error", arguments: [",", "n,", ",n", "n,,g", "n, ,g"])
  func badSorts(_ sort: String) throws {
    let error = #expect(throws: StoreError.self) { try makeThings().keys(sort: sort) }
    #expect(error?.code == .invalidValue && error?.message.contains("between commas") == true)
  }
}
