import Foundation
import GRDBSQLite
import Larder
import Testing

/// Columns whose storage classes SQLite makes sure of are read in fewer calls. What is read is the same, and an error is
/// the same, in every other file and after every change of the schema.
@Suite struct StrictColumnTests {
  @Model struct Parcel: Equatable {
    let id: Int
    var count: Int
    var weight: Double
    var label: String
    var isSent: Bool
    var sentAt: Date?
    var place: String?
    var floor: Int?
    var rating: Double?
  }

  @Model struct Visit: Equatable {
    let id: Int
    @Attribute(.iso8601) var day: Date
    @Attribute(.iso8601) var end: Date?
    var count: Int
  }

  @Model struct Nested: Equatable {
    let id: Int
    var number: Int??
  }

  private static let parcels = [
    Parcel(id: 1, count: 0, weight: 0, label: "", isSent: false, sentAt: Date(timeIntervalSinceReferenceDate: 0)),
    Parcel(
      id: 2, count: .min, weight: -.infinity, label: "Zürich\0", isSent: true, sentAt: .distantPast, place: "",
      floor: 0,
      rating: 0),
    Parcel(
      id: 3, count: 7, weight: .leastNonzeroMagnitude, label: "7", isSent: true, place: "x", floor: -1,
      rating: .infinity),
  ]

  /// Whatever reads parcels, as often as it takes to find out what is known of the columns, and once more.
  private func expect(
    _ parcels: [Parcel], in db: some StoreReader, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for _ in 0..<3 {
      #expect(try db.fetch(Parcel.all) == parcels, sourceLocation: sourceLocation)
      #expect(try db.fetch(Parcel.where { $0.id > 0 }) == parcels, sourceLocation: sourceLocation)
      for parcel in parcels {
        #expect(try db.find(Parcel.self, parcel.id) == parcel, sourceLocation: sourceLocation)
      }
      var rows: [Parcel] = []
      try db.forEach(Parcel.all) { rows.append($0) }
      #expect(rows == parcels, sourceLocation: sourceLocation)
      let some = try db.fetch(Parcel.select(\.count, \.sentAt, \.place))
      #expect(some.map(\.0) == parcels.map(\.count), sourceLocation: sourceLocation)
      #expect(some.map(\.1) == parcels.map(\.sentAt), sourceLocation: sourceLocation)
      #expect(some.map(\.2) == parcels.map(\.place), sourceLocation: sourceLocation)
    }
  }

  @Test("zero, NULL and the extremes of each type are read alike, in a store, a snapshot, a transaction and a context")
  func edges() throws {
    let file = try StoreFile()
    let store = try file.open(Parcel.self)
    try store.blocking.insert(Self.parcels)
    try expect(Self.parcels, in: store.blocking)
    try store.blocking.read { try expect(Self.parcels, in: $0) }
    try store.blocking.write { try expect(Self.parcels, in: $0) }
    let negative = try store.blocking.write { db in
      try db.update(Parcel(id: 1, count: 0, weight: -0.0, label: "", isSent: false))
      return try (0..<3).map { _ in try db.find(Parcel.self, 1)?.weight.sign }
    }
    #expect(negative.allSatisfy { $0 == .minus || $0 == .plus } && Set(negative).count == 1)
  }

  @Test("dates in columns of text are read as text, in whole rows and alone")
  func datesAsText() throws {
    let file = try StoreFile()
    let store = try file.open(Visit.self)
    let visits = [
      Visit(id: 1, day: Date(timeIntervalSinceReferenceDate: 0), count: 1),
      Visit(id: 2, day: .now.rounded, end: Date(timeIntervalSinceReferenceDate: 2024), count: 2),
    ]
    try store.blocking.insert(visits)
    for _ in 0..<4 {
      #expect(try store.blocking.fetch(Visit.all) == visits)
      #expect(try store.blocking.find(Visit.self, 2) == visits[1])
      #expect(try store.blocking.fetch(Visit.select(\.day)) == visits.map(\.day))
      #expect(try store.blocking.fetch(Visit.select(\.end, \.count)).map(\.0) == visits.map(\.end))
    }
  }

  @Test(
    "a table that another program makes anew while a store reads it is read by what it has become",
    arguments: ["INTEGER", "REAL", "TEXT", "ANY"], ["", " STRICT"])
  func changedSchema(type: String, options: String) throws {
    guard !(type == "ANY" && options.isEmpty) else { return }
    let file = try StoreFile()
    let store = try file.open(Parcel.self)
    try store.blocking.insert(Self.parcels)
    try expect(Self.parcels, in: store.blocking)
    // The number of the first row is no integer any longer, and its text is no text.
    try execute(
      """
      BEGIN;
      CREATE TABLE other (id INTEGER PRIMARY KEY, "count" \(type), weight \(type), label \(options.isEmpty ? "" : "ANY"),
        isSent INTEGER, sentAt REAL, place TEXT, floor INTEGER, rating REAL)\(options);
      INSERT INTO other VALUES (1, \(type == "INTEGER" ? "5" : type == "TEXT" ? "'1.5'" : "1.5"), 1, x'41', 0, NULL, 'x', 1, 2);
      DROP TABLE Parcel;
      ALTER TABLE other RENAME TO Parcel;
      COMMIT;
      """, in: file)
    for _ in 0..<5 {
      #expect(throws: StoreError.self) { try store.blocking.find(Parcel.self, 1) }
      #expect(throws: StoreError.self) { try store.blocking.fetch(Parcel.all) }
      #expect(throws: StoreError.self) { try store.blocking.fetch(Parcel.where { $0.id > 0 }) }
      #expect(throws: StoreError.self) { try store.blocking.forEach(Parcel.all) { _ in } }
      if type == "INTEGER" {
        #expect(try store.blocking.fetch(Parcel.select(\.count)) == [5])
      } else {
        #expect(throws: StoreError.self) { try store.blocking.fetch(Parcel.select(\.count)) }
      }
    }
  }

  @Test(
    "a temporary table or view that hides a strict table is asked about each value",
    arguments: [
      "CREATE TEMP TABLE Parcel AS SELECT * FROM main.Parcel; UPDATE temp.Parcel SET \"count\" = '5 x' WHERE id = 3",
      """
      CREATE TEMP VIEW Parcel AS SELECT id, '5 x' AS "count", weight, label, isSent, sentAt, place, floor, rating
        FROM main.Parcel
      """,
    ])
  func temporaryTable(sql: String) throws {
    let file = try StoreFile()
    try file.write(Self.parcels)
    var configuration = Store.Configuration()
    configuration.onOpen = { connection in
      guard connection.role == .reader else { return }
      try connection.execute(sql)
    }
    let store = try Store(at: file.path, for: Parcel.self, configuration: configuration)
    for _ in 0..<4 {
      #expect(throws: StoreError.self) { try store.blocking.find(Parcel.self, 3) }
      #expect(throws: StoreError.self) { try store.blocking.fetch(Parcel.all) }
    }
  }

  @Test("a union is read by what all of its parts are")
  func union() throws {
    let file = try StoreFile()
    let store = try file.open(Parcel.self, Visit.self)
    try store.blocking.insert(Self.parcels)
    let day = Date(timeIntervalSinceReferenceDate: 1_000_000)
    try store.blocking.insert(Visit(id: 1, day: day, end: day, count: 3))
    let ends = Parcel.select(\.sentAt).unionAll(Visit.select(\.end))
    let counts = Parcel.select(\.count).unionAll(Visit.select { $0.count + 1 })
    for _ in 0..<4 {
      #expect(Set(try store.blocking.fetch(ends)) == Set(Self.parcels.map(\.sentAt) + [day]))
      #expect(Set(try store.blocking.fetch(counts)) == Set(Self.parcels.map(\.count) + [4]))
    }
  }

  @Test(
    "columns that SQLite computes, and rows from before a column came, are asked about each value",
    arguments: [
      "ALTER TABLE Parcel ADD COLUMN \"count\" INTEGER NOT NULL DEFAULT '12 monkeys'",
      "ALTER TABLE Parcel ADD COLUMN \"count\" INTEGER NOT NULL DEFAULT 1.5",
      "ALTER TABLE Parcel ADD COLUMN \"count\" INTEGER AS (label) VIRTUAL",
    ])
  func uncheckedColumns(sql: String) throws {
    let file = try StoreFile()
    try execute(
      """
      CREATE TABLE Parcel (id INTEGER PRIMARY KEY, weight REAL NOT NULL, label TEXT NOT NULL, isSent INTEGER NOT NULL,
        sentAt REAL, place TEXT, floor INTEGER, rating REAL) STRICT;
      INSERT INTO Parcel VALUES (1, 1, '12 x', 1, NULL, NULL, NULL, NULL);
      """, in: file)
    try execute(sql, in: file)
    let store = try Store(at: file.path, for: Parcel.self, schema: .existing)
    for _ in 0..<4 {
      #expect(throws: StoreError.self) { try store.blocking.find(Parcel.self, 1) }
      #expect(throws: StoreError.self) { try store.blocking.fetch(Parcel.all) }
      #expect(throws: StoreError.self) { try store.blocking.fetch(Parcel.select(\.count)) }
    }
  }

  @Test("an optional of an optional is nil for NULL, however it is read")
  func nested() throws {
    let file = try StoreFile()
    let store = try file.open(Nested.self)
    let rows = [Nested(id: 1), Nested(id: 2, number: 3)]
    try store.blocking.insert(rows)
    for _ in 0..<4 {
      let found = try store.blocking.fetch(Nested.all)
      #expect(found[0].number == Int??.none && found[1].number == .some(.some(3)))
    }
  }

  @Test("in tables that aren't strict, each value is asked for its kind, however often a statement is executed")
  func otherTables() throws {
    let file = try StoreFile()
    try execute(
      """
      CREATE TABLE Parcel (id INTEGER PRIMARY KEY, "count" INTEGER, weight REAL, label TEXT, isSent INTEGER, sentAt REAL,
        place TEXT, floor INTEGER, rating REAL);
      INSERT INTO Parcel VALUES (1, 1.5, 1, 'a', 1, NULL, NULL, NULL, NULL), (2, 2, 'x', 'a', 1, NULL, NULL, NULL, NULL),
        (3, 3, 1, x'41', 1, NULL, NULL, NULL, NULL), (4, 4, 1, 'a', 1, NULL, x'41', NULL, NULL);
      """, in: file)
    let store = try Store(at: file.path, for: Parcel.self, schema: .existing)
    for _ in 0..<4 {
      for (id, property) in [(1, "count"), (2, "weight"), (3, "label"), (4, "place")] {
        let error = #expect(throws: StoreError.self) { try store.blocking.find(Parcel.self, id) }
        #expect(error?.property == property)
      }
      #expect(throws: StoreError.self) { try store.blocking.fetch(Parcel.all) }
      #expect(throws: StoreError.self) { try store.blocking.fetch(Parcel.select(\.place)) }
    }
  }

  private func execute(_ sql: String, in file: StoreFile) throws {
    var handle: OpaquePointer?
    defer { sqlite3_close(handle) }
    try #require(sqlite3_open(file.path, &handle) == SQLITE_OK)
    try #require(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK, "\(String(cString: sqlite3_errmsg(handle)))")
  }
}

extension Date {
  /// The date to the millisecond.
  fileprivate var rounded: Date {
    Date(timeIntervalSinceReferenceDate: (timeIntervalSinceReferenceDate * 1000).rounded() / 1000)
  }
}
