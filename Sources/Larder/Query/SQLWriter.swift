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
  /// Those of them whose identifiers are in lower case.
  let lowercaseColumns: Set<String>
  /// Whether columns are named together with their table.
  var isQualified = false

  /// Where a context looks for text besides the indexes of the file.
  let pendingText: PendingText?

  init(textColumns: Set<String> = [], lowercaseColumns: Set<String> = [], pendingText: PendingText? = nil) {
    self.textColumns = textColumns
    self.lowercaseColumns = lowercaseColumns
    self.pendingText = pendingText
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
    case .column(let column): write(column)
    case .value(let value): bind(value)
    case .comparison(let op, let left, let right, let order): try write(op, left, right, order)
    case .binary(let op, let left, let right): try write(op, left, right)
    case .not(let node):
      write("((")
      try write(node)
      write(") IS NOT TRUE)")
    case .negate(let node):
      write("-(")
      try write(node)
      write(")")
    case .isNull(let node):
      write("((")
      try write(node)
      write(") IS NULL)")
    case .isIn(let node, let list, let order): try write(node, in: list, order)
    case .isBetween(let node, let low, let high, let order):
      write("(")
      try writeOrdered(node, order)
      write(" BETWEEN ")
      try write(low)
      write(" AND ")
      try write(high)
      write(")")
    case .function(let name, let arguments): try write(function: name, arguments)
    case .aggregate(let aggregate, let node, let order): try write(aggregate, of: node, order)
    case .pattern(let op, let text, let pattern):
      write("((")
      try write(text)
      write(") \(op.rawValue) ")
      try write(pattern)
      write(")")
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
    case .json, .jsonContains, .jsonCount, .jsonTest, .jsonElement: try writeJSON(node)
    case .related, .isRelated, .relatedRows, .paired, .pairPosition: try writeRelated(node)
    case .invalid(let error): throw error
    }
  }

  /// Writes what a column is set to: as text, where an existing file keeps its dates or identifiers so.
  mutating func write<M: Model>(_ node: SQLNode, asStoredIn column: String, of schema: ModelSchema<M>) throws {
    let place = "\(schema.table).\(column)"
    guard textColumns.contains(place), let type = schema.columns.first(where: { $0.name == column })?.type else { return try write(node) }
    if lowercaseColumns.contains(place) { write("lower(") }
    write(type.textForm == .date ? "larder_date_text(" : "larder_uuid_text(")
    try write(node)
    write(lowercaseColumns.contains(place) ? "))" : ")")
  }

  private mutating func write(_ column: ColumnReference) {
    var text = dialect.quote(column.name)
    switch column.source {
    case .root: if isQualified { text = "\(dialect.quote(column.table)).\(text)" }
    case .related: text = "\(Self.relatedAlias).\(text)"
    case .rows(let depth): text = "\(Self.alias(ofRows: depth)).\(text)"
    }
    if let form = column.type.textForm, !textColumns.isEmpty, textColumns.contains("\(column.table).\(column.name)") {
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
    if list.count > 32, let list = LongList(list) {
      // One form for one value: a collation would have to read both numbers at each step of the search.
      let form = order == .decimal ? "larder_decimal_text" : order == .instant ? "larder_seconds" : ""
      write("(\(form)(")
      try write(node)
      write(") IN (SELECT \(form)(\(list.element)) FROM json_each(")
      bind(.text(list.json))
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
    case .json(let base, let path): try writeJSON(base, at: path[...])
    case .jsonContains(let base, let element):
      write("EXISTS (SELECT 1 FROM ")
      try writeElements({ try $0.write(base) }, Self.containedElement) { writer in
        writer.write(" WHERE \(Self.containedElement).value IS ")
        try writer.write(element)
      }
      write(")")
    case .jsonCount(let base):
      write("(SELECT count(*) FROM ")
      try writeElements({ try $0.write(base) }, Self.containedElement) { _ in }
      write(")")
    case .jsonTest(let base, let quantifier, let element, let test):
      // Every element satisfies the condition where the array is there and no element fails it.
      if quantifier == .every {
        write("((")
        try write(base)
        write(") IS NOT NULL AND NOT ")
      }
      write("EXISTS (SELECT 1 FROM ")
      try writeElements({ try $0.write(base) }, Self.alias(of: element)) { writer in
        writer.write(" WHERE ")
        try writer.write(quantifier == .some ? test : .not(test))
      }
      write(quantifier == .every ? "))" : ")")
    case .jsonElement(let element): write("\(Self.alias(of: element)).value")
    default: preconditionFailure("not a node of JSON")
    }
  }

  /// The value at a path. SQLite compares the keys of a path with the characters of the JSON, escapes and all: a key that JSON escapes is looked
  /// for among the members instead.
  private mutating func writeJSON(_ base: SQLNode, at path: ArraySlice<JSONPathStep>) throws {
    guard let last = path.last else { return try write(base) }
    if case .key(let key) = last, last.isEscaped {
      write("(SELECT \(Self.containedElement).value FROM ")
      try writeElements({ try $0.writeJSON(base, at: path.dropLast()) }, Self.containedElement) { writer in
        writer.write(" WHERE \(Self.containedElement).key = ")
        writer.bind(.text(key))
      }
      write(")")
      return
    }
    let tail = path[((path.lastIndex(where: \.isEscaped) ?? path.startIndex - 1) + 1)...]
    write("json_extract(")
    try writeJSON(base, at: path.dropLast(tail.count))
    write(", ")
    bind(.text(Self.jsonPath(tail)))
    write(")")
  }

  private static let containedElement = "larder_contained"

  private static func alias(of element: Int) -> String { "larder_element_\(element)" }

  /// The elements of an array as rows of a table called `alias`. Within, the model's columns are named together with their table:
  /// `json_each` has columns called key, value, type and id, as models do.
  private mutating func writeElements(
    _ base: (inout SQLWriter) throws -> Void, _ alias: String, _ rest: (inout SQLWriter) throws -> Void
  ) throws {
    try qualifying { writer in
      writer.write("json_each(")
      try base(&writer)
      writer.write(") AS \(alias)")
      try rest(&writer)
    }
  }

  /// Names columns together with their table, as a subquery needs that has columns of its own.
  mutating func qualifying(_ body: (inout SQLWriter) throws -> Void) rethrows {
    let wasQualified = isQualified
    isQualified = true
    defer { isQualified = wasQualified }
    try body(&self)
  }

  /// SQLite's path: `$."key"[0]`; a negative index counts from the end.
  private static func jsonPath(_ steps: ArraySlice<JSONPathStep>) -> String {
    steps.reduce("$") { path, step in
      switch step {
      case .key(let key): "\(path).\"\(key)\""
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

extension JSONPathStep {
  /// Whether the step is a key with characters that JSON holds by an escape: quotes, backslashes, control characters.
  fileprivate var isEscaped: Bool {
    guard case .key(let key) = self else { return false }
    return key.utf8.contains { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C || $0 == 0x7F }
  }
}
