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
  let tables = try await old.sql(
    """
    select t.name from sqlite_master t where t.type = 'table' and not exists (
      select column1 from (values ('key'), ('autoDeleteDateTime'), ('addedDateTime'), ('updatedDateTime'))
      except select name from pragma_table_info(t.name))
    """
  ).compactMap { $0["name"]?.text }
  let arrayTables = try await old.sql("select name from sqlite_master where name like '%!_arrayValues' escape '!'")
    .compactMap { $0["name"]?.text }
  var documents: [OldDocument] = []
  for table in tables {
    let quoted = table.replacing("\"", with: "\"\"")
    var arrays: [Value: [Row]] = [:]
    if arrayTables.contains("\(table)_arrayValues") {
      let elements = try await old.sql(SQL(raw: "select * from \"\(quoted)_arrayValues\" order by rowid"))
      arrays = Dictionary(grouping: elements) { $0["key"] ?? .null }
    }
    for row in try await old.sql(SQL(raw: "select * from \"\(quoted)\"")) {
      guard let key = row["key"], let name = key.text else { continue }
      let expires = row["autoDeleteDateTime"]?.text.flatMap { DocumentValue.text($0).date }
      var old = OldDocument(collection: table, key: name, expires: expires)
      for (property, value) in row where !bookkeeping.contains(property) {
        old.document[property] = documentValue(value)
      }
      // Such as "tags:stringArray,limits:intArray".
      let names = row["hasArrayValues"]?.text?.split(separator: ",").filter { $0.contains(":") }.map {
        String($0.prefix { $0 != ":" })
      }
      for property in names ?? [] where arrays[key] != nil || old.document[property] == nil {
        let own = arrays[key]?.filter { $0["objectKey"] == .text(property) } ?? []
        old.document[property] = .array(
          own.compactMap { row in row.dropFirst(2).compactMap { documentValue($0.value) }.first })
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
  case .text(let text): documentValue(text)
  case .null, .blob: nil
  }
}

/// Text that is the JSON of an array or object is that; all other text stays text.
func documentValue(_ text: String) -> DocumentValue {
  guard text.hasPrefix("[") || text.hasPrefix("{"), let value = try? DocumentValue(json: text) else {
    return withDates(.text(text))
  }
  return withDates(value)
}

/// The value with its dates, such as 2014-08-19T18:23:42.434-05:00, in the form in which documents hold dates, which
/// sorts as time does.
func withDates(_ value: DocumentValue) -> DocumentValue {
  switch value {
  case .text(let text):
    guard text.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)/) != nil, let date = value.date
    else { return value }
    return (try? DocumentValue(date)) ?? value
  case .array(let values): return .array(values.map(withDates))
  case .object(let document): return .object(Document(document.map { ($0.name, withDates($0.value)) }))
  default: return value
  }
}

@Suite("Documentation: Coming from ALBNoSQLDB", .timeLimit(.minutes(20)))
@MainActor
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
    let savings = try await accounts.find("A1")
    let isThere = try await accounts.contains("A2")
    try await accounts.delete("A2")
    #expect(savings?.tags == ["home"])
    #expect(isThere)

    try await accounts.save([
      BankAccount(key: "A3", name: "Car"), BankAccount(key: "A4", name: "Gifts"),
      BankAccount(key: "A5", name: "Old", isOpen: false),
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

    let open = try await accounts.keys(sort: "name") {
      ($0.tags.contains("home") && $0.isOpen == true) || $0.openedAt == nil
    }
    #expect(open == ["A3", "A4", "A5", "A1"])

    let task = Task { try await accounts.fetch(where: conditions, sort: "name") }
    task.cancel()
    // It may have been done before.
    if case .failure(let error) = await task.result { #expect(error is CancellationError) }
  }

  @Test("documents are set from JSON text, indexed, and joined in SQL")
  func texts() async throws {
    let categories = store.documents("categories")
    try await categories.save("food", json: #"{"key": "ignored", "name": "Food", "limits": [100, 250]}"#)
    let text = try await categories.json("food")
    let limit = try await categories.find("food")?["limits"]?[1]
    try await categories.index(on: "name")
    #expect(text == #"{"name":"Food","limits":[100,250]}"#)
    #expect(limit == 250)
    let limits = try await store.sql("select key, json_extract(_json, '$.limits[0]') as least from categories")
    #expect(limits.map { $0["least"] } == [100])

    try await store.documents("accounts", of: BankAccount.self).save(BankAccount(key: "A1", name: "Savings"))
    let name = "Food"
    let rows = try await store.sql(
      "select a.name, c.name as category from accounts a join categories c on c.name = \(name) where a.isOpen = 1 order by a.name"
    )
    #expect(rows.map { $0["category"] } == ["Food"])
  }

  @Test("a publisher follows a collection")
  nonisolated func publishing() async throws {
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
      "create table __settings (key text, value text)",
      "create table __tableArrayColumns (tableName text, arrayColumns text)",
      "create table accounts (key text primary key, autoDeleteDateTime text, addedDateTime text, updatedDateTime text, hasArrayValues text)",
      "create table accounts_arrayValues (key text, objectKey text, stringValue text, intValue int, doubleValue double)",
      "alter table accounts add column name text", "alter table accounts add column isOpen int",
      "alter table accounts add column balance double",
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
        for old in documents { try db.documents(old.collection).save(old.key, old.document, expires: old.expires) }
      }
    }
    #expect(try Data(contentsOf: oldURL) == bytes)
    #expect(try await store.documentCollections == ["accounts"])
    let accounts = store.documents("accounts")
    #expect(try await accounts.keys(sort: "key") == ["A1", "A2"])
    #expect(
      try await accounts.find("A1") == [
        "name": "It's", "isOpen": 1, "balance": 2.5, "tags": ["home", "car"], "limits": [100], "rates": [1.5],
      ])
    #expect(try await accounts.find("A2") == ["name": "Holiday", "isOpen": 0])
    #expect(try await accounts.expiry(of: "A2") == DocumentValue.text("2999-08-19T23:23:42.434Z").date)
    try await accounts.delete("A2")
    #expect(
      try await store.documents("accounts", of: OldAccount.self).find("A1")
        == OldAccount(name: "It's", isOpen: true, tags: ["home", "car"]))
    #expect(try await accounts.keys { $0.tags.contains("car") && $0.rates.contains(1.5) } == ["A1"])
  }

  /// A file as version 7 of AgileDB leaves it: no tables of array values, and nested values as JSON in text.
  private func makeFileOfVersion7() async throws -> URL {
    let url = file.folder.appending(component: "AgileDB.db", directoryHint: .notDirectory)
    #expect(FileManager.default.createFile(atPath: url.path(percentEncoded: false), contents: nil))
    let maker = try Store(at: url, schema: .existing)
    for sql in [
      "create table __settings (key text, value text)",
      "create table accounts (key text primary key, autoDeleteDateTime text, addedDateTime text, updatedDateTime text, hasArrayValues text)",
      "alter table accounts add column name text", "alter table accounts add column isOpen int",
      "alter table accounts add column tags text",
      "alter table accounts add column address text", "alter table accounts add column openedAt text",
      "alter table accounts add column \"it's\" text",
      """
      insert into accounts values
      ('A1', null, '2022-08-19T18:23:42.434-05:00', '2022-08-19T18:23:42.434-05:00', '', 'Savings', 1, '["home","car"]',
       '{"city":"Graz","since":"2020-01-01T00:30:00.000+01:00","rooms":[{"m2":20.5}]}', '2014-08-19T18:23:42.434-05:00', '[1, 2'),
      ('A2', '2999-08-19T18:23:42.434-05:00', '', '', null, 'Holiday', 0, '[]', null, '2014-08-19T22:00:00.000Z', '{not json}'),
      ('A3', '2014-08-19T18:23:42.434-05:00', '', '', '', 'Gone', 1, null, null, null, null)
      """,
    ] { try await maker.sql(SQL(raw: sql)) }
    return url
  }

  @Test(
    "a file of version 7 comes over: arrays and objects out of their JSON, dates in the order of time, and Booleans when they are made some"
  )
  func importingVersion7() async throws {
    let oldURL = try await makeFileOfVersion7()
    let documents = try await readDocuments(of: Store(at: oldURL, schema: .existing))
    try await store.once("documents of the old file") { db in
      for old in documents { try db.documents(old.collection).save(old.key, old.document, expires: old.expires) }
    }
    #expect(try await store.documentCounts == ["accounts": 2])
    let accounts = store.documents("accounts")
    #expect(
      try await accounts.find("A1") == [
        "name": "Savings", "isOpen": 1, "tags": ["home", "car"],
        "address": ["city": "Graz", "since": "2019-12-31T23:30:00.000000000Z", "rooms": [["m2": 20.5]]],
        "openedAt": "2014-08-19T23:23:42.434000000Z",
        "it's": "[1, 2",
      ])
    #expect(try await accounts.find("A2")?["it's"] == "{not json}")
    #expect(try await accounts.find("A2")?["tags"] == [])
    #expect(try await accounts.keys(sort: "openedAt") == ["A2", "A1"])
    let opening = try #require(DocumentValue.text("2014-08-19T18:23:42.434-05:00").date)
    #expect(
      try await accounts.keys { $0.openedAt == opening && $0.address.rooms[0].m2 > 20 && $0.tags.contains("car") } == [
        "A1"
      ])
    #expect(try await accounts.keys { $0.isOpen == true } == [])
    try await store.once("Booleans of accounts") { db in
      let accounts = db.documents("accounts")
      for account in try accounts.fetch() {
        if let isOpen = account.value["isOpen"]?.bool { try accounts.update(account.key, ["isOpen": .bool(isOpen)]) }
      }
    }
    #expect(try await accounts.keys { $0.isOpen == true } == ["A1"])
    #expect(try await accounts.find("A1")?["it's"] == "[1, 2")
    #expect(try await store.documents("accounts", of: BankAccountOfVersion7.self).find("A2")?.isOpen == false)
    #expect(try await accounts.expiry(of: "A2") == DocumentValue.text("2999-08-19T23:23:42.434Z").date)
  }

  @Test("notEqual leaves out documents without the property, and != finds them")
  func notEqual() async throws {
    let accounts = store.documents("accounts")
    try await accounts.save(keyed: ["a": ["name": "Savings"], "b": ["name": "Car"], "c": [:]])
    #expect(try await accounts.keys(where: [Condition("name", .notEqual, "Car")]) == ["a"])
    #expect(try await accounts.keys(sort: "key") { $0.name != "Car" } == ["a", "c"])
    #expect(try await accounts.keys { $0.name != "Car" && $0.name != nil } == ["a"])
  }

  private struct BankAccountOfVersion7: Codable { var isOpen: Bool }

  private struct OldAccount: Codable, Equatable {
    var name: String
    var isOpen: Bool
    var tags: [String]
  }
}
