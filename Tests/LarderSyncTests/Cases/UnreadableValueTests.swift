import Foundation
import Larder
import LarderRandom
import LarderTestSupport
import Testing

@testable import LarderSync

/// The types of an app, which have more values in its next version.
private enum First {
  enum Metal: String, Codable, Sendable { case gold, silver }
  enum Grade: String, CaseIterable, Codable, Sendable { case fine }
  struct Mint: Hashable, Codable, Sendable { var metal: Metal }
}

private enum Second {
  enum Metal: String, Codable, Sendable { case gold, silver, copper }
  enum Grade: String, CaseIterable, Codable, Sendable { case fine, poor }
  struct Mint: Hashable, Codable, Sendable { var metal: Metal }
}

@Model("Coin")
private struct FirstCoin: Hashable {
  var id: String
  var metal: First.Metal = .gold
  var grade: First.Grade?
  var mint: First.Mint?
  var metals: [First.Metal] = []
  var worth: Int8 = 0
  var weight: Float = 0
}

@Model("Coin")
private struct SecondCoin: Hashable {
  var id: String
  var metal: Second.Metal = .gold
  var grade: Second.Grade?
  var mint: Second.Mint?
  var metals: [Second.Metal] = []
  var worth: Int = 0
  var weight: Double = 0
}

@Model("Purse")
private struct FirstPurse: Hashable {
  var id: String
  var coin: ToOne<FirstCoin>
}

@Model("Purse")
private struct SecondPurse: Hashable {
  var id: String
  var coin: ToOne<SecondCoin>
}

@Model("Thing")
private struct Thing {
  var id: UUID
  var small: Int8 = 0
  var large: UInt64 = 0
  var flag = false
  var real: Float = 0
  var double = 0.0
  var text = ""
  var decimal: Decimal = 0
  var date = Date(timeIntervalSinceReferenceDate: 0)
  @Attribute(.iso8601) var day = Date(timeIntervalSinceReferenceDate: 0)
  var link: URL?
  var other: UUID?
  var bytes: Data?
  var metal: First.Metal?
  var list: [Int] = []
  var picture: Larder.Attachment?
}

@Suite("Sync: values that a property's type lacks", .overEachTransport)
struct UnreadableValueTests {
  /// A value that the second version of the app has, and the first one lacks.
  enum NewValue: CaseIterable {
    case enumCase, listedCase, nested, element, integer, real

    fileprivate func set(in coin: inout SecondCoin) {
      switch self {
      case .enumCase: coin.metal = .copper
      case .listedCase: coin.grade = .poor
      case .nested: coin.mint = Second.Mint(metal: .copper)
      case .element: coin.metals = [.gold, .copper]
      case .integer: coin.worth = 128
      case .real: coin.weight = 1e300
      }
    }
  }

  @Test("S16: a row with a value of a newer app waits until the older one knows it", arguments: NewValue.allCases)
  func newValues(_ value: NewValue) async throws {
    var old = try Replica([FirstCoin.self, FirstPurse.self])
    let new = try Replica([SecondCoin.self, SecondPurse.self])
    var (known, unknown) = (SecondCoin(id: "a"), SecondCoin(id: "b"))
    value.set(in: &unknown)
    try await new.store.save([known, unknown])
    try await new.store.save(SecondPurse(id: "p", coin: ToOne("b")))
    for _ in 0..<2 { try await old.exchange(with: new) }
    #expect(try await old.store.fetch(FirstCoin.all).map(\.id) == ["a"])
    #expect(try await old.store.fetch(FirstPurse.all).isEmpty)
    let reasons = try await old.store.sync.setAside().map(\.reason)
    #expect(reasons == [.incomplete, .setAside(property: "coin", table: "Coin", key: [.text("b")])])
    #expect(try await old.shownRows() == old.expectedRows())
    // What was visible goes, and what is corrected comes.
    value.set(in: &known)
    try await new.store.save([known, SecondCoin(id: "b")])
    for _ in 0..<2 { try await old.exchange(with: new) }
    #expect(try await old.store.fetch(FirstCoin.all) == [FirstCoin(id: "b")])
    #expect(try await old.store.fetch(FirstPurse.all).map(\.id) == ["p"])
    #expect(try await old.shownRows() == old.expectedRows())
    // The update of the app shows it, before any exchange.
    old = try await old.reopened(SecondCoin.self, SecondPurse.self)
    #expect(try await old.store.sync.setAside().isEmpty)
    #expect(try await old.store.fetch(SecondCoin.all.sorted(by: \.id)) == [known, SecondCoin(id: "b")])
    for _ in 0..<2 { try await old.exchange(with: new) }
    try await expectEqual([old, new])
  }

  @Test("S16: a program without the models goes by what the file says of them")
  func described() async throws {
    let new = try Replica([SecondCoin.self, SecondPurse.self])
    var tool = try await Replica([FirstCoin.self, FirstPurse.self]).reopened(LocalWindow.self)
    try await new.store.save(SecondCoin(id: "a", grade: .poor))
    try await new.store.save(SecondCoin(id: "b", worth: 128))
    try await new.store.save(SecondCoin(id: "c", grade: .fine))
    for _ in 0..<2 { try await tool.exchange(with: new) }
    #expect(try await tool.store.sync.setAside().map(\.reason) == [.incomplete, .incomplete])
    tool = try await tool.reopened(FirstCoin.self, FirstPurse.self)
    #expect(try await tool.store.fetch(FirstCoin.all).map(\.id) == ["c"])
  }

  @Test(
    "S22: whatever the values of a row that comes, all rows that are shown can be read",
    arguments: 0..<20 as Range<UInt64>)
  func anyValues(seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    let replica = try Replica([Thing.self])
    let sender = ReplicaID()
    let stamp = try #require(Stamp(milliseconds: 1, counter: 0, replica: sender))
    let valid: [String: ReplicatedValue] = [
      "small": .integer(1), "large": .integer(2), "flag": .integer(1), "real": .real(0.5), "double": .real(0.1),
      "text": .init("é"), "decimal": .init("1.5"), "date": .real(7), "link": .init("https://a.b"),
      "day": .init("2020-01-01T00:00:00Z"),
      "other": .blob(Data(count: 16)), "bytes": .blob(Data(count: 3)), "metal": .init("gold"), "list": .init("[1]"),
      "picture": .null,
    ]
    let names = valid.keys.sorted()
    func value() -> ReplicatedValue {
      switch Int.random(in: 0..<5, using: &random) {
      case 0: .integer([0, 1, 127, 128, -1, .max, .min].randomElement(using: &random) ?? 0)
      case 1:
        .real([0, 1, 0.1, 1e300, .infinity, -.infinity, .leastNonzeroMagnitude].randomElement(using: &random) ?? 0)
      case 2, 3:
        .init(
          ["", "gold", "copper", "1.50", "abc", "[]", "[1]", "{", "{}", "https://a.b", "\u{0}", "2020-01-01", "é"]
            .randomElement(using: &random) ?? "")
      default: Bool.random(using: &random) ? .blob(Data(count: 16)) : .blob(Data(count: 3))
      }
    }
    var rows: [RowState] = []
    for number in 0..<60 as Range<UInt8> {
      let key = Data([number] + (0..<(number % 8 == 0 ? 2 : 15)).map { _ in 7 })
      // Most rows have one value that may be wrong.
      let wrong = Set(names.shuffled(using: &random).prefix(number % 16 == 1 ? 15 : 1))
      let properties = names.map { name in
        let isText = name == "text" && number % 3 == 0
        let value = wrong.contains(name) ? isText ? .text(Data([0x61, 0xFF])) : value() : valid[name] ?? .null
        return PropertyState(name: name, value: value, stamp: stamp, causalLength: 1)
      }
      rows.append(
        RowState(
          table: "Thing", key: [.blob(key)], causalLength: 1, stamp: stamp, insertion: stamp, properties: properties))
    }
    let end = ChangeCursor(replica: sender, position: 1)
    try await replica.store.sync.apply(
      ChangeBatch(
        since: ChangeCursor(replica: sender, position: 0), upTo: end, recipient: nil, isLast: true,
        modelsDigest: Data(), rows: rows, knowledge: []))
    let shown = try await replica.store.fetch(Thing.all)
    let waiting = try await replica.store.sync.setAside()
    #expect(shown.count + waiting.count == rows.count, "seed \(seed)")
    #expect(!shown.isEmpty && !waiting.isEmpty, "seed \(seed)")
    #expect(waiting.allSatisfy { $0.reason == .incomplete }, "seed \(seed)")
    #expect(try await replica.shownRows() == replica.expectedRows(), "seed \(seed)")
    // The form of some values isn't the one that Larder writes.
    let findings = try await replica.store.check().findings.filter { $0.kind != .valueForm }
    #expect(findings.isEmpty, "seed \(seed)")
  }
}
