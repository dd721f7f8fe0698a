import Foundation
import Larder
import LarderTestSupport
import Testing

@testable import LarderSync

@Model
private struct Defaulted {
  var id: UUID = .v7()
  var text = "é\"\n"
  var number = -7
  var ratio = 0.1
  var title: String
  var count: Int?
  @Attribute(.unique) var price: Decimal?
}

@Model("Leaf")
private struct PlainLeaf {
  var id: String
}

@Model("Leaf")
private struct SizedLeaf {
  var id: String
  var size = 7
}

/// The triggers and indexes of tracking: what a write and an exchange read, and files of earlier versions.
@Suite struct TrackingSchemaTests {
  /// A replica with rows of which SQLite has statistics, by which it chooses plans.
  private func analyzed() async throws -> Replica {
    let a = try Replica()
    try await a.store.insert((0..<200).map { SharedKind(id: "\($0)", title: "t") })
    try await a.store.insert((0..<50).map { SharedTag(name: "\($0)") })
    let account = SharedAccount(name: "a")
    try await a.store.insert(account)
    try await a.store.insert((0..<50).map { SharedCost(amount: $0, account: ToOne(account)) })
    for number in 0..<20 { try await a.store.documents("notes").save("\(number)", ["text": "t"]) }
    try await a.store.writingModule { try $0.execute("ANALYZE") }
    return a
  }

  @Test("no write makes a trigger read a whole table, whatever the statistics")
  func filters() async throws {
    let a = try await analyzed()
    let statements = try await a.store.writingModule { connection in
      try connection.rows("SELECT tbl_name FROM sqlite_master WHERE name GLOB '_larder_sync_track_*_insert'") {
        $0.text(0)
      }.flatMap { name in
        let table = name.quotedName
        let columns = try connection.rows(
          "SELECT name FROM pragma_table_info(?1) WHERE name <> '_rowid'", [.init(name)]
        ) { $0.text(0).quotedName }
        let assignments = columns.map { "\($0) = \($0)" }.joined(separator: ", ")
        let parameters = columns.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
        return [
          "INSERT OR REPLACE INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(parameters))",
          "UPDATE OR REPLACE \(table) SET \(assignments)", "DELETE FROM \(table)",
        ]
      }
    }
    #expect(statements.count > 20)
    for statement in statements {
      // SQLite reads a whole table to fill a Bloom filter, each time that the trigger fires:
      // https://www.sqlite.org/opcode.html#FilterAdd.
      let filters = try await a.store.writingModule { connection in
        try connection.rows("EXPLAIN \(statement)") { $0.text(1) }.filter { $0 == "FilterAdd" }
      }
      #expect(filters.isEmpty, "\(statement)")
    }
  }

  @Test("what isn't visible is found by indexes, whatever the number of rows")
  func partialIndexes() async throws {
    let a = try await analyzed()
    for condition in [SyncTables.isSetAside, SyncTables.isMissed, SyncTables.isResurrected] {
      for columns in ["count(*)", "*"] {
        let text = try await a.store.writingModule { connection in
          try connection.rows("EXPLAIN QUERY PLAN SELECT \(columns) FROM \(SyncTables.rows) WHERE \(condition)") {
            $0.text(3)
          }.joined()
        }
        #expect(text.contains("INDEX _larder_sync_rows_"), "\(condition): \(text)")
      }
    }
  }

  @Test("the row of which something is known is found by the index of its table, whatever the number of rows")
  func presence() async throws {
    for a in [try Replica(), try await analyzed()] {
      let plans = try await a.store.writingModule { connection in
        let tracker = Tracker(connection)
        return try tracker.tracked().map { table in
          let query = tracker.presence(of: table.description, table.id)
          return try connection.rows(
            "EXPLAIN QUERY PLAN SELECT 1 FROM \(SyncTables.rows) AS known WHERE EXISTS (\(query))"
          ) { $0.text(3) }.joined(separator: "; ")
        }
      }
      #expect(plans.count > 5)
      for plan in plans { #expect(plan.contains("SEARCH row USING") && !plan.contains("SCAN row"), "\(plan)") }
    }
  }

  /// The descriptions of the tables, as JSON.
  private func descriptions(_ store: Store) async throws -> [String: Data] {
    let found = try await store.readingModule { connection in
      try connection.rows("SELECT name, description FROM \(SyncTables.tables) WHERE description IS NOT NULL") { row in
        (row.text(0), row.bytes(1))
      }
    }
    return Dictionary(found) { $1 }
  }

  @Test("a program that doesn't declare the models leaves the descriptions of their tables as they are")
  func described() async throws {
    let a = try Replica(Replica.ledger + [Defaulted.self])
    let expected = try await descriptions(a.store)
    #expect(expected.count > 5)
    await a.store.close()
    var configuration = Store.Configuration(schema: .existing)
    configuration.sync = .on
    let store = try Store(at: a.path, configuration: configuration)
    #expect(try await descriptions(store) == expected)
    try await store.sync.enable()
    try await store.sync.setSyncs(false, collection: "drafts")
    #expect(try await descriptions(store) == expected)
    await store.close()
  }

  @Test("an inserted row costs one row of metadata, and an update one for each property that it changes")
  func metadata() async throws {
    let a = try Replica()
    func counts() async throws -> [Int64] {
      try await a.store.readingModule { connection in
        try [SyncTables.rows, SyncTables.cells].map { table in
          try connection.first("SELECT count(*) FROM \(table)") { $0.integer(0) } ?? -1
        }
      }
    }
    let account = SharedAccount(id: UUID(), name: "A")
    try await a.store.insert(account)
    try await a.store.insert((0..<9).map { SharedCost(id: UUID(), amount: $0, account: ToOne(account)) })
    #expect(try await counts() == [10, 0])
    try await a.store.updateAll(SharedCost.where { $0.amount == 3 }) { $0.note.set("edited") }
    #expect(try await counts() == [10, 1])
    try await a.store.updateAll(SharedCost.where { $0.amount == 3 }) {
      $0.note.set("again")
      $0.amount.set(12)
    }
    #expect(try await counts() == [10, 2])
  }

  @Test("a description has the defaults of its model bit for bit, and nothing of them if there are none")
  func defaults() async throws {
    let a = try Replica([Defaulted.self])
    var table = try #require(try await a.store.readingModule { try $0.tables.first })
    let declared: [Value?] = [.text("é\"\n"), .integer(-7), .real(0.1), .none, .some(.null), .some(.null)]
    #expect(table.columns.map(\.constantDefault) == declared)
    let coder = (encoder: JSONEncoder(), decoder: JSONDecoder())
    coder.encoder.outputFormatting = .sortedKeys
    let values: [Value] = [
      .real(.infinity), .real(-.leastNonzeroMagnitude), .text("a\u{0}b\u{301}"), .blob(Data(0...255)), .blob(Data()),
      .integer(.max), .text(""),
    ]
    for value in values {
      table.columns[0].constantDefault = value
      let decoded = try coder.decoder.decode(ModuleTable.self, from: coder.encoder.encode(table))
      #expect(try coder.encoder.encode(decoded) == coder.encoder.encode(table))
      #expect(decoded.columns[0].constantDefault.map { ReplicatedValue($0) } == ReplicatedValue(value))
    }
    let known = try await descriptions(a.store).values.map { String(decoding: $0, as: UTF8.self) }
    // Three of the columns have one.
    #expect(known.map { $0.components(separatedBy: "constantDefault").count } == [4])
  }

  private func schema(_ replica: Replica) async throws -> [String: String] {
    let objects = try await replica.store.writingModule { connection in
      try connection.rows("SELECT name, sql FROM sqlite_master WHERE name GLOB '_larder_sync_*'") { row in
        (row.text(0), row.text(1))
      }
    }
    return Dictionary(objects) { $1 }
  }

  @Test("a file of an earlier version gets the indexes and triggers of this one, and syncs what it had")
  func upgrade() async throws {
    let (a, b) = (try Replica(), try Replica())
    try await a.store.insert(SharedTag(name: "x"))
    try await b.store.insert(SharedTag(name: "x"))
    try await a.exchange(with: b)
    let expected = try await schema(a)
    try await a.store.writingModule { connection in
      try connection.transaction {
        for (name, sql) in expected where sql.contains(SyncTables.isSetAside) {
          try connection.execute("DROP \(sql.hasPrefix("CREATE INDEX") ? "INDEX" : "TRIGGER") \(name)")
          try connection.execute(sql.replacing(SyncTables.isSetAside, with: "status IN (2, 3, 4, 7)"))
        }
        try connection.execute(
          "CREATE INDEX _larder_sync_rows_set_aside ON _larder_sync_rows (table_id, status) WHERE status IN (2, 3, 4, 7)"
        )
        try connection.setInUse(1, SyncFeature.self)
      }
    }
    #expect(try await schema(a) != expected)
    let reopened = try await a.reopened()
    #expect(try await schema(reopened) == expected)
    try await reopened.store.insert(SharedKind(id: "1", title: "t"))
    try await b.store.deleteAll(SharedTag.all)
    try await reopened.exchange(with: b)
    #expect(try await reopened.rows() == b.rows())
    #expect(try await b.store.find(SharedKind.self, "1")?.title == "t")
    #expect(try await reopened.store.fetch(SharedTag.all).count == 1)
  }

  @Test("S16: a default that nobody has written stays one when a file of an earlier version is opened")
  func upgradeOfDefaults() async throws {
    var a = try Replica([PlainLeaf.self])
    let b = try Replica([SizedLeaf.self])
    try await b.store.insert(["kept", "deleted"].map { SizedLeaf(id: $0, size: 9) })
    try await a.setClock(past: b)
    try await a.store.insert(["kept", "deleted"].map { PlainLeaf(id: $0) })
    a = try await a.reopened(SizedLeaf.self)
    let expected = try await schema(a)
    try await a.store.writingModule { connection in
      try connection.transaction { try connection.setInUse(SyncTables.version - 1, SyncFeature.self) }
    }
    a = try await a.reopened()
    #expect(try await schema(a) == expected)
    try await a.store.delete(SizedLeaf.self, "deleted")
    for _ in 0..<2 { try await a.exchange(with: b) }
    for replica in [a, b] {
      #expect(try await replica.store.fetch(SizedLeaf.all).map(\.size) == [9])
      #expect(try await replica.shownRows() == replica.expectedRows())
    }
    try await expectEqual([a, b])
  }
}
