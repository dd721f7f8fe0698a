import Foundation
import Testing

@testable import Larder

@Suite("Documents: paths into objects and arrays", .timeLimit(.minutes(20)))
struct DocumentPathTests {
  private func makePeople() throws -> (BlockingStore, BlockingDocuments<BlockingStore, Document>) {
    let store = try Store(inMemoryFor: DocumentShelf.self).blocking
    let people = store.documents("people")
    try people.save(keyed: [
      "ada": [
        "name": "Ada", "address": ["city": "London", "zip": 1], "tags": ["math", "poetry"],
        "pets": [["name": "Rex", "age": 3]],
      ],
      "bo": [
        "name": "Bo", "address": ["city": "Graz", "streets": [["name": "Hauptplatz"]]], "tags": ["chess"], "pets": [],
      ],
      "cy": ["name": "Cy", "address": "none", "tags": "math"], "di": ["name": "Di"],
    ])
    return (store, people)
  }

  @Test("B4: conditions and sort orders name values in objects and arrays, as a closure and as text")
  func conditions() throws {
    let (_, people) = try makePeople()
    #expect(try people.keys { $0.address.city == "Graz" } == ["bo"])
    #expect(try people.keys { $0["address"]["city"] != "Graz" }.sorted() == ["ada", "cy", "di"])
    #expect(try people.keys { $0.tags[0] == "math" } == ["ada"])
    #expect(try people.keys { $0.tags[-1] == "poetry" || $0.tags[-1] == "chess" }.sorted() == ["ada", "bo"])
    #expect(try people.keys { $0.address.streets[0].name.contains("platz") } == ["bo"])
    #expect(try people.keys { $0.pets[0].age > 2 } == ["ada"])
    #expect(try people.keys { $0.address.city == nil }.sorted() == ["cy", "di"])
    #expect(try people.keys(where: [Condition("address.city", .equal, "Graz")]) == ["bo"])
    #expect(try people.keys(where: [Condition("pets[0].name", .inList, ["Rex", "Tom"])]) == ["ada"])
    #expect(try people.keys(where: [Condition("tags[-2]", .equal, "math")]) == ["ada"])
    #expect(try people.keys(sort: "address.city desc, name", limit: 2) == ["ada", "bo"])
    #expect(try people.keys(sort: "tags[0] desc , \"address\".\"city\"", limit: 1) == ["ada"])
    #expect(try people.count { $0.tags.containsAll(["math", "poetry"]) } == 1)
    #expect(try people.count { $0.tags.containsAll([] as [String]) } == 4)
    #expect(try people.deleteAll { $0.address.zip == 1 } == 1)
  }

  @Test(
    "B4: an index on a path is used by conditions on it and by sort orders, and is made, listed and removed by its text"
  )
  func index() throws {
    let (store, people) = try makePeople()
    func plan(_ query: DocumentQuery) throws -> String {
      var writer = SQLWriter()
      try query.select("key", from: "main.\"people\"", &writer)
      let arguments = writer.arguments.map { if case .value(let value) = $0 { value } else { Value.null } }
      return try store.sql(SQL(raw: "explain query plan " + writer.sql, arguments: arguments)).compactMap {
        $0["detail"]?.text
      }.joined(
        separator: "; ")
    }
    let properties = DocumentProperties()
    for (path, predicate) in [
      ("address.city", properties.address.city == "Graz"), ("tags[0]", properties.tags[0] > "a"),
      ("tags[-1]", properties.tags[-1].isIn(["x", "y"])),
      ("\"a.b\".\"[c]\"", properties["a.b"]["[c]"] == 1), ("q\"q.x", properties["q\"q"].x < 5),
    ] as [(String, Condition)] {
      #expect(try !plan(DocumentQuery(predicate)).contains("USING INDEX"))
      try people.index(on: path)
      #expect(try plan(DocumentQuery(predicate)).contains("USING INDEX _larder_index:people"), "\(path)")
      #expect(
        try plan(DocumentQuery(Condition([]), sort: path, limit: 1)).contains(
          "USING INDEX _larder_index:people"), "\(path)")
      let listed = try people.indexes
      let text = try DocumentPath(parsing: path).description
      #expect(listed == [[text]])
      try people.index(on: path)
      #expect(try people.indexes.count == 1)
      try people.removeIndex(on: path)
      #expect(try people.indexes.isEmpty)
    }
    try people.index(on: "address.city", "name")
    try people.index(on: "\"address.city\"")
    #expect(try people.indexes == [["address.city", "name"], ["\"address.city\""]])
    #expect(try people.keys { $0.address.city == "Graz" && $0.name == "Bo" } == ["bo"])
  }

  @Test(
    "B4: names may have any characters: in a closure as they are, in text in quotation marks",
    arguments: [
      "a.b", "a[0]", "a]", "\"", "a\"b", "a\"b.c", "\"\"", "", " ", " a ", "a b", "a\u{0}b", "a\\b", "a\nb", "'", "é",
      "\u{301}x", "😀", "key", "$",
      "#", "-1", "0",
      "select", "a,b", "a\u{1F}", "a\u{7F}", "asc", "name desc",
    ])
  func names(_ name: String) throws {
    let store = try Store(inMemoryFor: DocumentShelf.self).blocking
    let things = store.documents("things")
    let list: DocumentValue = [["x": 1], [name: "last"]]
    try things.save("a", ["v": [name: ["in": 1, name: [5, 6]]], "list": list])
    try things.save("b", ["v": [name: ["in": 2]]])
    #expect(try things.keys { $0.v[name]["in"] == 1 } == ["a"])
    #expect(try things.keys { $0.v[name][name][-1] == 6 } == ["a"])
    #expect(try things.keys { $0.list[1][name] == "last" } == ["a"])
    let path = DocumentPath("v", .name(name), "in")
    let parsed = try DocumentPath(parsing: path.description)
    #expect(parsed == path)
    #expect(try things.keys(where: [Condition(path.description, .greaterThan, 1)]) == ["b"])
    #expect(try things.keys(sort: "\(path) desc") == ["b", "a"])
    try things.index(on: path.description)
    #expect(try things.keys(where: [Condition(path.description, .equal, 2)]) == ["b"])
    #expect(try things.keys { $0[path] == 2 } == ["b"])
  }

  @Test(
    "B4: a text that is no path is an error that says how one is written",
    arguments: [
      "", ".", "a.", ".a", "a..b", "a[", "a[]", "a[x]", "a[1", "a[+1]", "a[1]b", "a]", "[0]", "\"a", "\"a\"b",
      "a[99999999999]", "a[ 1]",
    ])
  func noPaths(_ text: String) throws {
    let (_, people) = try makePeople()
    let calls: [() throws -> Void] = [
      { _ = try people.keys(where: [Condition(text, .equal, 1)]) },
      { _ = try people.deleteAll(where: [Condition(text, .equal, 1)]) },
      { try people.index(on: text) }, { try people.removeIndex(on: text) }, { _ = try DocumentPath(parsing: text) },
      { _ = try people.keys(where: [Condition(text, .equal, 1)], validatesProperties: false) },
    ]
    for call in calls {
      let error = #expect(throws: StoreError.self) { try call() }
      #expect(
        error?.code == .invalidValue && error?.message.contains("address.city or tags[0]") == true, "\(error as Any)")
    }
    #expect(try people.count() == 4)
  }

  @Test(
    "B4: a mistake in a path is an error with the path that was meant",
    arguments: [
      ("adress.city", "address.city"), ("address.ctiy", "address.city"),
      ("address.streets[0].nmae", "address.streets[0].name"),
      ("pets[0].agge", "pets[0].age"), ("address.zipp", "address.zip"), ("tagz[0]", "tags[0]"),
    ])
  func didYouMean(_ wrong: String, _ right: String) throws {
    let (_, people) = try makePeople()
    let path = try DocumentPath(parsing: wrong)
    let calls: [() throws -> Void] = [
      { _ = try people.keys(where: [Condition(wrong, .equal, 1)]) }, { _ = try people.keys(sort: wrong) },
      { _ = try people.count { !($0[path] == 1) } },
    ]
    for call in calls {
      let error = #expect(throws: StoreError.self) { try call() }
      #expect(error?.code == .schemaMismatch && error?.model == "people" && error?.property == wrong)
      #expect(error?.message.contains("Did you mean \(right)?") == true, "\(error as Any)")
    }
    #expect(try people.keys(where: [Condition(wrong, .equal, 1)], validatesProperties: false) == [])
    // What may come yet is no mistake.
    #expect(try people.keys { $0.address.planet == "Mars" } == [])
    #expect(try people.keys { $0.tags[7] == "x" } == [])
    #expect(try people.keys { $0.name.first == "A" } == [])
  }
}

@Suite("Documents: many conditions at once", .timeLimit(.minutes(20)))
struct DocumentManyConditionsTests {
  private func makeNumbers() throws -> BlockingDocuments<BlockingStore, Document> {
    let numbers = try Store(inMemoryFor: DocumentShelf.self).blocking.documents("numbers")
    try numbers.save(
      keyed: (0..<50).map {
        (key: "\($0)", value: ["n": .integer(Int64($0)), "m": .integer(Int64($0 % 7))] as Document)
      })
    return numbers
  }

  @Test(
    "B5: ten thousand conditions are joined, by operators from either side and as values",
    arguments: [2, 88, 1000, 10_000])
  func joined(_ count: Int) throws {
    let numbers = try makeNumbers()
    let n = DocumentProperties().n
    let above = (0..<count).map { n > -1 - $0 }
    let equal = (0..<count).map { n == 40 + $0 }
    let expected = min(count, 10)
    #expect(try numbers.keys(DocumentQuery(above.dropFirst().reduce(above[0]) { $0 && $1 })).count == 50)
    #expect(try numbers.keys(DocumentQuery(above.dropFirst().reduce(above[0]) { $1 && $0 })).count == 50)
    #expect(try numbers.keys(DocumentQuery(equal.dropFirst().reduce(equal[0]) { $0 || $1 })).count == expected)
    #expect(try numbers.keys(DocumentQuery(!Condition(any: equal))).count == 50 - expected)
    #expect(try numbers.keys(DocumentQuery(Condition(any: above.map { !$0 } + [n == 7]))) == ["7"])
    #expect(try numbers.count(where: (0..<count).map { Condition("n", .notEqual, 1000 + $0) }) == 50)
    #expect(try numbers.count(where: (0..<count).map { Condition(set: $0, "n", .greaterThan, 48 + $0) }) == 1)
    #expect(
      try numbers.count(where: (0..<count).map { Condition(set: $0 / 2, $0 % 2 == 0 ? "n" : "m", .equal, $0 / 2) })
        == min(7, max(1, count / 2)))
    #expect(try numbers.count { $0.n.isIn(0..<count) } == min(50, count))
  }

  @Test(
    "B5: && and || in one another are as deep as SQLite's parser takes them, and deeper is an error, for 100,000 levels too"
  )
  func nested() throws {
    let numbers = try makeNumbers()
    let (n, m) = (DocumentProperties().n, DocumentProperties().m)
    func nested(_ depth: Int, isDeepFirst: Bool) -> Condition {
      (0..<depth).reduce(n == 3) { predicate, level in
        let other = level % 2 == 0 ? m == 3 : n == 4
        let (left, right) = isDeepFirst ? (predicate, other) : (other, predicate)
        return level % 2 == 0 ? left && right : left || right
      }
    }
    for isDeepFirst in [false, true] {
      for depth in [1, 2, 10, Condition.depthLimit - 1] {
        let expected = depth % 2 == 0 ? ["3", "4"] : ["3"]
        #expect(try numbers.keys(DocumentQuery(nested(depth, isDeepFirst: isDeepFirst))).sorted() == expected)
        _ = try numbers.keys(DocumentQuery(!nested(depth, isDeepFirst: isDeepFirst)))
      }
      for depth in [Condition.depthLimit + 1, 3000, 100_000] {
        let error = #expect(throws: StoreError.self) {
          try numbers.keys(DocumentQuery(nested(depth, isDeepFirst: isDeepFirst)))
        }
        #expect(error?.code == .unsupported && error?.model == "numbers" && error?.message.contains("levels") == true)
      }
    }
    let negated = (0..<100_001).reduce(n == 3) { predicate, _ in !predicate }
    #expect(try numbers.count { _ in negated } == 49)
  }
}

@Suite("Documents: values of Swift's types", .timeLimit(.minutes(20)))
struct DocumentValueTypeTests {
  @Test("B2: the standard types are values of documents, by their own meaning")
  func types() throws {
    #expect(DocumentValue(Float(0.1)) == 0.1)
    #expect(
      [DocumentValue(Int8.min), DocumentValue(UInt8.max), DocumentValue(Int32.max), DocumentValue(UInt32.max)] == [
        -128, 255, 2_147_483_647, 4_294_967_295,
      ])
    #expect(try DocumentValue(UInt64(Int64.max)) == .integer(.max))
    #expect(DocumentValue(["a": 1, "b": nil] as [String: Int?]) == ["a": 1, "b": nil])
    #expect(DocumentValue([["x"], []]) == [["x"], []])
    #expect(DocumentValue(Optional<Int>.none) == nil)
    #expect(
      try DocumentValue(Decimal(string: "123456789012345678901234567890.5")) == "123456789012345678901234567890.5")
    let address = try #require(URL(string: "https://example.org/a?b=c"))
    #expect(DocumentValue(address) == "https://example.org/a?b=c")
    #expect(DocumentValue(Data([0, 255])) == "AP8=")
    let id = UUID()
    #expect(DocumentValue(id) == .text(id.uuidString))
  }

  @Test("B2: a value that no document holds is an error, in values, conditions and typed collections")
  func overflow() throws {
    let numbers = try Store(inMemoryFor: DocumentShelf.self).blocking.documents("numbers")
    try numbers.save("a", ["n": 1])
    #expect(throws: StoreError.self) { try DocumentValue(UInt64.max) }
    #expect(throws: StoreError.self) { try DocumentValue(UInt(Int.max) + 1) }
    #expect(throws: StoreError.self) { try DocumentValue([UInt64.max]) }
    #expect(throws: StoreError.self) { try DocumentValue(["a": UInt64.max]) }
    #expect(throws: StoreError.self) { try DocumentValue(Decimal.nan) }
    for predicate in [
      DocumentProperties().n == UInt64.max, DocumentProperties().n != UInt64.max,
      DocumentProperties().n.isIn([UInt64.max]),
      DocumentProperties().n.contains(UInt64.max), Condition([Condition("n", .equal, UInt64.max)]),
    ] {
      let error = #expect(throws: StoreError.self) { try numbers.keys(DocumentQuery(predicate)) }
      #expect(error?.code == .invalidValue && error?.model == "numbers" && error?.property == "n")
    }
    struct Large: Codable { var n: UInt64 }
    let typed = try Store(inMemoryFor: DocumentShelf.self).blocking.documents("large", of: Large.self)
    let error = #expect(throws: StoreError.self) { try typed.save("a", Large(n: .max)) }
    #expect(error?.model == "large" && error?.property == "n")
  }

  @Test("B2: any Codable becomes a document and comes back")
  func coding() throws {
    let ada = Resident(
      key: "ada", name: "Ada", born: Date(timeIntervalSinceReferenceDate: 0.5), pets: [Companion(name: "Rex", age: 3)])
    let document = try Document(encoding: ada)
    #expect(
      document["key"] == "ada" && document["pets"]?[0]?["name"] == "Rex"
        && document["born"] == "2001-01-01T00:00:00.500000000Z")
    #expect(try document.decode(Resident.self) == ada)
    #expect(try DocumentValue(encoding: [1, 2]).decode([Int].self) == [1, 2])
    #expect(try DocumentValue(encoding: document) == .object(document))
    #expect(throws: StoreError.self) { try Document(encoding: [1, 2]) }
    let error = #expect(throws: StoreError.self) { try document.decode([Int].self) }
    #expect(error?.code == .invalidValue)
    #expect(throws: StoreError.self) { try Document([("name", 1)]).decode(Resident.self) }
  }

  @Test("B1: collections are listed with the number of their documents, everywhere")
  func collections() async throws {
    let store = try Store(inMemoryFor: DocumentShelf.self)
    #expect(try store.blocking.documentCollections.isEmpty)
    try await store.write { db in
      try db.documents("a").save("1", [:])
      try db.documents("b").save(keyed: ["1": [:], "2": [:]])
      #expect(try db.documentCollections == ["a", "b"] && db.documentCounts == ["a": 1, "b": 2])
    }
    #expect(try await store.documentCounts == ["a": 1, "b": 2])
    #expect(try await store.read { try $0.documentCounts } == ["a": 1, "b": 2])
    #expect(try store.blocking.documents("a").deleteCollection())
    #expect(try store.blocking.documentCollections == ["b"])
  }

  @Test("B9: live results follow a condition that a closure says")
  func live() async throws {
    let store = try Store(inMemoryFor: DocumentShelf.self)
    let people = store.documents("people")
    var results = people.live(sort: "key") { $0.address.city == "Graz" }.makeAsyncIterator()
    #expect(try await results.next()?.isEmpty == true)
    try await people.save("a", ["address": ["city": "Graz"]])
    #expect(try await results.next()?.map(\.key) == ["a"])
    try await people.save("b", ["address": ["city": "Graz"]])
    #expect(try await results.next()?.map(\.key) == ["a", "b"])
  }
}
