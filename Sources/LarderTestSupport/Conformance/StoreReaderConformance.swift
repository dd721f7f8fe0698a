import Foundation
public import Larder

/// Checks that a conforming type fulfills the requirements of `StoreReader`.
///
/// ```swift
/// let store = try Store(inMemoryFor: ConformanceItem.self)
/// try store.blocking.insert(ConformanceItem.samples)
/// try StoreReaderConformance.check(store.blocking)
/// try store.blocking.read { try StoreReaderConformance.check($0) }
/// ```
public enum StoreReaderConformance {
  private struct Enough: Error {}

  private struct Line: Decodable, Equatable {
    let title: String
    let weight: Double?
    let kind: ConformanceItem.Kind
    let tags: [String]
  }

  /// Calls every method of the protocol and checks the results.
  ///
  /// - Parameter db: A reader of a store with ``ConformanceItem/samples`` and no other item.
  /// - Throws: ``ConformanceFailure`` for the first unfulfilled requirement, and any unexpected error of the reader.
  public static func check(_ db: some StoreReader) throws {
    try checkFinding(db)
    try checkFetching(db)
    try checkGrouping(db)
    try checkCounting(db)
    try checkAggregates(db)
    try checkRows(db)
    try checkIteration(db)
    try checkSearch(db)
    try checkSQL(db)
  }

  static func checkFinding(_ db: some StoreReader) throws {
    try expect(try db.find(ConformanceItem.self, 1), equals: .milk, "find gives the row with the key")
    try expect(try db.find(ConformanceItem.self, 3), equals: .hammer, "find gives the row with the key")
    try expect(try db.find(ConformanceItem.self, 9), equals: nil, "find gives nil where there is no row")
  }

  static func checkFetching(_ db: some StoreReader) throws {
    let all = ConformanceItem.all
    try expect(Set(try db.fetch(all)), equals: Set(ConformanceItem.samples), "fetch gives every row")
    try expect(
      try db.fetch(all.sorted(by: \.price, order: .reverse)), equals: [.hammer, .bread, .milk], "fetch keeps the order")
    try expect(try db.fetch(all.sorted(by: \.id).limit(1, offset: 1)), equals: [.bread], "fetch keeps limit and offset")
    try expect(
      try db.fetch(ConformanceItem.where { $0.kind == .food && $0.size.width == 2 }), equals: [.milk],
      "fetch keeps the condition")
    try expect(try db.fetch(ConformanceItem.where { $0.id == 9 }), equals: [], "fetch gives no rows where none fits")
    try expect(try db.first(all.sorted(by: \.title)), equals: .bread, "first gives the first row of the order")
    try expect(try db.first(ConformanceItem.where { $0.id == 9 }), equals: nil, "first gives nil where no row fits")
    try expect(try db.first(all.limit(0)), equals: nil, "first keeps a limit of zero")
  }

  static func checkGrouping(_ db: some StoreReader) throws {
    let groups = try db.fetch(
      ConformanceItem.all.grouped(by: \.kind) { ($0.key, $0.sum(\.stock), $0.count, $0.max(\.price)) })
    try expect(groups.map(\.0), equals: [.food, .tool], "groups come in the order of their keys")
    try expect(groups.map(\.1), equals: [30, 3], "a group has its sum")
    try expect(groups.map(\.2), equals: [2, 1], "a group has its count")
    try expect(groups.map(\.3), equals: [2.5, 10.1], "a group has its greatest value")
  }

  static func checkCounting(_ db: some StoreReader) throws {
    try expect(try db.count(ConformanceItem.all), equals: 3, "count gives the number of rows")
    try expect(try db.count(ConformanceItem.all.limit(2)), equals: 2, "count keeps the limit")
    try expect(try db.count(ConformanceItem.where { $0.weight == nil }), equals: 1, "count keeps the condition")
    try expect(try db.exists(ConformanceItem.where { $0.title == "Bread" }), "exists is true where a row fits")
    try expect(try !db.exists(ConformanceItem.where { $0.title == "bread" }), "exists is false where no row fits")
  }

  static func checkAggregates(_ db: some StoreReader) throws {
    let all = ConformanceItem.all
    let none = ConformanceItem.where { $0.id == 9 }
    try expect(try db.sum(all, of: \.stock), equals: 33, "sum adds integers")
    try expect(try db.sum(all, of: \.price), equals: 13.85, "sum adds decimals exactly")
    try expect(try db.sum(all, of: \.weight), equals: 2, "sum leaves nil out")
    try expect(try db.sum(none, of: \.stock), equals: 0, "sum is zero without rows")
    try expect(try db.average(all, of: \.stock), equals: 11, "average gives the mean")
    try expect(try db.average(all, of: \.weight), equals: 1, "average leaves nil out")
    try expect(try db.average(none, of: \.weight), equals: nil, "average is nil without rows")
    try expect(try db.min(all, of: \.price), equals: 1.25, "min gives the least value")
    try expect(try db.max(all, of: \.price), equals: 10.1, "max compares decimals as numbers")
    try expect(try db.max(all, of: \.madeAt), equals: ConformanceItem.milk.madeAt, "max gives the greatest date")
    try expect(try db.min(all, of: \.weight), equals: 0.5, "min leaves nil out")
    try expect(try db.max(none, of: \.title), equals: nil, "max is nil without rows")
  }

  static func checkRows(_ db: some StoreReader) throws {
    let rows = try db.rows(ConformanceItem.all.sorted(by: \.id))
    try expect(rows.count, equals: 3, "rows gives every row")
    guard let milk = rows.first else { return }
    try expect(
      milk.names,
      equals: [
        "id", "title", "code", "kind", "price", "weight", "stock", "madeAt", "tags", "size_width", "size_height",
      ],
      "a row has the columns in the order of the properties")
    try expect(milk["title"], equals: .text("Milk of the day"), "text is TEXT")
    try expect(milk["price"], equals: .text("1.25"), "a decimal is TEXT")
    try expect(milk["weight"], equals: .real(1.5), "a double is REAL")
    try expect(milk["madeAt"], equals: .real(1), "a date is REAL, the seconds since 2001")
    try expect(milk["tags"], equals: .text("[\"cold\"]"), "an array is JSON")
    try expect(milk["size_height"], equals: .integer(3), "an embedded struct has columns")
    try expect(milk["nothing"], equals: nil, "a row has no other columns")
    try expect(rows[2]["code"], equals: .null, "nil is NULL")
  }

  static func checkIteration(_ db: some StoreReader) throws {
    var titles: [String] = []
    try db.forEach(ConformanceItem.all.sorted(by: \.id)) { item in
      titles.append(item.title)
      try expect(try db.find(ConformanceItem.self, item.id), equals: item, "the reader answers while it iterates")
    }
    try expect(titles, equals: ConformanceItem.samples.map(\.title), "forEach gives the rows in order")
    try expectError(Enough.self, "forEach throws what the closure throws") {
      try db.forEach(ConformanceItem.all) { _ in throw Enough() }
    }
    try expect(try db.count(ConformanceItem.all), equals: 3, "the reader answers after an iteration that ended early")
  }

  static func checkSearch(_ db: some StoreReader) throws {
    let matches = try db.matches(ConformanceItem.search("milk"), style: SnippetStyle(marks: ("<", ">")))
    try expect(matches.map(\.value), equals: [.milk], "matches gives the rows that the search finds")
    try expect(matches.map(\.snippet), equals: ["<Milk> of the day"], "a match marks the words in its snippet")
    try expect(try db.fetch(ConformanceItem.search(typed: "ham")), equals: [.hammer], "fetch answers a search")
    try expectError(StoreError.self, "matches needs a search", where: { $0.code == .unsupported }) {
      _ = try db.matches(ConformanceItem.all)
    }
  }

  static func checkSQL(_ db: some StoreReader) throws {
    let item = ConformanceItem.columns
    let rows = try db.sql(
      "select \(item.title), stock * 2 as twice from \(ConformanceItem.self) where \(item.id) = \(2)")
    try expect(rows.map(\.dictionary), equals: [["title": "Bread", "twice": 40]], "sql gives rows")
    let pairs = try db.sql("select title, weight from \(ConformanceItem.self) order by id", as: (String, Double?).self)
    try expect(pairs.map(\.0), equals: ConformanceItem.samples.map(\.title), "sql gives tuples")
    try expect(pairs.map(\.1), equals: [1.5, 0.5, nil], "sql gives tuples with nil")
    let lines = try db.sql(
      "select title, weight, kind, tags from \(ConformanceItem.self) where id = \(2)", as: Line.self)
    try expect(
      lines, equals: [Line(title: "Bread", weight: 0.5, kind: .food, tags: ["warm", "brown"])],
      "sql gives values that are Decodable")
    let text = "'); drop table \"conformance items\"; --"
    try expect(
      try db.sql("select \(text) as text").first?["text"], equals: .text(text), "sql binds what is interpolated")
    try expectError(StoreError.self, "sql names what SQLite cannot read", where: { $0.code == .unsupported }) {
      try db.sql("selec 1")
    }
    try expectError(StoreError.self, "sql does not begin transactions", where: { $0.code == .unsupported }) {
      try db.sql("begin")
    }
  }
}
