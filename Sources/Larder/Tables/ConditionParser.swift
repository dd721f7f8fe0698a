import Foundation

/// Reads conditions and sorts that a person wrote, such as `title contains "milk" and modifiedAt > 2026-01-01`.
///
/// They become the same syntax trees as the conditions of ``Query``, so both answer alike.
struct ConditionParser {
  /// Where names are looked up.
  struct Place {
    let table: TableDescription
    let scope: ColumnScope
    /// The nesting depth of the next subquery.
    let depth: Int
  }

  let tokens: [ConditionToken]
  let source: String
  let describe: (String) throws -> TableDescription
  var place: Place
  var position = 0
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

  var token: ConditionToken { tokens[position] }
  var kind: ConditionToken.Kind { token.kind }

  mutating func take(_ symbols: String...) -> Bool {
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

  mutating func takeWord(_ words: String...) -> Bool {
    guard words.contains(where: { isWord($0) }) else { return false }
    position += 1
    return true
  }

  func error(_ position: Int, _ message: String) -> StoreError { StoreError(at: position, of: source, message) }

  func unexpected(_ remedy: String) -> StoreError {
    switch kind {
    case .end: error(token.position, "The \(source) ends too early. \(remedy)")
    case .name(let text, _), .number(let text), .date(let text), .symbol(let text):
      error(token.position, "\(text) is not expected here. \(remedy)")
    case .text: error(token.position, "A text is not expected here. \(remedy)")
    }
  }

  mutating func expect(_ symbol: String) throws {
    guard take(symbol) else { throw unexpected("Write \(symbol).") }
  }

  /// Counts a level, and refuses a text that would need too much of the stack.
  mutating func nested<Result>(_ body: (inout ConditionParser) throws -> Result) throws -> Result {
    nesting += 1
    defer { nesting -= 1 }
    guard nesting <= Self.greatestNesting else {
      throw error(token.position, "More than \(Self.greatestNesting) levels are nested. Write a flatter condition.")
    }
    return try body(&self)
  }

  // MARK: Conditions

  mutating func alternatives() throws -> ConditionOperand {
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

  mutating func negation() throws -> ConditionOperand {
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

  func compare(_ op: ComparisonOperator, _ left: ConditionOperand, _ right: ConditionOperand) throws -> SQLNode {
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
    guard let regex = try? Regex(pattern) else {
      throw error(
        start, "The pattern is no regular expression. Write \\ before a bracket or sign that is meant itself.")
    }
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
      throw error(
        left.position,
        "\(property.name) is a \(property.swiftType), which contains nothing. Ask texts, JSON and relationships what they contain, and compare this by ==."
      )
    default:
      if right.isConstant, !right.isText { throw error(right.position, "contains asks for a text in quotation marks.") }
      return .textContains(
        try left.node(beside: right, of: source), try right.node(beside: left, of: source))
    }
  }

  func json(_ node: SQLNode, contains element: ConditionOperand) throws -> SQLNode {
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
    var operands: [ConditionOperand] = []
    if !take(end) {
      repeat { operands.append(try value()) } while take(",")
      try expect(end)
    }
    if left.readsDates, operands.contains(where: \.isDate) {
      let nodes = try operands.map { try compare(.equal, left, $0) }
      return nodes.dropFirst().reduce(nodes[0], SQLNode.or)
    }
    let nodes = try operands.map { try $0.node(beside: left, of: source) }
    let node = try left.node(beside: nil, of: source)
    let list = nodes.filter { $0 != .value(.null) }
    let isIn = SQLNode.lifting(node) { .isIn($0, list, node.order) }
    return list.count == nodes.count ? isIn : .or(isIn, .isNull(node))
  }

  /// Reads a condition in which names are those of the rows.
  mutating func condition(in rows: ConditionRows) throws -> SQLNode {
    try inside(rows) { try $0.alternatives().condition(of: $0.source) }
  }

  mutating func inside<Result>(
    _ rows: ConditionRows, _ body: (inout ConditionParser) throws -> Result
  ) throws -> Result {
    let outer = place
    place = Place(table: rows.table, scope: rows.scope, depth: rows.depth + 1)
    defer { place = outer }
    return try nested(body)
  }
}
