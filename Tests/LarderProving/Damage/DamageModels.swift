import Foundation
import GRDBSQLite
import Larder

@Model
struct DamageRow: Hashable {
  var id: Int
  @Attribute(.indexed, .searchable) var title: String
  var amount: Double
  var payload: String
  var group: ToOne<DamageGroup>
}

@Model
struct DamageGroup: Hashable {
  var id: Int
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \DamageRow.group) var rows: ToMany<DamageRow> = []
  @Derived(.count(\DamageGroup.rows)) var count: Int = 0
}

/// The store that is damaged: tables, indexes, a search index, documents, overflow pages and free pages, in a few dozen
/// pages.
enum DamageStore {
  static let groups = (1...3).map { DamageGroup(id: $0, name: "group \($0)") }
  /// The rows of the damaged file.
  static let rows = (1...120).map(row)
  /// The rows before the first commit of the damaged log, and after the last.
  static let checkpointed = 20
  static let logged = 50

  static func row(_ id: Int) -> DamageRow {
    // A few rows are longer than a page.
    let payload = String(repeating: "payload \(id) ", count: id % 20 == 0 ? 700 : 6)
    return DamageRow(
      id: id, title: "row number \(id)", amount: Double(id) / 2, payload: payload, group: ToOne(id % 3 + 1))
  }

  static func open(_ path: String) throws -> Store {
    try Store(at: path, for: DamageRow.self)
  }

  /// Writes the file that is damaged, and one with a log beside it.
  static func make(in folder: URL) throws {
    let path = folder.appending(component: "original.larder")
    let store = try open(path.path(percentEncoded: false))
    let db = store.blocking
    try db.insert(groups)
    try db.insert(rows + (1000...1080).map(row))
    try db.documents("papers").set(
      (0..<40).map { (key: "\($0)", value: ["number": .integer(Int64($0)), "text": "paper \($0)"]) })
    try db.documents("papers").index(on: "number")
    // What is deleted leaves free pages.
    try db.deleteAll(DamageRow.where { $0.id >= 1000 })
    try checkpoint(path.path(percentEncoded: false))
    try FileManager.default.copyItem(at: path, to: folder.appending(component: "base.larder"))
    try makeLogged(in: folder)
    withExtendedLifetime(store) {}
  }

  private static func makeLogged(in folder: URL) throws {
    let path = folder.appending(component: "logging.larder")
    let store = try open(path.path(percentEncoded: false))
    try store.blocking.insert(groups)
    try store.blocking.insert((1...checkpointed).map(row))
    try checkpoint(path.path(percentEncoded: false))
    for id in (checkpointed + 1)...logged { try store.blocking.insert(row(id)) }
    try FileManager.default.copyItem(at: path, to: folder.appending(component: "logged.larder"))
    try FileManager.default.copyItem(
      at: folder.appending(component: "logging.larder-wal"), to: folder.appending(component: "logged.larder-wal"))
    withExtendedLifetime(store) {}
  }

  private static func checkpoint(_ path: String) throws {
    var handle: OpaquePointer?
    defer { sqlite3_close(handle) }
    // A connection that has read nothing yet does not know of the log.
    guard sqlite3_open(path, &handle) == SQLITE_OK,
      sqlite3_exec(handle, "SELECT 1 FROM sqlite_master", nil, nil, nil) == SQLITE_OK,
      sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil) == SQLITE_OK
    else { throw CocoaError(.fileReadUnknown) }
  }
}
