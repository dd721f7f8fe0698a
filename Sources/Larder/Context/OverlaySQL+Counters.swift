/// Counters of unsaved rows. What a layer has added to a counter is the difference between the unsaved row and its
/// previous version in `base`; a save adds it to what the row below has by then.
///
/// The counters in `base` are those that the change began with: if a row was written whole, those that the context had
/// read. The rows of the history are relative to `counted`, which has for each key what this layer last knew of the
/// counters: at the row's first change, or when it was saved. So an undone step takes back what it added, and nothing
/// of what others have added since.
extension OverlaySQL {
  /// Whether it was decided which counters a version in `base`, or a row of the history, has.
  static let isSettled = "\(ReservedNames.prefix)is_settled"

  private var counted: String { name("counted") }
  private var counters: [String] { table.counters.map { Quoting.name($0.name) } }
  /// The columns that are neither counters nor part of the key.
  private var registers: [String] {
    table.columns.filter { $0.counterRange == nil && !table.keys.contains($0.name) }.map { Quoting.name($0.name) }
  }

  // MARK: Tables

  var createCounters: [String] {
    guard !table.counters.isEmpty else { return [] }
    let values = table.columns.filter { $0.counterRange != nil || table.keys.contains($0.name) }.map {
      "\(Quoting.name($0.name)) \($0.declaration)"
    }
    return [
      "CREATE TEMP TABLE \(counted) (\(values.joined(separator: ", ")))\(table.isStrict ? " STRICT" : "")",
      "CREATE UNIQUE INDEX temp.\(name("counted_key")) ON \(counted) (\(list(keys)))",
      "CREATE INDEX temp.\(name("base_unsettled")) ON \(base) (\(Self.isSettled)) WHERE \(Self.isSettled) = 0",
      "CREATE INDEX temp.\(name("history_row")) ON \(history) (\(list(keys)))",
      "CREATE INDEX temp.\(name("history_unsettled")) ON \(history) (\(Self.isSettled)) WHERE \(Self.isSettled) = 0",
    ]
  }

  var dropCounters: String { "DROP TABLE IF EXISTS temp.\(counted)" }

  // MARK: Conditions

  /// Returns the condition that two rows differ at most in counters.
  func sameRegisters(_ left: String, _ right: String) -> String {
    table.columns.filter { $0.counterRange == nil }.map { same($0, left, right) }.joined(separator: " AND ")
  }

  private func sameCounters(_ left: String, _ right: String) -> String {
    counters.map { "\(left).\($0) IS \(right).\($0)" }.joined(separator: " AND ")
  }

  /// Returns the condition that a row has counted nothing.
  func hasNoCount(_ row: String) -> String { counters.map { "\(row).\($0) IS 0" }.joined(separator: " AND ") }

  // MARK: Sums

  /// The function that returns an integer and the difference of two others, within a range.
  static let counterSum = ScalarFunction("\(ReservedNames.prefix)counter_sum", 5) { values in
    guard let start = values[0].integer, let end = values[1].integer, let base = values[2].integer,
      let lower = values[3].integer, let upper = values[4].integer
    else { return values[1] }
    return .integer(min(max(OverlaySQL.sum(start, end, base), lower), upper))
  }

  /// Returns `start + (end - base)`, or the bound of the type if it can't hold this.
  private static func sum(_ start: Int64, _ end: Int64, _ base: Int64) -> Int64 {
    let difference = end.subtractingReportingOverflow(base)
    if !difference.overflow {
      let sum = start.addingReportingOverflow(difference.partialValue)
      return sum.overflow ? (difference.partialValue < 0 ? .min : .max) : sum.partialValue
    }
    let bound: Int64 = end < 0 ? .min : .max
    let rest = start.subtractingReportingOverflow(base)
    guard !rest.overflow else { return bound }
    let sum = rest.partialValue.addingReportingOverflow(end)
    return sum.overflow ? bound : sum.partialValue
  }

  /// Returns SQL for each counter's value in a row, and what another row has beyond its base.
  private func sums(_ start: String, _ end: String, base: (String) -> String) -> [(counter: String, sum: String)] {
    table.counters.map { column in
      let name = Quoting.name(column.name)
      let range = column.counterRange ?? .min ... .max
      let bounds = "\(range.lowerBound), \(range.upperBound)"
      return (name, "\(Self.counterSum.name)(\(start).\(name), \(end).\(name), \(base(name)), \(bounds))")
    }
  }

  private func assignments(_ columns: [String], from row: String) -> String {
    columns.map { "\($0) = \(row).\($0)" }.joined(separator: ", ")
  }

  /// Returns SQL that sets columns of unsaved rows, or of their versions, to the values of a query for them.
  private func assign(
    _ target: String, _ values: [(column: String, value: String)], of row: String, _ source: String
  ) -> String {
    let selected = values.map { "\($0.value) AS \($0.column)" }.joined(separator: ", ")
    return """
      UPDATE \(target) SET \(assignments(values.map(\.column), from: "x")) \
      FROM (SELECT \(row).\(Self.number) AS \(Self.number), \(selected) \(source)) AS x \
      WHERE \(target).\(Self.number) = x.\(Self.number)
      """
  }

  // MARK: Settling

  var hasUnsettled: String { "SELECT 1 FROM \(base) WHERE \(Self.isSettled) = 0 LIMIT 1" }

  /// Returns a query for the number of a version, whether it is settled, and some of its columns.
  func version(_ columns: [String], _ condition: String) -> String {
    "SELECT \(list([Self.number, Self.isSettled] + columns.map(Quoting.name))) FROM \(base)\(condition)"
  }

  /// Returns SQL that brings the history in line with the versions that were recorded since the last call.
  ///
  /// - Parameters:
  ///   - step: The step of the changes.
  ///   - isExchange: Whether they undo or redo a step: the versions then get the counters to which the history is
  ///     relative. Otherwise the history becomes relative to the versions.
  func settle(inStep step: String, isExchange: Bool) -> [String] {
    let isRow = "b.\(Self.isSettled) = 0 AND \(sameKey(history, "b")) AND \(history).\(Self.isThere) = 1"
    let begin: String
    if isExchange {
      begin = """
        UPDATE \(base) SET \(assignments(counters, from: "w")) FROM \(counted) AS w \
        WHERE \(base).\(Self.isSettled) = 0 AND \(sameKey("w", base))
        """
    } else {
      let moved = sums("b", history) { "w.\($0)" }.map { "\($0.counter) = \($0.sum)" }.joined(separator: ", ")
      begin = """
        UPDATE \(history) SET \(moved) FROM \(base) AS b CROSS JOIN \(counted) AS w ON \(sameKey("w", "b")) \
        WHERE \(isRow) AND NOT (\(sameCounters("b", "w"))) AND \(history).\(Self.isSettled) = 1
        """
    }
    return [
      begin,
      """
      UPDATE \(history) SET \(assignments(counters, from: "b")) FROM \(base) AS b \
      WHERE \(isRow) AND \(history).\(Self.stepNumber) = \(step) AND \(history).\(Self.isSettled) = 0
      """,
      """
      INSERT OR REPLACE INTO \(counted) (\(list(keys + counters))) SELECT \(list(keys + counters, of: "b")) \
      FROM \(base) AS b WHERE b.\(Self.isSettled) = 0
      """,
      "UPDATE \(base) SET \(Self.isSettled) = 1 WHERE \(Self.isSettled) = 0",
      settleHistory,
    ]
  }

  /// Marks the rows of the history that were recorded since the last call.
  var settleHistory: String { "UPDATE \(history) SET \(Self.isSettled) = 1 WHERE \(Self.isSettled) = 0" }

  // MARK: Merging

  /// Records the counters of the unsaved rows before they are saved.
  var noteCounted: String {
    """
    INSERT OR REPLACE INTO \(counted) (\(list(keys + counters))) SELECT \(list(keys + counters, of: "p")) \
    FROM \(pending) AS p WHERE p.\(Self.state) = 0
    """
  }

  /// Gives rows of which only counters have changed here their other values from below.
  ///
  /// - Parameter mayBeUnchanged: Whether rows are concerned whose counters haven't changed either.
  func takeOthers(mayBeUnchanged: Bool) -> [String] {
    guard !registers.isEmpty else { return [] }
    let changed = "NOT (\(sameCounters("p", "b")))"
    let condition = mayBeUnchanged ? "(NOT \(refersToDeleted("p")) OR \(changed))" : changed
    return [
      assign(
        pending, registers.map { (column: $0, value: "m.\($0)") }, of: "p",
        """
        FROM \(base) AS b CROSS JOIN \(pending) AS p ON \(sameKey("p", "b")) CROSS JOIN \(lower) AS m ON \(sameKey("m", "b")) \
        WHERE p.\(Self.state) = 0 AND NOT (\(sameRegisters("m", "b"))) AND \(sameRegisters("p", "b")) AND \(condition)
        """)
    ]
  }

  /// Adds what the unsaved rows have added to the counters below.
  var addCounters: [String] {
    let here = "FROM \(base) AS b CROSS JOIN \(pending) AS p ON \(sameKey("p", "b"))"
    let below = "CROSS JOIN \(lower) AS m ON \(sameKey("m", "b"))"
    let hasChanged = "NOT (\(sameCounters("m", "b")))"
    let sums = sums("m", "p") { "b.\($0)" }.map { (column: $0.counter, value: $0.sum) }
    return [
      assign(pending, sums, of: "p", "\(here) \(below) WHERE p.\(Self.state) = 0 AND \(hasChanged)"),
      assign(
        base, counters.map { (column: $0, value: "m.\($0)") }, of: "b",
        "FROM \(base) AS b \(below) WHERE \(hasChanged)"),
    ]
  }

  /// Adds what unsaved rows that got a later date have added to the counters of the expired rows below.
  var addExpired: String {
    let below = layers.dropLast().last.map { name("expired", in: $0) } ?? "main.\(shadow)"
    let sums = sums("m", "p") { "b.\($0)" }.map { (column: $0.counter, value: $0.sum) }
    return assign(
      pending, sums, of: "p",
      """
      FROM \(base) AS b CROSS JOIN \(pending) AS p ON \(sameKey("p", "b")) CROSS JOIN \(below) AS m ON \(sameKey("m", "b")) \
      WHERE p.\(Self.state) = 0 AND NOT \(Expiry.isThere("b")) AND NOT \(Expiry.isThere("m")) AND NOT (\(sameCounters("m", "b")))
      """)
  }

  /// Adds the counters of rows that were inserted in both, unless their other values are in conflict.
  func addInserted(_ policy: MergePolicy) -> [String] {
    let storeWins = policy == .preferStore || policy == .rollback
    let condition =
      switch policy {
      case .error: " AND \(sameRegisters("p", "m"))"
      case .preferStore, .rollback: " AND NOT (\(hasNoCount("p")))"
      case .preferContext, .overwrite: ""
      }
    let taken = """
      FROM \(pending) AS p CROSS JOIN \(lower) AS m ON \(sameKey("m", "p")) WHERE p.\(Self.state) = 0 \
      AND NOT EXISTS (SELECT 1 FROM \(base) AS b WHERE \(sameKey("b", "p")))\(condition)
      """
    let sums = sums("m", "p") { _ in "0" }.map { (column: $0.counter, value: $0.sum) }
    let others = storeWins ? registers.map { (column: $0, value: "m.\($0)") } : []
    return [
      """
      INSERT INTO \(base) (\(Self.row), \(Self.clock), \(list(columns))) SELECT \(lowerRow("m")), -1, \(list(columns, of: "m")) \(taken)
      """,
      assign(
        pending, sums + others, of: "p",
        """
        FROM \(base) AS b CROSS JOIN \(pending) AS p ON \(sameKey("p", "b")) CROSS JOIN \(lower) AS m ON \(sameKey("m", "b")) \
        WHERE b.\(Self.clock) = -1
        """),
      "UPDATE \(base) SET \(Self.clock) = 0 WHERE \(Self.clock) = -1",
    ]
  }

  /// Discards the changes of rows in conflict except for what they have added to counters.
  var keepOnlyAdditions: [String] {
    let others = registers.map { (column: $0, value: "m.\($0)") }
    let drop = """
      DELETE FROM \(pending) WHERE \(Self.number) IN (SELECT p.\(Self.number) \(conflicts(.changed)) \
      AND (p.\(Self.state) = 1 OR \(sameCounters("p", "b"))))
      """
    return [drop, dropBase] + (others.isEmpty ? [] : [assign(pending, others, of: "p", conflicts(.changed))])
  }
}
