import Foundation
import Larder
import LarderTestSupport
import Testing

@Model
struct Voyage: Codable, Hashable {
  var id: Int
  var name: String
  var price: Decimal = 0
  var startsAt: Date = Date(timeIntervalSinceReferenceDate: 1.0 / 3)
  var ship: ToOne<Ship>?
  @Relationship(deleteRule: .cascade, inverse: \Harbour.voyage, ordered: true) var harbours: ToMany<Harbour> = []
  @Relationship(inverse: \Sailor.voyages) var crew: ToMany<Sailor> = []
  @Relationship(inverse: \Motto.voyages, ordered: true) var mottos: ToMany<Motto> = []
  @Derived(.count(\Voyage.harbours)) var stops: Int = 0
}

@Model
struct Harbour: Codable, Hashable {
  var id: UUID = .v7()
  var city: String
  var weights: [String: Set<Int>] = [:]
  @Attribute(name: "trip of") var voyage: ToOne<Voyage>
}

@Model("the ships")
struct Ship: Codable, Hashable {
  var id: ShipNumber
  var name: String
}

struct ShipNumber: RawRepresentable, Hashable, Codable, Sendable { var rawValue: UUID }

@Model
struct Sailor: Codable, Hashable {
  var id: Int
  var chief: ToOne<Sailor>?
  var voyages: ToMany<Voyage> = []
}

@Model
struct Motto: Codable, Hashable {
  var id: String
  var voyages: ToMany<Voyage> = []
}

/// A model that isn't Codable, and one that refers to it.
@Model
struct Ballast: Hashable {
  var id: Int
}

@Model
struct Hold: Codable, Hashable {
  var id: Int
  var ballast: ToOne<Ballast>?
}

@Suite("Graphs of rows as JSON and back")
struct GraphExchangeTests {
  private static let ship = Ship(id: ShipNumber(rawValue: UUID()), name: "Fram")

  private func makeStore() throws -> Store {
    try Store(
      inMemoryFor: Voyage.self, Harbour.self, Ship.self, Sailor.self, Motto.self, Ballast.self, Hold.self)
  }

  private var everything: Query<Voyage> {
    Voyage.all.sorted(by: \.id).including(\.ship, \.harbours).including(\.crew, then: \.chief).including(\.mottos)
  }

  private func fill(_ store: Store) async throws {
    try await store.insert(Self.ship)
    try await store.insert([Sailor(id: 1), Sailor(id: 2, chief: ToOne(1)), Sailor(id: 3, chief: ToOne(3))])
    try await store.insert(["ice", "sea", "é"].map { Motto(id: $0) })
    for id in [5, 6] {
      let voyage = Voyage(
        id: id, name: "to \"\(id)\" \n\u{1F600}", price: Decimal(string: "12345678901234567890.125") ?? 0,
        ship: id == 5 ? ToOne(Self.ship.id) : nil)
      try await store.insert(voyage)
      try await store.insert(
        ["Oslo", "Tromsø"].map { Harbour(city: "\($0) \(id)", weights: ["a": [3, 1, 2]], voyage: ToOne(id)) })
      try await store.setLinks(voyage, \.crew, [Sailor(id: 2), Sailor(id: 3)])
      try await store.setLinks(voyage, \.mottos, [Motto(id: "sea"), Motto(id: "é"), Motto(id: "ice")])
    }
    let harbours = try await store.fetch(Harbour.where { $0.voyage == 5 })
    try await store.setLinks(Voyage(id: 5, name: ""), \.harbours, harbours.reversed())
  }

  /// What a program sees of the voyages, without the keys.
  private func shown(_ voyages: [Voyage]) -> [String] {
    voyages.map { voyage in
      let harbours = voyage.harbours.map { "\($0.city) \($0.weights["a"]?.sorted() ?? [])" }
      let crew = voyage.crew.map { $0.chief?.id == $0.id ? "own chief" : "has chief: \($0.chief != nil)" }.sorted()
      let ship = voyage.ship?.loaded?.name ?? "-"
      return
        "\(voyage.name) \(voyage.price) \(voyage.startsAt.timeIntervalSinceReferenceDate) \(ship) \(harbours) \(crew) \(voyage.mottos.map(\.id)) \(voyage.stops)"
    }
  }

  @Test("rows keep their keys in another store, and replace those that are there")
  func kept() async throws {
    let store = try makeStore()
    try await fill(store)
    let json = try await store.export(everything)
    let voyages = try await store.fetch(everything)
    let other = try makeStore()
    for _ in 0..<2 {
      #expect(try await other.import(Voyage.self, from: json) == [5, 6])
      let copies = try await other.fetch(everything)
      #expect(copies == voyages && shown(copies) == shown(voyages))
      #expect(copies.map { $0.harbours.map(\.id) } == voyages.map { $0.harbours.map(\.id) })
      let sailors = try await store.fetch(Sailor.all.sorted(by: \.id))
      #expect(try await other.fetch(Sailor.all.sorted(by: \.id)) == sailors)
      #expect(try await other.check().isHealthy)
      #expect(try await other.export(everything) == json)
    }
    // What isn't included isn't exported.
    let bare = try await store.export(Voyage.where { $0.id == 6 })
    let empty = try makeStore()
    #expect(try await empty.import(Voyage.self, from: bare) == [6])
    #expect(try await empty.count(Harbour.all) == 0)
  }

  @Test("new keys make copies beside the rows that are there, in a store, a context and its child")
  func new() async throws {
    let store = try makeStore()
    try await fill(store)
    let json = try await store.export(everything)
    let before = try await store.fetch(everything)
    let keys = try await store.import(Voyage.self, from: json, keys: .new)
    #expect(keys == [7, 8])
    var all = try await store.fetch(everything)
    #expect(Array(all.prefix(2)) == before && shown(Array(all.suffix(2))) == shown(before))
    #expect(Set(all.flatMap(\.harbours).map(\.id)).count == 8)
    #expect(try await store.count(Ship.all) == 2)
    #expect(try await store.count(Motto.all) == 3)
    // A sailor who is the own chief stays so, under the new key.
    #expect(try await store.fetch(Sailor.all.sorted(by: \.id)).map { $0.chief?.id } == [nil, 1, 3, 5, nil, 6])
    #expect(try await store.check().isHealthy)

    let context = Context(store)
    let child = context.child()
    context.insert(Voyage(id: 40, name: "pending"))
    #expect(try child.import(Voyage.self, from: json, keys: .new) == [41, 42])
    try child.save()
    #expect(try context.import(Voyage.self, from: json, keys: .new) == [43, 44])
    context.undo()
    #expect(try context.count(Voyage.all) == 7)
    try context.save()
    all = try await store.fetch(everything)
    #expect(all.map(\.id) == [5, 6, 7, 8, 40, 41, 42] && shown(Array(all.suffix(2))) == shown(before))
    #expect(try await store.check().isHealthy)
  }

  @Test("everything is imported, or nothing, and the message says why")
  func refused() async throws {
    let store = try makeStore()
    try await fill(store)
    let json = String(decoding: try await store.export(everything), as: UTF8.self)
    let other = try makeStore()
    func message(_ json: String, _ keys: ImportedKeys = .kept) async -> String {
      let error = await #expect(throws: StoreError.self) {
        try await other.import(Voyage.self, from: Data(json.utf8), keys: keys)
      }
      return error?.message ?? ""
    }
    #expect(await message("").contains("not valid JSON"))
    #expect(await message("[]").contains("export(_:)"))
    #expect(await message(json.replacing(#""larder": 1"#, with: #""larder": 2"#)).contains("version 2"))
    #expect(await message(json.replacing(#""roots": [0, 1]"#, with: #""roots": [0, 9]"#)).contains("row 9"))
    #expect(await message(json.replacing(#""roots": [0, 1]"#, with: #""roots": [-1]"#)).contains("row -1"))
    #expect(await message(json.replacing(#""Sailor": ["#, with: #""Pirate": ["#)).contains("Pirate"))
    #expect(await message(json.replacing("Voyage.crew", with: "Voyage.rats")).contains("Voyage.rats"))
    #expect(await message(json.replacing("Voyage.crew", with: "Rat.crew")).contains("Rat.crew"))
    #expect(await message(json.replacing(#""city""#, with: #""town""#)).contains("no value for \"city\""))
    for keys in [ImportedKeys.kept, .new] {
      // A reference to a row that is in neither.
      let dangling = json.replacing(Self.ship.id.rawValue.uuidString, with: UUID().uuidString, maxReplacements: 1)
      #expect(await message(dangling, keys).contains("Ship"), "\(keys)")
    }
    #expect(try await other.count(Voyage.all) == 0)
    #expect(try await other.count(Harbour.all) == 0)
    #expect(try await other.count(Sailor.all) == 0)

    try await other.insert(Ballast(id: 1))
    try await other.insert(Hold(id: 1, ballast: ToOne(1)))
    let ballast = await #expect(throws: StoreError.self) { try await other.export(Hold.all.including(\.ballast)) }
    #expect(ballast?.message.contains("struct Ballast: Codable") == true)
    let hold = try await other.export(Hold.all)
    #expect(try await other.import(Hold.self, from: hold, keys: .new) == [2])
    #expect(try await other.find(Hold.self, 2)?.ballast == ToOne(1))
    let wrong = await #expect(throws: StoreError.self) { try await other.import(Voyage.self, from: hold) }
    #expect(wrong?.message.contains("Hold") == true)
    try await other.insert(Hold(id: .max))
    let full = await #expect(throws: StoreError.self) { try await other.import(Hold.self, from: hold, keys: .new) }
    #expect(full?.code == .constraint)
  }
}
