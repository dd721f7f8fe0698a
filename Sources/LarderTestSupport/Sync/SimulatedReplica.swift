import Foundation
import Larder
import LarderSync

/// A replica of a simulation, and what it has acknowledged.
struct SimulatedReplica {
  /// The name of a row: its table and its key.
  struct RowName: Hashable, CustomStringConvertible {
    let table: String
    let key: [Value]

    init(_ change: RowChange) {
      (table, key) = (change.table, change.key)
    }

    var description: String { "\(table) \(key)" }
  }

  private let url: URL
  private(set) var store: Store
  /// The end of the history that was read.
  private var cursor: ChangeCursor?
  /// The last state of each row after a write of this replica.
  private var acknowledged: [RowName: RowChange] = [:]

  init(at url: URL, for models: [any Model.Type]) throws {
    self.url = url
    store = try Store(at: url, for: models, configuration: Store.Configuration(sync: .on))
  }

  /// Closes the file and opens it again.
  mutating func reopen(_ models: [any Model.Type]) async throws {
    await store.close()
    store = try Store(at: url, for: models, configuration: Store.Configuration(sync: .on))
  }

  /// Sets the clock ahead, as if that of the device had jumped.
  func advanceClock(by milliseconds: Int64) async throws {
    try await store.writingModule { connection in
      try connection.execute("UPDATE _larder_sync_clock SET now = now + \(milliseconds << 16)")
    }
  }

  /// Remembers what was written since the last call, by this replica or another.
  mutating func acknowledge() async throws {
    while true {
      let history = try await store.history(after: cursor)
      for change in history.changes { acknowledged[RowName(change)] = change }
      cursor = history.cursor
      if history.isLast { return }
    }
  }

  /// Every row that there ever was, deleted ones among them.
  func changes() async throws -> [RowName: RowChange] {
    var changes: [RowName: RowChange] = [:]
    var cursor: ChangeCursor?
    while true {
      let history = try await store.history(after: cursor)
      for change in history.changes { changes[RowName(change)] = change }
      cursor = history.cursor
      if history.isLast { return changes }
    }
  }

  /// Throws if a write that this replica has acknowledged is neither in the changes nor older than one that is.
  func checkAcknowledged(in changes: [RowName: RowChange]) throws {
    for (name, written) in acknowledged {
      guard let found = changes[name] else { throw SimulationProblem("\(name) is lost") }
      // The number of insertions and deletions decides before the stamp does.
      guard (found.causalLength, found.stamp) >= (written.causalLength, written.stamp) else {
        throw SimulationProblem("the row \(name) is older than it was")
      }
      let properties = Dictionary(found.properties.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
      for property in written.properties {
        guard let current = properties[property.name],
          (current.causalLength, current.stamp) >= (property.causalLength, property.stamp)
        else { throw SimulationProblem("\(property.name) of \(name) is older than it was") }
        guard current.stamp != property.stamp || current.value == property.value else {
          throw SimulationProblem("\(property.name) of \(name) has another value than was written with its stamp")
        }
      }
    }
  }

  /// The rows of all tables of the models, as text that shows every bit, in the order of their keys.
  func tables() async throws -> [String: [String]] {
    let tables = try await store.readingModule { connection in
      try connection.tables.filter(\.syncs).map { (name: $0.name, keys: $0.keys.map(\.name)) }
    }
    var rows: [String: [String]] = [:]
    for table in tables {
      let keys = table.keys.map(Self.quoted).joined(separator: ", ")
      let found = try await store.sql(SQL(raw: "SELECT * FROM main.\(Self.quoted(table.name)) ORDER BY \(keys)"))
      rows[table.name] = found.map { row in
        row.filter { $0.name != "_rowid" }.map { "\($0.name) \(Self.bits($0.value))" }.sorted().joined(separator: ", ")
      }
    }
    return rows
  }

  private static func quoted(_ name: String) -> String { "\"" + name.replacing("\"", with: "\"\"") + "\"" }

  private static func bits(_ value: Value) -> String {
    switch value {
    case .real(let number): "real \(number.bitPattern)"
    case .blob(let data): "blob \(data.base64EncodedString())"
    case .null, .integer, .text: "\(value)"
    }
  }
}
