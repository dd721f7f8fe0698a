import Foundation
import Larder
package import LarderSync

/// The rule of which rows are visible, computed from scratch over the whole state, in the simplest way.
package struct VisibilityOracle: Sendable {
  /// By the bytes of their names.
  private let tables: [[UInt8]: OracleTable]

  package init(_ tables: [OracleTable]) {
    self.tables = Dictionary(uniqueKeysWithValues: tables.map { (Array($0.name.utf8), $0) })
  }

  /// Returns the visible rows with the values of their properties, sorted by name.
  package func visible(_ state: [RowName: RowState]) -> [RowName: [ReplicatedValue]] {
    let known = state.filter { tables[Array($0.key.table.utf8)] != nil }
    var candidates = Set(known.filter { $0.value.causalLength % 2 == 1 }.keys)
    while true {
      let denied = candidates.flatMap { row in references(known[row]).filter { $0.rule == .deny }.map(\.target) }
      let more = denied.filter { known[$0] != nil && !candidates.contains($0) }
      if more.isEmpty { break }
      candidates.formUnion(more)
    }
    let consistent = kept(candidates, known)
    var losers: Set<RowName> = []
    // Without unique rules there are no rivals, and comparing all with all takes long.
    for row in consistent where tables[Array(row.table.utf8)]?.description.uniqueRules.isEmpty == false {
      for rival in consistent where rival != row && rival.table == row.table {
        if shares(row, rival, consistent, known), isEarlier(rival, row, known) { losers.insert(row) }
      }
    }
    let visible = kept(consistent.subtracting(losers), known)
    var shown: [RowName: [ReplicatedValue]] = [:]
    for row in visible { shown[row] = values(row, visible, known) }
    return shown
  }

  /// Returns the rows that go with deleted ones, whether or not something else keeps them from being visible already.
  package func following(_ deleted: Set<RowName>, in state: [RowName: RowState]) -> Set<RowName> {
    var gone = deleted
    while true {
      let more = state.filter { row, state in
        state.causalLength % 2 == 1 && !gone.contains(row)
          && references(state).contains { $0.isEssential && $0.rule != .deny && gone.contains($0.target) }
      }
      if more.isEmpty { return gone.subtracting(deleted) }
      gone.formUnion(more.keys)
    }
  }

  private func isEarlier(_ left: RowName, _ right: RowName, _ state: [RowName: RowState]) -> Bool {
    guard let first = state[left]?.insertion, let second = state[right]?.insertion else { return false }
    return first == second ? left < right : first < second
  }

  private struct Arrow {
    let column: String
    let target: RowName
    let rule: DeleteRule
    let isEssential: Bool
  }

  private func references(_ state: RowState?) -> [Arrow] {
    guard let state, let table = tables[Array(state.table.utf8)] else { return [] }
    return table.description.references.compactMap { reference in
      let value = raw(reference.column, state, table)
      if value == .null { return nil }
      return Arrow(
        column: reference.column, target: RowName(table: reference.table, key: [value]), rule: reference.rule,
        isEssential: !reference.isOptional || reference.rule == .cascade)
    }
  }

  private func raw(_ column: String, _ state: RowState, _ table: OracleTable) -> ReplicatedValue {
    for (key, value) in zip(table.description.keys, state.key) where key.name == column { return value }
    if table.description.isCollection, column == ModuleTable.json { return Self.document(state) }
    let property = table.properties.first { $0.column.name == column }
    let name = property?.name
    if let range = property?.column.counterRange {
      // The sum in as many bits as it needs, and then the bounds.
      let sum = state.contributions.filter { $0.property == name }.reduce(Int128(0)) { sum, contribution in
        sum + Int128(contribution.amount.high) * (1 << 32) + Int128(contribution.amount.low)
      }
      return .integer(Int64(min(max(sum, Int128(range.lowerBound)), Int128(range.upperBound))))
    }
    let standard = property?.column.constantDefault.map { ReplicatedValue($0) } ?? .null
    // The row comes from an app whose model lacks the property.
    guard let written = state.properties.first(where: { $0.name == name })?.value else { return standard }
    // Or the property has another type there.
    switch (written, property?.column.storageClass) {
    case (.null, _): return property?.column.isOptional == false ? standard : .null
    case (.integer(let number), .real): return Double(exactly: number).map { .real($0) } ?? written
    case (.real(let number), .integer): return Int64(exactly: number).map { .integer($0) } ?? written
    default: return written
    }
  }

  /// The properties of a document with their JSON, a line for each, in the order of their names.
  private static func document(_ state: RowState) -> ReplicatedValue {
    let length = state.insertionLength
    let lines = state.properties.compactMap { property -> String? in
      guard let name = OracleTable.property(property.name), property.causalLength == length,
        case .text(let json) = property.value
      else { return nil }
      return "\(name)\t\(String(decoding: json, as: UTF8.self))"
    }
    return .text(Data(lines.sorted().joined(separator: "\n").utf8))
  }

  /// The JSON of a table, in the same form.
  package static func document(_ json: ReplicatedValue) -> ReplicatedValue {
    guard case .text(let json) = json else { return json }
    let lines = DocumentParts.of(json).map { "\($0.name)\t\(String(decoding: $0.value, as: UTF8.self))" }
    return .text(Data(lines.sorted().joined(separator: "\n").utf8))
  }

  /// The greatest set in which each deleted row is one to which a row that is there refers by `.deny`, or a deleted one of
  /// the set for which that is so.
  private func kept(_ set: Set<RowName>, _ state: [RowName: RowState]) -> Set<RowName> {
    var set = set
    while true {
      set = greatest(set, state)
      var needed = set.filter { (state[$0]?.causalLength ?? 0) % 2 == 1 }
      while true {
        let more = needed.flatMap { row in references(state[row]).filter { $0.rule == .deny }.map(\.target) }
        let count = needed.count
        needed.formUnion(more.filter(set.contains))
        if needed.count == count { break }
      }
      if needed.count == set.count { return set }
      set = needed
    }
  }

  private func greatest(_ set: Set<RowName>, _ state: [RowName: RowState]) -> Set<RowName> {
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

  /// Whether a required value is missing, or a value is of another type than its column, or none that its property has.
  private func isIncomplete(_ state: RowState?) -> Bool {
    guard let state, let table = tables[Array(state.table.utf8)] else { return true }
    let columns = table.description.keys + (table.description.isCollection ? [] : table.properties.map(\.column))
    return columns.contains { column in
      switch (raw(column.name, state, table), column.storageClass) {
      case (.null, _): return !column.isOptional
      case (.integer(let value), .integer): return isUnreadable(.integer(value), column, table)
      case (.real(let value), .real): return isUnreadable(.real(value), column, table)
      case (.blob(let value), .blob): return isUnreadable(.blob(value), column, table)
      case (.text(let bytes), .text):
        let text = String(decoding: bytes, as: UTF8.self)
        return Data(text.utf8) != bytes || isUnreadable(.text(text), column, table)
      default: return true
      }
    }
  }

  /// Whether reading the row would throw. A reference leads nowhere instead.
  private func isUnreadable(_ value: Value, _ column: ModuleTable.Column, _ table: OracleTable) -> Bool {
    if table.description.references.contains(where: { $0.column == column.name }) { return false }
    return column.valueTest.map { !$0.passes(value) } ?? false
  }

  /// The values, sorted by the names of properties; references that lead outside are null.
  private func values(_ row: RowName, _ set: Set<RowName>, _ state: [RowName: RowState]) -> [ReplicatedValue] {
    guard let table = tables[Array(row.table.utf8)], let state = state[row] else { return [] }
    return table.properties.sorted { $0.name < $1.name }.map { shown($0.column.name, state, table, set) }
  }

  private func shown(_ column: String, _ state: RowState, _ table: OracleTable, _ set: Set<RowName>) -> ReplicatedValue
  {
    let isHidden = references(state).contains { $0.column == column && !$0.isEssential && !set.contains($0.target) }
    return isHidden ? .null : raw(column, state, table)
  }

  private func shares(_ left: RowName, _ right: RowName, _ set: Set<RowName>, _ state: [RowName: RowState]) -> Bool {
    guard let table = tables[Array(left.table.utf8)], let first = state[left], let second = state[right] else {
      return false
    }
    return table.description.uniqueRules.contains { rule in
      rule.allSatisfy { column in
        let value = shown(column, first, table, set)
        let order = table.properties.first { $0.column.name == column }?.column.order
        return value != .null && isEqual(value, shown(column, second, table, set), order)
      }
    }
  }

  /// Whether a unique index takes two values as equal.
  private func isEqual(_ left: ReplicatedValue, _ right: ReplicatedValue, _ order: ValueOrder?) -> Bool {
    guard let order, case .text(let first) = left, case .text(let second) = right else { return left == right }
    let texts = [first, second].map { String(decoding: $0, as: UTF8.self) }
    switch order {
    case .stored: return left == right
    case .decimal:
      let numbers = texts.map { try? Decimal(storedValue: .text($0)) }
      return numbers[0] == numbers[1] && (numbers[0] != nil || texts[0] == texts[1])
    case .instant:
      let dates = texts.map { try? Date(storedValue: .text($0)) }
      return dates[0] == dates[1] && (dates[0] != nil || texts[0] == texts[1])
    }
  }
}
