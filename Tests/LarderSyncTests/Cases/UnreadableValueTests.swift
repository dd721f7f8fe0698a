import Foundation
import Larder
import LarderRandom
import LarderTestSupport
import Testing

@testable import LarderSync

/// The types of an app, which have more values in its next version. Models of both have the same name in Swift.
private enum First {
  enum Metal: String, Codable, Sendable { case gold, silver }
  enum Grade: String, CaseIterable, Codable, Sendable { case fine }
  struct Mint: Hashable, Codable, Sendable { var metal: Metal }

  @Model("Kind") struct Kind: Hashable {
    var id: String
    var metal: Metal = .gold
  }
  @Model("Piece") struct Piece: Hashable {
    var id: String
    @Relationship(deleteRule: .deny) var kind: ToOne<Kind>
  }
  @Model("Medal") struct Medal: Hashable {
    var id: String
    @Attribute(.unique) var name: String
    var metal: Metal = .gold
    @Relationship(deleteRule: .cascade) var next: ToOne<Medal>?
  }
}

private enum Second {
  enum Metal: String, Codable, Sendable { case gold, silver, copper }
  enum Grade: String, CaseIterable, Codable, Sendable { case fine, poor }
  struct Mint: Hashable, Codable, Sendable { var metal: Metal }

  @Model("Kind") struct Kind: Hashable {
    var id: String
    var metal: Metal = .gold
  }
  @Model("Piece") struct Piece: Hashable {
    var id: String
    @Relationship(deleteRule: .deny) var kind: ToOne<Kind>
  }
  @Model("Medal") struct Medal: Hashable {
    var id: String
    @Attribute(.unique) var name: String
    var metal: Metal = .gold
    @Relationship(deleteRule: .cascade) var next: ToOne<Medal>?
  }
}

@Model("Coin")
private struct PlainCoin: Hashable {
  var id: String
}

@Model("Coin")
private struct PlainMetal: Hashable {
  var id: String
  var metal: First.Metal = .gold
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

private enum Share: Double, CaseIterable, Codable, Sendable { case half = 0.5, whole = 1 }

@Model private struct Cut: Hashable {
  var id: String
  var share = Share.half
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

extension Replica {
  /// What the file says of the tables that are tracked.
  fileprivate var descriptions: [Data?] {
    get async throws {
      try await store.sql("SELECT description FROM _larder_sync_tables ORDER BY id", as: Data?.self)
    }
  }
}

extension SecondCoin {
  fileprivate init?(_ coin: FirstCoin) {
    guard let metal = Second.Metal(rawValue: coin.metal.rawValue) else { return nil }
    self.init(
      id: coin.id, metal: metal, grade: coin.grade.flatMap { Second.Grade(rawValue: $0.rawValue) },
      mint: coin.mint.flatMap { Second.Metal(rawValue: $0.metal.rawValue) }.map { Second.Mint(metal: $0) },
      metals: coin.metals.compactMap { Second.Metal(rawValue: $0.rawValue) }, worth: Int(coin.worth),
      weight: Double(coin.weight))
  }
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

  @Test("S16: a lost value that the older app lacks is restored there, and its row waits", arguments: NewValue.allCases)
  func restoredValues(_ value: NewValue) async throws {
    var old = try Replica([FirstCoin.self, FirstPurse.self])
    let new = try Replica([SecondCoin.self, SecondPurse.self])
    try await new.store.save(SecondCoin(id: "a"))
    try await new.store.save(SecondPurse(id: "p", coin: ToOne("a")))
    try await old.exchange(with: new)
    var coin = SecondCoin(id: "a")
    value.set(in: &coin)
    try await new.store.save(coin)
    // The older app's value is the later one.
    try await old.setClock(past: new)
    let known = FirstCoin(
      id: "a", metal: .silver, grade: .fine, mint: First.Mint(metal: .silver), metals: [.silver], worth: 1, weight: 1)
    try await old.store.save(known)
    for _ in 0..<2 { try await old.exchange(with: new) }
    #expect(try await old.store.fetch(FirstCoin.all) == [known])
    let conflict = try #require(try await old.store.sync.conflicts().first)
    try await old.store.sync.restore(conflict)
    #expect(try await old.store.fetch(FirstCoin.all).isEmpty)
    #expect(try await old.store.fetch(FirstPurse.all).isEmpty)
    #expect(try await old.store.sync.conflicts().isEmpty)
    let reasons = try await old.store.sync.setAside().map(\.reason)
    #expect(reasons == [.incomplete, .setAside(property: "coin", table: "Coin", key: [.text("a")])])
    #expect(try await old.shownRows() == old.expectedRows())
    for _ in 0..<2 { try await old.exchange(with: new) }
    var restored = try #require(SecondCoin(known))
    value.set(in: &restored)
    #expect(try await new.store.fetch(SecondCoin.all) == [restored])
    #expect(try await old.shownRows() == old.expectedRows())
    old = try await old.reopened(SecondCoin.self, SecondPurse.self)
    #expect(try await old.store.fetch(SecondCoin.all) == [restored])
    #expect(try await old.store.fetch(SecondPurse.all).map(\.id) == ["p"])
    try await expectEqual([old, new])
  }

  @Test("S16: a deleted row with a value that the older app lacks comes back there, and waits")
  func restoredRow() async throws {
    var old = try Replica([FirstCoin.self, FirstPurse.self])
    let new = try Replica([SecondCoin.self, SecondPurse.self])
    try await new.store.save(SecondCoin(id: "a"))
    try await old.exchange(with: new)
    try await new.store.save(SecondCoin(id: "a", metal: .copper))
    try await old.store.delete(FirstCoin.self, "a")
    for _ in 0..<2 { try await old.exchange(with: new) }
    let conflict = try #require(try await old.store.sync.conflicts().first)
    #expect(conflict.kind == .deletedRow)
    try await old.store.sync.restore(conflict)
    #expect(try await old.store.fetch(FirstCoin.all).isEmpty)
    #expect(try await old.store.sync.setAside().map(\.reason) == [.incomplete])
    #expect(try await old.shownRows() == old.expectedRows())
    for _ in 0..<2 { try await old.exchange(with: new) }
    #expect(try await new.store.fetch(SecondCoin.all) == [SecondCoin(id: "a", metal: .copper)])
    old = try await old.reopened(SecondCoin.self, SecondPurse.self)
    try await expectEqual([old, new])
  }

  @Test("S16: a type that has learned a value, and nothing else of the model, shows its row at once")
  func learned() async throws {
    var old = try Replica([First.Kind.self, First.Piece.self])
    let new = try Replica([Second.Kind.self, Second.Piece.self])
    try await new.store.save(Second.Kind(id: "k", metal: .copper))
    try await new.store.save(Second.Piece(id: "p", kind: ToOne("k")))
    try await old.exchange(with: new)
    let before = try await old.descriptions
    old = try await old.reopened(Second.Kind.self, Second.Piece.self)
    #expect(try await old.descriptions == before)
    #expect(try await old.store.fetch(Second.Kind.all).map(\.metal) == [.copper])
    #expect(try await old.store.fetch(Second.Piece.all).map(\.id) == ["p"])
  }

  @Test("S16: a deleted row that is wanted comes back once its value is known")
  func wanted() async throws {
    let a = try Replica([Second.Kind.self, Second.Piece.self])
    let b = try Replica([Second.Kind.self, Second.Piece.self])
    var old = try Replica([First.Kind.self, First.Piece.self])
    try await a.store.save(Second.Kind(id: "k", metal: .copper))
    try await a.exchange(with: b)
    try await a.store.delete(Second.Kind.self, "k")
    try await b.store.save(Second.Piece(id: "p", kind: ToOne("k")))
    for _ in 0..<2 { try await a.exchange(with: b) }
    for _ in 0..<2 { try await old.exchange(with: a) }
    #expect(try await old.store.fetch(First.Piece.all).isEmpty)
    #expect(try await old.store.sync.setAside().map(\.table) == ["Piece"])
    old = try await old.reopened(Second.Kind.self, Second.Piece.self)
    #expect(try await old.store.fetch(Second.Piece.all).map(\.id) == ["p"])
    for _ in 0..<2 { try await old.exchange(with: a) }
    #expect(try await old.store.sync.setAside().isEmpty)
    for _ in 0..<2 { try await a.exchange(with: b) }
    try await expectEqual([old, a, b])
  }

  @Test("S16: a store opens beside a writer, whatever is set aside")
  func besideWriter() async throws {
    let old = try Replica([First.Kind.self, First.Piece.self])
    let new = try Replica([Second.Kind.self, Second.Piece.self])
    try await new.store.save(Second.Kind(id: "k", metal: .copper))
    try await old.exchange(with: new)
    let path = old.path
    try await old.store.write { db in
      // The transaction has the lock.
      try db.save(First.Kind(id: "l"))
      let other = try Store(
        at: path, for: [First.Kind.self, First.Piece.self], configuration: .init(sync: .on))
      #expect(try other.blocking.fetch(First.Kind.all).isEmpty)
    }
  }

  @Test("S16: a property comes with a value that only a later version has", arguments: NewValue.allCases)
  func adoptedValues(_ value: NewValue) async throws {
    var old = try Replica([PlainCoin.self])
    let new = try Replica([SecondCoin.self])
    var coin = SecondCoin(id: "a")
    value.set(in: &coin)
    let other = SecondCoin(id: "b", metal: .silver)
    try await new.store.save([coin, other])
    try await old.exchange(with: new)
    #expect(try await old.store.fetch(PlainCoin.all.sorted(by: \.id)).map(\.id) == ["a", "b"])
    for _ in 0..<2 {
      old = try await old.reopened(FirstCoin.self)
      #expect(try await old.store.fetch(FirstCoin.all) == [FirstCoin(id: "b", metal: .silver)])
      #expect(try await old.store.sync.setAside().map(\.reason) == [.incomplete])
      #expect(try await old.shownRows() == old.expectedRows())
    }
    old = try await old.reopened(SecondCoin.self)
    #expect(try await old.store.fetch(SecondCoin.all.sorted(by: \.id)) == [coin, other])
    for _ in 0..<2 { try await old.exchange(with: new) }
    try await expectEqual([old, new])
  }

  @Test("S16: what a program without the models shows is judged by the app", arguments: NewValue.allCases)
  func describedValues(_ value: NewValue) async throws {
    let new = try Replica([SecondCoin.self, SecondPurse.self])
    let tool = try await Replica([FirstCoin.self, FirstPurse.self]).reopened(LocalWindow.self)
    var coin = SecondCoin(id: "a")
    value.set(in: &coin)
    try await new.store.save([coin, SecondCoin(id: "b")])
    try await new.store.save(SecondPurse(id: "p", coin: ToOne("a")))
    for _ in 0..<2 { try await tool.exchange(with: new) }
    var app = try await tool.reopened(FirstCoin.self, FirstPurse.self)
    #expect(try await app.store.fetch(FirstCoin.all).map(\.id) == ["b"])
    #expect(try await app.store.fetch(FirstPurse.all).isEmpty)
    #expect(try await app.store.sync.setAside().count == 2)
    #expect(try await app.shownRows() == app.expectedRows())
    app = try await app.reopened(SecondCoin.self, SecondPurse.self)
    #expect(try await app.store.fetch(SecondPurse.all).map(\.id) == ["p"])
    for _ in 0..<2 { try await app.exchange(with: new) }
    try await expectEqual([app, new])
  }

  @Test("S16: real raw values of an enum that lists them are known to a program without the models")
  func realCases() async throws {
    let new = try Replica([Cut.self])
    let tool = try await Replica([Cut.self]).reopened(LocalWindow.self)
    try await new.store.save([Cut(id: "a", share: .whole), Cut(id: "b", share: .half)])
    for _ in 0..<2 { try await tool.exchange(with: new) }
    #expect(try await tool.store.sync.setAside().isEmpty)
    let app = try await tool.reopened(Cut.self)
    #expect(try await app.store.fetch(Cut.all.sorted(by: \.id)).map(\.share) == [.whole, .half])
  }

  @Test("S16: what a waiting row has is listed if somebody saves another one with its key")
  func savedOver() async throws {
    let (old, new) = (try Replica([FirstCoin.self]), try Replica([SecondCoin.self]))
    let coin = SecondCoin(id: "a", metal: .copper, grade: .fine, weight: 5)
    try await new.store.save(coin)
    try await old.exchange(with: new)
    #expect(try await old.store.find(FirstCoin.self, "a") == nil)
    try await old.store.save(FirstCoin(id: "a"))
    for _ in 0..<2 { try await old.exchange(with: new) }
    #expect(try await new.store.fetch(SecondCoin.all) == [SecondCoin(id: "a")])
    for replica in [old, new] {
      let lost = try await replica.store.sync.conflicts()
      #expect(Set(lost.map(\.lost)) == [.text("copper"), .text("fine"), .real(5)])
      #expect(Set(lost.map(\.current)) == [.text("gold"), .null, .real(0)])
    }
    for conflict in try await new.store.sync.conflicts() { try await new.store.sync.restore(conflict) }
    #expect(try await new.store.fetch(SecondCoin.all) == [coin])
    for _ in 0..<2 { try await old.exchange(with: new) }
    #expect(try await old.store.sync.conflicts().isEmpty)
    #expect(try await old.store.sync.setAside().map(\.reason) == [.incomplete])
    // Whoever sees the row and overwrites it loses nothing.
    try await new.store.save(SecondCoin(id: "a"))
    for _ in 0..<2 { try await old.exchange(with: new) }
    #expect(try await new.store.sync.conflicts().isEmpty)
  }

  @Test("S16: what is saved over a waiting row by changing a key is listed as well")
  func keyChangedOver() async throws {
    let (old, new) = (try Replica([FirstCoin.self]), try Replica([SecondCoin.self]))
    try await new.store.save(SecondCoin(id: "a", metal: .copper, worth: 7))
    try await old.exchange(with: new)
    try await old.store.save(FirstCoin(id: "b", metal: .silver))
    try await old.store.sql("UPDATE Coin SET id = 'a', metal = 'gold' WHERE id = 'b'")
    for _ in 0..<2 { try await old.exchange(with: new) }
    for replica in [old, new] {
      #expect(try await Set(replica.store.sync.conflicts().map(\.lost)) == [.text("copper"), .integer(7)])
      #expect(try await replica.shownRows() == replica.expectedRows())
    }
    #expect(try await new.store.fetch(SecondCoin.all) == [SecondCoin(id: "a")])
  }

  @Test("S16: a row that is known at last has its unique value, and its place in a circle")
  func rivalsAndCircles() async throws {
    var old = try Replica([First.Medal.self])
    let new = try Replica([Second.Medal.self])
    try await new.store.save(Second.Medal(id: "1", name: "x", metal: .copper))
    try await new.store.save(Second.Medal(id: "3", name: "y", metal: .copper))
    try await new.store.save(Second.Medal(id: "4", name: "z", metal: .gold))
    try await new.store.sql("UPDATE Medal SET next = CASE id WHEN '3' THEN '4' ELSE '3' END WHERE id > '2'")
    try await old.setClock(past: new)
    try await old.store.save(First.Medal(id: "2", name: "x"))
    for _ in 0..<2 { try await old.exchange(with: new) }
    #expect(try await old.store.fetch(First.Medal.all).map(\.id) == ["2"])
    #expect(try await new.store.fetch(Second.Medal.all.sorted(by: \.id)).map(\.id) == ["1", "3", "4"])
    old = try await old.reopened(Second.Medal.self)
    #expect(try await old.store.fetch(Second.Medal.all.sorted(by: \.id)).map(\.id) == ["1", "3", "4"])
    #expect(try await old.store.sync.setAside().map(\.key) == [[.text("2")]])
    try await expectEqual([old, new])
  }

  @Test("S16: a store without sync in its configuration shows what is known at last once somebody asks")
  func knownLater() async throws {
    let old = try Replica([First.Kind.self, First.Piece.self])
    let new = try Replica([Second.Kind.self, Second.Piece.self])
    try await new.store.save(Second.Kind(id: "k", metal: .copper))
    try await old.exchange(with: new)
    await old.store.close()
    let store = try Store(at: old.path, for: [Second.Kind.self, Second.Piece.self])
    #expect(try await store.fetch(Second.Kind.all).isEmpty)
    #expect(try await store.sync.setAside().isEmpty)
    #expect(try await store.fetch(Second.Kind.all).map(\.metal) == [.copper])
    await store.close()
  }

  @Test("S16: an update that changes tables judges what a program without the models has shown")
  func describedBeforeUpdate() async throws {
    let new = try Replica([SecondCoin.self])
    let tool = try await Replica([PlainMetal.self]).reopened(LocalWindow.self)
    try await new.store.save([SecondCoin(id: "a", metal: .copper), SecondCoin(id: "b")])
    for _ in 0..<2 { try await tool.exchange(with: new) }
    #expect(try await tool.store.sync.setAside().isEmpty)
    let app = try await tool.reopened(FirstCoin.self)
    #expect(try await app.store.fetch(FirstCoin.all).map(\.id) == ["b"])
    #expect(try await app.store.sync.setAside().map(\.reason) == [.incomplete])
    #expect(try await app.shownRows() == app.expectedRows())
  }

  @Test("S16: a trigger that keeps a row from leaving doesn't keep the store from opening")
  func keptByTrigger() async throws {
    let new = try Replica([SecondCoin.self])
    let tool = try await Replica([FirstCoin.self]).reopened(LocalWindow.self)
    try await new.store.save(SecondCoin(id: "a", mint: Second.Mint(metal: .copper)))
    for _ in 0..<2 { try await tool.exchange(with: new) }
    try tool.executeOutside("CREATE TRIGGER keep BEFORE DELETE ON Coin BEGIN SELECT RAISE(ABORT, 'kept'); END")
    let app = try await tool.reopened(FirstCoin.self)
    #expect(try await app.store.count(FirstCoin.all) == 1)
    try app.executeOutside("DROP TRIGGER keep")
    let again = try await app.reopened(FirstCoin.self)
    #expect(try await again.store.count(FirstCoin.all) == 0)
    #expect(try await again.store.sync.setAside().map(\.reason) == [.incomplete])
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
