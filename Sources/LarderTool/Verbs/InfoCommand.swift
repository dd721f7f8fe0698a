import ArgumentParser
import Foundation
import Larder
import LarderSync

struct InfoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info", abstract: "Shows what is in a file: tables, rows, sizes, versions, migrations.",
    discussion: """
      EXAMPLES
        larder info notes.larder
        larder info notes.larder --json | jq '.tables[].rows'
      """)

  @OptionGroup var source: StoreFile
  @Flag(help: "Print JSON.")
  var json = false

  func run() async throws {
    try await source.reading().closing { store in
      let facts = FileFacts(source.file)
      let info = try FileInfo(store)
      let sync = try await store.sync.isEnabled()
      if json { return print(try JSONText.line(value(facts, info, sync))) }
      print(
        "\(DisplayText.escaped(source.file)): \(info.format.map { "Larder, format \($0)" } ?? "SQLite, not Larder's")")
      print("\(FileFacts.text(facts.size)), log \(FileFacts.text(facts.log)), \(attachments(facts))")
      print("SQLite \(info.sqliteVersion), user version \(info.userVersion), journal \(info.journal)")
      print(
        "Migrations: \(info.migrations.isEmpty ? "none" : DisplayText.escaped(info.migrations.joined(separator: ", ")))"
      )
      print("Sync: \(sync ? "on" : "off")\n")
      var table = TextTable(["table", "kind", "rows", "properties"], [.left, .left, .right, .right])
      for entry in info.tables {
        let description = entry.description
        table.add([
          description.name, description.kind.rawValue, entry.rows.map { String($0) },
          String(description.properties.count),
        ])
      }
      print(table.text(), terminator: "")
      for entry in info.tables {
        guard let problem = entry.problem else { continue }
        print(DisplayText.escaped("\(entry.description.name) can't be read: \(problem)"))
      }
    }
  }

  private func attachments(_ facts: FileFacts) -> String {
    facts.attachments.map { "attachments \(FileFacts.text($0.size)) in \($0.count) files" } ?? "no attachments"
  }

  private func value(_ facts: FileFacts, _ info: FileInfo, _ sync: Bool) -> DocumentValue {
    .record([
      "file": .text(source.file), "size": DocumentValue(facts.size), "logSize": DocumentValue(facts.log),
      "attachmentSize": DocumentValue(facts.attachments?.size),
      "attachmentCount": DocumentValue(facts.attachments?.count),
      "format": DocumentValue(info.format), "sqlite": .text(info.sqliteVersion),
      "userVersion": DocumentValue(info.userVersion), "journal": .text(info.journal),
      "migrations": .array(info.migrations.map { .text($0) }), "sync": .bool(sync),
      "tables": .array(
        info.tables.map { entry in
          let table = entry.description
          return .record([
            "name": .text(table.name), "model": table.model.map { .text($0) }, "kind": .text(table.kind.rawValue),
            "rows": DocumentValue(entry.rows), "properties": DocumentValue(table.properties.count),
            "problem": entry.problem.map { .text($0) },
          ])
        }),
    ])
  }
}

/// What the database says of itself, all of one moment.
struct FileInfo {
  /// The version of Larder's catalogue; nil for a file that isn't Larder's.
  let format: Int?
  let sqliteVersion: String
  let userVersion: Int
  let journal: String
  /// The migrations that ran, oldest first.
  let migrations: [String]
  let tables: [Table]

  /// A table or view, with the number of its rows, or why they can't be counted.
  struct Table {
    let description: TableDescription
    var rows: Int?
    var problem: String?

    /// - Throws: `StoreError` for what isn't about this table alone.
    init(_ description: TableDescription, in db: Snapshot) throws {
      self.description = description
      do {
        rows = try db.count(TableQuery(description.name))
      } catch let error as StoreError where [.schemaMismatch, .unsupported, .invalidValue].contains(error.code) {
        problem = error.message
      }
    }
  }

  init(_ store: Store) throws {
    self = try store.blocking.read { try FileInfo($0) }
  }

  private init(_ db: Snapshot) throws {
    func one(_ sql: String) throws -> Value { try db.sql(SQL(raw: sql)).first?.first?.value ?? .null }
    func isThere(_ table: String) throws -> Bool {
      try !db.sql("select 1 from sqlite_master where type = 'table' and name = \(table)").isEmpty
    }
    format =
      try isThere("_larder_info")
      ? one("select value from _larder_info where key = 'format'").integer.map(Int.init) : nil
    sqliteVersion = try one("select sqlite_version()").text ?? ""
    userVersion = try one("select user_version from pragma_user_version").integer.map(Int.init) ?? 0
    journal = try one("select journal_mode from pragma_journal_mode").text ?? ""
    migrations = try db.migrations
    tables = try db.tables.map { try Table($0, in: db) }
  }
}
