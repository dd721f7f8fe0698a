import Foundation

/// Writes nodes as SQL text with numbered parameters.
struct SQLWriter {
  enum Argument {
    case value(Value)
    case regex(RegexMatcher)
  }

  private(set) var sql = ""
  private(set) var arguments: [Argument] = []
  let dialect = Dialect.sqlite
  /// The columns, as "table.column", that an existing file fills with text in the place of dates or identifiers.
  let textColumns: Set<String>
  /// Whether columns are named together with their table.
  var isQualified = false

  init(textColumns: Set<String> = []) {
    self.textColumns = textColumns
    sql.reserveCapacity(256)
  }

  mutating func write(_ text: String) {
    sql += text
  }

  mutating func bind(_ value: Value) {
    arguments.append(.value(value))
    sql += "?"
  }

  /// Writes the node. Throws where it could not be made, or says what the database cannot.
  mutating func write(_ node: SQLNode) throws {
    switch node {
    case .column(let table, let name, let type): write(column: name, of: table, type)
    case .value(let value): bind(value)
    case .comparison(let op, let left, let right, let order): try write(op, left, right, order)
    case .binary(let op, let left, let right): try write(op, left, right)
    case .not(let node):
      write("(")
      try write(node)
      write(") IS NOT TRUE")
    case .negate(let node):
      write("-(")
      try write(node)
      write(")")
    case .isNull(let node):
      write("(")
      try write(node)
      write(") IS NULL")
    case .isIn(let node, let list, let order): try write(node, in: list, order)
    case .isBetween(let node, let low, let high, let order):
      try writeOrdered(node, order)
      write(" BETWEEN ")
      try write(low)
      write(" AND ")
      try write(high)
    case .function(let name, let arguments): try write(function: name, arguments)
    case .aggregate(let aggregate, let node, let order): try write(aggregate, of: node, order)
    case .pattern(let op, let text, let pattern):
      write("(")
      try write(text)
      write(") \(op.rawValue) ")
      try write(pattern)
    case .regex(let matcher, let node):
      write("larder_matches(")
      arguments.append(.regex(matcher))
      write("?, ")
      try write(node)
      write(")")
    case .cast(let node, let type):
      write("CAST(")
      try write(node)
      write(" AS \(type.rawValue))")
    case .collate(let node, let collation):
      try write(node)
      write(" COLLATE \(collation.rawValue)")
    case .condition(let branches, let otherwise): try write(branches, otherwise)
    case .json, .jsonContains, .jsonCount: try writeJSON(node)
    case .invalid(let error): throw error
    }
  }

  private mutating func write(column name: String, of table: String, _ type: ColumnType) {
    var text = dialect.quote(name)
    if isQualified { text = "\(dialect.quote(table)).\(text)" }
    if let form = type.textForm, !textColumns.isEmpty, textColumns.contains("\(table).\(name)") {
      text = form == .date ? "larder_seconds(\(text))" : "larder_uuid(\(text))"
    }
    write(text)
  }

  private mutating func write(_ op: ComparisonOperator, _ left: SQLNode, _ right: SQLNode, _ order: ValueOrder) throws {
    write("(")
    try writeOrdered(left, order)
    // Between two columns nil equals nil, and nil differs from every value, as in Swift. A constant on a side is never nil here.
    switch op {
    case .equal where !left.isConstant && !right.isConstant: write(" IS ")
    case .notEqual: write(" IS NOT ")
    default: write(" \(op.rawValue) ")
    }
    try write(right)
    write(")")
  }

  private mutating func write(_ op: BinaryOperator, _ left: SQLNode, _ right: SQLNode) throws {
    write("(")
    try write(left)
    write(" \(op.rawValue) ")
    try write(right)
    write(")")
  }

  private mutating func write(_ node: SQLNode, in list: [SQLNode], _ order: ValueOrder) throws {
    // A long list is one parameter: SQLite allows 32,766 of them, and each length would be a statement of its own.
    if list.count > 32, order == .stored, let json = Self.json(list) {
      write("(")
      try write(node)
      write(" IN (SELECT value FROM json_each(")
      bind(.text(json))
      write(")))")
      return
    }
    write("(")
    try writeOrdered(node, order)
    write(" IN (")
    for (position, element) in list.enumerated() {
      if position > 0 { write(", ") }
      try write(element)
    }
    write("))")
  }

  /// The list as a JSON array, where all of it is integers or all of it is text that JSON keeps exactly.
  private static func json(_ list: [SQLNode]) -> String? {
    var integers: [Int64] = []
    var texts: [String] = []
    for node in list {
      switch node {
      case .value(.integer(let integer)): integers.append(integer)
      case .value(.text(let text)) where !text.utf8.contains(0): texts.append(text)
      default: return nil
      }
    }
    if texts.isEmpty { return "[\(integers.map(String.init).joined(separator: ","))]" }
    guard integers.isEmpty, let json = try? JSONEncoder().encode(texts) else { return nil }
    return String(decoding: json, as: UTF8.self)
  }

  private mutating func write(function name: String, _ arguments: [SQLNode]) throws {
    write("\(name)(")
    for (position, argument) in arguments.enumerated() {
      if position > 0 { write(", ") }
      try write(argument)
    }
    write(")")
  }

  private mutating func write(_ aggregate: Aggregate, of node: SQLNode?, _ order: ValueOrder) throws {
    guard let node else { return write("count(*)") }
    switch (aggregate, order) {
    case (.count, _): write("count(")
    case (.sum, .decimal): write("larder_decimal_sum(")
    case (.sum, _): write("sum(")
    case (.average, .decimal): write("larder_decimal_average(")
    case (.average, _): write("avg(")
    case (.min, _): write("min(")
    case (.max, _): write("max(")
    }
    if aggregate == .min || aggregate == .max { try writeOrdered(node, order) } else { try write(node) }
    write(")")
  }

  private mutating func write(_ branches: [SQLNode.Branch], _ otherwise: SQLNode) throws {
    write("CASE")
    for branch in branches {
      write(" WHEN ")
      try write(branch.condition)
      write(" THEN ")
      try write(branch.result)
    }
    write(" ELSE ")
    try write(otherwise)
    write(" END")
  }

  /// Writes the node so that it is compared and sorted in the order of its values.
  mutating func writeOrdered(_ node: SQLNode, _ order: ValueOrder) throws {
    try write(node)
    switch order {
    case .stored: break
    case .decimal: write(" COLLATE \(Collation.decimal.rawValue)")
    case .instant: write(" COLLATE \(Collation.instant.rawValue)")
    }
  }

  private mutating func writeJSON(_ node: SQLNode) throws {
    switch node {
    case .json(let base, let path):
      write("json_extract(")
      try write(base)
      write(", ")
      bind(.text(Self.jsonPath(path)))
      write(")")
    case .jsonContains(let base, let element):
      write("EXISTS (SELECT 1 FROM json_each(")
      try write(base)
      write(") WHERE value IS ")
      try write(element)
      write(")")
    case .jsonCount(let base):
      write("(SELECT count(*) FROM json_each(")
      try write(base)
      write("))")
    default: preconditionFailure("not a node of JSON")
    }
  }

  /// SQLite's path: `$."key"[0]`; a negative index counts from the end.
  private static func jsonPath(_ steps: [JSONPathStep]) -> String {
    steps.reduce("$") { path, step in
      switch step {
      case .key(let key): "\(path).\"\(key.jsonEscaped)\""
      case .index(let index): index < 0 ? "\(path)[#\(index)]" : "\(path)[\(index)]"
      }
    }
  }
}

extension SQLNode {
  var isConstant: Bool {
    if case .value = self { true } else { false }
  }
}

extension String {
  /// The characters of a JSON string, as JSONEncoder writes them.
  fileprivate var jsonEscaped: String {
    guard utf8.contains(where: { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C }) else { return self }
    guard let json = try? JSONEncoder().encode(self) else { return self }
    return String(String(decoding: json, as: UTF8.self).dropFirst().dropLast())
  }
}
