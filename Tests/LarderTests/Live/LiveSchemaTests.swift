import Foundation
import Testing

@testable import Larder

@Model
private struct Entry: Hashable {
  var id: Int
  var amount: Int = 1
  @Attribute(.unique) var code: String

  init(id: Int, amount: Int = 1, code: String? = nil) {
    self.id = id
    self.amount = amount
    self.code = code ?? "\(id)"
  }
}

@Model
private struct Total: Hashable {
  var id: Int
  var sum: Int = 0
}

/// Live results while triggers, views and columns come and go.
@Suite("Live results: the schema changes", .timeLimit(.minutes(20)))
struct LiveSchemaTests {
  /// Who changes the schema: the store itself, one in memory, another connection of this process, another process.
  enum Place: CaseIterable, Sendable { case here, memory, elsewhere, process }

  private let file: StoreFile

  init() throws {
    file = try StoreFile()
  }

  private func open(_ place: Place) async throws -> (Store, (String) async throws -> Void) {
    let store =
      place == .memory ? try Store(inMemoryFor: Entry.self, Total.self) : try file.open(Entry.self, Total.self)
    let file = file
    try await store.insert(Total(id: 1))
    switch place {
    case .here, .memory: return (store, { _ = try await store.sql(SQL(raw: $0)) })
    case .elsewhere: return (store, { _ = try file.sql(SQL(raw: $0)) })
    case .process:
      let child = try ChildProcess("sql", file.path)
      #expect(await child.line() == "ready")
      return (
        store,
        {
          child.send($0)
          #expect(await child.line() == "done")
        }
      )
    }
  }

  /// Takes values until one is as expected.
  private func wait<Value: Equatable>(_ value: Value, _ next: () async throws -> Value?) async throws {
    while let found = try await next(), found != value {}
  }

  @Test("a trigger that is made after a statement was compiled is followed", arguments: Place.allCases)
  func trigger(_ place: Place) async throws {
    let (store, change) = try await open(place)
    try await store.insert(Entry(id: 0))
    var sums = store.live { try $0.find(Total.self, 1)?.sum }.makeAsyncIterator()
    #expect(try await sums.next() == 0)
    try await change("create trigger follow after insert on Entry begin update Total set sum = sum + new.amount; end")
    for id in 1...19 { try await store.insert(Entry(id: id)) }
    try await wait(19) { try await sums.next() ?? nil }
    try await store.insert(Entry(id: 20))
    #expect(try await sums.next() == 20)
    try await change("drop trigger follow")
    try await change("create trigger lead after insert on Entry begin update Total set sum = sum + 100; end")
    try await store.insert(Entry(id: 21))
    try await wait(120) { try await sums.next() ?? nil }
    // A commit of whoever made the trigger fires it too.
    try await change("insert into Entry (id, amount, code) values (22, 1, 'own')")
    try await wait(220) { try await sums.next() ?? nil }
    try await change("drop trigger lead")
    try await store.insert(Entry(id: 23))
    try await store.updateAll(Total.all) { $0.sum.increment(by: 1) }
    try await wait(221) { try await sums.next() ?? nil }
  }

  @Test("a view that means something else is followed, and one that goes", arguments: Place.allCases)
  func view(_ place: Place) async throws {
    let (store, change) = try await open(place)
    try await change("create view seen as select id from Entry")
    var counts = store.live { try $0.sql("select count(*) as n from seen").first?["n"]?.integer }.makeAsyncIterator()
    #expect(try await counts.next() == 0)
    try await change("drop view seen")
    try await change("create view seen as select id from Total")
    try await wait(1) { try await counts.next() ?? nil }
    try await store.insert(Total(id: 2))
    #expect(try await counts.next() == 2)
    try await change("drop view seen")
    do {
      while try await counts.next() != nil {}
      Issue.record("the view is read although it is gone")
    } catch is StoreError {}
  }

  @Test("a column that is computed from another changes with it", arguments: Place.allCases)
  func generated(_ place: Place) async throws {
    let (store, change) = try await open(place)
    try await store.insert(Entry(id: 1, amount: 2))
    try await change("alter table Entry add column twice integer generated always as (amount * 2)")
    var values = store.live { try $0.sql("select twice from Entry where id = 1").first?["twice"]?.integer }
      .makeAsyncIterator()
    try await wait(4) { try await values.next() ?? nil }
    try await store.updateAll(Entry.all) { $0.amount.set(5) }
    #expect(try await values.next() == 10)
    try await change("alter table Entry drop column twice")
    do {
      while try await values.next() != nil {}
      Issue.record("the column is read although it is gone")
    } catch is StoreError {}
  }

  @Test("a column that is added under select * is followed, and a table that is renamed", arguments: Place.allCases)
  func columns(_ place: Place) async throws {
    let (store, change) = try await open(place)
    try await change("create table other (id integer primary key, a integer)")
    _ = try await store.sql("insert into other values (1, 1)")
    var rows = store.live { db in try db.sql("select * from other").map(\.dictionary) }.makeAsyncIterator()
    #expect(try await rows.next() == [["id": 1, "a": 1]])
    try await change("alter table other add column b integer default 7")
    try await wait([["id": 1, "a": 1, "b": 7]]) { try await rows.next() }
    _ = try await store.sql("update other set b = 8")
    #expect(try await rows.next() == [["id": 1, "a": 1, "b": 8]])
    try await change("alter table other rename to another")
    do {
      while try await rows.next() != nil {}
      Issue.record("the table is read although it has another name")
    } catch is StoreError {}
  }

  @Test("an update that replaces the rows in its way changes how many there are", arguments: [Place.here, .memory])
  func replacing(_ place: Place) async throws {
    let (store, _) = try await open(place)
    try await store.insert([Entry(id: 1), Entry(id: 2)])
    var counts = store.live { try $0.count(Entry.all) }.makeAsyncIterator()
    #expect(try await counts.next() == 2)
    _ = try await store.sql("update or replace Entry set code = '2' where id = 1")
    #expect(try await counts.next() == 1)
  }

  @Test(
    "rows that an update in a trigger or by a table's rule replaces are gone",
    arguments: [
      ("update or replace Entry set code = 'b' where id = 1", "insert into Total (id, sum) values (2, 0)"),
      // The words of the statement count for the triggers that it fires.
      ("update Entry set code = 'b' where id = 1", "insert or replace into Total (id, sum) values (2, 0)"),
      ("update Entry set code = 'b' where id = 1", "/* not */ insert OR\nREPLACE into Total (id, sum) values (1, 0)"),
    ])
  func replacing(_ body: String, _ statement: String) async throws {
    let (store, _) = try await open(.here)
    try await store.insert([Entry(id: 1, code: "a"), Entry(id: 2, code: "b")])
    try await store.sql(SQL(raw: "create trigger chase after insert on Total begin \(body); end"))
    var counts = store.live { try $0.count(Entry.all) }.makeAsyncIterator()
    #expect(try await counts.next() == 2)
    try await store.sql(SQL(raw: statement))
    #expect(try await counts.next() == 1)
  }

  @Test("a trigger of the program is one, although its name is Larder's but for the case of a letter")
  func replacingByNameOfOthers() async throws {
    let (store, _) = try await open(.here)
    try await store.insert([Entry(id: 1, amount: 5, code: "a"), Entry(id: 2, amount: 7, code: "b")])
    try await store.sql(
      """
      create trigger "_Larder_chase" after insert on Total
      begin update or replace Entry set code = 'b' where id = 1; end
      """)
    var amounts = store.live { try $0.sql("select amount from Entry order by id").count }.makeAsyncIterator()
    #expect(try await amounts.next() == 2)
    try await store.sql("insert into Total (id, sum) values (2, 0)")
    #expect(try await amounts.next() == 1)
  }

  @Test("rows that make room by a rule of their table are gone")
  func replacingTable() async throws {
    let (store, _) = try await open(.here)
    try await store.sql("create table Slot (id integer primary key, code text unique on conflict replace)")
    try await store.sql("insert into Slot values (1, 'a'), (2, 'b')")
    var counts = store.live { try $0.sql("select count(*) as n from Slot").first?["n"]?.integer }.makeAsyncIterator()
    #expect(try await counts.next() == 2)
    try await store.sql("update Slot set code = 'b' where id = 1")
    #expect(try await counts.next() == 1)
  }
}
