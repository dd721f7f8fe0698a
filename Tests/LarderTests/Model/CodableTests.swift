import Foundation
import Larder
import LarderTestSupport
import Testing

/// What is kept as JSON: collections, nested structs, enums with payloads.
@Suite struct CodableTests {
  struct Money: Codable, Hashable, Sendable {
    var amount: Decimal
    var currency: String
  }

  /// Codes itself by hand, and refuses.
  struct Stubborn: Codable, Hashable, Sendable {
    struct Refusal: Error {}
    var accepts = true

    init(accepts: Bool = true) { self.accepts = accepts }
    init(from decoder: any Decoder) throws { accepts = try decoder.singleValueContainer().decode(Bool.self) }
    func encode(to encoder: any Encoder) throws {
      if !accepts { throw Refusal() }
      var container = encoder.singleValueContainer()
      try container.encode(accepts)
    }
  }

  @Model struct Offer: Hashable {
    var id: Int
    var price: CodableTests.Money?
    var lines: [CodableTests.Money] = []
    var tags: Set<String> = []
    var numbers: Set<Int> = []
    var byName: [String: [Int]] = [:]
    var byNumber: [Int: String] = [:]
    var flags: [Bool?] = []
    var moment: [Date] = []
    var stubborn = CodableTests.Stubborn()
    var bare = CodableTests.Money(amount: 0, currency: "EUR")
  }

  @Test("A8: nil of a Codable type is NULL, not the text null") func null() throws {
    let store = try Store(inMemoryFor: Offer.self)
    try store.blocking.insert(Offer(id: 1))
    #expect(try store.blocking.rows(Offer.all).first?["price"] == .null)
    #expect(try store.blocking.find(Offer.self, 1) == Offer(id: 1))
    #expect(try store.blocking.count(Offer.where { $0.price == nil }) == 1)
    try store.blocking.sql("update \(Offer.self) set price = 'null'")
    #expect(try store.blocking.find(Offer.self, 1)?.price == nil)
  }

  @Test("A8: collections of all kinds come back equal") func collections() throws {
    let store = try Store(inMemoryFor: Offer.self)
    let offer = Offer(
      id: 1, price: Money(amount: 12.34, currency: "CNY"),
      lines: [Money(amount: -1, currency: "\0\"\\/\u{2028}"), Money(amount: 0.1, currency: "")],
      tags: ["a", "ä", "🥛"], numbers: [.min, 0, .max], byName: ["": [], "x.y": [1, 2]],
      byNumber: [-1: "minus", 5: "five"],
      flags: [true, nil, false],
      moment: [Date(timeIntervalSinceReferenceDate: 0.1), .distantPast])
    try store.blocking.insert(offer)
    #expect(try store.blocking.find(Offer.self, 1) == offer)
    #expect(try store.blocking.fetch(Offer.all) == [offer])
  }

  @Test("A8: equal sets are equal text, however they were filled") func sets() throws {
    let store = try Store(inMemoryFor: Offer.self)
    let words = (0..<60).map { "word \($0)" }
    var shrunk = Set((0..<500).map { "word \($0)" })
    for number in 60..<500 { shrunk.remove("word \(number)") }
    try store.blocking.insert([
      Offer(id: 1, tags: Set(words)), Offer(id: 2, tags: Set(words.reversed())), Offer(id: 3, tags: shrunk),
    ])
    #expect(Set(try store.blocking.rows(Offer.all).map { $0["tags"] }).count == 1)
    #expect(try store.blocking.count(Offer.where { $0.tags == shrunk }) == 3)
  }

  @Test("A8: equal dictionaries and structs are equal text") func keys() throws {
    let store = try Store(inMemoryFor: Offer.self)
    let names = Dictionary(uniqueKeysWithValues: (0..<50).map { ("name \($0)", [$0]) })
    var other: [String: [Int]] = [:]
    for number in (0..<50).reversed() { other["name \(number)"] = [number] }
    try store.blocking.insert([Offer(id: 1, byName: names), Offer(id: 2, byName: other)])
    #expect(Set(try store.blocking.rows(Offer.all).map { $0["byName"] }).count == 1)
    let bare = try #require(try store.blocking.rows(Offer.all).first?["bare"]?.text)
    #expect(bare == #"{"amount":0,"currency":"EUR"}"#)
  }

  @Test("what a value's own encode(to:) throws reaches the caller, and nothing is stored") func refusal() throws {
    let store = try Store(inMemoryFor: Offer.self)
    #expect(throws: Stubborn.Refusal.self) {
      try store.blocking.insert([Offer(id: 1), Offer(id: 2, stubborn: Stubborn(accepts: false))])
    }
    #expect(try store.blocking.count(Offer.all) == 0)
    try store.blocking.insert(Offer(id: 3))
    #expect(try store.blocking.count(Offer.all) == 1)
  }

  @Test("JSON without a required member is an error that says which") func missing() throws {
    let store = try Store(inMemoryFor: Offer.self)
    try store.blocking.insert(Offer(id: 1))
    try store.blocking.sql("update \(Offer.self) set bare = '{\"amount\": 1}'")
    let error = #expect(throws: StoreError.self) { try store.blocking.find(Offer.self, 1) }
    #expect(error?.code == .invalidValue)
    #expect(error?.property == "bare")
    #expect(error?.message.contains("currency") == true)
  }
}
