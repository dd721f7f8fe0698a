import Foundation

/// Writes nodes as SQL text with numbered parameters.
struct SQLWriter {
  enum Argument {
    case value(Value)
    case regex(RegexMatcher)
  }

  private(set) var sql = ""
  private(set) var arguments: [Argument] = []
  /// The columns of a file that Larder didn't create whose stored format differs from Larder's.
  let adopted: AdoptedColumns
  /// Whether column names are qualified with their table.
  var isQualified = false
  /// The table of the statement within a condition that is being written, whose columns aren't qualified.
  var innerTable: String?
  /// Whether it has written SQL by hand.
  var hasFragments = false
  /// Whether columns compare as their collation in the file says, so that an index of it can be used.
  private var usesCollations = false

  /// Where a context searches unsaved text, besides the indexes of the file.
  let pendingText: PendingText?

  init(adopted: AdoptedColumns = AdoptedColumns(), pendingText: PendingText? = nil, isQualified: Bool = false) {
    self.adopted = adopted
    self.pendingText = pendingText
    self.isQualified = isQualified
    sql.reserveCapacity(512)
  }

  mutating func write(_ text: String) {
    sql += text
  }

  /// Writes text before all that is written.
  mutating func begin(with text: String) {
    sql = text + sql
  }

  /// Writes an identifier in quotes.
  mutating func writeName(_ name: String) {
    guard !name.utf8.contains(UInt8(ascii: "\"")) else { return write(Quoting.name(name)) }
    sql += "\""
    sql += name
    sql += "\""
  }

  mutating func bind(_ value: Value) {
    sql += "?"
    bindNext(value)
  }

  /// Appends the value of a parameter that was written already.
  mutating func bindNext(_ value: Value) {
    arguments.append(.value(value))
  }

  /// Writes the node. Throws if it contains an error, or can't be expressed in SQL.
  mutating func write(_ node: SQLNode) throws {
    switch node {
    case .column(let column): write(column)
    case .value(let value): bind(value)
    case .unorderedJSON(let json): bind(.text(json.text))
    case .comparison(let op, let left, let right, let order): try write(op, left, right, order)
    case .binary(let op, let left, let right): try write(op, left, right)
    case .junction(let junction): try write(junction)
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
    case .function(let function, let arguments): try write(function, arguments)
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
    case .isInRows(let node, let rows, let isOptional): try write(node, in: rows, isOptional: isOptional)
    case .fragment(let fragment): try write(fragment)
    case .window(let function): try write(function)
    case .invalid(let error): throw error
    }
  }

  /// Writes the new value of a column, in the format of the existing value if an existing file uses other formats than
  /// Larder's.
  mutating func write<M: Model>(_ node: SQLNode, asStoredIn column: String, of schema: ModelSchema<M>) throws {
    guard let adopted = adopted.mixed(column, of: schema.table) else { return try write(node) }
    write("larder_written(")
    try write(node)
    write(", \(Quoting.name(column)), \(adopted.number))")
  }

  /// - Parameter isOrdered: Whether the value is only compared or sorted.
  private mutating func write(_ column: ColumnReference, isOrdered: Bool = false) {
    guard let adopted = adopted.column(column.name, of: column.table) else { return writeReference(to: column) }
    var name = SQLWriter(isQualified: isQualified)
    name.innerTable = innerTable
    name.writeReference(to: column)
    switch adopted.kind {
    case .mixed: write(adopted.read(name.sql))
    case .json where isOrdered: write(adopted.read(name.sql))
    case .integers where !isOrdered: write(adopted.real(name.sql))
    case .native, .json, .integers: write(usesCollations ? name.sql : adopted.exact(name.sql))
    }
  }

  private mutating func writeReference(to column: ColumnReference) {
    switch column.source {
    // A column of the query around the statement.
    case .root where isQualified || innerTable.map { $0 != column.table } == true: writeName(column.table)
    case .root: return writeName(column.name)
    case .related: write(Self.relatedAlias)
    case .rows(let depth): write(Self.alias(ofRows: depth))
    }
    write(".")
    writeName(column.name)
  }

  /// Writes the comparison of a column with a value twice if the column's collation equates texts that differ: as the
  /// file compares, for which it may have an index, and byte by byte.
  mutating func writeComparison(
    of column: SQLNode, with values: [SQLNode], _ body: (inout SQLWriter) throws -> Void
  ) rethrows {
    guard case .column(let reference) = column, !usesCollations, values.allSatisfy(\.isColumnOrConstant),
      let adopted = adopted.column(reference.name, of: reference.table), case .native = adopted.kind,
      adopted.collation?.findsEqualTexts == true
    else { return try body(&self) }
    write("(")
    usesCollations = true
    defer { usesCollations = false }
    try body(&self)
    usesCollations = false
    write(" AND ")
    try body(&self)
    write(")")
  }

  /// Returns the SQL of a column of the model's own table that compares byte by byte.
  func exact(_ sql: String, _ column: String, of table: String) -> String {
    adopted.column(column, of: table)?.exact(sql) ?? sql
  }

  private mutating func write(_ op: ComparisonOperator, _ left: SQLNode, _ right: SQLNode, _ order: ValueOrder) throws {
    if case .unorderedJSON(let json) = left { return try write(op, right, is: json) }
    if case .unorderedJSON(let json) = right { return try write(op, left, is: json) }
    guard op == .equal, right.isConstant else { return try writeOnce(op, left, right, order) }
    try writeComparison(of: left, with: [right]) { try $0.writeOnce(op, left, right, order) }
  }

  private mutating func writeOnce(
    _ op: ComparisonOperator, _ left: SQLNode, _ right: SQLNode, _ order: ValueOrder
  ) throws {
    write("(")
    try writeOrdered(left, order)
    // Between two columns, nil equals nil and differs from every value, as in Swift. A constant is never nil here.
    switch op {
    case .equal where !left.isConstant && !right.isConstant: write(" IS ")
    case .notEqual: write(" IS NOT ")
    default:
      write(" ")
      write(op.rawValue)
      write(" ")
    }
    try write(right)
    write(")")
  }

  /// Compares with JSON whose members may be in another order in the file.
  private mutating func write(_ op: ComparisonOperator, _ node: SQLNode, is json: UnorderedJSON) throws {
    write("(")
    try write(node)
    write(op == .notEqual ? " IS NOT " : " = ")
    bind(.text(json.text))
    write(op == .notEqual ? " AND " : " OR ")
    let isSame = SQLNode.regex(UnorderedJSON.matcher(of: [json]), node)
    try write(op == .notEqual ? SQLNode.not(isSame) : isSame)
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
    let unordered = list.compactMap(\.unorderedJSON)
    guard unordered.isEmpty else {
      // However long the list is, one function looks for a text with the same members in another order.
      write("(")
      try writeOnce(
        node, in: list.map { element in element.unorderedJSON.map { .value(.text($0.text)) } ?? element }, order)
      write(" OR ")
      try write(.regex(UnorderedJSON.matcher(of: unordered), node))
      return write(")")
    }
    try writeComparison(of: node, with: list) { try $0.writeOnce(node, in: list, order) }
  }

  private mutating func writeOnce(_ node: SQLNode, in list: [SQLNode], _ order: ValueOrder) throws {
    // A long list is one parameter: SQLite allows 32,766 parameters, and each length would be another statement.
    if list.count > 32, let list = LongList(list) {
      // Converts each value to one form, because a collation would have to parse both numbers at each step of the
      // search.
      let form =
        order == .decimal ? SQLFunction.decimalText.rawValue : order == .instant ? SQLFunction.seconds.rawValue : ""
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

  private mutating func write(_ function: SQLFunction, _ arguments: [SQLNode]) throws {
    write("\(function.rawValue)(")
    for (position, argument) in arguments.enumerated() {
      if position > 0 { write(", ") }
      try write(argument)
    }
    write(")")
  }

  private mutating func write(_ aggregate: Aggregate, of node: SQLNode?, _ order: ValueOrder) throws {
    guard let node else { return write("count(*)") }
    if [.min, .max].contains(aggregate), case .column(let column) = node,
      let adopted = adopted.column(column.name, of: column.table), adopted.kind == .integers
    {
      // The index of the column serves the aggregate, not what is computed of the column.
      var extreme = SQLWriter(isQualified: isQualified)
      extreme.innerTable = innerTable
      extreme.write(aggregate == .min ? "min(" : "max(")
      extreme.writeReference(to: column)
      extreme.write(")")
      return write(adopted.real(extreme.sql))
    }
    switch (aggregate, order) {
    case (.count, _): write("count(")
    case (.distinctCount, _): write("count(DISTINCT ")
    case (.sum, .decimal): write("larder_decimal_sum(")
    case (.sum, _): write("sum(")
    case (.average, .decimal): write("larder_decimal_average(")
    case (.average, _): write("avg(")
    case (.min, _): write("min(")
    case (.max, _): write("max(")
    }
    if [.min, .max, .distinctCount].contains(aggregate) { try writeOrdered(node, order) } else { try write(node) }
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
    if case .column(let column) = node { write(column, isOrdered: true) } else { try write(node) }
    switch order {
    case .stored: break
    case .decimal: write(" COLLATE \(Collation.decimal.rawValue)")
    case .instant: write(" COLLATE \(Collation.instant.rawValue)")
    }
  }

  private mutating func writeJSON(_ node: SQLNode) throws {
    switch node {
    case .json(let base, let path): try writeJSON(.json, base, path)
    case .jsonContains(let base, let element):
      var (array, path) = (base, [JSONPathStep]())
      if case .json(let inner, let steps) = base { (array, path) = (inner, steps) }
      switch element {
      case .function(.jsonConstant, let arguments):
        let form = arguments[1] == .value(.integer(1)) ? JSONFunctions.ElementForm.exactJSON : .json
        try writeContains(array, path, [.value(.integer(form.rawValue)), arguments[0]])
      default:
        try writeContains(array, path, [.value(.integer(JSONFunctions.ElementForm.value.rawValue)), element])
      }
    case .jsonCount(let base):
      write("(SELECT count(*) FROM ")
      try writeElements({ try $0.write(base) }, Self.containedElement) { _ in }
      write(")")
    case .jsonTest(let base, let quantifier, let element, let test):
      // All elements satisfy the condition if the array exists and no element fails it.
      if quantifier == .every {
        write("((")
        try write(base)
        write(") IS NOT NULL AND NOT ")
      }
      write("EXISTS (SELECT 1 FROM ")
      func writeMarked(_ writer: inout SQLWriter) throws {
        writer.write("larder_json_elements(")
        try writer.write(base)
        writer.write(")")
      }
      try writeElements(writeMarked, Self.alias(of: element)) { writer in
        writer.write(" WHERE ")
        try writer.write(quantifier == .some ? test : .not(test))
      }
      write(quantifier == .every ? "))" : ")")
    case .jsonElement(let element):
      let alias = Self.alias(of: element)
      write("CASE \(alias).type WHEN 'text' THEN larder_json_element(\(alias).value) ELSE \(alias).value END")
    default: preconditionFailure("not a node of JSON")
    }
  }

  /// Writes a function of the value at a path in JSON.
  private mutating func writeJSON(
    _ function: SQLFunction, _ base: SQLNode, _ path: [JSONPathStep], _ arguments: [SQLNode] = []
  ) throws {
    try write(function, [base] + arguments + path.map(\.node))
  }

  /// Elements are compared as JSON, so the array has to be in Larder's format.
  private mutating func writeContains(_ array: SQLNode, _ path: [JSONPathStep], _ arguments: [SQLNode]) throws {
    write("\(SQLFunction.jsonContains.rawValue)(")
    try writeOrdered(array, .stored)
    for argument in arguments + path.map(\.node) {
      write(", ")
      try write(argument)
    }
    write(")")
  }

  private static let containedElement = "larder_contained"

  private static func alias(of element: Int) -> String { "larder_element_\(element)" }

  /// Writes the elements of an array as rows of a table named `alias`. In the closure, column names are qualified with
  /// their table, because `json_each` has columns named key, value, type and id, as models do.
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

  /// Qualifies column names with their table, as needed in a subquery that has its own columns.
  mutating func qualifying(_ body: (inout SQLWriter) throws -> Void) rethrows {
    let wasQualified = isQualified
    isQualified = true
    defer { isQualified = wasQualified }
    try body(&self)
  }
}

extension SQLNode {
  var isConstant: Bool {
    switch self {
    case .value, .unorderedJSON: true
    default: false
    }
  }

  fileprivate var isColumnOrConstant: Bool {
    if case .column = self { true } else { isConstant }
  }

  fileprivate var unorderedJSON: UnorderedJSON? {
    if case .unorderedJSON(let json) = self { json } else { nil }
  }
}

extension JSONPathStep {
  /// The step as an argument of a function.
  var node: SQLNode {
    switch self {
    case .key(let key): .value(.text(key))
    case .index(let index): .value(.integer(Int64(index)))
    }
  }
}
