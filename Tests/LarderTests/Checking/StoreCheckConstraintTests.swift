import Foundation
import GRDBSQLite
import LarderRandom
import LarderTestSupport
import Testing

@testable import Larder

@Suite struct StoreCheckConstraintTests {
  @Model("box")
  struct Box {
    var id: Int
    var width: Int
  }

  private let file: StoreFile

  init() throws { file = try StoreFile() }

  /// Executes SQL as another program does that has turned constraints off.
  private func execute(_ sql: String) throws {
    var handle: OpaquePointer?
    defer { sqlite3_close(handle) }
    try #require(sqlite3_open(file.path, &handle) == SQLITE_OK)
    let result = sqlite3_exec(handle, "PRAGMA ignore_check_constraints = ON;\(sql)", nil, nil, nil)
    try #require(result == SQLITE_OK, "\(String(cString: sqlite3_errmsg(handle)))")
  }

  @Test(
    "a row that breaks a constraint is found, with its key",
    arguments: [
      ("id INTEGER PRIMARY KEY, a CHECK (a > 0)", "(1, 1), (2, 0), (3, NULL), (4, 'text')", ["id": 2]),
      ("a TEXT, b, CHECK(length(a) < 3), PRIMARY KEY (b, a)", "('xx', 1), ('xxx', 2)", ["a": "xxx", "b": 2]),
      ("a TEXT PRIMARY KEY, b, CHECK (b IN (1, 2))) WITHOUT ROWID --", "('x', 2), ('y', 3)", ["a": "y"]),
      ("a, rowid, CHECK (a <> 'CHECK (' AND a <> ')')", "(1, 2), (')', 3)", ["_rowid_": 2]),
      (
        "a, \"check\" CHECK (\"check\" = a), [c)] DEFAULT ('CHECK (0)'), `d` /* CHECK (0) */",
        "(1, 1, 1, 1), (1, 2, 1, 1)", ["rowid": 2]
      ),
      ("a, b AS (a * 2) CHECK (b < 10 /* ten */ -- ten\n)", "(4), (5)", ["rowid": 2]),
      ("a, CHECK (a IS NOT 5 -- five\n)", "(4), (5)", ["rowid": 2]),
      ("a REAL, CHECK (typeof(a) = 'real')", "(4), ('five')", ["rowid": 2]),
      ("a, CHECK (rowid <> 2)", "(1), (1)", ["rowid": 2]),
      ("id INTEGER PRIMARY KEY, a, CHECK (rowid <> 2)", "(1, 1), (2, 1)", ["id": 2]),
      ("a, CHEC\u{212A} INT, b CHECK (b > 0)", "(1, 1, 1), (1, 1, 0)", ["rowid": 2]),
      ("\u{17F}elect INT CHECK (\u{17F}elect > 5)", "(9), (5)", ["rowid": 2]),
      ("a INTEGER PRIMARY KEY AUTOINCREMENT, b UNIQUE ON CONFLICT IGNORE CHECK (b > 0)", "(7, 1), (8, 0)", ["a": 8]),
      ("a NOT NULL ON CONFLICT IGNORE, b CHECK (b > 0)", "(1, 1), (2, 0)", ["rowid": 2]),
      ("a COLLATE NOCASE CHECK (a <> 'x')", "('y'), ('X')", ["rowid": 2]),
      (
        "a CHECK (a > 0 AND \(String(repeating: "(", count: 60))1\(String(repeating: ")", count: 60)))", "(1), (0)",
        ["rowid": 2]
      ),
    ] as [(String, String, [String: Value])])
  func broken(columns: String, rows: String, key: [String: Value]) async throws {
    let close = columns.hasSuffix("--") ? "" : ")"
    try execute("CREATE TABLE box (\(columns)\n\(close); INSERT INTO box VALUES \(rows)")
    let report = try await Store(at: file.path, schema: .existing).check()
    #expect(report.counts == [.failedConstraint: 1])
    #expect(report.findings.map(\.key) == [key])
    #expect(report.findings.map(\.table) == ["box"])
    try execute("DELETE FROM box")
    #expect(try await Store(at: file.path, schema: .existing).check().isHealthy)
  }

  @Test("the rows are those for which SQLite says that an expression is false", arguments: 0..<20 as Range<UInt64>)
  func likeSQLite(seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    let expressions = [
      "a > b", "a IS NOT NULL AND b", "coalesce(a, b) BETWEEN 2 AND 5", "a IN (1, b, NULL)", "a LIKE '%1%'",
      "a || b <> '12'", "CASE a WHEN 1 THEN b ELSE 1 END", "typeof(a) <> 'text'",
      "a = b OR (a < b AND b < 5)", "iif(a, b, NULL)",
    ]
    let values = ["NULL", "0", "1", "2", "'1'", "'b'", "2.5", "x'31'"]
    let checks = (0..<3).compactMap { _ in expressions.randomElement(using: &random) }
    let rows = (0..<40).map { _ in
      "(\((0..<2).compactMap { _ in values.randomElement(using: &random) }.joined(separator: ", ")))"
    }
    let type = ["INTEGER", "TEXT", "REAL", "BLOB", ""].randomElement(using: &random) ?? ""
    try execute(
      """
      CREATE TABLE box (a \(type), b, \(checks.map { "CHECK (\($0))" }.joined(separator: ", ")));
      INSERT INTO box VALUES \(rows.joined(separator: ", "));
      """)
    let store = try Store(at: file.path, schema: .existing)
    let found = try await store.check(limit: 1000).findings
    let isBroken = checks.map { "NOT (\($0))" }.joined(separator: " OR ")
    let broken = try await store.sql(SQL(raw: "SELECT rowid FROM box WHERE \(isBroken)"), as: Int64.self)
    #expect(found.compactMap { $0.key["rowid"]?.integer }.sorted() == broken.sorted())
    #expect(found.allSatisfy { $0.kind == .failedConstraint })
  }

  @Test("a model's name, the constraint's and a remedy are in the message, once for each row")
  func message() async throws {
    try execute(
      """
      CREATE TABLE box (id INTEGER PRIMARY KEY, width INTEGER NOT NULL, CONSTRAINT Wide CHECK (width > 0), CHECK (width <> -7));
      INSERT INTO box VALUES (1, 1), (2, 0), (3, -7);
      """)
    let report = try await Store(at: file.path, for: Box.self, schema: .existing).check(limit: 2)
    #expect(report.counts == [.failedConstraint: 2])
    #expect(report.findings.map(\.model) == ["Box", "Box"])
    #expect(report.findings.map(\.key) == [["id": 2], ["id": 3]])
    let message = try #require(report.findings.first?.message)
    #expect(message.contains("A row of Box breaks the constraint Wide:") && message.contains("larder sql"))
    #expect(!message.contains("-7"))
  }

  /// What the check of a file says whose table another program has declared in a way that SQLite doesn't read itself.
  private func report(declaring declaration: String, row: String = "1") async throws -> StoreReport {
    try execute("CREATE TABLE box (a); INSERT INTO box VALUES (\(row))")
    try execute(
      "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = \(Quoting.literal(declaration)) WHERE name = 'box'")
    // A connection that writes can't read some of these schemas.
    let store = try Store(at: file.path, for: [], configuration: .init(schema: .existing, access: .readOnly))
    return try await store.check()
  }

  @Test(
    "what SQLite allows no constraint isn't executed",
    arguments: [
      "(SELECT count(*) FROM box) > 0", "a IN endless", "a NOT IN main.\"endless\"", "a IN (VALUES (2))",
      "(VALUES (0))",
      "a > ?1", "load_extension('x')", "\"LOAD_extension\" ('x')", "fts3_tokenizer('simple') IS NULL", "count(*) > 0",
      "theirs(a)", "larder_integer_add()", "larder_json(a)", "RAISE(FAIL, 'x')",
    ])
  func hostile(expression: String) async throws {
    try execute(
      """
      CREATE VIEW endless AS WITH RECURSIVE r (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT x FROM r WHERE x < 0
      """)
    let report = try await report(declaring: "CREATE TABLE box (a CHECK (\(expression)))")
    #expect(report.counts == [.failedConstraint: 1])
    #expect(report.findings.first?.message.contains("isn't known") == true)
  }

  @Test(
    "a declaration that creates no such table is none",
    arguments: [
      "CREATE TEMP TABLE box (a CHECK (a > 0))",
      "CREATE TABLE box (a CHECK (b > 0))",
    ])
  func otherDeclarations(declaration: String) async throws {
    let report = try await report(declaring: declaration)
    #expect(report.counts == [.failedConstraint: 1])
    #expect(report.findings.first?.message.contains("isn't known") == true)
  }

  @Test("a constraint that can't be evaluated for some rows is named once, without their values")
  func unevaluated() async throws {
    try execute(
      """
      CREATE TABLE box (a, b CHECK (json_extract(b, a) IS NULL));
      INSERT INTO box VALUES ('secret', '{}'), ('secret', '{}'), ('$.x', '{}'), ('$.x', '{"x":1}');
      CREATE TABLE dated (day CHECK (day < date('now')));
      INSERT INTO dated VALUES ('9999-01-01');
      """)
    let report = try await Store(at: file.path, schema: .existing).check()
    #expect(report.counts == [.failedConstraint: 3])
    #expect(report.findings.map(\.table) == ["box", "box", "dated"])
    #expect(report.findings.map(\.key) == [["rowid": 4], [:], [:]])
    #expect(!"\(report)".contains("secret"))
  }

  @Test("bytes of a declaration that aren't UTF-8 and a damaged index hide nothing")
  func hidden() async throws {
    try execute("CREATE TABLE box (a CONSTRAINT cafQ CHECK (a > 0)); CREATE INDEX i ON box (a) WHERE a > 3")
    try execute("INSERT INTO box VALUES (5), (0)")
    try execute(
      """
      PRAGMA writable_schema = ON;
      UPDATE sqlite_master SET sql = CAST(replace(CAST(sql AS BLOB), x'51', x'e9') AS TEXT) WHERE name = 'box';
      UPDATE sqlite_master SET sql = 'CREATE INDEX i ON box (a)' WHERE name = 'i';
      """)
    let report = try await Store(at: file.path, schema: .existing).check()
    #expect(report.counts[.failedConstraint] == 1)
    #expect(report.findings.first { $0.kind == .failedConstraint }?.key == ["rowid": 2])
  }

  @Test("a long constraint is shown by its beginning")
  func long() async throws {
    try execute(
      """
      CREATE TABLE box (a CONSTRAINT "\(String(repeating: "x\u{301}", count: 5000))" CHECK (a > 0));
      INSERT INTO box VALUES (0);
      """)
    let report = try await Store(at: file.path, schema: .existing).check()
    #expect(try #require(report.findings.first).message.utf8.count < 500)
  }

  @Test("many columns, many constraints and many tables are no obstacle")
  func many() async throws {
    let columns = (0..<2000).map { "c\($0) CHECK (c\($0) IS NOT \($0))" }.joined(separator: ", ")
    let values = (0..<2000).map { $0 == 1999 ? "1999" : "0.5" }.joined(separator: ", ")
    try execute("CREATE TABLE box (\(columns)); INSERT INTO box VALUES (\(values))")
    for number in 0..<300 {
      try execute("CREATE TABLE t\(number) (a CHECK (a > 0)); INSERT INTO t\(number) VALUES (1)")
    }
    let report = try await Store(at: file.path, schema: .existing).check()
    #expect(report.counts == [.failedConstraint: 1])
    #expect(report.findings.first?.message.contains("c1999 IS NOT 1999") == true)
  }

  @Test("a row that a key or NOT NULL refuses as well is not passed over")
  func otherConstraints() async throws {
    try execute("CREATE TABLE box (a NOT NULL, b UNIQUE CHECK (b > 0)); INSERT INTO box VALUES (1, 1)")
    try execute(
      """
      PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = replace(sql, 'NOT NULL', '') WHERE name = 'box';
      """)
    try execute("INSERT INTO box VALUES (NULL, 0)")
    try execute(
      """
      PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = replace(sql, 'a ', 'a NOT NULL') WHERE name = 'box';
      """)
    let report = try await Store(at: file.path, schema: .existing).check()
    #expect(report.counts == [.damage: 1, .failedConstraint: 1])
    #expect(report.findings.contains { $0.message.contains("isn't known") })
  }

  @Test("texts are compared in the encoding of the file")
  func encoding() async throws {
    try execute(
      """
      PRAGMA encoding = 'UTF-16le'; CREATE TABLE box (a CHECK (length(CAST(a AS BLOB)) = 2));
      INSERT INTO box VALUES ('x'), ('xx');
      """)
    let report = try await Store(at: file.path, schema: .existing).check()
    #expect(report.findings.map(\.key) == [["rowid": 2]])
  }

  @Test("in memory, where SQLite evaluates them too, a row is found once")
  func inMemory() async throws {
    let store = try Store(inMemoryFor: Box.self)
    try await store.write { db in
      _ = try db.sql("CREATE TABLE other (a, CHECK (a > 0))")
      _ = try db.sql("PRAGMA ignore_check_constraints = ON")
      _ = try db.sql("INSERT INTO other VALUES (1), (0)")
      _ = try db.sql("PRAGMA ignore_check_constraints = OFF")
    }
    let report = try await store.check()
    #expect(report.counts == [.failedConstraint: 1])
    #expect(report.findings.map(\.key) == [["rowid": 2]])
  }

  @Test(
    "tables are looked at whose declaration has the word",
    arguments: [
      ("CREATE TABLE t (a CHECK(a))", true), ("create table t (a check/**/ (a))", true), ("(a,\ncheck\n(a))", true),
      ("CREATE TABLE t (isChecked, check_in, \u{e9}check)", false), ("", false), ("CREATE TABLE t (a)", false),
    ])
  func word(declaration: String, isThere: Bool) {
    #expect(StoreCheck.mentionsCheck(Array(declaration.utf8)) == isThere)
  }
}
