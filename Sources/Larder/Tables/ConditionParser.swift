import Foundation

/// Reads conditions and sorts that a person wrote, such as `title contains "milk" and modifiedAt > 2026-01-01`.
///
/// They become the same syntax trees as the conditions of ``Query``, so both answer alike.
struct ConditionParser {
  /// Where names are looked up.
  private struct Place {
    let table: TableDescription
    let scope: ColumnScope
    /// The nesting depth of the next subquery.
    let depth: Int
  }

  private let tokens: [ConditionToken]
  private let source: String
  private let describe: (String) throws -> TableDescription
  private var place: Place
  private var position = 0
  private var nesting = 0

  /// The number of parentheses, negations and signs that may be within each other.
  private static let greatestNesting = 100

  /// - Parameters:
  ///   - text: The text.
  ///   - source: What the text is, for messages.
  ///   - table: The table whose rows are meant.
  ///   - describe: Returns the description of another table.
  private init(
    _ text: String, _ source: String, _ table: TableDescription,
    _ describe: @escaping (String) throws -> TableDescription
  ) throws {
    tokens = try ConditionLexer.tokens(of: text, source)
    self.source = source
    self.describe = describe
    place = Place(table: table, scope: .root, depth: 0)
  }

  /// Returns the condition that a text says.
  static func condition(
    _ text: String, on table: TableDescription, _ describe: @escaping (String) throws -> TableDescription
  ) throws -> SQLNode {
    var parser = try ConditionParser(text, "condition", table, describe)
    let node = try parser.alternatives().condition(of: parser.source)
    guard parser.kind == .end else {
      throw parser.unexpected("The condition could end here; join another by and, or or.")
    }
    return node
  }

  /// Returns the sorts that a text says: `-modifiedAt, title`, or `modifiedAt desc, title asc`.
  static func sorts(
    _ text: String, on table: TableDescription, _ describe: @escaping (String) throws -> TableDescription
  ) throws -> [QuerySort] {
    var parser = try ConditionParser(text, "sort", table, describe)
    var sorts: [QuerySort] = []
    repeat {
      var isDescending = parser.take("-")
      let term = try parser.value()
      guard !term.isConstant else { throw parser.error(term.position, "Rows are sorted by a value of theirs.") }
      if parser.takeWord("desc") || parser.takeWord("descending") {
        isDescending.toggle()
      } else if !parser.takeWord("asc") {
        _ = parser.takeWord("ascending")
      }
      sorts.append(QuerySort(node: try term.node(beside: nil, of: parser.source).asValue, isDescending: isDescending))
    } while parser.take(",")
    guard parser.kind == .end else { throw parser.unexpected("Separate sorts by commas.") }
    return sorts
  }

  // MARK: Words

  private var token: ConditionToken { tokens[position] }
  private var kind: ConditionToken.Kind { token.kind }

  private mutating func take(_ symbols: String...) -> Bool {
    guard case .symbol(let symbol) = kind, symbols.contains(symbol) else { return false }
    position += 1
    return true
  }

  private func isWord(_ word: String, at offset: Int = 0) -> Bool {
    guard position + offset < tokens.count, case .name(let name, false) = tokens[position + offset].kind else {
      return false
    }
    return name.asciiLowercased == word.asciiLowercased
  }

  private mutating func takeWord(_ words: String...) -> Bool {
    guard words.contains(where: { isWord($0) }) else { return false }
    position += 1
    return true
  }

  private func error(_ position: Int, _ message: String) -> StoreError { StoreError(at: position, of: source, message) }

  private func unexpected(_ remedy: String) -> StoreError {
    switch kind {
    case .end: error(token.position, "The \(source) ends too early. \(remedy)")
    case .name(let text, _), .number(let text), .date(let text), .symbol(let text):
      error(token.position, "\(text) is not expected here. \(remedy)")
    case .text: error(token.position, "A text is not expected here. \(remedy)")
    }
  }

  private mutating func expect(_ symbol: String) throws {
    guard take(symbol) else { throw unexpected("Write \(symbol).") }
  }

  /// Counts a level, and refuses a text that would need too much of the stack.
  private mutating func nested<Result>(_ body: (inout ConditionParser) throws -> Result) throws -> Result {
    nesting += 1
    defer { nesting -= 1 }
    guard nesting <= Self.greatestNesting else {
      throw error(token.position, "More than \(Self.greatestNesting) levels are nested. Write a flatter condition.")
    }
    return try body(&self)
  }

  // MARK: Conditions

  private mutating func alternatives() throws -> ConditionOperand {
    try joined(by: { $0.take("||") || $0.takeWord("or") }, SQLNode.or) { try $0.conjunction() }
  }

  private mutating func conjunction() throws -> ConditionOperand {
    try joined(by: { $0.take("&&") || $0.takeWord("and") }, SQLNode.and) { try $0.negation() }
  }

  private mutating func joined(
    by takeWord: (inout ConditionParser) -> Bool, _ join: (SQLNode, SQLNode) -> SQLNode,
    _ part: (inout ConditionParser) throws -> ConditionOperand
  ) throws -> ConditionOperand {
    let first = try part(&self)
    guard takeWord(&self) else { return first }
    var node = try first.condition(of: source)
    repeat { node = join(node, try part(&self).condition(of: source)) } while takeWord(&self)
    return ConditionOperand(content: .condition(node), position: first.position)
  }

  private mutating func negation() throws -> ConditionOperand {
    let start = token.position
    guard take("!") || takeWord("not") else { return try comparison() }
    let node = try nested { try $0.negation().condition(of: $0.source) }
    return ConditionOperand(content: .condition(.not(node)), position: start)
  }

  private mutating func comparison() throws -> ConditionOperand {
    let left = try value()
    if case .symbol(let symbol) = kind, let op = Self.comparisons[symbol] {
      position += 1
      return .init(content: .condition(try compare(op, left, try value())), position: left.position)
    }
    let isNegated = isWord("not") && Self.operators.contains { isWord($0, at: 1) }
    if isNegated { position += 1 }
    guard let node = try wordComparison(left) else { return left }
    return .init(content: .condition(isNegated ? .not(node) : node), position: left.position)
  }

  private static let comparisons: [String: ComparisonOperator] = [
    "==": .equal, "=": .equal, "!=": .notEqual, "<>": .notEqual, "<": .less, "<=": .lessOrEqual, ">": .greater,
    ">=": .greaterOrEqual,
  ]

  private static let operators = ["contains", "hasPrefix", "hasSuffix", "like", "glob", "matches", "in", "between"]

  private func compare(_ op: ComparisonOperator, _ left: ConditionOperand, _ right: ConditionOperand) throws -> SQLNode
  {
    .compare(op, try left.node(beside: right, of: source), try right.node(beside: left, of: source))
  }

  /// Reads an operator that is a word, and what follows; returns nil if there is none.
  private mutating func wordComparison(_ left: ConditionOperand) throws -> SQLNode? {
    if takeWord("is") {
      let isNegated = takeWord("not")
      guard takeWord("nil", "null") else { throw unexpected("Write is nil, or is not nil.") }
      let isNull = SQLNode.isNull(try left.node(beside: nil, of: source))
      return isNegated ? .not(isNull) : isNull
    }
    if takeWord("contains") { return try containing(left) }
    if takeWord("in") { return try isIn(left) }
    if takeWord("between") {
      let low = try value()
      guard takeWord("and") else { throw unexpected("Write between … and ….") }
      let high = try value()
      return .and(try compare(.greaterOrEqual, left, low), try compare(.lessOrEqual, left, high))
    }
    for (word, make) in Self.patterns where takeWord(word) {
      let text = try patternText(left, word)
      let node = try left.node(beside: nil, of: source)
      return make(node, left.isFolded ? text.caseFolded : text)
    }
    guard takeWord("matches") else { return nil }
    let start = token.position
    let pattern = try patternText(left, "matches")
    guard let regex = try? Regex(pattern) else { throw error(start, "The pattern is no regular expression.") }
    guard case .property(let node, _) = left.content else {
      return .regex(RegexMatcher(regex), try left.node(beside: nil, of: source))
    }
    return .regex(RegexMatcher(left.isFolded ? regex.ignoresCase() : regex), node)
  }

  private static let patterns: [(String, @Sendable (SQLNode, String) -> SQLNode)] = [
    ("hasPrefix", { .textHasPrefix($0, $1) }), ("hasSuffix", { .textHasSuffix($0, .value(.text($1))) }),
    ("like", { .pattern(.like, $0, .value(.text($1))) }), ("glob", { .pattern(.glob, $0, .value(.text($1))) }),
  ]

  private mutating func patternText(_ left: ConditionOperand, _ word: String) throws -> String {
    if case .property(_, let property) = left.content, ![.text, .any].contains(property.type) {
      throw error(left.position, "\(property.name) is a \(property.swiftType), and \(word) asks for a text.")
    }
    guard case .text(let text) = kind else { throw unexpected("Write a text in quotation marks after \(word).") }
    position += 1
    return text
  }

  private mutating func containing(_ left: ConditionOperand) throws -> SQLNode {
    if case .rows(let rows) = left.content {
      try expect("(")
      let node = try condition(in: rows)
      try expect(")")
      return rows.asking(.exist, node)
    }
    let right = try value()
    switch left.content {
    case .property(let node, let property) where property.type == .json: return try json(node, contains: right)
    case .untyped(let node):
      guard case .constant(.text(let text)) = right.content else { return try json(node, contains: right) }
      return .or(try json(node, contains: right), .textContains(node, .value(.text(text))))
    case .property(_, let property) where ![.text, .any].contains(property.type):
      throw error(left.position, "\(property.name) is a \(property.swiftType), which contains nothing.")
    default:
      return .textContains(
        try left.node(beside: right, of: source), try right.node(beside: left, of: source))
    }
  }

  private func json(_ node: SQLNode, contains element: ConditionOperand) throws -> SQLNode {
    switch element.content {
    case .constant(.bool(let bool)): .jsonContains(node, .jsonConstant(bool))
    case .constant(.text(let text)): .jsonContains(node, .jsonConstant(text))
    case .constant(.number(let text)):
      .jsonContains(node, Int64(text).map(SQLNode.jsonConstant) ?? .jsonConstant(Double(text) ?? 0))
    default: .jsonContains(node, try element.node(beside: nil, of: source))
    }
  }

  private mutating func isIn(_ left: ConditionOperand) throws -> SQLNode {
    let isBracket = take("[")
    if !isBracket { try expect("(") }
    let end = isBracket ? "]" : ")"
    var nodes: [SQLNode] = []
    if !take(end) {
      repeat { nodes.append(try value().node(beside: left, of: source)) } while take(",")
      try expect(end)
    }
    let node = try left.node(beside: nil, of: source)
    let list = nodes.filter { $0 != .value(.null) }
    let isIn = SQLNode.lifting(node) { .isIn($0, list, node.order) }
    return list.count == nodes.count ? isIn : .or(isIn, .isNull(node))
  }

  /// Reads a condition in which names are those of the rows.
  private mutating func condition(in rows: ConditionRows) throws -> SQLNode {
    try inside(rows) { try $0.alternatives().condition(of: $0.source) }
  }

  private mutating func inside<Result>(
    _ rows: ConditionRows, _ body: (inout ConditionParser) throws -> Result
  ) throws -> Result {
    let outer = place
    place = Place(table: rows.table, scope: rows.scope, depth: rows.depth + 1)
    defer { place = outer }
    return try nested(body)
  }

  // MARK: Values

  /// Reads a value, perhaps with another behind `??` for rows that have none.
  private mutating func value() throws -> ConditionOperand {
    let first = try sum()
    guard take("??") else { return first }
    let other = try value()
    let node = SQLNode.function(
      .coalesce,
      SQLNode.alternatives([try first.node(beside: other, of: source), try other.node(beside: first, of: source)]))
    return try first.replacing(node) ?? other.replacing(node)
      ?? {
        throw error(first.position, "?? is for a property that may be nil.")
      }()
  }

  private mutating func sum() throws -> ConditionOperand {
    var left = try product()
    while case .symbol(let symbol) = kind, symbol == "+" || symbol == "-" {
      position += 1
      left = try arithmetic(symbol == "+" ? .add : .subtract, left, try product())
    }
    return left
  }

  private mutating func product() throws -> ConditionOperand {
    var left = try factor()
    while case .symbol(let symbol) = kind,
      let op = ["*": BinaryOperator.multiply, "/": .divide, "%": .remainder][symbol]
    {
      position += 1
      left = try arithmetic(op, left, try factor())
    }
    return left
  }

  private func arithmetic(
    _ op: BinaryOperator, _ left: ConditionOperand, _ right: ConditionOperand
  ) throws -> ConditionOperand {
    guard let type = left.numberType ?? right.numberType ?? constantType(left, right) else {
      throw error(left.position, "\(op.rawValue) computes with numbers, and neither side is one.")
    }
    let sides = [try left.node(beside: right, of: source), try right.node(beside: left, of: source)]
    let isWhole = [left, right].allSatisfy { ($0.numberType ?? type).storageClass == .integer && !$0.isFraction }
    let isDecimal = [left, right].contains { $0.numberType?.order == .decimal }
    let result =
      isDecimal
      ? ColumnType(storageClass: .text, isOptional: true, order: .decimal)
      : ColumnType(storageClass: isWhole ? .integer : .real, isOptional: true)
    return ConditionOperand(
      content: .value(.arithmetic(op, sides[0], sides[1], result), result), position: left.position)
  }

  private func constantType(_ left: ConditionOperand, _ right: ConditionOperand) -> ColumnType? {
    let isUntyped = [left, right].contains { if case .untyped = $0.content { true } else { false } }
    guard isUntyped || (left.isNumber && right.isNumber) else { return nil }
    return ColumnType(storageClass: .real, isOptional: true)
  }

  private mutating func factor() throws -> ConditionOperand {
    let start = token.position
    guard take("-") else { return try primary() }
    let operand = try nested { try $0.factor() }
    if case .constant(.number(let text)) = operand.content {
      let negated = text.hasPrefix("-") ? String(text.dropFirst()) : "-\(text)"
      return ConditionOperand(content: .constant(.number(negated)), position: start)
    }
    guard let type = operand.numberType else { throw error(start, "- negates numbers, and this is none.") }
    return ConditionOperand(
      content: .value(.negation(try operand.node(beside: nil, of: source), type), type), position: start)
  }

  private mutating func primary() throws -> ConditionOperand {
    let start = token.position
    switch kind {
    case .number(let text): return constant(.number(text))
    case .text(let text): return constant(.text(text))
    case .date(let text):
      guard let date = ISO8601.date(from: text) else { throw error(start, "\(text) is no date.") }
      return constant(.date(date))
    case .name: return try named()
    case .symbol("!"):
      position += 1
      let node = try nested { try $0.primary().condition(of: $0.source) }
      return ConditionOperand(content: .condition(.not(node)), position: start)
    case .symbol("("):
      position += 1
      let inner = try nested { try $0.alternatives() }
      try expect(")")
      return inner
    default: throw unexpected("Write a property, or a value.")
    }
  }

  private mutating func constant(_ constant: ConditionOperand.Constant) -> ConditionOperand {
    defer { position += 1 }
    return ConditionOperand(content: .constant(constant), position: token.position)
  }

  // MARK: Names

  /// Reads a constant that is a word, or the path to a property.
  private mutating func named() throws -> ConditionOperand {
    let start = token.position
    guard case .name(let name, let isQuoted) = kind else { throw unexpected("Write a property.") }
    if !isQuoted, place.table.property(name) == nil {
      switch name.asciiLowercased {
      case "true", "false": return constant(.bool(name.asciiLowercased == "true"))
      case "nil", "null": return constant(.null)
      case "now":
        position += 1
        return ConditionOperand(content: .constant(.date(try moment())), position: start)
      default: break
      }
    }
    position += 1
    var path = try step(name, in: place.table, place.scope, start)
    while true {
      if take("[") {
        path = try element(of: path)
        continue
      }
      guard case .symbol(".") = kind else { return path }
      position += 1
      guard case .name(let name, _) = kind else { throw unexpected("Write a name after the point.") }
      let start = token.position
      position += 1
      path = try member(name, of: path, start)
    }
  }

  /// Reads what follows `now`: `- 7 days`.
  private mutating func moment() throws -> Date {
    let now = Date.now
    guard case .symbol(let sign) = kind, sign == "+" || sign == "-", position + 1 < tokens.count,
      case .number(let text) = tokens[position + 1].kind, let number = Double(text)
    else { return now }
    position += 2
    for (unit, seconds) in [("minute", 60.0), ("hour", 3600), ("day", 86_400), ("week", 604_800)]
    where takeWord(unit, "\(unit)s") {
      return now.addingTimeInterval((sign == "-" ? -number : number) * seconds)
    }
    throw unexpected("Write a unit: minutes, hours, days or weeks.")
  }

  /// Returns the property or relationship of a table. Names of embedded structs have points: as many words as fit.
  private mutating func step(
    _ name: String, in table: TableDescription, _ scope: ColumnScope, _ start: Int
  ) throws -> ConditionOperand {
    if let property = table.property(name) { return operand(property, table, scope, start) }
    if let relationship = table.relationship(name) { return try rows(relationship, table, scope, start) }
    if table.properties.contains(where: { $0.name.hasPrefix("\(name).") }), case .symbol(".") = kind,
      case .name(let next, _) = tokens[position + 1].kind
    {
      position += 2
      return try step("\(name).\(next)", in: table, scope, start)
    }
    let names = table.properties.map(\.name) + table.relationships.map(\.name)
    let nearest = NearestName(to: name, among: names).name.map { "Did you mean \($0)?" }
    throw error(
      start, "\(table.title) has no property \(name). \(nearest ?? "It has \(Set(names).sorted().formattedList).")")
  }

  private func operand(
    _ property: TableDescription.Property, _ table: TableDescription, _ scope: ColumnScope, _ start: Int
  ) -> ConditionOperand {
    let node = scope.node(for: ColumnReference(table: table.name, name: property.column, type: property.columnType))
    let content: ConditionOperand.Content =
      property.type == .any ? .untyped(node) : .property(node, property)
    return ConditionOperand(content: content, position: start)
  }

  private func rows(
    _ relationship: TableDescription.Relationship, _ table: TableDescription, _ scope: ColumnScope, _ start: Int
  ) throws -> ConditionOperand {
    guard let key = table.property(relationship.key) else {
      throw error(start, "\(table.title) has no key \(relationship.key), by which \(relationship.name) would be found.")
    }
    let owner = scope.node(for: ColumnReference(table: table.name, name: key.column, type: key.columnType))
    return ConditionOperand(
      content: .rows(
        ConditionRows(
          name: relationship.name, table: try describe(relationship.target), relationship: relationship, owner: owner,
          depth: place.depth)), position: start)
  }

  /// Returns what a name after a point says of a value.
  private mutating func member(_ name: String, of path: ConditionOperand, _ start: Int) throws -> ConditionOperand {
    switch path.content {
    case .rows(let rows): return try aggregate(name, of: rows, start)
    case .property(let node, let property):
      if let target = property.target {
        let table = try describe(target)
        guard let key = table.key.first, table.key.count == 1 else {
          throw error(start, "\(target) has no key of one property.")
        }
        let scope = ColumnScope.related(
          node, key: ColumnReference(table: target, name: key.column, type: key.columnType))
        return try step(name, in: table, scope, start)
      }
      if property.type == .json { return part(name, of: node, path.position) }
      if property.type == .text, let operand = text(name, node, property, path) { return operand }
      throw error(start, "\(property.name) is a \(property.swiftType), which has no \(name).")
    case .untyped(let node): return part(name, of: node, path.position)
    default: throw error(start, "There is no \(name) here.")
    }
  }

  /// Returns a part of JSON, or the number of its elements.
  private func part(_ name: String, of node: SQLNode, _ position: Int) -> ConditionOperand {
    let integer = ColumnType(storageClass: .integer, isOptional: true)
    switch name {
    case "count": return ConditionOperand(content: .value(.jsonCount(node), integer), position: position)
    case "isEmpty":
      return ConditionOperand(
        content: .condition(.compare(.equal, .jsonCount(node), .value(.integer(0)))), position: position)
    default: return ConditionOperand(content: .untyped(node.element(.key(name))), position: position)
    }
  }

  /// Returns what can be asked of a text.
  private func text(
    _ name: String, _ node: SQLNode, _ property: TableDescription.Property, _ path: ConditionOperand
  ) -> ConditionOperand? {
    switch name {
    case "length":
      ConditionOperand(
        content: .value(.function(.length, [node]), ColumnType(storageClass: .integer, isOptional: true)),
        position: path.position)
    case "lowercased", "uppercased":
      ConditionOperand(
        content: .value(
          .function(name == "lowercased" ? .lowercased : .uppercased, [node]),
          ColumnType(storageClass: .text, isOptional: true)), position: path.position)
    case "caseInsensitive":
      ConditionOperand(content: .property(node, property), position: path.position, isFolded: true)
    default: nil
    }
  }

  /// Returns a value that is computed over rows: `costs.count`, `costs.sum(amount)`.
  private mutating func aggregate(_ name: String, of rows: ConditionRows, _ start: Int) throws -> ConditionOperand {
    let integer = ColumnType(storageClass: .integer, isOptional: true)
    switch name {
    case "count":
      return ConditionOperand(
        content: .value(rows.asking(.value(.aggregate(.count, nil, .stored))), integer), position: start)
    case "isEmpty": return ConditionOperand(content: .condition(.not(rows.asking(.exist))), position: start)
    case "sum", "min", "max", "average":
      try expect("(")
      let value = try inside(rows) { try $0.value() }
      try expect(")")
      return ConditionOperand(content: try aggregate(name, value, rows), position: start)
    default:
      throw error(
        start,
        "\(rows.name) stands for several rows, of which one asks count, isEmpty, sum(…), min(…), max(…), average(…), or \(rows.name) contains (…)."
      )
    }
  }

  private func aggregate(
    _ name: String, _ value: ConditionOperand, _ rows: ConditionRows
  ) throws -> ConditionOperand.Content {
    let node = try value.node(beside: nil, of: source)
    switch name {
    case "min", "max":
      let aggregate = rows.asking(.value(.aggregate(name == "min" ? .min : .max, node, node.order)))
      guard case .property(_, let property) = value.content else {
        return value.numberType.map { .value(aggregate, $0) } ?? .untyped(aggregate)
      }
      return .property(aggregate, property)
    case "average":
      guard value.numberType != nil else { throw error(value.position, "An average is one of numbers.") }
      return .value(
        rows.asking(.value(.aggregate(.average, node, node.order))), ColumnType(storageClass: .real, isOptional: true))
    default:
      guard let type = value.numberType else { throw error(value.position, "A sum is one of numbers.") }
      let sum = SQLNode.aggregate(.sum, node, node.order)
      let whole: SQLNode =
        type.order == .decimal
        ? .function(.coalesce, [sum, .value(.text("0"))])
        : type.storageClass == .real ? .function(.total, [node]) : .function(.coalesce, [sum, .value(.integer(0))])
      return .value(rows.asking(.value(whole)), type)
    }
  }

  /// Reads a key or a position of JSON: `address["city"]`, `scores[0]`.
  private mutating func element(of path: ConditionOperand) throws -> ConditionOperand {
    let step: JSONPathStep
    switch kind {
    case .text(let key): step = .key(key)
    case .number(let text):
      guard let index = Int(text) else { throw unexpected("Write a position, such as [0].") }
      step = .index(index)
    default: throw unexpected("Write a key in quotation marks, or a position, such as [0].")
    }
    position += 1
    try expect("]")
    switch path.content {
    case .property(let node, let property) where property.type == .json:
      return ConditionOperand(content: .untyped(node.element(step)), position: path.position)
    case .untyped(let node):
      return ConditionOperand(content: .untyped(node.element(step)), position: path.position)
    default: throw error(path.position, "Brackets take a part of JSON, and this is none.")
    }
  }
}

extension SQLNode {
  /// Returns the part of JSON at a further step.
  fileprivate func element(_ step: JSONPathStep) -> SQLNode {
    if case .json(let base, let steps) = self { .json(base, path: steps + [step]) } else { .json(self, path: [step]) }
  }
}

extension ConditionOperand {
  /// Returns the operand with another node of the same type; nil for a constant.
  fileprivate func replacing(_ node: SQLNode) -> ConditionOperand? {
    switch content {
    case .property(_, let property):
      ConditionOperand(content: .property(node, property), position: position, isFolded: isFolded)
    case .value(_, let type): ConditionOperand(content: .value(node, type), position: position, isFolded: isFolded)
    case .untyped: ConditionOperand(content: .untyped(node), position: position, isFolded: isFolded)
    default: nil
    }
  }

  fileprivate var isNumber: Bool { if case .constant(.number) = content { true } else { numberType != nil } }

  fileprivate var isFraction: Bool {
    if case .constant(.number(let text)) = content { Int64(text) == nil } else { false }
  }
}
