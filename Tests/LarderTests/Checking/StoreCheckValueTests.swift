import Foundation
import GRDBSQLite
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
  var spare: Bool?
  var load: Float = 0
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

@Model
private struct SpoiledTill: Hashable {
  var id: Int
  @Relationship(deleteRule: .cascade, inverse: \SpoiledCoin.till) var coins: ToMany<SpoiledCoin> = []
  @Derived(.sum(\SpoiledTill.coins, \SpoiledCoin.value)) var value: Decimal = 0
}

@Model
private struct SpoiledCoin: Hashable {
  var id: Int
  var value: Decimal
  var till: ToOne<SpoiledTill>
}

/// A text that is the same in capitals.
private struct Tint: StoredValue, Hashable {
  let name: String

  init(_ name: String) { self.name = name.lowercased() }

  init(storedValue: Value) throws { self.init(try String(storedValue: storedValue)) }

  func storedValue() throws -> Value { .text(name) }

  static var storageClass: StorageClass { .text }
}

@Model
private struct Torch: Hashable {
  var id: Int
  @Attribute(.unique) var isLit: Bool
  var colour = Tint("white")
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

  /// Executes SQL as another program does.
  private func execute(_ sql: String, in file: StoreFile) throws {
    var handle: OpaquePointer?
    defer { sqlite3_close(handle) }
    try #require(sqlite3_open(file.path, &handle) == SQLITE_OK)
    try #require(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK, "\(String(cString: sqlite3_errmsg(handle)))")
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
    "a value that reads as one that conditions don't find is found, with the models and without, and written anew",
    arguments: [("isFull", "7"), ("isFull", "-1"), ("load", "0.1"), ("spare", "2")])
  func otherForms(property: String, value: String) async throws {
    try changed("UPDATE Sack SET spare = 1, load = 0.5 WHERE id = 4")
    #expect(try await findings(.valueForm) == [[], []])
    try changed("UPDATE Sack SET \(property) = \(value) WHERE id = 3")
    func equal(_ store: Store) throws -> [[Int]] {
      [
        try store.blocking.fetch(Sack.where { $0.isFull == true }).map(\.id),
        try store.blocking.fetch(Sack.where { $0.load == 0.1 }).map(\.id),
        try store.blocking.fetch(Sack.where { $0.spare == true }).map(\.id),
      ]
    }
    for findings in try await findings(.valueForm) {
      #expect(findings.map(\.property) == [property])
      #expect(findings.first?.key == ["id": 3])
      #expect(findings.first?.message.contains("rebuildDerived()") == true)
    }
    let typed = try Store(at: file.path, for: Sack.self, Grip.self)
    let row = try #require(try await typed.find(Sack.self, 3))
    #expect(row.isFull == (property == "isFull") && row.load == (property == "load" ? 0.1 : 0))
    #expect(try equal(typed) == [[], [], [4]])
    let store = value == "7" ? typed : try Store(at: file.path, schema: .existing)
    try await store.rebuildDerived()
    #expect(try await findings(.valueForm) == [[], []])
    #expect(try await typed.find(Sack.self, 3) == row)
    #expect(
      try equal(typed) == [
        property == "isFull" ? [3] : [], property == "load" ? [3] : [], property == "spare" ? [3, 4] : [4],
      ])
  }

  @Test("of values that must be unique, the one that another row has stays found; what only the type knows is said")
  func otherFormsThatStay() async throws {
    let file = try StoreFile()
    let store = try Store(at: file.path, for: Torch.self)
    try await store.insert([Torch(id: 1, isLit: true), Torch(id: 2, isLit: false, colour: .init("RED"))])
    try await store.sql("UPDATE Torch SET isLit = 2 WHERE id = 2")
    try await store.sql("UPDATE Torch SET colour = 'Red' WHERE id = 2")
    try await store.rebuildDerived()
    let findings = try await store.check().findings
    #expect(findings.map(\.kind) == [.valueForm, .valueForm])
    #expect(findings.map(\.property) == ["isLit", "colour"])
    #expect(findings.last?.message.contains("save it") == true)
    try await store.delete(Torch.self, 1)
    try await store.rebuildDerived()
    let lamp = try #require(try await store.find(Torch.self, 2))
    try await store.update(lamp)
    #expect(try await store.check().isHealthy)
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

  @Test("a number that another program has spoiled can be replaced, and its row be deleted", arguments: [true, false])
  func spoiled(isDeleted: Bool) async throws {
    let file = try StoreFile()
    let store = try Store(at: file.path, for: SpoiledTill.self, SpoiledCoin.self)
    try await store.insert(SpoiledTill(id: 1))
    try await store.insert((1...3).map { SpoiledCoin(id: $0, value: 2, till: .init(1)) })
    let trigger = try #require(
      try await store.sql("SELECT name, sql FROM sqlite_master WHERE name = '_larder_derived_SpoiledTill_value_update'")
        .first)
    let create = try #require(trigger["sql"]?.text)
    try await store.write { db in
      _ = try db.sql("DROP TRIGGER _larder_derived_SpoiledTill_value_update")
      _ = try db.sql("UPDATE SpoiledCoin SET value = '2,50' WHERE id = 2")
      _ = try db.sql(SQL(raw: create))
      _ = try db.sql("DROP TRIGGER _larder_derived_SpoiledTill_value_insert")
    }
    #expect(try await store.check().counts == [.derivedValue: 1, .missingTrigger: 1, .unreadableValue: 1])
    await #expect(throws: StoreError.self) { try await store.rebuildDerived() }
    #expect(try store.blocking.rebuildDerivedWherePossible().map(\.code) == [.invalidValue])
    #expect(try await store.check().counts == [.derivedValue: 1, .unreadableValue: 1])
    if isDeleted {
      try await store.sql("DELETE FROM SpoiledCoin WHERE id = 2")
    } else {
      try await store.sql("UPDATE SpoiledCoin SET value = '2.5' WHERE id = 2")
    }
    #expect(try await store.find(SpoiledTill.self, 1)?.value == (isDeleted ? 4 : Decimal(string: "6.5")))
    #expect(try await store.check().isHealthy)
  }

  /// What SQLite's schema says, by name.
  private func schema() throws -> [String: String] {
    let store = try Store(at: file.path, for: Sack.self, Grip.self)
    let rows = try store.blocking.sql("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")
    return Dictionary(rows.map { ($0["name"]?.text ?? "", $0["sql"]?.text ?? "") }) { $1 }
  }

  @Test("texts that aren't UTF-8 are found in tables of other programs, with the keys of their rows")
  func texts() async throws {
    let other = try StoreFile()
    try execute(
      """
      CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT, photo BLOB);
      CREATE TABLE "no key" (word TEXT);
      CREATE TABLE pair (a TEXT, b TEXT, note, PRIMARY KEY (a, b)) WITHOUT ROWID;
      CREATE VIEW shown AS SELECT name FROM person;
      INSERT INTO person VALUES (1, 'Ada', x'ff'), (2, CAST(x'4dfc' AS TEXT), NULL), (3, char(65533), NULL);
      INSERT INTO "no key" VALUES ('fine'), (CAST(x'c0af' AS TEXT));
      INSERT INTO pair VALUES ('x', CAST(x'eda080' AS TEXT), CAST(x'80' AS TEXT));
      """, in: other)
    let store = try Store(at: other.path, schema: .existing)
    let report = try await store.check()
    #expect(report.counts == [.unreadableValue: 4])
    let places = report.findings.map { "\($0.table ?? "").\($0.property ?? "")" }
    #expect(places == ["no key.word", "pair.b", "pair.note", "person.name"])
    #expect(report.findings.first?.key == ["rowid": 2])
    #expect(report.findings.last?.key == ["id": 2])
    #expect(report.findings.allSatisfy { $0.message.contains("not valid UTF-8") && $0.message.contains("CAST") })
    #expect(try await store.check(limit: 1).findings.count == 1)
  }

  @Test(
    "whatever one table is, the others are checked",
    arguments: [
      "CREATE TABLE odd (a); CREATE INDEX i ON odd (a COLLATE absent)",
      "CREATE TABLE odd (a COLLATE absent PRIMARY KEY) WITHOUT ROWID",
      "CREATE TABLE odd (a); CREATE INDEX i ON odd (a) WHERE absent(a)",
      "CREATE TABLE odd (a); INSERT INTO odd VALUES ('{'); CREATE INDEX i ON odd (coalesce(json(a), 1))",
      "CREATE VIRTUAL TABLE odd USING fts5(a); INSERT INTO odd VALUES ('word'); DROP TABLE odd_data",
      "CREATE TABLE parent (a UNIQUE COLLATE absent); CREATE TABLE odd (a REFERENCES parent (a))",
      "CREATE TABLE \"o\u{1}\" (a)", "CREATE TABLE pragma_foreign_key_list (a)",
    ])
  func oddTable(sql: String) async throws {
    let other = try StoreFile()
    // Statements that SQLite refuses here, because it looks closer, are written into its schema.
    var handle: OpaquePointer?
    try #require(sqlite3_open(other.path, &handle) == SQLITE_OK)
    let function: @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void = {
      call, _, _ in
      sqlite3_result_int(call, 1)
    }
    for name in ["absent", "json"] {
      sqlite3_create_function(handle, name, 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil, function, nil, nil)
    }
    sqlite3_create_collation(handle, "absent", SQLITE_UTF8, nil) { _, _, _, _, _ in 0 }
    let text =
      "CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO person VALUES (1, CAST(x'ff' AS TEXT));"
    try #require(
      sqlite3_exec(handle, "PRAGMA writable_schema = ON; \(text) \(sql)", nil, nil, nil) == SQLITE_OK,
      "\(String(cString: sqlite3_errmsg(handle)))")
    sqlite3_close(handle)
    let report = try await Store(at: other.path, schema: .existing).check()
    #expect(report.findings.contains { $0.table == "person" && $0.property == "name" }, "\(report)")
  }

  @Test("a table with as many columns as SQLite has, and no key, is read to its last one")
  func wideTable() async throws {
    let other = try StoreFile()
    let columns = (0..<2000).map { "c\($0)" }.joined(separator: ", ")
    try execute(
      "CREATE TABLE wide (\(columns)); INSERT INTO wide (c0, c1999) VALUES ('x', CAST(x'ff' AS TEXT))", in: other)
    let report = try await Store(at: other.path, schema: .existing).check()
    #expect(report.findings.map(\.property) == ["c1999"] && report.findings.first?.key == ["rowid": 1], "\(report)")
  }

  @Test("a table whose name isn't UTF-8 is reported, and the others are checked")
  func unreadableName() async throws {
    let other = try StoreFile()
    try execute(
      """
      CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE odd (a);
      INSERT INTO person VALUES (1, CAST(x'ff' AS TEXT));
      PRAGMA writable_schema = ON;
      UPDATE sqlite_master SET name = CAST(x'6fff' AS TEXT), tbl_name = CAST(x'6fff' AS TEXT),
        sql = CAST(x'435245415445205441424c4520226fff2220286129' AS TEXT) WHERE name = 'odd';
      """, in: other)
    let report = try await Store(at: other.path, schema: .existing).check()
    #expect(report.findings.contains { $0.table == "person" && $0.property == "name" }, "\(report)")
    #expect(report.findings.count { $0.message.contains("name of a table") } == 1, "\(report)")
  }

  @Test("a table of a module that isn't there, and one with a function that isn't, leave the others checked")
  func foreignSchema() async throws {
    let other = try StoreFile()
    try execute(
      """
      CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE gauge (id INTEGER PRIMARY KEY, height AS (abs(id)));
      CREATE VIEW lost AS SELECT word FROM nowhere;
      INSERT INTO person VALUES (1, CAST(x'ff' AS TEXT));
      INSERT INTO gauge VALUES (1);
      PRAGMA writable_schema = ON;
      UPDATE sqlite_master SET sql = replace(sql, 'abs', 'absent') WHERE name = 'gauge';
      INSERT INTO sqlite_master VALUES ('table', 'ghost', 'ghost', 0, 'CREATE VIRTUAL TABLE ghost USING absent(a)');
      """, in: other)
    let report = try await Store(at: other.path, schema: .existing).check()
    #expect(report.findings.map(\.table).contains("person"), "\(report)")
    #expect(report.findings.map(\.table).contains("gauge"), "\(report)")
  }

  @Test("documents that can't be read are found, whatever is wrong with them")
  func documents() async throws {
    let people = try Store(at: file.path, for: Sack.self, Grip.self)
    for key in ["a", "b", "c", "d"] { try await people.documents("people").save(key, ["name": "Ada"]) }
    #expect(try await people.check().isHealthy)
    // Triggers would read the JSON.
    let triggers = try await people.sql(
      "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'people'")
    await people.close()
    for trigger in triggers { try execute("DROP TRIGGER \"\(trigger["name"]?.text ?? "")\"", in: file) }
    try execute(
      """
      UPDATE people SET json = '{"name":' WHERE key = 'b';
      UPDATE people SET json = '[1]' WHERE key = 'c';
      UPDATE people SET json = CAST(x'7b226e616d65223a22ff227d' AS TEXT) WHERE key = 'd';
      """, in: file)
    for findings in try await findings(.unreadableValue) {
      #expect(findings.map(\.key) == [["key": "b"], ["key": "c"], ["key": "d"]])
      #expect(findings.allSatisfy { $0.table == "people" && !$0.message.contains("Ada") })
    }
    let store = try Store(at: file.path, for: Sack.self, Grip.self)
    #expect(try await store.documents("people").find("a") != nil)
    for key in ["b", "c", "d"] {
      await #expect(throws: StoreError.self) { try await store.documents("people").find(key) }
    }
    // Repaired, the text would be lost with the next save.
    let error = await #expect(throws: StoreError.self) { try await store.documents("people").json("d") }
    #expect(error?.code == .invalidValue && error?.message.contains("\"d\" of people") == true)
    try execute("UPDATE people SET key = CAST(x'ff' AS TEXT), json = '{}' WHERE key = 'd'", in: file)
    await #expect(throws: StoreError.self) { try await store.documents("people").keys() }
    await #expect(throws: StoreError.self) { try await store.documents("people").fetch() }
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
