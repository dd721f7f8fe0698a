import Foundation
import Larder
import LarderTestSupport
import Testing

@testable import LarderSync

/// A store that takes part in sync, in a folder of its own.
struct Replica {
  let folder: TemporaryFolder
  let store: Store
  private let name: String
  private let models: [any Model.Type]
  private let configuration: Store.Configuration

  static let ledger: [any Model.Type] = [
    SharedAccount.self, SharedCost.self, SharedCategory.self, SharedKind.self, SharedTag.self, SharedSlot.self,
    SharedPage.self, SharedPicture.self, LocalWindow.self,
  ]

  init(
    folder: TemporaryFolder? = nil, _ models: [any Model.Type] = ledger,
    name: String = "test.larder", configuration: Store.Configuration = .init(sync: .on)
  ) throws {
    let folder = try folder ?? TemporaryFolder()
    self.folder = folder
    (self.name, self.models, self.configuration) = (name, models, configuration)
    store = try Store(at: folder.file(name), for: models, configuration: configuration)
  }

  /// Makes an empty replica with the same models, whose sync is on.
  func another() throws -> Replica {
    var configuration = configuration
    configuration.sync = .on
    return try Replica(models, configuration: configuration)
  }

  /// Closes the file and opens it again, as the next start of an app does, which may be a later version.
  ///
  /// - Parameter models: The models of that version; none for the same ones.
  func reopened(_ models: any Model.Type..., migrations: [Migration] = []) async throws -> Replica {
    try await reopened(models, migrations: migrations)
  }

  func reopened(_ models: [any Model.Type], migrations: [Migration] = []) async throws -> Replica {
    await store.close()
    var configuration = configuration
    configuration.migrations = migrations
    return try Replica(
      folder: folder, models.isEmpty ? self.models : models, name: name, configuration: configuration)
  }

  func hasSameModels(as other: Replica) -> Bool {
    models.map { ObjectIdentifier($0) } == other.models.map { ObjectIdentifier($0) }
  }

  /// The replica with which this one exchanges on the way to another: that one itself, or the relay.
  func neighbor(toward other: Replica) throws -> Replica {
    try SyncRoute.current?.relay(between: self, other) ?? other
  }

  /// A replica whose file is elsewhere.
  init(_ store: Store) throws {
    folder = try TemporaryFolder()
    (name, models, configuration) = ("test.larder", [], .init())
    self.store = store
  }

  var path: String { folder.file(name).path }

  /// Exchanges with another replica, in both directions, on the route of the test.
  @discardableResult
  func exchange(with other: Replica) async throws -> ExchangeReport {
    guard let route = SyncRoute.current else { return try await store.sync.exchange(with: other.store.sync) }
    return try await route.exchange(self, other)
  }

  /// The rows of all tables, with all columns except the hidden row number, in the order of their keys.
  func rows() async throws -> [String: [[ReplicatedValue]]] {
    try await store.readingModule { connection in
      var rows: [String: [[ReplicatedValue]]] = [:]
      for table in try connection.tables where table.syncs {
        let columns = try connection.rows("SELECT name FROM pragma_table_info(?1)", [.init(table.name)]) { $0.text(0) }
          .filter { $0 != "_rowid" }.sorted()
        let keys = table.keys.map(\.name.quotedName).joined(separator: ", ")
        rows[table.name] = try connection.rows(
          "SELECT \(columns.map(\.quotedName).joined(separator: ", ")) FROM main.\(table.name.quotedName) ORDER BY \(keys)"
        ) { row in columns.indices.map { row.value(Int32($0)) } }
      }
      return rows
    }
  }

  /// The whole state, by rows.
  func state() async throws -> [RowKey: RowState] {
    try await store.readingModule { connection in
      let rows = try ReplicaFile(connection).rows(after: 0, upTo: .max, limit: .max)
      return Dictionary(uniqueKeysWithValues: rows.map { ($0.rowKey, $0.state) })
    }
  }

  /// The statuses of rows that aren't visible.
  func statuses() async throws -> [RowKey: RowStatus] {
    try await store.readingModule { connection in
      let rows = try ReplicaFile(connection).rows(after: 0, upTo: .max, limit: .max).filter { !$0.isVisible }
      return Dictionary(uniqueKeysWithValues: rows.map { ($0.rowKey, $0.status) })
    }
  }

  /// What is in conflict, without the numbers that this file has for it.
  func conflictList() async throws -> Set<[String]> {
    Set(
      try await store.sync.conflicts().map { conflict in
        [
          "\(conflict.kind)", conflict.table, "\(conflict.key)", "\(conflict.lost)", "\(conflict.lostStamp)",
          "\(conflict.current)", "\(conflict.currentStamp)",
        ]
      })
  }

  /// What the oracle says the tables have to show.
  func expectedRows() async throws -> [RowKey: [ReplicatedValue]] {
    let state = Dictionary(
      uniqueKeysWithValues: try await state().map { (RowName(table: $0.key.table, key: $0.key.key), $0.value) })
    let visible = VisibilityOracle(try await OracleTable.all(of: store)).visible(state)
    return Dictionary(
      uniqueKeysWithValues: visible.map { (RowKey(table: $0.key.table, key: $0.key.key), $0.value) })
  }

  /// What the tables show, in the form of ``expectedRows()``.
  func shownRows() async throws -> [RowKey: [ReplicatedValue]] {
    try await store.readingModule { connection in
      var shown: [RowKey: [ReplicatedValue]] = [:]
      for table in try ReplicaFile(connection).tables {
        let keys = table.description.keys.map(\.name)
        let columns = (keys + table.properties.sorted { $0.name < $1.name }.map(\.column.name)).map(\.quotedName)
        let sql = "SELECT \(columns.joined(separator: ", ")) FROM main.\(table.quotedName)"
        let json = columns.firstIndex { table.isCollection && $0 == ModuleTable.json.quotedName }
        let rows = try connection.rows(sql, []) { row in
          columns.indices.map { $0 == json ? VisibilityOracle.document(row.value(Int32($0))) : row.value(Int32($0)) }
        }
        for values in rows {
          shown[RowKey(table: table.name, key: Array(values.prefix(keys.count)))] = Array(values.dropFirst(keys.count))
        }
      }
      return shown
    }
  }

  /// Sets the clock ahead, as if that of the device had jumped.
  func advanceClock(by milliseconds: Int64) async throws {
    try await store.writingModule { connection in
      try connection.run("UPDATE \(SyncTables.clock) SET now = now + ?1", [.integer(milliseconds << 16)])
    }
  }

  /// Sets the clock past the last write of another replica: two writes within a millisecond are in no known order.
  func setClock(past other: Replica) async throws {
    let time = try await other.store.readingModule { try ReplicaFile($0).clock().now }
    try await store.writingModule { connection in
      try connection.run("UPDATE \(SyncTables.clock) SET now = max(now, ?1) + 1", [.integer(time)])
    }
  }

  /// Executes SQL with the command line of SQLite, which knows nothing of Larder.
  func executeOutside(_ sql: String) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["sqlite3", path, sql]
    let errors = Pipe()
    process.standardError = errors
    try process.run()
    process.waitUntilExit()
    let message = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    #expect(message.isEmpty)
    #expect(process.terminationStatus == 0)
  }
}

/// Expects that replicas hold the same rows and states, and that those are what the oracle says. A relay between two
/// replicas holds what they do.
func expectEqual(
  _ replicas: [Replica], _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
)
  async throws
{
  let replicas = replicas + (SyncRoute.current?.relays(between: replicas) ?? [])
  let first = try #require(replicas.first)
  let rows = try await first.rows()
  let state = try await first.state()
  let conflicts = try await first.conflictList()
  for other in replicas.dropFirst() {
    let (otherRows, otherState) = (try await other.rows(), try await other.state())
    #expect(otherRows == rows, comment, sourceLocation: sourceLocation)
    #expect(otherState == state, comment, sourceLocation: sourceLocation)
    #expect(try await other.conflictList() == conflicts, comment, sourceLocation: sourceLocation)
  }
  let (expected, shown) = (try await first.expectedRows(), try await first.shownRows())
  #expect(shown == expected, comment, sourceLocation: sourceLocation)
  for replica in replicas {
    let report = try await replica.store.check()
    #expect(report.findings.isEmpty, comment, sourceLocation: sourceLocation)
  }
}
