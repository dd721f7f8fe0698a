import Foundation
import Larder
import LarderTestSupport
import Testing

@Model(expires: true)
private struct Sack: Hashable {
  enum Grain: String, Codable, CaseIterable { case oat, rye }

  var id: Int
  @Attribute(.searchable) var label: String = ""
  @Attribute(.indexed) var price: Decimal = 0
  @Attribute(.unique) var mark: String
  var small: Int8 = 0
  var isFull = false
  var token: UUID?
  var grain: Grain = .oat
  var tags: [String] = []
  @Relationship(deleteRule: .cascade, inverse: \Grip.sack) var grips: ToMany<Grip> = []
  @Derived(.sum(\Sack.grips, \Grip.size)) var size: Int = 0
}

@Model
private struct Grip: Hashable {
  var id: Int
  var size: Int = 1
  var sack: ToOne<Sack>
}

@Suite struct StoreCheckValueTests {
  private let file: StoreFile

  init() throws {
    file = try StoreFile()
    let store = try Store(at: file.path, for: Sack.self, Grip.self)
    try store.blocking.insert((1...12).map { Sack(id: $0, label: "sack \($0)", mark: "m\($0)") })
    try store.blocking.insert((1...4).map { Grip(id: $0, sack: .init($0)) })
  }

  private func changed(_ statements: String...) throws {
    // Larder's functions are those of its connections.
    let store = try Store(at: file.path, for: Sack.self, Grip.self)
    try store.blocking.write { db in
      for statement in statements { _ = try db.sql(SQL(raw: statement)) }
    }
  }

  /// The findings of a store with the models, and of one that knows only what the file says of them.
  private func findings(_ kind: StoreReport.Finding.Kind) async throws -> [[StoreReport.Finding]] {
    let typed = try Store(at: file.path, for: Sack.self, Grip.self)
    let untyped = try Store(at: file.path, schema: .existing)
    return [try await typed.check(), try await untyped.check()].map { $0.findings.filter { $0.kind == kind } }
  }

  @Test(
    "a value that a property can't hold is found, with the models and without",
    arguments: [
      ("price", "'12,50'"), ("small", "300"), ("token", "x'0102'"), ("grain", "'barley'"),
      ("tags", "'[1'"), ("label", "CAST(x'80' AS TEXT)"),
    ])
  func unreadable(property: String, value: String) async throws {
    #expect(try await findings(.unreadableValue) == [[], []])
    try changed("UPDATE Sack SET \(property) = \(value) WHERE id = 3")
    for findings in try await findings(.unreadableValue) {
      #expect(findings.map(\.property) == [property])
      #expect(findings.first?.model == "Sack")
      #expect(findings.first?.key == ["id": 3])
      #expect(findings.first?.message.contains("barley") == false)
    }
    let store = try Store(at: file.path, for: Sack.self, Grip.self)
    await #expect(throws: StoreError.self) { try await store.find(Sack.self, 3) }
  }

  @Test(
    "triggers and indexes that were dropped are found, and made anew",
    arguments: [
      ("TRIGGER", "_larder_derived_Sack_size_insert"), ("TRIGGER", "_larder_search_Sack_update"),
      ("INDEX", "Sack_price_index"), ("INDEX", "Sack_mark_unique"),
    ])
  func dropped(kind: String, name: String) async throws {
    let before = try schema()
    try changed("DROP \(kind) \"\(name)\"")
    #expect(try schema() != before)
    let found = try await findings(kind == "INDEX" ? .missingIndex : .missingTrigger)
    #expect(found.map(\.count) == [1, 1])
    // Without the trigger, this leaves what it keeps behind.
    let untyped = try Store(at: file.path, schema: .existing)
    try await untyped.rebuildDerived()
    #expect(try schema() == before)
    #expect(try await untyped.check().isHealthy)
    let typed = try Store(at: file.path, for: Sack.self, Grip.self)
    try await typed.insert(Grip(id: 9, size: 5, sack: .init(1)))
    #expect(try await typed.find(Sack.self, 1)?.size == 6)
    #expect(try await typed.check().isHealthy)
  }

  /// What SQLite's schema says, by name.
  private func schema() throws -> [String: String] {
    let store = try Store(at: file.path, for: Sack.self, Grip.self)
    let rows = try store.blocking.sql("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")
    return Dictionary(rows.map { ($0["name"]?.text ?? "", $0["sql"]?.text ?? "") }) { $1 }
  }

  @Test("a unique index isn't made anew over rows with one value, and nothing changes")
  func duplicates() async throws {
    try changed("DROP INDEX Sack_mark_unique", "UPDATE Sack SET mark = 'm1' WHERE id = 2")
    let store = try Store(at: file.path, for: Sack.self, Grip.self)
    await #expect(throws: StoreError.self) { try await store.rebuildDerived() }
    #expect(try await store.count(Sack.where { $0.mark == "m1" }) == 2)
    #expect(try await store.check().counts == [.missingIndex: 1])
  }
}
