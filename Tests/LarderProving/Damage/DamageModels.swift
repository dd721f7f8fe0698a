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

/// The stores that are damaged: tables, indexes, a search index, documents, overflow pages and free pages.
enum DamageStore: String, Sendable, CaseIterable {
  /// A few dozen pages of the usual size.
  case large
  /// As few bytes as possible, in pages of the least size, so that the file can be cut off at every length.
  case small

  static let groups = (1...3).map { DamageGroup(id: $0, name: "group \($0)") }

  var pageSize: Int { self == .large ? 4096 : 512 }

  /// The rows of the damaged file.
  var rows: [DamageRow] { (1...(self == .large ? 120 : 12)).map(row) }

  /// The keys of the rows before the first commit of the damaged log, and of those of its commits.
  var checkpointed: ClosedRange<Int> { 1...(self == .large ? 20 : 6) }
  var logged: ClosedRange<Int> { (checkpointed.upperBound + 1)...(self == .large ? 50 : 12) }

  func row(_ id: Int) -> DamageRow {
    // A few rows are longer than a page.
    let length = self == .large ? (id % 20 == 0 ? 700 : 6) : (id % 6 == 0 ? 80 : 1)
    return DamageRow(
      id: id, title: "row number \(id)", amount: Double(id) / 2,
      payload: String(repeating: "payload \(id) ", count: length), group: ToOne(id % 3 + 1))
  }

  static func open(_ path: String) throws -> Store {
    try Store(at: path, for: DamageRow.self)
  }

  // MARK: Files

  func file(in folder: URL) -> URL { folder.appending(component: "\(rawValue).larder") }
  func logged(in folder: URL) -> URL { folder.appending(component: "\(rawValue)-logged.larder") }

  /// Writes the file that is damaged, and one with a log beside it.
  func make(in folder: URL) throws {
    let url = folder.appending(component: "\(rawValue)-original.larder")
    let path = url.path(percentEncoded: false)
    try createFile(path)
    let store = try Self.open(path)
    let db = store.blocking
    try db.insert(Self.groups)
    try db.insert(rows + (1000...(self == .large ? 1080 : 1004)).map(row))
    try db.documents("papers").save(
      keyed: (0..<(self == .large ? 40 : 4)).map {
        (key: "\($0)", value: ["number": .integer(Int64($0)), "text": "paper \($0)"])
      })
    try db.documents("papers").index(on: "number")
    // What is deleted leaves free pages.
    try db.deleteAll(DamageRow.where { $0.id >= 1000 })
    try Self.checkpoint(path)
    try FileManager.default.copyItem(at: url, to: file(in: folder))
    try makeLogged(in: folder)
    withExtendedLifetime(store) {}
  }

  private func makeLogged(in folder: URL) throws {
    let url = folder.appending(component: "\(rawValue)-logging.larder")
    let path = url.path(percentEncoded: false)
    try createFile(path)
    let store = try Self.open(path)
    try store.blocking.insert(Self.groups)
    try store.blocking.insert(checkpointed.map(row))
    try Self.checkpoint(path)
    for id in logged { try store.blocking.insert(row(id)) }
    let copy = logged(in: folder)
    try FileManager.default.copyItem(at: url, to: copy)
    try FileManager.default.copyItem(atPath: path + "-wal", toPath: copy.path(percentEncoded: false) + "-wal")
    withExtendedLifetime(store) {}
  }

  /// Makes an empty file with pages of the size.
  private func createFile(_ path: String) throws {
    try Self.execute("PRAGMA page_size = \(pageSize); VACUUM", path)
  }

  private static func checkpoint(_ path: String) throws {
    // A connection that has read nothing yet does not know of the log.
    try execute("SELECT 1 FROM sqlite_master; PRAGMA wal_checkpoint(TRUNCATE)", path)
  }

  private static func execute(_ sql: String, _ path: String) throws {
    var handle: OpaquePointer?
    defer { sqlite3_close(handle) }
    guard sqlite3_open(path, &handle) == SQLITE_OK, sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
      throw CocoaError(.fileReadUnknown)
    }
  }
}
