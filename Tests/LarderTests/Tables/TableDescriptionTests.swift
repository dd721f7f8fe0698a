import Foundation
import GRDBSQLite
import Larder
import LarderTestSupport
import Testing

@Model(expires: true)
struct DescribedPass: Hashable {
  var id: Int
  var holder = ""
}

@Model("Straße")
private struct Street: Hashable {
  var id: Int
  var name: String
}

@Suite("What a file says of its tables")
struct TableDescriptionTests {
  @Test("a store without models knows properties, keys, indexes, relationships and derived values of each model")
  func models() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("wallets.larder").path
    await (try Store(at: path, for: Wallet.self, Node.self)).close()
    for schema in [Store.Configuration.SchemaMode.managed, .existing] {
      let store = try Store(at: path, schema: schema)
      let names = try await store.tables.map(\.name)
      #expect(names == ["Category", "Cost", "Cost_tags", "Node", "Person", "Tag", "Wallet"])
      let cost = try await store.table("Cost")
      #expect(cost.kind == .model && cost.model == "Cost" && !cost.expires)
      #expect(cost.properties.map(\.name) == ["id", "amount", "day", "weight", "wallet", "category"])
      #expect(
        cost.properties.map(\.swiftType)
          == ["Int", "Decimal", "Date", "Double?", "ToOne<Wallet>", "ToOne<Category>?"])
      #expect(cost.properties.map(\.type) == [.integer, .decimal, .date, .double, .integer, .uuid])
      #expect(cost.key.map(\.name) == ["id"])
      #expect(cost.relationships.map(\.name).sorted() == ["category", "tags", "wallet"])
      #expect(cost.relationship("tags")?.kind == .manyToMany)
      #expect(cost.relationship("tags")?.isOrdered == true)
      let wallet = try await store.table("Wallet")
      #expect(wallet.relationship("costs")?.deleteRule == .cascade)
      #expect(wallet.properties.filter(\.isDerived).map(\.name).contains("balance"))
      #expect(try await store.table("Category").property("name")?.isUnique == true)
      #expect(try await store.table("Person").property("address.city")?.column == "address_city")
      #expect(try await store.table("Cost_tags").kind == .pairs)
      await store.close()
    }
  }

  @Test("a file of Larder's is known as such while another program has just closed it")
  func busy() async throws {
    let folder = try TemporaryFolder()
    for number in 0..<20 {
      let path = folder.file("\(number).larder").path
      do {
        let typed = try Store(at: path, for: Wallet.self, Node.self)
        try await typed.insert((0..<200).map { Node(id: $0) })
      }
      let store = try Store(at: path, schema: .existing)
      #expect(try await store.table("Node").kind == .model)
    }
  }

  @Test("without models the rules of the models hold: deep rules, derived values, and refusals")
  func rules() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("nodes.larder").path
    let typed = try Store(at: path, for: Wallet.self, Node.self)
    try await typed.insert((1...3000).map { Node(id: $0, parent: $0 == 1 ? nil : ToOne($0 - 1)) })
    await typed.close()
    let store = try Store(at: path)
    #expect(try await store.row(with: [1], in: "Node")?["childSize"] == 1)
    try await store.insert(["id": 9000, "parent": 1, "size": 4], into: "Node")
    #expect(try await store.row(with: [1], in: "Node")?["childSize"] == 5)
    #expect(try await store.deleteRow(with: [1], from: "Node"))
    #expect(try await store.count(TableQuery("Node")) == 0)
  }

  @Test("expired rows are hidden without models too, and swept")
  func expiry() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("passes.larder").path
    let typed = try Store(at: path, for: DescribedPass.self)
    try await typed.save(DescribedPass(id: 1), expires: .now.addingTimeInterval(3600))
    try await typed.save(DescribedPass(id: 2), expires: .now.addingTimeInterval(7200))
    try await typed.save(DescribedPass(id: 3))
    await typed.close()
    let later = Store.Configuration(schema: .existing, now: { .now.addingTimeInterval(5000) })
    let store = try Store(at: path, for: [], configuration: later)
    #expect(try await store.rows(TableQuery("DescribedPass")).map { $0["id"] } == [2, 3])
    #expect(try store.blocking.expiry(ofRowWith: [3], in: "DescribedPass") == nil)
    #expect(try await store.insert(["id": 1, "holder": "again"], into: "DescribedPass") == [1])
    try store.blocking.write { db in try db.setExpiry(ofRowWith: [3], in: "DescribedPass", to: .now) }
    #expect(try await store.rows(TableQuery("DescribedPass")).map { $0["id"] } == [1, 2])
    let soon = Date.now.addingTimeInterval(6000)
    let key = try await store.insert(["holder": "new"], into: "DescribedPass", expires: soon)
    let expiry = try #require(try store.blocking.expiry(ofRowWith: key, in: "DescribedPass"))
    #expect(abs(expiry.timeIntervalSince(soon)) < 0.001)
  }

  @Test("a file that is opened to be read is never written")
  func reading() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("passes.larder").path
    await (try Store(at: path, for: DescribedPass.self)).close()
    let before = try Data(contentsOf: URL(filePath: path))
    let store = try Store(at: path, for: [], configuration: Store.Configuration(schema: .existing, access: .readOnly))
    #expect(try await store.count(TableQuery("DescribedPass")) == 0)
    await #expect(throws: StoreError.self) { try await store.insert([:], into: "DescribedPass") }
    await store.close()
    #expect(try Data(contentsOf: URL(filePath: path)) == before)
  }

  @Test("a file that another program made is described by SQLite's own schema")
  func others() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("other.db").path
    let maker = try Store(at: path)
    for sql in [
      """
      CREATE TABLE "Big Order" (OrderID INTEGER PRIMARY KEY,
        Customer VARCHAR(10) NOT NULL REFERENCES Customers (CustomerID) ON DELETE CASCADE,
        Paid BOOLEAN, Total NUMERIC, Doubled GENERATED ALWAYS AS (Total * 2))
      """,
      "CREATE TABLE Customers (CustomerID TEXT PRIMARY KEY, Name TEXT)",
      "CREATE UNIQUE INDEX names ON Customers (Name)",
      "CREATE VIEW Paid AS SELECT * FROM \"Big Order\" WHERE Paid",
      "CREATE TABLE Loose (a, b)", "DROP TABLE _larder_models", "DROP TABLE _larder_migrations",
      "DROP TABLE _larder_info", "DROP TABLE _larder_once",
    ] {
      try await maker.sql(SQL(raw: sql))
    }
    await maker.close()
    let store = try Store(at: path, schema: .existing)
    #expect(try await store.tables.map(\.name) == ["Big Order", "Customers", "Loose", "Paid"])
    let order = try await store.table("big order")
    #expect(order.properties.map(\.type) == [.integer, .text, .bool, .any, .any])
    #expect(order.properties.map(\.isDerived) == [false, false, false, false, true])
    #expect(order.relationship("Customer")?.target == "Customers")
    #expect(try await store.table("Customers").relationship("big Order")?.deleteRule == .cascade)
    #expect(try await store.table("Customers").property("Name")?.isUnique == true)
    #expect(try await store.table("Paid").kind == .view)
    #expect(try await store.table("Loose").key.map(\.name) == ["rowid"])
    try await store.insert(["CustomerID": "A", "Name": "Ada"], into: "Customers")
    try await store.insert(["Customer": "A", "Paid": true, "Total": 3], into: "Big Order")
    let found = try await store.rows(TableQuery("Big Order").where("Paid and Doubled == 6 and Customer.Name == 'Ada'"))
    #expect(found.map { $0["OrderID"] } == [1])
    #expect(
      try await store.deletionPreview(ofRowWith: ["A"], in: "Customers").deleted == ["Customers": 1, "Big Order": 1])
    await #expect(throws: StoreError.self) { try await store.insert(["Paid": true], into: "Paid") }
    let context = Context(store)
    try context.update(["Paid": false], ofRowWith: [1], in: "Big Order")
    #expect(try context.row(with: [1], in: "Big Order")?["Paid"] == false)
    #expect(try context.table("Big Order").key.map(\.name) == ["OrderID"])
    try context.save()
    try await store.insert(["a": 1, "b": "x"], into: "Loose")
    try await store.update(["b": "y"], ofRowWith: [1], in: "Loose")
    #expect(try await store.rows(TableQuery("Loose")).map { $0["b"] } == ["y"])
    #expect(try await store.deleteRow(with: [1], from: "Loose"))
  }

  @Test(
    "what SQLite itself can't explain hides nothing of the rest: views of lost tables, partial indexes, table names")
  func oddities() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("odd.db").path
    do {
      let maker = try Store(at: path)
      for sql in [
        "CREATE TABLE Lost (id INTEGER PRIMARY KEY)", "CREATE VIEW Broken AS SELECT * FROM Lost", "DROP TABLE Lost",
        "CREATE TABLE Part (id INTEGER PRIMARY KEY, name TEXT, state TEXT)",
        "CREATE UNIQUE INDEX open ON Part (name) WHERE state = 'open'",
        "CREATE TABLE Child (id INTEGER PRIMARY KEY, part INTEGER REFERENCES Part)",
      ] {
        try await maker.sql(SQL(raw: sql))
      }
      await maker.close()
    }
    let store = try Store(at: path, schema: .existing)
    #expect(try await store.tables.map(\.name) == ["Broken", "Child", "Part"])
    #expect(try await store.table("Broken").properties.isEmpty)
    let part = try await store.table("Part")
    #expect(part.property("name")?.isUnique == false)
    #expect(part.indexes.map(\.name) == ["open"])
    try await store.insert(["name": "nut", "state": "closed"], into: "Part")
    try await store.insert(["name": "nut", "state": "closed"], into: "Part")
    try await store.insert(["part": 2], into: "Child")
    #expect(try await store.count(TableQuery("Child").where("part.name == \"nut\"")) == 1)
  }

  /// Makes a file as another program does.
  private func makeFile(_ folder: TemporaryFolder, _ statements: String...) throws -> String {
    let path = folder.file("other.db").path
    var handle: OpaquePointer?
    defer { sqlite3_close(handle) }
    try #require(sqlite3_open(path, &handle) == SQLITE_OK)
    for statement in statements {
      try #require(
        sqlite3_exec(handle, statement, nil, nil, nil) == SQLITE_OK, "\(String(cString: sqlite3_errmsg(handle)))")
    }
    return path
  }

  @Test("dates of other programs compare as dates, in each of the forms that SQLite knows")
  func dates() async throws {
    let folder = try TemporaryFolder()
    let path = try makeFile(
      folder, "CREATE TABLE t (id INTEGER PRIMARY KEY, d DATETIME, s TEXT)",
      """
      INSERT INTO t VALUES (1, datetime('2026-03-01 12:00:00'), '2026-03-01 12:00:00'), (2, '2026-03-02', '2026-03-02'),
        (3, unixepoch('2026-03-03 12:00:00'), '2026-03-03T12:00:00Z'), (4, julianday('2026-03-04 12:00:00'), 'soon'),
        (5, unixepoch('2026-03-05 12:00:00') + 0.5, NULL), (6, NULL, '')
      """, "INSERT INTO t (id, d, s) VALUES (7, current_timestamp, current_timestamp)")
    let store = try Store(at: path, schema: .existing)
    func ids(_ condition: String) async throws -> [Int] {
      try await store.rows(TableQuery("t").where(condition)).compactMap { $0["id"]?.integer.map { Int($0) } }
    }
    #expect(try await ids("d >= 2026-03-02 and d < 2026-03-05") == [2, 3, 4])
    #expect(try await ids("d between 2026-03-03T12:00:00Z and 2026-03-04T12:00:00Z") == [3, 4])
    #expect(try await ids("2026-03-01T12:00:00Z == d") == [1])
    #expect(try await ids("d in (2026-03-02, 2026-03-01T12:00:00Z)") == [1, 2])
    #expect(try await ids("s < 2026-03-03T12:00:01Z") == [1, 2, 3])
    #expect(try await ids("d > now - 1 hour and s > now - 1 hour and not (d > now + 1 hour)") == [7])
    #expect(try await ids("d contains '2026-03'") == [1, 2])
    #expect(try await ids("s contains '03-0'") == [1, 2, 3])
    await #expect(throws: StoreError.self) { try await ids("d contains 3") }
  }

  @Test("texts in double quotes in the schema of another program are texts")
  func doubleQuotes() async throws {
    let folder = try TemporaryFolder()
    let path = try makeFile(
      folder, #"CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT CHECK (a IN ("p", "q", "r")))"#,
      #"CREATE VIEW v AS SELECT * FROM t WHERE a = "p""#, "INSERT INTO t VALUES (1, 'p')",
      #"CREATE TRIGGER g AFTER INSERT ON t BEGIN UPDATE t SET a = "r" WHERE id = new.id; END"#)
    let store = try Store(at: path, schema: .existing)
    #expect(try await store.count(TableQuery("v")) == 1)
    try await store.insert(["id": 2, "a": "q"], into: "t")
    #expect(try await store.row(with: [2], in: "t")?.get("a", as: String.self) == "r")
    try await store.sql("VACUUM")
    #expect(try await store.count(TableQuery("t")) == 2)
  }

  @Test(
    "a file whose texts are UTF-16 is read, changed and checked like any other", arguments: ["UTF-16le", "UTF-16be"])
  func encodings(encoding: String) async throws {
    let folder = try TemporaryFolder()
    let path = try makeFile(
      folder, "PRAGMA encoding = '\(encoding)'", "CREATE TABLE \"Straße\" (id INTEGER PRIMARY KEY, name TEXT NOT NULL)",
      "CREATE TABLE Haus (id INTEGER PRIMARY KEY, street REFERENCES \"Straße\" (id) ON DELETE CASCADE, note TEXT)",
      "INSERT INTO \"Straße\" VALUES (1, 'Ring'), (2, 'Größe 😀')", "INSERT INTO Haus VALUES (1, 2, 'x'), (2, 1, NULL)")
    let store = try Store(at: path, schema: .existing)
    #expect(try await store.tables.map(\.name) == ["Haus", "Straße"])
    #expect(try await store.tables.first?.properties.map(\.target) == [nil, "Straße", nil])
    let found = try await store.rows(TableQuery("Straße").where("name contains \"😀\""))
    #expect(found.map { $0["name"]?.text } == ["Größe 😀"])
    try await store.insert(["name": "Weg", "id": 3], into: "Straße")
    let preview = try await store.deletionPreview(ofRowWith: [2], in: "Straße")
    #expect(preview.deleted == ["Straße": 1, "Haus": 1])
    let typed = try Store(at: path, for: Street.self, schema: .existing)
    #expect(try await typed.fetch(Street.where { $0.name == "Größe 😀" }) == [Street(id: 2, name: "Größe 😀")])
    try await typed.save(Street(id: 1, name: "Allée"))
    #expect(try await typed.fetch(Street.all.sorted(by: \.name)).map(\.name) == ["Allée", "Größe 😀", "Weg"])
    #expect(try await store.check().isHealthy)
  }

  @Test("only a table describes models, and a description that can't be read is an error")
  func descriptions() async throws {
    let folder = try TemporaryFolder()
    let endless = try makeFile(
      folder, "CREATE TABLE t (id INTEGER PRIMARY KEY)",
      """
      CREATE VIEW _larder_models AS WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)
        SELECT 'a' || x AS name, '{}' AS schema FROM c
      """)
    #expect(try await (try Store(at: endless, schema: .existing)).tables.map(\.name) == ["t"])
    for schema in ["x'7b7d'", "NULL", "7", "'{}'"] {
      let folder = try TemporaryFolder()
      let path = try makeFile(
        folder, "CREATE TABLE Note (id INTEGER PRIMARY KEY)", "CREATE TABLE _larder_models (name TEXT, schema)",
        "INSERT INTO _larder_models VALUES ('Note', \(schema))")
      let error = #expect(throws: StoreError.self) { try Store(at: path, schema: .existing) }
      #expect(error?.code == .corrupt, "\(schema)")
    }
  }

  @Test("what a table is follows every change of the schema, also one that is taken back")
  func changes() async throws {
    let folder = try TemporaryFolder()
    let store = try Store(at: folder.file("changing.larder").path)
    try await store.sql("CREATE TABLE Part (id INTEGER PRIMARY KEY)")
    try await store.write { transaction in
      #expect(try transaction.table("Part").properties.map(\.name) == ["id"])
      try transaction.sql("ALTER TABLE Part ADD COLUMN name TEXT")
      #expect(try transaction.table("Part").properties.map(\.name) == ["id", "name"])
      struct Undo: Error {}
      for column in ["first", "second"] {
        #expect(throws: Undo.self) {
          try transaction.savepoint { inner in
            try inner.sql(SQL(raw: "ALTER TABLE Part ADD COLUMN \(column) TEXT"))
            #expect(try inner.table("Part").properties.map(\.name) == ["id", "name", column])
            throw Undo()
          }
        }
        #expect(try transaction.table("Part").properties.map(\.name) == ["id", "name"])
      }
    }
    let other = try Store(at: folder.file("changing.larder").path)
    try await other.sql("ALTER TABLE Part ADD COLUMN price REAL")
    #expect(try await store.table("Part").properties.map(\.name) == ["id", "name", "price"])
    try await store.insert(["name": "nut", "price": 2], into: "Part")
    #expect(try await other.rows(TableQuery("Part")).map { $0["price"] } == [2.0])
  }

  @Test("values are written as texts and read from them without a loss")
  func texts() async throws {
    let sample = try SpecimenSample(count: 200)
    let table = try sample.db.table("Specimen")
    for row in try sample.db.rows(TableQuery("Specimen")) {
      for property in table.properties {
        let value = try #require(row[property.name])
        guard let text = property.text(of: value) else {
          #expect(value.isNull)
          continue
        }
        #expect(try property.value(parsing: text) == value, "seed \(sample.seed): \(property.name) as \(text)")
        #expect(try property.stored(value) == value, "seed \(sample.seed): \(property.name)")
      }
    }
  }
}
