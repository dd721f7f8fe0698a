import Foundation

extension ConditionParser {
  /// Reads a value, perhaps with another behind `??` for rows that have none.
  mutating func value() throws -> ConditionOperand {
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

  mutating func sum() throws -> ConditionOperand {
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
    let isUntyped = [left, right].contains {
      switch $0.content {
      case .untyped, .column: true
      default: false
      }
    }
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

  mutating func constant(_ constant: ConditionOperand.Constant) -> ConditionOperand {
    defer { position += 1 }
    return ConditionOperand(content: .constant(constant), position: token.position)
  }
}

extension ConditionOperand {
  /// Returns the operand with another node of the same type; nil for a constant.
  fileprivate func replacing(_ node: SQLNode) -> ConditionOperand? {
    switch content {
    case .property(_, let property):
      ConditionOperand(content: .property(node, property), position: position, isFolded: isFolded)
    case .value(_, let type): ConditionOperand(content: .value(node, type), position: position, isFolded: isFolded)
    case .column: ConditionOperand(content: .column(node), position: position, isFolded: isFolded)
    case .untyped: ConditionOperand(content: .untyped(node), position: position, isFolded: isFolded)
    default: nil
    }
  }

  fileprivate var isNumber: Bool { if case .constant(.number) = content { true } else { numberType != nil } }

  fileprivate var isFraction: Bool {
    if case .constant(.number(let text)) = content { Int64(text) == nil } else { false }
  }
}
