import Foundation

/// Writes nodes as the Swift of the conditions and values that they were made of, for people to read.
struct SwiftWriter {
  /// Returns the name of a property by its column.
  let property: (ColumnReference) -> String
  /// What columns of a referenced row follow.
  private var reference = "$0"
  /// The nesting depth of the closure that is being written.
  private var depth = 0
  /// What stands for some values, such as the key of a group.
  private var names: [SQLNode: String] = [:]
  /// What the rows of a joined table are called; nil if there is none.
  private var joined: String?

  init(property: @escaping (ColumnReference) -> String) {
    self.property = property
  }

  /// Creates the writer for queries of a model.
  init<M: Model>(_ model: M.Type) {
    self.init { column in
      guard column.table == M.schema.table else { return column.name }
      return M.schema.columns.first { $0.name == column.name }?.property ?? column.name
    }
  }

  /// Returns the writer for groups with the keys.
  func grouping(by keys: [SQLNode]) -> SwiftWriter {
    var writer = self
    for (position, key) in keys.enumerated() { writer.names[key] = keys.count == 1 ? "$0.key" : "$0.key.\(position)" }
    return writer
  }

  /// Returns the writer for pairs of joined rows, `$0` and `$1`.
  func joining() -> SwiftWriter {
    var writer = self
    writer.joined = "$1"
    return writer
  }

  /// Writes what `select` takes: `(\.title, \.views)`, or a closure if a value is computed.
  func selection(_ nodes: [SQLNode]) -> String {
    let texts = nodes.map(text)
    guard texts.allSatisfy(Self.isPath) else { return " { \(Self.tuple(texts)) }" }
    return "(\(texts.map { "\\\($0.dropFirst(2))" }.joined(separator: ", ")))"
  }

  /// Writes a tuple, or a single value.
  static func tuple(_ texts: [String]) -> String {
    texts.count == 1 ? texts[0] : "(\(texts.joined(separator: ", ")))"
  }

  /// Whether the text is a property that a key path can lead to.
  static func isPath(_ text: String) -> Bool {
    text.hasPrefix("$0.") && text.allSatisfy { $0.isLetter || $0.isNumber || "$._".contains($0) }
  }

  static func limit(_ limit: Int?, _ offset: Int) -> String {
    guard limit != nil || offset > 0 else { return "" }
    return ".limit(\(limit.map(String.init) ?? "all")\(offset > 0 ? ", offset: \(offset)" : ""))"
  }

  func text(_ node: SQLNode) -> String {
    if let name = names[node] ?? names[node.asValue] { return name }
    return switch node {
    case .column(let column): "\(source(of: column)).\(property(column))"
    case .value(let value): Self.literal(value, nil)
    case .unorderedJSON(let json): json.text
    case .comparison(.greater, .function(.instr, let texts), .value(.integer(0)), _):
      "\(text(texts[0])).contains(\(text(texts[1])))"
    case .comparison(let op, let left, let right, _):
      "\(side(left, beside: right)) \(op.swift) \(side(right, beside: left))"
    case .binary(.subtract, let left, let right) where Self.isDate(left) || Self.isDate(right):
      "\(operand(left)).timeIntervalSince(\(Self.isDate(right) ? text(right) : Self.date(right)))"
    case .binary(let op, let left, let right): text(op == .concatenate ? "+" : op.rawValue, left, right)
    case .junction(let junction): text(junction)
    case .not(.not(let node)): text(node)
    case .not(.isNull(let node)): "\(operand(node)) != nil"
    case .not(let node): "!\(Self.bracketed(text(node)))"
    case .negate(let node): "-\(operand(node))"
    case .isNull(let node): "\(operand(node)) == nil"
    case .isIn(let node, let list, _):
      "\(operand(node)).isIn([\(list.map { constant($0, beside: node) }.joined(separator: ", "))])"
    case .isBetween(let node, let low, let high, _):
      "\(operand(node)).isBetween(\(constant(low, beside: node)), \(constant(high, beside: node)))"
    case .function(let function, let arguments): text(function, arguments)
    case .pattern(let op, let node, let pattern): "\(operand(node)).\(op.rawValue.lowercased())(\(text(pattern)))"
    case .cast(let node, .real): "\(operand(node)).double"
    case .collate(let node, .localized): "\(operand(node)).localized"
    case .related(let base, let column, _): "\(text(base)).\(property(column))"
    case .isRelated(let base, _, let condition): within(text(base), depth).text(condition)
    case .relatedRows(let rows, let question): text(rows, question)
    case .aggregate(let aggregate, let node, _): text(aggregate, of: node)
    case .invalid(let error): "/* \(error.message) */"
    default: "SQL(\"\((try? sql(node)) ?? "…")\")"
    }
  }

  private func sql(_ node: SQLNode) throws -> String {
    var writer = SQLWriter()
    try writer.write(node)
    return writer.sql
  }

  private func within(_ reference: String, _ depth: Int) -> SwiftWriter {
    var writer = self
    (writer.reference, writer.depth) = (reference, depth)
    return writer
  }

  /// The row of a column: `$0` in the innermost closure, and an invented name for rows around it.
  private func source(of column: ColumnReference) -> String {
    switch column.source {
    case .root: depth == 0 ? "$0" : "row"
    case .related: reference
    case .rows(let other): joined != nil && depth == 0 ? joined ?? "" : other == depth ? "$0" : "row\(other)"
    }
  }

  /// Writes an aggregate of a group.
  private func text(_ aggregate: Aggregate, of node: SQLNode?) -> String {
    guard let node else { return "$0.count" }
    var rows = self
    rows.names = [:]
    let value = rows.text(node)
    // Values of joined rows are closures of both.
    let path = joined == nil && Self.isPath(value) ? "\\\(value.dropFirst(2))" : nil
    if aggregate == .distinctCount { return "$0.count(distinct: \(path ?? "{ \(value) }"))" }
    return "$0.\(aggregate.rawValue)" + (path.map { "(\($0))" } ?? " { \(value) }")
  }

  // MARK: Operators

  private func text(_ op: String, _ left: SQLNode, _ right: SQLNode) -> String {
    "\(constant(left, beside: right)) \(op) \(constant(right, beside: left))"
  }

  /// Writes a side of a comparison, which arithmetic binds more strongly than.
  private func side(_ node: SQLNode, beside other: SQLNode) -> String {
    if case .function(let function, _) = node, function.swiftOperator != nil { return text(node) }
    return constant(node, beside: other)
  }

  /// Writes an operand; a constant as one of the type that the other side has.
  private func constant(_ node: SQLNode, beside other: SQLNode) -> String {
    guard case .value(let value) = node else { return operand(node) }
    var type: ColumnType?
    if case .column(let column) = other { type = column.type }
    if case .related(_, let column, _) = other { type = column.type }
    if case .text(let text) = value, other.order == .decimal { return text }
    return Self.literal(value, type)
  }

  /// Writes a node so that operators can stand beside it.
  private func operand(_ node: SQLNode) -> String {
    switch node {
    case .comparison, .binary, .junction, .isNull, .not(.isNull): Self.bracketed(text(node))
    case .function(let function, _) where function.swiftOperator != nil: Self.bracketed(text(node))
    default: text(node)
    }
  }

  private static func bracketed(_ text: String) -> String { text.contains(" ") ? "(\(text))" : text }

  private func text(_ junction: Junction) -> String {
    var parts: [String] = []
    let conditions = junction.conditions
    var position = 0
    while position < conditions.count {
      if position + 1 < conditions.count, let prefix = Self.prefix(conditions[position], conditions[position + 1]) {
        parts.append("\(operand(prefix.text)).hasPrefix(\(Self.literal(.text(prefix.prefix), nil)))")
        position += 2
      } else {
        let node = conditions[position]
        if case .junction = node { parts.append("(\(text(node)))") } else { parts.append(text(node)) }
        position += 1
      }
    }
    return parts.joined(separator: junction.op == .and ? " && " : " || ")
  }

  /// Returns what `hasPrefix` was asked, which is a range of texts.
  private static func prefix(_ low: SQLNode, _ high: SQLNode) -> (text: SQLNode, prefix: String)? {
    guard case .comparison(.greaterOrEqual, let text, .value(.text(let prefix)), _) = low,
      case .comparison(.less, text, .value(.text(let end)), _) = high, prefix.endOfPrefixRange == end
    else { return nil }
    return (text, prefix)
  }

  private func text(_ function: SQLFunction, _ arguments: [SQLNode]) -> String {
    if let op = function.swiftOperator, arguments.count > 1 {
      let typed = arguments.first { !$0.isConstant } ?? arguments[0]
      let isDecimal = function.order == .decimal
      return arguments.map { isDecimal ? decimal($0) : constant($0, beside: typed) }.joined(separator: " \(op) ")
    }
    let rest = arguments.dropFirst().map { constant($0, beside: arguments[0]) }.joined(separator: ", ")
    return switch function {
    case .total: text(.sum, of: arguments[0])
    // The sum of no rows is zero.
    case .coalesce where arguments[0].isSum: text(arguments[0])
    case .coalesce: "\(operand(arguments[0])).or(\(rest))"
    case .periodStart: "\(operand(arguments[0])).\(Self.period(arguments))"
    case .calendarPart: "\(operand(arguments[0])).\(Self.part(arguments))"
    case .decimalRound: "\(operand(arguments[0])).\(Self.rounding(arguments))"
    case .decimalText where !Self.isDecimal(arguments[0]): "\(operand(arguments[0])).decimal"
    case .length, .lowercased, .uppercased, .count: "\(operand(arguments[0])).\(function.swiftName)"
    case .caseFolded where arguments[0].isConstant: text(arguments[0])
    case .caseFolded: "\(operand(arguments[0])).caseInsensitive"
    case .hasSuffix, .localizedContains: "\(operand(arguments[0])).\(function.swiftName)(\(rest))"
    case .seconds, .integer, .single, .decimalText, .float: text(arguments[0])
    case .decimalNegate: "-\(operand(arguments[0]))"
    default: "\(function.swiftName)(\(arguments.map(text).joined(separator: ", ")))"
    }
  }

  // MARK: Related rows

  private func text(_ rows: RelatedRows, _ question: RelatedRows.Question) -> String {
    let source = rows.link == nil ? rows.name : "\(source(ofRowsAt: rows.depth)).\(rows.name)"
    let inner = within("$0", rows.depth)
    let condition = rows.condition.map { " { \(inner.text($0)) }" }
    switch question {
    case .exist where rows.link == nil: return "\(source).exists\(condition ?? " { true }")"
    case .exist: return condition.map { "\(source).contains\($0)" } ?? "!\(source).isEmpty"
    case .value(let value) where value.aggregation != nil:
      guard let (aggregate, node) = value.aggregation else { return "" }
      let text = node.map { inner.text($0) }
      let argument = text.map { Self.isPath($0) ? "(\\\($0.dropFirst(2)))" : " { \($0) }" } ?? ""
      let filter = condition.map { rows.link == nil ? "" : ".where\($0)" } ?? ""
      return "\(source)\(filter).\(aggregate.rawValue)\(rows.link == nil ? condition ?? "" : argument)"
    case .value(let node): return inner.text(node)
    }
  }

  /// The row that owns the rows of a relationship, in the closure around it.
  private func source(ofRowsAt depth: Int) -> String {
    reference == "$0" || depth > self.depth + 1 ? "$0" : reference
  }

  // MARK: Functions

  private func decimal(_ node: SQLNode) -> String {
    if case .value(.text(let text)) = node { text } else { operand(node) }
  }

  private static func isDecimal(_ node: SQLNode) -> Bool { node.order == .decimal }

  /// Whether the node is a date, which arithmetic has of no other number of seconds.
  private static func isDate(_ node: SQLNode) -> Bool {
    switch node {
    case .function(.seconds, _): true
    case .column(let column), .related(_, let column, _): column.type.textForm == .date
    default: false
    }
  }

  private static func date(_ node: SQLNode) -> String {
    guard case .value(.real(let seconds)) = node else { return "…" }
    return Date(timeIntervalSinceReferenceDate: seconds).ISO8601Format()
  }

  private static func period(_ arguments: [SQLNode]) -> String {
    guard arguments.count == 3, case .value(.integer(let number)) = arguments[1],
      let period = CalendarPeriod(number: number)
    else { return "…" }
    let zone = timeZone(arguments[2])
    return switch period {
    case .year: "year(in: \(zone))"
    case .month: "month(in: \(zone))"
    case .week(2): "week(in: \(zone))"
    case .week(let firstWeekday): "week(in: \(zone), firstWeekday: \(firstWeekday))"
    case .day: "day(in: \(zone))"
    case .hour: "hour(in: \(zone))"
    }
  }

  private static func part(_ arguments: [SQLNode]) -> String {
    guard arguments.count == 3, case .value(.integer(let number)) = arguments[1],
      let part = CalendarPart(rawValue: Int(number))
    else { return "…" }
    return "component(.\(part), in: \(timeZone(arguments[2])))"
  }

  private static func timeZone(_ node: SQLNode) -> String {
    guard case .value(.text(let name)) = node else { return "…" }
    return name == TimeZone.gmt.identifier ? ".gmt" : "TimeZone(identifier: \(name.debugDescription))!"
  }

  private static func rounding(_ arguments: [SQLNode]) -> String {
    guard arguments.count == 3, case .value(.integer(let scale)) = arguments[1],
      case .value(.integer(let number)) = arguments[2]
    else { return "…" }
    let modes: [Int64: String] = [1: ", .down", 2: ", .up", 3: ", .bankers"]
    return "rounded(scale: \(scale)\(modes[number] ?? ""))"
  }

  // MARK: Constants

  private static func literal(_ value: Value, _ type: ColumnType?) -> String {
    switch value {
    case .null: "nil"
    case .integer(let integer): type?.numberForm == .boolean ? "\(integer != 0)" : "\(integer)"
    case .real(let seconds) where type?.textForm == .date:
      Date(timeIntervalSinceReferenceDate: seconds).ISO8601Format()
    case .real(let real): "\(real)"
    case .text(let text): type?.order == .decimal ? text : text.debugDescription
    case .blob(let data):
      if type?.textForm == .uuid, let id = try? UUID(storedValue: value) {
        id.uuidString
      } else {
        "\(data.count) bytes"
      }
    }
  }
}

extension SQLNode {
  fileprivate var isSum: Bool { if case .aggregate(.sum, _, _) = self { true } else { false } }

  /// The aggregate and its argument, also of a sum, which is zero without values.
  fileprivate var aggregation: (Aggregate, SQLNode?)? {
    switch self {
    case .aggregate(let aggregate, let node, _): (aggregate, node)
    case .function(.coalesce, let arguments) where arguments[0].isSum: arguments[0].aggregation
    case .function(.total, let arguments): (.sum, arguments[0])
    case .function(.float, let arguments): arguments[0].aggregation
    default: nil
    }
  }
}

extension ComparisonOperator {
  fileprivate var swift: String {
    switch self {
    case .equal: "=="
    case .notEqual: "!="
    default: rawValue
    }
  }
}

extension SQLFunction {
  fileprivate var swiftOperator: String? {
    switch self {
    case .integerAdd, .floatAdd, .decimalAdd: "+"
    case .integerSubtract, .floatSubtract, .decimalSubtract: "-"
    case .integerMultiply, .floatMultiply, .decimalMultiply: "*"
    case .integerDivide, .floatDivide, .decimalDivide: "/"
    default: nil
    }
  }

  fileprivate var swiftName: String {
    switch self {
    case .lowercased: "lowercased"
    case .uppercased: "uppercased"
    case .hasSuffix: "hasSuffix"
    case .localizedContains: "localized.contains"
    case .count: "count"
    default: rawValue
    }
  }
}
