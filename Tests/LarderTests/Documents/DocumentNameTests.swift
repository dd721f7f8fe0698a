import Foundation
import LarderRandom
import Testing

@testable import Larder

@Suite("Documents: names that only somebody takes for equal", .timeLimit(.minutes(20)))
struct DocumentNameTests {
  private static let composed = "\u{E9}"
  private static let decomposed = "e\u{301}"

  @Test("B1: a collection is one, in whatever case its name is written, also within one transaction")
  func caseOfCollections() async throws {
    let file = try StoreFile()
    let store = try file.open()
    try await store.write { db in
      try db.documents("people").save("a", ["x": 1])
      try db.documents("People").save("b", ["y": 2])
      try db.documents("people").save("c", ["z": 3])
      try db.documents("PEOPLE").keepTimes()
      try db.documents("people").save("d", ["w": 4])
    }
    #expect(try await store.documentCollections == ["people"])
    #expect(try await Set(store.documents("PeoplE").properties) == ["x", "y", "z", "w", "addedAt", "updatedAt"])
    #expect(try await store.documents("PEOPLE").keys { $0.z == 3 } == ["c"])
    #expect(try await store.documents("people").find("d")?["addedAt"] != nil)
    try await store.documents("PEOPLE").index(on: "x")
    #expect(try await store.documents("people").indexes == [["x"]])
    try await store.documents("people").removeIndex(on: "x")
    #expect(try await store.documents("PEOPLE").indexes == [])
    #expect(try await store.sql("select key from pEople where y = 2").count == 1)
  }

  @Test("every name in a batch is remembered, whatever names the documents before have")
  func namesOfBatches() throws {
    let seed = TestSeed.value &* 181
    var generator = SplitMix64(seed: seed)
    let names = (0..<80).map { "n\($0)" }
    var documents =
      [Self.composed, Self.decomposed].map { (key: $0, value: "{\"\($0)\":1}") } + [(key: "c", value: "{}")]
    var expected = Set([Self.composed, Self.decomposed].map { Array($0.utf8) })
    for number in 0..<200 {
      let count = Int.random(in: 0...(number.isMultiple(of: 20) ? 60 : 6), using: &generator)
      let some = names.shuffled(using: &generator).prefix(count)
      expected.formUnion(some.map { Array($0.utf8) })
      documents.append((key: "\(number)", value: "{\(some.map { "\"\($0)\":1" }.joined(separator: ","))}"))
    }
    let things = try Store(inMemoryFor: DocumentTeam.self).blocking.documents("things")
    try things.save(json: documents)
    #expect(Set(try things.properties.map { Array($0.utf8) }) == expected, "seed \(seed)")
  }

  @Test("B4: a name is found in the Unicode scalars that documents have, and in others it is an error")
  func spelling() async throws {
    let store = try Store(inMemoryFor: DocumentShelf.self)
    let people = store.documents("people")
    try await people.save("a", [Self.composed: 1, "in": [Self.composed: 1]])
    #expect(try await people.keys { $0[Self.composed] == 1 && $0["in"][Self.composed] == 1 } == ["a"])
    for condition in [DocumentPath(Self.decomposed), DocumentPath("in", .name(Self.decomposed))] {
      let error = await #expect(throws: StoreError.self) { try await people.keys { $0[condition] == 1 } }
      #expect(error?.code == .schemaMismatch && error?.message.contains("Unicode scalars") == true)
      #expect(try await people.keys(validatesProperties: false) { $0[condition] == 1 } == [])
    }
    try await people.save("b", [Self.decomposed: 2, "in": [Self.decomposed: 2]])
    #expect(try await people.properties.count == 3)
    #expect(try await people.keys { $0[Self.decomposed] == 2 || $0[Self.decomposed] == 3 } == ["b"])
    #expect(try await people.keys { $0[Self.composed] == 2 || $0[Self.decomposed] == 2 } == ["b"])
    #expect(try await people.keys { $0["in"][Self.composed] == 1 || $0["in"][Self.decomposed] == 1 } == ["a"])
    #expect(try await people.keys { $0[Self.composed] == 1 || $0[Self.decomposed] == 2 }.sorted() == ["a", "b"])
    let columns = try await store.sql("select * from people where key = 'b'").first
    #expect(columns?.count { $0.value == 2 } == 1)
    #expect(try await people.find("b")?[Self.composed] == 2)
  }

  @Test("B5: a list of arrays and objects whose texts only Swift takes for equal finds the documents of each")
  func lists() async throws {
    let things = try Store(inMemoryFor: DocumentShelf.self).documents("things")
    let values: [DocumentValue] = [
      [.text(Self.composed)], [.text(Self.decomposed)], .object([Self.composed: 1]), .object([Self.decomposed: 1]),
      .text("\(Self.composed)\u{0}"),
      .text("\(Self.decomposed)\u{0}"), .text(Self.composed), .text(Self.decomposed),
    ]
    for (number, value) in values.enumerated() { try await things.save("\(number)", ["v": value]) }
    let found = try await things.keys(where: [Condition("v", .inList, values)])
    #expect(found.sorted() == ["0", "1", "2", "3", "4", "5", "6", "7"])
    for (number, value) in values.enumerated() where number != 2 && number != 3 {
      #expect(try await things.keys { $0.v == value } == ["\(number)"])
      #expect(try await things.keys { $0.v.isIn([value, nil, nil, true, true]) } == ["\(number)"])
    }
  }

  @Test("B1: two keys that only Swift takes for equal are two documents; a dictionary of both is refused")
  func keys() async throws {
    let store = try Store(inMemoryFor: DocumentShelf.self)
    let people = store.documents("people")
    try await people.save(keyed: [
      (key: Self.composed, value: ["n": 1] as Document), (key: Self.decomposed, value: ["n": 2] as Document),
    ])
    #expect(try await people.find(Self.composed) == ["n": 1])
    #expect(try await people.find(Self.decomposed) == ["n": 2])
    #expect(try await people.find([Self.decomposed, "x", Self.decomposed])["\u{E9}"] == ["n": 2])
    let error = await #expect(throws: StoreError.self) { try await people.find([Self.composed, Self.decomposed]) }
    #expect(error?.code == .unsupported && error?.model == "people")
    let (documents, _) = try await people.load([Self.decomposed, Self.composed])
    #expect(documents.map(\.value) == [["n": 2], ["n": 1]])
    #expect(try await people.results(sort: "n").map { $0 } == [["n": 1], ["n": 2]])
  }

  @Test("B5: indexes on properties whose names differ in case alone are two, and each is removed by itself")
  func caseOfIndexes() async throws {
    let store = try Store(inMemoryFor: DocumentShelf.self)
    let people = store.documents("people")
    try await people.save("a", ["name": 1, "Name": 2, "NAME": ["x]": 3]])
    for path in ["name", "Name", "NAME", "name", "NAME.\"x]\"", "name.\"x]\""] { try await people.index(on: path) }
    #expect(try await people.indexes == [["name"], ["Name"], ["NAME"], ["NAME.\"x]\""], ["name.\"x]\""]])
    for name in ["name", "Name", "NAME"] {
      let plan = try await store.sql(SQL(raw: "explain query plan select key from people where \"\(name)\" = 2"))
      // SQL has one column for the three.
      #expect(plan.contains { $0["detail"]?.text?.contains("_larder_index:people") == true })
    }
    try await people.removeIndex(on: "Name")
    try await people.removeIndex(on: "nAME")
    #expect(try await people.indexes == [["name"], ["NAME"], ["NAME.\"x]\""], ["name.\"x]\""]])
    try await people.index(on: "Name", "name")
    try await people.index(on: "name", "Name")
    #expect(try await people.indexes.suffix(2) == [["Name", "name"], ["name", "Name"]])
    #expect(try await people.keys { $0.Name == 2 && $0.name == 1 } == ["a"])
  }
}

@Suite("Documents: values that encode in unusual ways", .timeLimit(.minutes(20)))
struct DocumentEncodingTests {
  private final class Ring: Codable, @unchecked Sendable {
    // Written before it is encoded, and then only read.
    var next: Ring?
  }

  /// A value that wraps itself without a name in between.
  private final class Onion: Encodable {
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(self)
    }
  }

  private final class Heir: Encodable {
    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      try container.encode([self])
    }
  }

  @Test("B2: objects that hold one another in a circle are refused with the remedy, and end nothing")
  func circles() async throws {
    let store = try Store(inMemoryFor: DocumentShelf.self)
    let ring = Ring()
    ring.next = Ring()
    ring.next?.next = ring
    let error = await #expect(throws: StoreError.self) {
      try await store.documents("rings", of: Ring.self).save("r", ring)
    }
    #expect(error?.code == .invalidValue && error?.model == "rings" && error?.property == "next")
    #expect(error?.message.contains("DocumentReference") == true)
    ring.next?.next = nil
    try await store.documents("rings", of: Ring.self).save("r", ring)
    #expect(try await store.documents("rings").json("r") == #"{"next":{}}"#)
    for value in [Onion(), Heir()] as [any Encodable] {
      #expect(throws: StoreError.self) { try DocumentValue(encoding: value) }
    }
  }

  @Test("B2: values nest as deep as documents do, and come back")
  func depth() async throws {
    let store = try Store(inMemoryFor: DocumentShelf.self)
    let rings = store.documents("rings", of: Ring.self)
    func chain(_ count: Int) -> Ring {
      let last = Ring()
      return (1..<count).reduce(last) { ring, _ in
        let outer = Ring()
        outer.next = ring
        return outer
      }
    }
    try await rings.save("deep", chain(256))
    var count = 0
    var ring = try await rings.find("deep")
    while let next = ring {
      count += 1
      ring = next.next
    }
    #expect(count == 256)
    await #expect(throws: StoreError.self) { try await rings.save("deeper", chain(257)) }
    await #expect(throws: StoreError.self) { try await rings.save("deepest", chain(5000)) }
    #expect(try await rings.keys() == ["deep"])
  }

  private struct Twice: Encodable {
    enum CodingKeys: CodingKey { case inner, list }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      var first = container.nestedContainer(keyedBy: CodingKeys.self, forKey: .inner)
      try first.encode(1, forKey: .inner)
      var second = container.nestedContainer(keyedBy: CodingKeys.self, forKey: .inner)
      try second.encode(2, forKey: .list)
      var list = container.nestedUnkeyedContainer(forKey: .list)
      try list.encode(3)
      var more = container.nestedUnkeyedContainer(forKey: .list)
      try more.encode(4)
    }
  }

  @Test("B2: a container that a type asks for twice is one, as Foundation's encoders have it")
  func containers() throws {
    #expect(try Document(encoding: Twice()) == ["inner": ["inner": 1, "list": 2], "list": [3, 4]])
    let foundation = try JSONSerialization.jsonObject(with: JSONEncoder().encode(Twice())) as? [String: Any]
    #expect(
      foundation?["list"] as? [Int] == [3, 4] && foundation?["inner"] as? [String: Int] == ["inner": 1, "list": 2])
  }
}
