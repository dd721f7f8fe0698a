import Foundation
import Larder
import Testing

@Model("Account")
private struct RefusedAccount: Hashable {
  enum Currency: String, Sendable { case eur, usd }

  var id: Int
  @Attribute(.unique) var name: String
  var ratio: Double = 0
  var size: UInt64 = 0
  var currency: Currency = .eur
  var tags: [String: Int] = [:]
  var note: String?
}

@Model("Cost")
private struct RefusedCost: Hashable {
  var id: Int
  var account: Int
}

@Suite("Rows that a store refuses")
struct RefusedRowTests {
  private let file: StoreFile
  private let store: Store
  private let account = RefusedAccount(id: 1, name: "Cash")

  init() throws {
    file = try StoreFile()
    store = try file.open(RefusedAccount.self)
    try store.blocking.insert(account)
  }

  /// Expects that each of the ways to write is refused, and that the store then holds what it held and goes on.
  private func expectRefusal(
    _ code: StoreError.Code, of property: String?, in store: Store? = nil,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: @escaping @Sendable (any StoreWriter) throws -> Void
  ) async throws {
    let store = store ?? self.store
    let before = try await store.fetch(RefusedAccount.all.sorted(by: \.id))
    func check(_ error: StoreError?) {
      #expect(error?.code == code, sourceLocation: sourceLocation)
      #expect(error?.property == property, sourceLocation: sourceLocation)
      #expect(error?.model == "RefusedAccount", sourceLocation: sourceLocation)
    }
    check(#expect(throws: StoreError.self, sourceLocation: sourceLocation) { try body(store.blocking) })
    check(
      await #expect(throws: StoreError.self, sourceLocation: sourceLocation) {
        try await store.write { db in
          try db.updateAll(RefusedAccount.all) { $0.note.set("half done") }
          try body(db)
        }
      })
    #expect(try await store.fetch(RefusedAccount.all.sorted(by: \.id)) == before, sourceLocation: sourceLocation)
    let next = RefusedAccount(id: 100, name: "after")
    try await store.save(next)
    #expect(try await store.delete(next), sourceLocation: sourceLocation)
  }

  @Test("a taken key")
  func key() async throws {
    try await expectRefusal(.duplicate, of: "id") { try $0.insert(RefusedAccount(id: 1, name: "x")) }
    try await expectRefusal(.duplicate, of: "id") {
      try $0.insert([RefusedAccount(id: 2, name: "x"), RefusedAccount(id: 1, name: "y")])
    }
  }

  @Test("a taken unique value")
  func unique() async throws {
    try await expectRefusal(.duplicate, of: "name") { try $0.insert(RefusedAccount(id: 2, name: "Cash")) }
    try await expectRefusal(.duplicate, of: "name") {
      try $0.save([RefusedAccount(id: 3, name: "x"), RefusedAccount(id: 2, name: "Cash")])
    }
  }

  @Test("NaN")
  func notANumber() async throws {
    try await expectRefusal(.invalidValue, of: "ratio") {
      try $0.insert([RefusedAccount(id: 2, name: "x"), RefusedAccount(id: 3, name: "y", ratio: .nan)])
    }
    try await expectRefusal(.invalidValue, of: "ratio") {
      try $0.save(RefusedAccount(id: 1, name: "Cash", ratio: -.nan))
    }
  }

  @Test("an integer beyond 64 signed bits")
  func overflow() async throws {
    try await expectRefusal(.invalidValue, of: "size") {
      try $0.save([RefusedAccount(id: 2, name: "x"), RefusedAccount(id: 3, name: "y", size: 1 << 63)])
    }
  }

  @Test("an update of a row that is not there")
  func missing() async throws {
    try await expectRefusal(.notFound, of: nil) {
      try $0.update([RefusedAccount(id: 1, name: "changed"), RefusedAccount(id: 9, name: "x")])
    }
  }

  @Test("a raw value without a case is refused by every way of reading")
  func rawValue() async throws {
    try await store.sql("update Account set currency = 'SENTINEL'")
    try await expectUnreadable("currency")
  }

  @Test(
    "JSON that does not decode is refused by every way of reading",
    arguments: ["not json SENTINEL", #"{"SENTINEL": "x"}"#, "[1]"])
  func json(text: String) async throws {
    try await store.sql("update Account set tags = \(text)")
    try await expectUnreadable("tags")
  }

  @Test("a value of another kind in an existing table is refused by every way of reading")
  func kind() async throws {
    let other = try StoreFile()
    try other.sql("create table x (y)", creating: true)
    try other.sql("create table Account (id integer primary key, name, ratio, size, currency, tags, note)")
    try other.sql("insert into Account values (1, 'a', 'SENTINEL', 1, 'eur', '{}', null)")
    try await expectUnreadable("ratio", in: try Store(at: other.path, for: RefusedAccount.self, schema: .existing))
    try other.sql("update Account set ratio = 1, size = -1")
    try await expectUnreadable("size", in: try Store(at: other.path, for: RefusedAccount.self, schema: .existing))
    try other.sql("update Account set size = 1, name = null")
    try await expectUnreadable("name", in: try Store(at: other.path, for: RefusedAccount.self, schema: .existing))
  }

  private func expectUnreadable(
    _ property: String, in store: Store? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let store = store ?? self.store
    func check(_ error: StoreError?) {
      #expect(error?.code == .invalidValue, sourceLocation: sourceLocation)
      #expect(error?.property == property, sourceLocation: sourceLocation)
      #expect(error?.model == "RefusedAccount", sourceLocation: sourceLocation)
      #expect(error?.description.contains("SENTINEL") == false, sourceLocation: sourceLocation)
    }
    check(
      await #expect(throws: StoreError.self, sourceLocation: sourceLocation) {
        try await store.find(RefusedAccount.self, 1)
      })
    check(
      await #expect(throws: StoreError.self, sourceLocation: sourceLocation) {
        try await store.fetch(RefusedAccount.all)
      })
    check(
      await #expect(throws: StoreError.self, sourceLocation: sourceLocation) {
        try await store.first(RefusedAccount.where { $0.id == 1 })
      })
    check(
      await #expect(throws: StoreError.self, sourceLocation: sourceLocation) {
        for try await _ in store.stream(RefusedAccount.all) {}
      })
    #expect(try await store.count(RefusedAccount.all) == 1, sourceLocation: sourceLocation)
    #expect(try await store.rows(RefusedAccount.all).count == 1, sourceLocation: sourceLocation)
  }

  @Test("rules of an existing table: NOT NULL, CHECK, foreign keys")
  func rules() async throws {
    let other = try StoreFile()
    try other.sql("create table x (y)", creating: true)
    try other.sql(
      """
      create table Account (id integer primary key, name text unique, ratio real check (ratio < 100), size, currency, tags, note text not null)
      """)
    try other.sql("create table Cost (id integer primary key, account integer not null references Account (id))")
    let store = try Store(at: other.path, for: RefusedAccount.self, RefusedCost.self, schema: .existing)
    let good = RefusedAccount(id: 1, name: "a", note: "here")
    try await store.insert(good)
    try await store.insert(RefusedCost(id: 1, account: 1))
    try await expectExisting(.constraint, of: "note", in: store) { try $0.insert(RefusedAccount(id: 2, name: "b")) }
    try await expectExisting(.constraint, of: nil, in: store) {
      try $0.save(RefusedAccount(id: 2, name: "b", ratio: 100, note: ""))
    }
    try await expectExisting(.duplicate, of: "name", in: store) {
      try $0.insert(RefusedAccount(id: 2, name: "a", note: ""))
    }
    try await expectExisting(.referenced, of: nil, in: store) { try $0.delete(good) }
    try await expectExisting(.referenced, of: nil, in: store) { try $0.insert(RefusedCost(id: 2, account: 7)) }
    #expect(try await store.fetch(RefusedAccount.all) == [good])
    #expect(try await store.count(RefusedCost.all) == 1)
  }

  private func expectExisting(
    _ code: StoreError.Code, of property: String?, in store: Store, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: @escaping @Sendable (any StoreWriter) throws -> Void
  ) async throws {
    let direct = #expect(throws: StoreError.self, sourceLocation: sourceLocation) { try body(store.blocking) }
    let inTransaction = await #expect(throws: StoreError.self, sourceLocation: sourceLocation) {
      try await store.write { try body($0) }
    }
    for error in [direct, inTransaction] {
      #expect(error?.code == code, "\(error?.message ?? "")", sourceLocation: sourceLocation)
      #expect(error?.property == property, sourceLocation: sourceLocation)
    }
  }

  @Test("an existing file without the table, a column or the full-text index")
  func existing() async throws {
    let other = try StoreFile()
    let missing = #expect(throws: StoreError.self) {
      try Store(at: other.path, for: RefusedCost.self, schema: .existing)
    }
    #expect(missing?.code == .notFound)
    #expect(try other.names == [])
    try other.sql("create table Cost (id integer primary key)", creating: true)
    try other.expectRefusal(.schemaMismatch, naming: "Account", "RefusedAccount") {
      _ = try Store(at: other.path, for: RefusedAccount.self, schema: .existing)
    }
    try other.expectRefusal(.schemaMismatch, of: "account", naming: "Cost", "account") {
      _ = try Store(at: other.path, for: RefusedCost.self, schema: .existing)
    }
  }
}
