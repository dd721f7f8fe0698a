import Larder

@testable import LarderSync

/// The rule of which rows are visible, computed from scratch over the whole state, in the simplest way.
struct VisibilityOracle {
  private let tables: [String: TrackedTable]

  init(_ tables: [TrackedTable]) {
    self.tables = Dictionary(uniqueKeysWithValues: tables.map { ($0.name, $0) })
  }

  /// Returns the visible rows with the values of their properties, sorted by name.
  func visible(_ state: [RowKey: RowState]) -> [RowKey: [ReplicatedValue]] {
    let known = state.filter { tables[$0.key.table] != nil }
    var candidates = Set(known.filter { $0.value.causalLength % 2 == 1 }.keys)
    while true {
      let denied = candidates.flatMap { row in references(known[row]).filter { $0.rule == .deny }.map(\.target) }
      let more = denied.filter { known[$0] != nil && !candidates.contains($0) }
      if more.isEmpty { break }
      candidates.formUnion(more)
    }
    let consistent = greatest(candidates, known)
    var losers: Set<RowKey> = []
    // Without unique rules there are no rivals, and comparing all with all takes long.
    for row in consistent where tables[row.table]?.description.uniqueRules.isEmpty == false {
      for rival in consistent where rival != row && rival.table == row.table {
        if shares(row, rival, consistent, known), isEarlier(rival, row, known) { losers.insert(row) }
      }
    }
    let visible = greatest(consistent.subtracting(losers), known)
    var shown: [RowKey: [ReplicatedValue]] = [:]
    for row in visible { shown[row] = values(row, visible, known) }
    return shown
  }

  private func isEarlier(_ left: RowKey, _ right: RowKey, _ state: [RowKey: RowState]) -> Bool {
    guard let first = state[left]?.insertion, let second = state[right]?.insertion else { return false }
    return first == second ? left < right : first < second
  }

  private struct Arrow {
    let column: String
    let target: RowKey
    let rule: DeleteRule
    let isEssential: Bool
  }

  private func references(_ state: RowState?) -> [Arrow] {
    guard let state, let table = tables[state.table] else { return [] }
    return table.description.references.compactMap { reference in
      let value = raw(reference.column, state, table)
      if value == .null { return nil }
      return Arrow(
        column: reference.column, target: RowKey(table: reference.table, key: [value]), rule: reference.rule,
        isEssential: !reference.isOptional || reference.rule == .cascade)
    }
  }

  private func raw(_ column: String, _ state: RowState, _ table: TrackedTable) -> ReplicatedValue {
    for (key, value) in zip(table.description.keys, state.key) where key.name == column { return value }
    if table.isCollection, column == ModuleTable.json { return Self.document(state) }
    let name = table.properties.first { $0.column.name == column }?.name
    if let range = table.properties.first(where: { $0.column.name == column })?.column.counterRange {
      // The sum in as many bits as it needs, and then the bounds.
      let sum = state.contributions.filter { $0.property == name }.reduce(Int128(0)) { sum, contribution in
        sum + Int128(contribution.amount.high) * (1 << 32) + Int128(contribution.amount.low)
      }
      return .integer(Int64(min(max(sum, Int128(range.lowerBound)), Int128(range.upperBound))))
    }
    return state.properties.first { $0.name == name }?.value ?? .null
  }

  /// The properties of a document with their JSON, a line for each, in the order of their names.
  private static func document(_ state: RowState) -> ReplicatedValue {
    let length = state.isThere ? state.causalLength : state.causalLength - 1
    let lines = state.properties.compactMap { property -> String? in
      guard let name = CollectionName.property(property.name), property.causalLength == length,
        case .text(let json) = property.value
      else { return nil }
      return "\(name)\t\(String(decoding: json, as: UTF8.self))"
    }
    return .init(lines.sorted().joined(separator: "\n"))
  }

  /// The JSON of a table, in the same form.
  static func document(_ json: ReplicatedValue) -> ReplicatedValue {
    guard case .text(let json) = json else { return json }
    let lines = DocumentParts.of(json).map { "\($0.name)\t\(String(decoding: $0.value, as: UTF8.self))" }
    return .init(lines.sorted().joined(separator: "\n"))
  }

  private func greatest(_ set: Set<RowKey>, _ state: [RowKey: RowState]) -> Set<RowKey> {
    var set = set
    while true {
      let lacking = set.filter { row in
        isIncomplete(state[row])
          || references(state[row]).contains { $0.isEssential && !set.contains($0.target) }
      }
      if lacking.isEmpty { return set }
      set.subtract(lacking)
    }
  }

  /// Whether a required value is missing, or a value is of another type than its column.
  private func isIncomplete(_ state: RowState?) -> Bool {
    guard let state, let table = tables[state.table] else { return true }
    if table.isCollection { return false }
    let columns = table.description.keys + table.properties.map(\.column)
    return columns.contains { column in
      switch (raw(column.name, state, table), column.storageClass) {
      case (.null, _): !column.isOptional
      case (.integer, .integer), (.real, .real), (.text, .text), (.blob, .blob): false
      default: true
      }
    }
  }

  /// The values, sorted by the names of properties; references that lead outside are null.
  private func values(_ row: RowKey, _ set: Set<RowKey>, _ state: [RowKey: RowState]) -> [ReplicatedValue] {
    guard let table = tables[row.table], let state = state[row] else { return [] }
    return table.properties.sorted { $0.name < $1.name }.map { shown($0.column.name, state, table, set) }
  }

  private func shown(_ column: String, _ state: RowState, _ table: TrackedTable, _ set: Set<RowKey>) -> ReplicatedValue
  {
    let isHidden = references(state).contains { $0.column == column && !$0.isEssential && !set.contains($0.target) }
    return isHidden ? .null : raw(column, state, table)
  }

  private func shares(_ left: RowKey, _ right: RowKey, _ set: Set<RowKey>, _ state: [RowKey: RowState]) -> Bool {
    guard let table = tables[left.table], let first = state[left], let second = state[right] else { return false }
    return table.description.uniqueRules.contains { rule in
      rule.allSatisfy { column in
        let value = shown(column, first, table, set)
        return value != .null && value == shown(column, second, table, set)
      }
    }
  }
}
