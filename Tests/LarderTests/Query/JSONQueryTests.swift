import Foundation
import Larder
import Testing

/// Conditions on properties that are kept as JSON.
@Suite struct JSONQueryTests {
  let sample: SpecimenSample

  init() throws { sample = try SpecimenSample() }

  @Test("an array, a set and an optional array contain an element, or do not", arguments: Specimen.Pool.words)
  func contains(_ word: String) throws {
    try sample.check({ $0.tags.contains(word) }) { $0.tags.contains(word) }
    try sample.check({ !$0.tags.contains(word) }) { !$0.tags.contains(word) }
    try sample.check({ $0.notes.contains(word) }) { $0.notes?.contains(word) ?? false }
    try sample.check({ !$0.notes.contains(word) }) { !($0.notes?.contains(word) ?? false) }
    try sample.check({ $0.marks.contains(7) }) { $0.marks.contains(7) }
    try sample.check({ $0.tags.contains("re") }, isTelling: false) { $0.tags.contains("re") }
  }

  @Test("collections are counted")
  func count() throws {
    try sample.check({ $0.tags.count == 2 }) { $0.tags.count == 2 }
    try sample.check({ $0.tags.isEmpty }) { $0.tags.isEmpty }
    try sample.check({ !$0.marks.isEmpty }) { !$0.marks.isEmpty }
    try sample.check({ $0.marks.count > 2 && $0.tags.count < 3 }) { $0.marks.count > 2 && $0.tags.count < 3 }
    try sample.check({ $0.scores.count == 2 }) { $0.scores.count == 2 }
    try sample.check({ $0.scores.isEmpty }, isTelling: false) { $0.scores.isEmpty }
  }

  @Test(
    "the member of a dictionary is compared, its key may hold a dot, a quote, a space",
    arguments: ["a", "b.c", "q\"r", "s t", "b\\s", "", "none"])
  func dictionary(_ key: String) throws {
    let isThere = key != "none"
    try sample.check({ $0.scores[key] == 7 }, isTelling: false) { $0.scores[key] == 7 }
    try sample.check({ $0.scores[key] != 7 }, isTelling: false) { $0.scores[key] != 7 }
    try sample.check({ $0.scores[key] > 0 }, isTelling: isThere) { $0.scores[key].map { $0 > 0 } ?? false }
    try sample.check({ $0.scores[key] == nil }, isTelling: isThere) { $0.scores[key] == nil }
    try sample.check({ $0.scores[key] != nil }, isTelling: isThere) { $0.scores[key] != nil }
  }

  @Test("an element of an array is named by its position, from the end too")
  func positions() throws {
    try sample.check({ $0.tags[0] == "red" }) { $0.tags.first == "red" }
    try sample.check({ $0.tags[-1] == "x.y" }) { $0.tags.last == "x.y" }
    try sample.check({ $0.tags[9] == nil }, isTelling: false) { _ in true }
    try sample.check({ $0.notes[0] == "red" }) { $0.notes?.first == "red" }
  }

  @Test("a path leads into nested values")
  func paths() throws {
    try sample.check({ $0.place["city"] == "Paris" }) { $0.place.city == "Paris" }
    try sample.check({ $0.place["city"] != "O'Brien" }) { $0.place.city != "O'Brien" }
    try sample.check({ $0.place["spot"]["row"] >= 2 }) { $0.place.spot.map { $0.row >= 2 } ?? false }
    try sample.check({ $0.place["spot"]["seats"][0] == "red" }) { $0.place.spot?.seats.first == "red" }
    try sample.check({ $0.place["spot"]["seats"].contains("blue") }) { $0.place.spot?.seats.contains("blue") ?? false }
    try sample.check({ $0.place["spot"]["seats"].count == 2 }) { $0.place.spot?.seats.count == 2 }
    try sample.check({ $0.place["spot"] == nil }) { $0.place.spot == nil }
    try sample.check({ $0.place["nothing"]["row"] == nil }, isTelling: false) { _ in true }
  }

  @Test("an identifier in JSON is compared as JSON holds it")
  func identifiers() throws {
    let token = Specimen.Pool.tokens[1]
    try sample.check({ $0.place["code"] == token }) { $0.place.code == token }
    try sample.check({ $0.place["code"] != token }) { $0.place.code != token }
    try sample.check({ $0.place["code"].as(UUID.self) == token }) { $0.place.code == token }
  }

  @Test("a value in JSON is sorted and computed with as its type")
  func typed() throws {
    try sample.check({ $0.scores["a"].as(Int.self) + 1 > 1 }) { $0.scores["a"].map { $0 + 1 > 1 } ?? false }
    try sample.check({ $0.place["city"].as(String.self).hasPrefix("P") }) { $0.place.city.hasPrefix("P") }
    let cities = try sample.db.fetch(Specimen.all.sorted { $0.place["city"] }).map(\.place.city)
    #expect(cities == cities.sorted { $0.precedes($1) })
  }

  @Test("a property may be called as SQLite's JSON functions call their columns")
  func names() throws {
    let rows = [
      JSONNamed(id: 1, key: ["a"], value: ["b"], type: ["c": 1], atom: [[1]], json: "b"),
      JSONNamed(id: 2, key: ["x"], value: [], type: [:], atom: [], json: "x"),
    ]
    let db = try Store(inMemoryFor: JSONNamed.self).blocking
    try db.insert(rows)
    func ids(_ condition: (JSONNamed.Columns) -> some QueryExpressible<Bool>) throws -> [Int] {
      try db.fetch(JSONNamed.where(condition)).map(\.id)
    }
    #expect(try ids { $0.key.contains("a") } == [1])
    #expect(try ids { $0.value.contains("b") } == [1])
    #expect(try ids { $0.type["c"] == 1 } == [1])
    #expect(try ids { $0.type.isEmpty } == [2])
    #expect(try ids { $0.atom.contains([1]) } == [1])
    #expect(try ids { $0.atom[0][0] == 1 } == [1])
    #expect(try db.fetch(JSONNamed.where(#Predicate<JSONNamed> { $0.key.contains($0.json) })).map(\.id) == [2])
    #expect(try db.updateAll(JSONNamed.where { $0.value.contains("b") }) { $0.key.set(["new"]) } == 1)
    #expect(try db.deleteAll(JSONNamed.where { $0.key.contains("new") }) == 1)
  }

  @Test("an element may be a struct, a number, a date, a decimal")
  func elements() throws {
    let day = Date(timeIntervalSinceReferenceDate: 700_000_000.5)
    let row = JSONElements(
      id: 1, spots: [.init(row: 3, seats: ["a"])], dates: [day], prices: [Decimal(string: "0.1") ?? 0],
      flags: [true, false], ids: [UUID()])
    let db = try Store(inMemoryFor: JSONElements.self).blocking
    try db.insert([row, JSONElements(id: 2)])
    func ids(_ condition: (JSONElements.Columns) -> some QueryExpressible<Bool>) throws -> [Int] {
      try db.fetch(JSONElements.where(condition)).map(\.id)
    }
    #expect(try ids { $0.spots.contains(row.spots[0]) } == [1])
    #expect(try ids { $0.spots.contains(.init(row: 4, seats: ["a"])) } == [])
    #expect(try ids { $0.spots[0]["row"] == 3 } == [1])
    #expect(try ids { $0.dates.contains(day) } == [1])
    #expect(try ids { $0.dates[0] == day } == [1])
    #expect(try ids { $0.prices.contains(row.prices[0]) } == [1])
    #expect(try ids { $0.prices[0] == row.prices[0] } == [1])
    #expect(try ids { $0.prices[0] < Decimal(1) } == [1])
    #expect(try ids { $0.flags[0] == true } == [1])
    #expect(try ids { $0.flags.contains(false) } == [1])
    #expect(try ids { $0.ids.contains(row.ids[0]) } == [1])
    #expect(try ids { $0.ids[0] == row.ids[0] } == [1])
    #expect(try ids { $0.byLevel.count == 0 } == [1, 2])
  }

  @Test("damaged JSON in a column is an error that says so")
  func damaged() throws {
    try sample.db.sql("update \(Specimen.self) set tags = '[1,' where id = 1")
    let error = try #require(throws: StoreError.self) { try sample.db.fetch(Specimen.where { $0.tags.contains("x") }) }
    #expect(error.code == .invalidValue)
    #expect(error.model == "Specimen")
  }
}

@Model
struct JSONNamed: Hashable {
  var id: Int
  var key: [String]
  var value: [String]
  var type: [String: Int]
  var atom: [[Int]]
  var json: String
}

@Model
struct JSONElements: Hashable {
  var id: Int
  var spots: [Place.Spot] = []
  var dates: [Date] = []
  var prices: [Decimal] = []
  var flags: [Bool] = []
  var ids: [UUID] = []
  var byLevel: [Level: Int] = [:]
}
