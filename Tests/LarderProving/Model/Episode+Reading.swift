import Foundation
import Larder
import LarderTestSupport

extension Episode {
  func read(_ random: inout SplitMix64) async throws {
    let store = store(&random)
    switch Int.random(in: 0..<4, using: &random) {
    case 0: try await readAsynchronously(store, &random)
    case 1: try store.blocking.read { try check($0, world, &random) }
    default: try check(store.blocking, world, &random)
    }
  }

  private func expectSame<Value: Equatable>(_ name: String, _ actual: Value, _ expected: Value) throws {
    try expect(actual == expected, "\(name): \(actual) instead of \(expected)")
  }

  private func selection(_ world: World, _ random: inout SplitMix64) -> BookSelection {
    var selection = BookSelection(using: &random)
    if selection.limit == nil, Int.random(in: 0..<4, using: &random) == 0 {
      // Pages begin after a row in an order of the model's own columns.
      selection.sorts.removeAll { $0.key == .shelfName }
      selection.after = world.books.keys.sorted().randomElement(using: &random).flatMap { world.books[$0] }
    }
    return selection
  }

  private func readAsynchronously(_ store: Store, _ random: inout SplitMix64) async throws {
    let selection = selection(world, &random)
    note("read", "read asynchronously \(selection.text)")
    let expected = selection.rows(in: world)
    let rows = try await store.fetch(selection.query)
    try expectRows("fetch", rows, expected, selection)
    var streamed: [LibraryBook] = []
    for try await row in store.stream(selection.query) { streamed.append(row) }
    try expectRows("stream", streamed, expected, selection)
    if selection.isOrdered {
      try expectSame("first", try await store.first(selection.query), expected.first)
      try expectSame("results", try await store.results(selection.query).keys, expected.map(\.id))
    }
    try expectSame("count", try await store.count(selection.query), expected.count)
    try expectSame("exists", try await store.exists(selection.query), !expected.isEmpty)
    try expectSame("sum", try await store.sum(selection.query, of: \.pages), expected.reduce(0) { $0 + $1.pages })
  }

  private func expectRows(
    _ name: String, _ rows: [LibraryBook], _ expected: [LibraryBook], _ selection: BookSelection
  ) throws {
    let (actual, wanted) =
      selection.isOrdered ? (rows, expected) : (rows.sorted { $0.id < $1.id }, expected.sorted { $0.id < $1.id })
    try expect(
      actual == wanted,
      "\(name) \(selection.text): "
        + (actual.map(\.id) == wanted.map(\.id)
          ? "\(actual) instead of \(wanted)" : "\(actual.map(\.id)) instead of \(wanted.map(\.id))")
    )
  }

  /// Asks one thing of a reader, whatever it is, and compares the answer with the world's.
  func check(_ db: some StoreReader, _ world: World, _ random: inout SplitMix64) throws {
    switch Int.random(in: 0..<16, using: &random) {
    case 0..<6: try checkRows(db, world, &random)
    case 6: try checkGroups(db, world, &random)
    case 7: try checkPages(db, world, &random)
    case 8..<11: try checkRelated(db, world, &random)
    case 11: try checkSearch(db, world, &random)
    case 12: try checkSQL(db, world, &random)
    default: try checkOthers(db, world, &random)
    }
  }

  private func checkRows(_ db: some StoreReader, _ world: World, _ random: inout SplitMix64) throws {
    let selection = selection(world, &random)
    note("read", "read \(selection.text)")
    let expected = selection.rows(in: world)
    let query = selection.query
    switch Int.random(in: 0..<5, using: &random) {
    case 0, 1: try expectRows("fetch", try db.fetch(query), expected, selection)
    case 2:
      var rows: [LibraryBook] = []
      try db.forEach(query) { rows.append($0) }
      try expectRows("forEach", rows, expected, selection)
    case 3:
      try expectSame("count", try db.count(query), expected.count)
      try expectSame("exists", try db.exists(query), !expected.isEmpty)
      try expectSame("rows", try db.rows(query).count, expected.count)
      if selection.isOrdered { try expectSame("first", try db.first(query), expected.first) }
    default:
      try expectSame("sum of pages", try db.sum(query, of: \.pages), expected.reduce(0) { $0 + $1.pages })
      try expectSame("sum of prices", try db.sum(query, of: \.price), expected.reduce(0) { $0 + $1.price })
      try expectSame("least price", try db.min(query, of: \.price), expected.map(\.price).min())
      try expectSame("greatest rating", try db.max(query, of: \.rating), expected.compactMap(\.rating).max())
      let ratings = expected.compactMap(\.rating)
      // Halves are exact, however they are added.
      let mean = ratings.isEmpty ? nil : ratings.reduce(0, +) / Double(ratings.count)
      try expectSame("mean rating", try db.average(query, of: \.rating), mean)
    }
  }

  private func checkGroups(_ db: some StoreReader, _ world: World, _ random: inout SplitMix64) throws {
    let condition = BookCondition(depth: 2, using: &random)
    let query = LibraryBook.where { _ in condition.expression() }
    note("read", "groups of \(condition.text)")
    let rows = world.books.values.filter { condition.matches($0, world) }
    let expected = Dictionary(grouping: rows, by: \.title).sorted { $0.key < $1.key }
      .map { "\($0.key) \($0.value.count) \($0.value.reduce(0) { $0 + $1.pages }) \($0.value.map(\.price).max() ?? 0)" }
    let groups = try db.fetch(query.grouped(by: \.title) { ($0.key, $0.count, $0.sum(\.pages), $0.max(\.price)) })
    try expectSame("groups", groups.map { "\($0.0) \($0.1) \($0.2) \($0.3 ?? 0)" }, expected)
    let byShelf = Dictionary(grouping: rows) { world.shelves[$0.shelf.id]?.name ?? "" }.mapValues(\.count).sorted {
      $0.key < $1.key
    }
    let shelves = try db.fetch(query.grouped(by: \.shelf.name) { ($0.key, $0.count) })
    try expectSame("groups by shelf", shelves.map { "\($0.0) \($0.1)" }, byShelf.map { "\($0.key) \($0.value)" })
  }

  private func checkPages(_ db: some StoreReader, _ world: World, _ random: inout SplitMix64) throws {
    var selection = BookSelection(using: &random)
    selection.sorts.removeAll { $0.key == .shelfName }
    selection.limit = 3
    selection.offset = 0
    note("read", "pages of \(selection.text)")
    var keys: [Int] = []
    while true {
      let page = try db.fetch(selection.query)
      keys += page.map(\.id)
      guard let last = page.last, keys.count <= world.books.count else { break }
      selection.after = last
    }
    selection.after = nil
    selection.limit = Int.max
    try expectSame("pages", keys, selection.rows(in: world).map(\.id))
  }

  private func checkRelated(_ db: some StoreReader, _ world: World, _ random: inout SplitMix64) throws {
    let number = Int.random(in: 0...12, using: &random)
    note("read", "related rows (\(number))")
    let shelves = world.shelves.keys.sorted()
    let books = world.books.values
    let holding = shelves.filter { id in books.contains { $0.shelf.id == id && $0.pages > number } }
    try expectSame(
      "shelves with books",
      try db.fetch(LibraryShelf.where { $0.books.contains { $0.pages > number } }.sorted(by: \.id)).map(\.id), holding)
    let loaded = try db.fetch(LibraryShelf.all.including(\.books).sorted(by: \.id))
    try expectSame("shelves", loaded, shelves.compactMap { world.shelf($0) })
    for shelf in loaded {
      let keys = books.filter { $0.shelf.id == shelf.id }.map(\.id).sorted()
      try expectSame("books of shelf \(shelf.id)", (shelf.books.loaded ?? []).map(\.id).sorted(), keys)
      try expectSame(
        "number of books of shelf \(shelf.id)", try db.count(shelf.books.where { $0.pages > number }),
        keys.count { (world.books[$0]?.pages ?? 0) > number })
    }
    for book in try db.fetch(LibraryBook.all.including(\.labels).including(\.author)) {
      try expectSame("labels of book \(book.id)", (book.labels.loaded ?? []).map(\.id), world.links[book.id] ?? [])
      try expectSame(
        "author of book \(book.id)", book.author?.loaded, world.books[book.id]?.author.flatMap { world.authors[$0.id] })
    }
    try expectSame(
      "labels", try db.fetch(LibraryLabel.all.sorted(by: \.id)), world.labels.sorted().map { world.label($0) })
  }

  private func checkSearch(_ db: some StoreReader, _ world: World, _ random: inout SplitMix64) throws {
    let word = Library.words.randomElement(using: &random) ?? "red"
    let limit = Int.random(in: 0...12, using: &random)
    note("read", "search for \(word)")
    let expected = world.books.values.filter {
      $0.title.split(separator: " ").contains { $0 == word } && $0.pages <= limit
    }.map(\.id).sorted()
    try expectSame(
      "search", try db.fetch(LibraryBook.search(word).where { $0.pages <= limit }.sorted(by: \.id)).map(\.id), expected)
  }

  private func checkSQL(_ db: some StoreReader, _ world: World, _ random: inout SplitMix64) throws {
    let number = Int.random(in: 0...12, using: &random)
    note("read", "sql (\(number))")
    let counts = try db.sql(
      "select count(*), coalesce(sum(pages), 0) from \(LibraryBook.self) where pages > \(number)", as: (Int, Int).self)
    let rows = world.books.values.filter { $0.pages > number }
    try expectSame("sql", counts.map { "\($0.0) \($0.1)" }, ["\(rows.count) \(rows.reduce(0) { $0 + $1.pages })"])
    let passes = try db.sql("select id from \(LibraryPass.self) order by id", as: (Int).self)
    try expectSame("sql of rows that expire", passes, world.passes.keys.sorted())
  }

  private func checkOthers(_ db: some StoreReader, _ world: World, _ random: inout SplitMix64) throws {
    let id = Int.random(in: 0..<30, using: &random)
    let number = Int.random(in: 0...12, using: &random)
    note("read", "rows by key, documents, passes (\(id), \(number))")
    try expectSame("find a book", try db.find(LibraryBook.self, id), world.books[id])
    try expectSame("find a shelf", try db.find(LibraryShelf.self, id % 8), world.shelf(id % 8))
    try expectSame("find a pass", try db.find(LibraryPass.self, id % 8)?.value, world.passes[id % 8]?.value)
    let date = world.passes[id % 8]?.expires
    try expectSame("expiry", try db.expiry(of: LibraryPass.self, id % 8)?.timeIntervalSinceReferenceDate, date)
    let papers = db.documents("papers")
    let key = "p\(id % 8)"
    try expectSame("a document", try papers.find(key), world.papers[key]?.document)
    try expectSame("contains", try papers.contains(key), world.papers[key] != nil)
    let expected = world.papers.filter { ($0.value.document["number"]?.integer ?? 99) >= number }.keys.sorted()
    try expectSame(
      "documents",
      try papers.keys(
        where: [Condition("number", .greaterThanOrEqual, number)], sort: "key", validatesProperties: false), expected)
  }
}
