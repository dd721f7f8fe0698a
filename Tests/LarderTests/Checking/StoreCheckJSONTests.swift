import Foundation
import LarderTestSupport
import Testing

@testable import Larder

private struct GuestAddress: Codable, Hashable, Sendable {
  var city: String
  var number: Int
  var price: Double
  var tags: Set<String>
  var notes: [String: Bool]

  /// JSON of the value as another program might write it: with white space and its members in any order, and either
  /// with escapes and more digits, or with its set in another order.
  func otherJSON(_ random: inout SplitMix64) -> String {
    let isReordered = random.once(in: 2)
    func space() -> String { random.pick(["", " ", "\n", "\t  "]) }
    func text(_ text: String) -> String {
      let scalars = text.unicodeScalars.map { scalar in
        !isReordered && random.once(in: 3) ? String(format: "\\u%04x", scalar.value) : "\(scalar)"
      }
      return "\"\(scalars.joined())\""
    }
    func object(_ members: [(String, String)]) -> String {
      let parts = members.shuffled(using: &random).map { "\(text($0))\(space()):\(space())\($1)" }
      return "{\(space())\(parts.joined(separator: "\(space()),\(space())")) }"
    }
    let elements = isReordered ? tags.shuffled(using: &random) : tags.sorted()
    let notes = object(notes.map { ($0.key, "\($0.value)") })
    return object([
      ("city", text(city)), ("number", "\(number)"), ("price", isReordered ? "\(price)" : "\(price)00"),
      ("tags", "[\(elements.map(text).joined(separator: ", "))]"), ("notes", notes),
    ])
  }
}

@Model
private struct HotelGuest: Hashable {
  var id: Int
  var home: GuestAddress
  var second: GuestAddress?
  @Attribute(.unique) var codes: [Int] = []
}

@Suite("Checking a whole store: the form of JSON")
struct StoreCheckJSONTests {
  private let store: Store
  private let db: BlockingStore
  private let home = GuestAddress(
    city: "Köln", number: 7, price: 1.5, tags: ["a", "b", "c"], notes: ["x": true, "y": false])

  init() throws {
    store = try Store(inMemoryFor: HotelGuest.self)
    db = store.blocking
  }

  private func found(_ kind: StoreReport.Finding.Kind = .jsonForm) throws -> [String] {
    let report = try db.check()
    #expect(Set(report.findings.map(\.kind)).isSubset(of: [.jsonForm, .unreadableValue]))
    #expect(
      report.findings.allSatisfy { $0.model == "HotelGuest" && $0.table == "HotelGuest" && !"\($0)".contains("Köln") })
    return report.findings.filter { $0.kind == kind }.map { "\($0.property ?? "")\($0.key["id"]?.integer ?? -1)" }
      .sorted()
  }

  private func equal(_ db: some StoreReader) throws -> [Int] {
    try db.fetch(HotelGuest.where { [home] in $0.home == home }.sorted(by: \.id)).map(\.id)
  }

  @Test(
    "JSON that SQL wrote in another form is found and written anew, and then equals what Larder writes",
    arguments: 0..<20)
  func otherForms(_ number: Int) throws {
    let seed = TestSeed.value &+ UInt64(number)
    var random = SplitMix64(seed: seed &* 179)
    try db.insert((1...6).map { HotelGuest(id: $0, home: home, codes: [$0]) })
    #expect(try found() == [])
    let ids = (1...6).filter { _ in random.once(in: 2) }
    for id in ids {
      let json = home.otherJSON(&random)
      try db.write { _ = try $0.sql("update HotelGuest set home = \(json), second = \(json) where id = \(id)") }
      #expect(try db.find(HotelGuest.self, id)?.home == home, "seed \(seed): \(json)")
    }
    #expect(try found() == (ids.map { "home\($0)" } + ids.map { "second\($0)" }).sorted(), "seed \(seed)")
    try db.rebuildDerived()
    #expect(try found() == [], "seed \(seed)")
    let context = Context(store)
    #expect(try equal(db) == Array(1...6) && equal(context) == Array(1...6), "seed \(seed)")
    #expect(try db.fetch(HotelGuest.all.grouped(by: \.home) { $0.count }) == [6], "seed \(seed)")
    #expect(try db.count(HotelGuest.where { $0.second == $0.home }) == ids.count, "seed \(seed)")
    TestSeed.tried(1, .operations, "forms of JSON")
  }

  @Test("what a context writes by SQL is found when it is saved")
  func contexts() throws {
    let context = Context(store)
    try context.save(HotelGuest(id: 1, home: home))
    _ = try context.sql("update HotelGuest set home = replace(home, ',', ' , ')")
    #expect(try context.find(HotelGuest.self, 1)?.home == home)
    try context.save()
    #expect(try found() == ["home1"])
    try db.rebuildDerived()
    #expect(try found() == [] && equal(context) == [1] && equal(context.child()) == [1])
    // What was written anew is no change of somebody else.
    context.update(HotelGuest(id: 1, home: home, codes: [2]))
    try context.save()
  }

  @Test("JSON that says something else, or cannot be read, stays as it is; equal values that must be unique stay found")
  func otherValues() throws {
    try db.insert((1...3).map { HotelGuest(id: $0, home: home, codes: [$0, 2]) })
    _ = try db.sql("update HotelGuest set home = json_set(home, '$.street', 'x') where id = 1")
    _ = try db.sql("update HotelGuest set second = '{' where id = 2")
    let before = try db.sql("select home, second from HotelGuest order by id").map(\.dictionary)
    #expect(try found() == [] && found(.unreadableValue) == ["second2"])
    _ = try db.sql("update HotelGuest set codes = '[ 1, 2 ]' where id = 3")
    #expect(try found() == ["codes3"])
    try db.rebuildDerived()
    #expect(try found() == ["codes3"])
    #expect(try db.sql("select home, second from HotelGuest order by id").map(\.dictionary) == before)
    try db.delete(HotelGuest.self, 1)
    try db.rebuildDerived()
    #expect(try found() == [])
  }
}
