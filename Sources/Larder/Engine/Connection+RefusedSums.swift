import GRDBSQLite

// A trigger refuses a sum without a row: its message is a constant. These find the row after the failure, by repeating
// in Swift what the triggers compute.

extension Connection {
  /// Returns the error of a sum that its property can't hold with the key of the row that has it; any other error
  /// unchanged.
  func namingSum<M: Model>(_ error: StoreError, _ query: Query<M>, _ list: AssignmentList) -> StoreError {
    guard error.code == .invalidValue, error.key.isEmpty,
      let owner = environment.tables.first(where: { $0.model == error.model }),
      let property = owner.columns.first(where: { $0.property == error.property }),
      let derived = owner.derived.first(where: { $0.column == property.name && $0.aggregate == .sum }),
      derived.rowsTable == M.schema.table, let changes = try? SumChanges(derived, query, list, self),
      let key = try? changes.firstUnstorable(self)
    else { return error }
    return StoreError(error.code, model: error.model, property: error.property, key: [key], error.message)
  }
}

/// What an update changes in the rows of a sum, in the order in which it changes them.
private struct SumChanges {
  private struct Row {
    /// The column by which the row is linked to the row with the sum, and the added value, before and after.
    let oldLink: Value
    let newLink: Value
    let old: Value
    let new: Value
  }

  private let derived: DerivedColumn
  private let rows: [Row]

  init<M: Model>(_ derived: DerivedColumn, _ query: Query<M>, _ list: AssignmentList, _ connection: Connection) throws {
    self.derived = derived
    let link =
      switch derived.rows {
      case .reference(let column): column
      case .pairs(_, _, _, let key): key
      }
    var writer = connection.environment.makeWriter()
    try query.selectChanges(&writer, of: [link, derived.value ?? link], list)
    rows = try connection.using(writer, ErrorContext(M.self)) { statement in
      var rows: [Row] = []
      while try connection.step(statement, ErrorContext(M.self)) {
        func value(_ column: Int32) -> Value { StoredColumn(statement.pointer, column).value }
        rows.append(Row(oldLink: value(0), newLink: value(1), old: value(2), new: value(3)))
      }
      return rows
    }
  }

  /// Returns the key of the first row whose sum can't be held on the way.
  func firstUnstorable(_ connection: Connection) throws -> Value? {
    var sums: [Value: Sum] = [:]
    func change(_ key: Value, _ body: (inout Sum) -> Void) throws -> Bool {
      guard !key.isNull, var sum = try sums[key] ?? sum(of: key, connection) else { return true }
      body(&sum)
      sums[key] = sum
      return sum.isStorable(in: derived.range)
    }
    for row in rows where row.old != row.new || row.oldLink != row.newLink {
      switch derived.rows {
      case .reference:
        guard try change(row.oldLink, { $0.subtract(row.old) }) else { return row.oldLink }
        guard try change(row.newLink, { $0.add(row.new) }) else { return row.newLink }
      case .pairs(let pairs, let own, let other, _):
        let owners = try connection.query(
          "SELECT \(own) AS key FROM main.\(Quoting.name(pairs)) WHERE \(other) = ?", [row.oldLink])
        for owner in owners.compactMap({ $0["key"] }) {
          let isStorable = try change(owner) { sum in
            sum.subtract(row.old)
            sum.add(row.new)
          }
          guard isStorable else { return owner }
        }
      }
    }
    return nil
  }

  /// Returns the sum as it is stored; nil if there is no row with the key.
  private func sum(of key: Value, _ connection: Connection) throws -> Sum? {
    let (table, column) = (Quoting.name(derived.table), Quoting.name(derived.column))
    let stored = try connection.query(
      "SELECT \(column) AS sum FROM main.\(table) WHERE \(Quoting.name(derived.key)) = ?", [key])
    return stored.first.map { Sum($0["sum"] ?? .null) }
  }

  /// A sum of integers, or the infinities in a sum of real numbers.
  private struct Sum {
    private var total: Int64 = 0
    private var overflows = false
    private var infinities: Set<Double> = []

    init(_ stored: Value) { add(stored) }

    func isStorable(in range: ClosedRange<Int64>?) -> Bool {
      !overflows && infinities.count < 2 && range?.contains(total) != false
    }

    mutating func add(_ value: Value) { change(value) { $0.addingReportingOverflow($1) } }

    mutating func subtract(_ value: Value) { change(value) { $0.subtractingReportingOverflow($1) } }

    private mutating func change(
      _ value: Value, _ compute: (Int64, Int64) -> (partialValue: Int64, overflow: Bool)
    ) {
      switch value {
      case .integer(let number):
        let (sum, overflow) = compute(total, number)
        (total, overflows) = (sum, overflows || overflow)
      case .real(let number) where number.isInfinite: infinities.insert(number)
      default: break
      }
    }
  }
}
