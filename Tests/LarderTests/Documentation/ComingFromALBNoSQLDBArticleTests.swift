import Foundation
import Larder
import LarderCombine
import Testing

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

struct BankAccount: Codable, Sendable {
  var key: String
  var name: String
  var isOpen = true
  var tags: [String] = []
  var openedAt: Date?
}

/// A document of the old file.
struct OldDocument: Sendable {
  let collection: String
  let key: String
  var document = Document()
  let expires: Date?
}

/// Columns that are no properties.
let bookkeeping: Set = ["key", "addedDateTime", "updatedDateTime", "autoDeleteDateTime", "hasArrayValues"]

func readDocuments(of old: Store) async throws -> [OldDocument] {
  let tables = try await old.sql("select name from sqlite_master where type = 'table'").compactMap { $0["name"]?.text }
  var documents: [OldDocument] = []
  for table in tables where tables.contains("\(table)_arrayValues") {
    let elements = try await old.sql(SQL(raw: "select * from \"\(table)_arrayValues\" order by rowid"))
    let arrays = Dictionary(grouping: elements) { $0["key"] ?? .null }
    for row in try await old.sql(SQL(raw: "select * from \"\(table)\"")) {
      guard let key = row["key"], let name = key.text else { continue }
      let expires = row["autoDeleteDateTime"]?.text.flatMap { DocumentValue.text($0).date }
      var old = OldDocument(collection: table, key: name, expires: expires)
      for (property, value) in row where !bookkeeping.contains(property) { old.document[property] = documentValue(value) }
      // Such as "tags:stringArray,limits:intArray".
      for property in row["hasArrayValues"]?.text?.split(separator: ",").map({ String($0.prefix { $0 != ":" }) }) ?? [] {
        let own = arrays[key]?.filter { $0["objectKey"] == .text(property) } ?? []
        old.document[property] = .array(own.compactMap { row in row.dropFirst(2).compactMap { documentValue($0.value) }.first })
      }
      documents.append(old)
    }
  }
  return documents
}

func documentValue(_ value: Value) -> DocumentValue? {
  switch value {
  case .integer(let integer): .integer(integer)
  case .real(let real): .real(real)
  case .text(let text): .text(text)
  case .null, .blob: nil
  }
}

@Suite("Documentation: Coming from ALBNoSQLDB", .timeLimit(.minutes(5)))
struct ComingFromALBNoSQLDBArticleTests {
  private let file: StoreFile
  private let store: Store

  init() throws {
    file = try StoreFile()
    store = try file.open()
  }

  @Test("objects are saved, found, and asked for by conditions")
  func objects() async throws {
    let accounts = store.documents("accounts", of: BankAccount.self)
    try await accounts.save(BankAccount(key: "A1", name: "Savings", tags: ["home"]))
    try await accounts.save(BankAccount(key: "A2", name: "Holiday"), expires: .now + 3600)
    let savings = try await accounts.get("A1")
    let isThere = try await accounts.contains("A2")
    try await accounts.delete("A2")
    #expect(savings?.tags == ["home"])
    #expect(isThere)

    try await accounts.save([
      BankAccount(key: "A3", name: "Car"), BankAccount(key: "A4", name: "Gifts"), BankAccount(key: "A5", name: "Old", isOpen: false),
    ])
    var printed: [String] = []
    func print(_ text: String) { printed.append(text) }
    let conditions = [
      Condition(set: 0, "tags", .contains, "home"), Condition(set: 0, "isOpen", .equal, true),
      Condition(set: 1, "name", .inList, ["Holiday", "Car"]),
    ]
    let keys = try await accounts.keys(where: conditions, sort: "name, openedAt desc")
    for key in keys {
      if let account = try await accounts[key] { print(account.name) }
    }
    #expect(printed == ["Car", "Savings"])

    let open = try await accounts.keys(sort: "name") { ($0.tags.contains("home") && $0.isOpen == true) || $0.openedAt == nil }
    #expect(open == ["A3", "A4", "A5", "A1"])

    let task = Task { try await accounts.fetch(where: conditions, sort: "name") }
    task.cancel()
    // It may have been done before.
    if case .failure(let error) = await task.result { #expect(error is CancellationError) }
  }

  @Test("documents are set from JSON text, indexed, and joined in SQL")
  func texts() async throws {
    let categories = store.documents("categories")
    try await categories.set("food", json: #"{"key": "ignored", "name": "Food", "limits": [100, 250]}"#)
    let text = try await categories.json("food")
    let limit = try await categories.get("food")?["limits"]?[1]
    try await categories.index(on: "name")
    #expect(text == #"{"name":"Food","limits":[100,250]}"#)
    #expect(limit == 250)

    try await store.documents("accounts", of: BankAccount.self).save(BankAccount(key: "A1", name: "Savings"))
    let name = "Food"
    let rows = try await store.sql(
      "select a.name, c.name as category from accounts a join categories c on c.name = \(name) where a.isOpen = 1 order by a.name")
    #expect(rows.map { $0["category"] } == ["Food"])
  }

  @Test("a publisher follows a collection")
  func publishing() async throws {
    let (shown, continuation) = AsyncStream.makeStream(of: [String].self)
    @Sendable func show(_ names: [String]) { continuation.yield(names) }
    let publisher = store.publisher { db in
      try db.documents("accounts", of: BankAccount.self).fetch(sort: "name").map(\.value.name)
    }
    let subscription = publisher.sink { _ in
    } receiveValue: { names in
      show(names)
    }
    var values = shown.makeAsyncIterator()
    #expect(await values.next() == [])
    try await store.documents("accounts", of: BankAccount.self).save(BankAccount(key: "A1", name: "Savings"))
    #expect(await values.next() == ["Savings"])
    subscription.cancel()
  }

  /// A file with the tables, columns and forms of values that ALBNoSQLDB writes.
  private func makeOldFile() async throws -> URL {
    let url = file.folder.appending(component: "ABNoSQLDB.db", directoryHint: .notDirectory)
    #expect(FileManager.default.createFile(atPath: url.path(percentEncoded: false), contents: nil))
    let maker = try Store(at: url, schema: .existing)
    for sql in [
      "create table __settings (key text, value text)", "create table __tableArrayColumns (tableName text, arrayColumns text)",
      "create table accounts (key text primary key, autoDeleteDateTime text, addedDateTime text, updatedDateTime text, hasArrayValues text)",
      "create table accounts_arrayValues (key text, objectKey text, stringValue text, intValue int, doubleValue double)",
      "alter table accounts add column name text", "alter table accounts add column isOpen int", "alter table accounts add column balance double",
      """
      insert into accounts values
      ('A1', null, '2014-08-19T18:23:42.434-05:00', '2014-08-19T18:23:42.434-05:00', 'tags:stringArray,limits:intArray,rates:doubleArray', 'It''s', 1, 2.5),
      ('A2', '2999-08-19T18:23:42.434-05:00', '', '', '', 'Holiday', 0, null), ('A3', '2014-08-19T18:23:42.434-05:00', '', '', '', 'Gone', 1, 7.0)
      """,
      """
      insert into accounts_arrayValues values ('A1', 'tags', 'home', null, null), ('A1', 'tags', 'car', null, null), ('A1', 'limits', null, 100, null),
      ('A1', 'rates', null, null, 1.5), ('A2', 'stale', 'x', null, null)
      """,
    ] { try await maker.sql(SQL(raw: sql)) }
    return url
  }

  @Test("the old file comes over: values, arrays and dates of deletion, exactly once")
  func importing() async throws {
    let oldURL = try await makeOldFile()
    let bytes = try Data(contentsOf: oldURL)
    for _ in 0..<2 {
      let documents = try await readDocuments(of: Store(at: oldURL, schema: .existing))
      try await store.once("documents of the old file") { db in
        for old in documents { try db.documents(old.collection).set(old.key, old.document, expires: old.expires) }
      }
    }
    #expect(try Data(contentsOf: oldURL) == bytes)
    #expect(try await store.documentCollections == ["accounts"])
    let accounts = store.documents("accounts")
    #expect(try await accounts.keys(sort: "key") == ["A1", "A2"])
    #expect(
      try await accounts.get("A1") == ["name": "It's", "isOpen": 1, "balance": 2.5, "tags": ["home", "car"], "limits": [100], "rates": [1.5]])
    #expect(try await accounts.get("A2") == ["name": "Holiday", "isOpen": 0])
    #expect(try await accounts.expiry(of: "A2") == DocumentValue.text("2999-08-19T23:23:42.434Z").date)
    try await accounts.delete("A2")
    #expect(try await store.documents("accounts", of: OldAccount.self).get("A1") == OldAccount(name: "It's", isOpen: true, tags: ["home", "car"]))
    #expect(try await accounts.keys { $0.tags.contains("car") && $0.rates.contains(1.5) } == ["A1"])
  }

  private struct OldAccount: Codable, Equatable {
    var name: String
    var isOpen: Bool
    var tags: [String]
  }
}
