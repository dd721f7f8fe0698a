import Foundation
import Larder
import Testing

@Suite("Two processes: the schema changes", .timeLimit(.minutes(20)))
struct SchemaChangeProcessTests {
  private struct Loose: Decodable, Sendable {
    var text: String?
    var mark: Int?
  }

  @Test("rows of SQL have the names of the columns of now after another process has altered the table")
  func names() async throws {
    let file = try StoreFile()
    let store = try file.open(ProcessEntry.self)
    try await store.insert(ProcessEntry(number: 1, text: "one"))
    let child = try ChildProcess("sql", file.path)
    #expect(await child.line() == "ready")
    func alter(_ statement: String, _ names: [String], mark: Int?, text: String?) async throws {
      let sql: SQL = "select * from Entry"
      // The statements are compiled, and kept, in the reader and in the writer, before the other process alters the table.
      _ = try await store.sql(sql)
      _ = try await store.write { try $0.sql(sql).count }
      child.send(statement)
      #expect(await child.line() == "done")
      // The rows have a number besides their key.
      let names = ["_rowid"] + names
      #expect(try await store.sql(sql).first?.names == names)
      #expect(try await store.read { try $0.sql(sql).first?.names } == names)
      #expect(try await store.write { try $0.sql(sql).first?.names } == names)
      #expect(try store.blocking.sql(sql).first?.map(\.name) == names)
      let loose = try await store.sql(sql, as: Loose.self).first
      #expect(loose?.mark == mark && loose?.text == text)
    }
    try await alter(
      "alter table Entry add column mark integer default 3", ["id", "number", "text", "mark"], mark: 3, text: "one")
    try await alter(
      "alter table Entry rename column text to note", ["id", "number", "note", "mark"], mark: 3, text: nil)
    try await alter("alter table Entry drop column mark", ["id", "number", "note"], mark: nil, text: nil)
    try await alter("alter table Entry rename column note to text", ["id", "number", "text"], mark: nil, text: "one")
    // A snapshot that has begun keeps the names of its rows.
    let before = try await store.read { db in
      let before = try db.sql("select * from Entry").first?.names
      child.send("alter table Entry add column mark integer default 4")
      // Committed by another process, which this one cannot see before its snapshot is over.
      return (before, try db.sql("select * from Entry").first?.names)
    }
    #expect(before.0 == ["_rowid", "id", "number", "text"])
    #expect(before.1 == before.0)
    #expect(await child.line() == "done")
    #expect(try await store.sql("select * from Entry").first?.names == ["_rowid", "id", "number", "text", "mark"])
    child.send("end")
    #expect(await child.status() == 0)
    #expect(try await store.count(ProcessEntry.all) == 1)
  }
}
