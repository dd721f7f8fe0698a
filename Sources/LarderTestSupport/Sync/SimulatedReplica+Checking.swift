import Foundation
import Larder
import LarderSync

extension SimulatedReplica {
  /// Throws if the tables show other rows than the oracle computes from the state.
  func checkVisibility() async throws {
    let tables = try await OracleTable.all(of: store)
    let expected = VisibilityOracle(tables).visible(states)
    for table in tables {
      var shown: [RowName: [ReplicatedValue]] = [:]
      let keys = table.description.keys.map(\.name)
      let columns = keys + table.properties.map(\.column.name)
      let list = columns.map(Self.quoted).joined(separator: ", ")
      for row in try await store.sql(SQL(raw: "SELECT \(list) FROM main.\(Self.quoted(table.description.name))")) {
        let values = columns.map { column in
          let value = row[column].map { ReplicatedValue($0) } ?? .null
          return table.description.isCollection && column == ModuleTable.json ? VisibilityOracle.document(value) : value
        }
        shown[RowName(table: table.name, key: Array(values.prefix(keys.count)))] = Array(values.dropFirst(keys.count))
      }
      let wanted = expected.filter { row in
        // A row that has expired here is this replica's own business.
        row.key.table == table.name && (table.description.expiryColumn == nil || shown[row.key] != nil)
      }
      for name in Set(shown.keys).union(wanted.keys) where Self.text(shown[name]) != Self.text(wanted[name]) {
        throw SimulationProblem(
          "\(name) shows \(Self.text(shown[name])), and should show \(Self.text(wanted[name]))")
      }
    }
  }

  /// Whether a row is visible, by the state that the replica knows.
  func shows(_ name: RowName) async throws -> Bool {
    VisibilityOracle(try await OracleTable.all(of: store)).visible(states)[name] != nil
  }

  private static func text(_ values: [ReplicatedValue]?) -> String {
    values.map { "\($0.map(\.shown))" } ?? "nothing"
  }

  /// Throws if a row is there, invisible, and not listed, although nobody knew of it who deleted what it needs.
  func checkSetAside(_ writes: WrittenValues) async throws {
    let visible = VisibilityOracle(try await OracleTable.all(of: store)).visible(states)
    let listed = Set(
      try await store.sync.setAside().map { row in
        RowName(table: row.table, key: row.key.map { ReplicatedValue($0) })
      })
    for (name, state) in states where state.isThere && visible[name] == nil && !listed.contains(name) {
      guard writes.isKnown(state) else { throw SimulationProblem("\(name) is neither visible nor listed as set aside") }
    }
  }

  /// Throws if a row is older than it was.
  static func checkOrder(_ old: RowState, _ new: RowState) throws {
    let name = new.name
    // The number of insertions and deletions decides before the stamp does.
    guard (new.causalLength, new.stamp) >= (old.causalLength, old.stamp) else {
      throw SimulationProblem("the row \(name) is older than it was")
    }
    let properties = Dictionary(new.properties.map { ($0.name, $0) }) { $1 }
    for property in old.properties {
      guard let current = properties[property.name] else {
        // A document that was inserted again has nothing of the former one, and neither has a row that an app inserted
        // again whose model lacks the property.
        if property.causalLength < new.insertionLength { continue }
        throw SimulationProblem("\(property.name) of \(name) is lost: \(old), then \(new)")
      }
      guard (current.causalLength, current.stamp) >= (property.causalLength, property.stamp) else {
        throw SimulationProblem("\(property.name) of \(name) is older than it was")
      }
      guard current.stamp != property.stamp || current.value == property.value else {
        throw SimulationProblem("\(property.name) of \(name) has another value than was written with its stamp")
      }
    }
    try checkContributions(old, new)
  }

  /// Throws if something that was added to a counter since the row was inserted is lost.
  private static func checkContributions(_ old: RowState, _ new: RowState) throws {
    for contribution in old.contributions where contribution.causalLength >= new.insertionLength {
      let current = new.contributions.first {
        $0.property == contribution.property && $0.stamp.replica == contribution.stamp.replica
      }
      let name = "what was added to \(contribution.property) of \(new.name)"
      guard let current else { throw SimulationProblem("\(name) is lost: \(old), then \(new)") }
      guard (current.causalLength, current.stamp) >= (contribution.causalLength, contribution.stamp) else {
        throw SimulationProblem("\(name) is older than it was")
      }
      guard current.stamp != contribution.stamp || current.amount == contribution.amount else {
        throw SimulationProblem("\(name) is another amount than was added with its stamp")
      }
    }
  }

  /// The rows of all tables of the models, as text that shows every bit, in the order of their keys.
  ///
  /// - Parameter date: Rows that expire until then are left out: each replica deletes them when it likes.
  func tables(expiringAfter date: Date) async throws -> [String: [String]] {
    let time = date.timeIntervalSinceReferenceDate
    let tables = try await store.readingModule { try $0.tables.filter(\.syncs) }
    var rows: [String: [String]] = [:]
    for table in tables {
      let keys = table.keys.map { Self.quoted($0.name) }.joined(separator: ", ")
      let condition = table.expiryColumn.map { "WHERE coalesce(\(Self.quoted($0)) > \(time), 1)" } ?? ""
      let found = try await store.sql(
        SQL(raw: "SELECT * FROM main.\(Self.quoted(table.name)) \(condition) ORDER BY \(keys)"))
      rows[table.name] = found.map { row in
        row.filter { $0.name != "_rowid" }.map { "\($0.name) \(ReplicatedValue($0.value).shown)" }.sorted()
          .joined(separator: ", ")
      }
    }
    for name in try await store.documentCollections {
      let documents = store.documents(name)
      var found = try await documents.find(try await documents.keys())
      for key in found.keys {
        if let expiry = try await documents.expiry(of: key), expiry <= date { found[key] = nil }
      }
      if found.isEmpty { continue }
      rows["documents \(name.lowercased())"] = found.sorted { $0.key < $1.key }.map { key, document in
        // The order of properties doesn't matter.
        "\(key) \(document.map { "\($0.name) \(bits($0.value))" }.sorted().joined(separator: ", "))"
      }
    }
    return rows
  }

  private func bits(_ value: DocumentValue) -> String {
    if case .real(let number) = value { "real \(number.bitPattern)" } else { "\(value)" }
  }

  private static func quoted(_ name: String) -> String { "\"" + name.replacing("\"", with: "\"\"") + "\"" }
}
