import Foundation

extension ConditionParser {
  /// Reads a constant that is a word, or the path to a property.
  mutating func named() throws -> ConditionOperand {
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

  func operand(
    _ property: TableDescription.Property, _ table: TableDescription, _ scope: ColumnScope, _ start: Int
  ) -> ConditionOperand {
    let node = scope.node(for: ColumnReference(table: table.name, name: property.column, type: property.columnType))
    let content: ConditionOperand.Content =
      property.type != .any
      ? .property(node, property) : table.kind == .documents ? .untyped(node) : .column(node)
    return ConditionOperand(content: content, position: start)
  }

  func rows(
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
    case .untyped(let node), .column(let node): return part(name, of: node, path.position)
    default: throw error(start, "There is no \(name) here.")
    }
  }

  /// Returns a part of JSON, or the number of its elements.
  func part(_ name: String, of node: SQLNode, _ position: Int) -> ConditionOperand {
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
  func text(
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
      if case .column = value.content { return .column(aggregate) }
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
        : type.storageClass != .real
          ? .function(.coalesce, [sum, .value(.integer(0))])
          : type.numberForm == .single ? .function(.float, [.function(.total, [node])]) : .function(.total, [node])
      return .value(rows.asking(.value(whole)), type)
    }
  }

  /// Reads a key or a position of JSON: `address["city"]`, `scores[0]`.
  mutating func element(of path: ConditionOperand) throws -> ConditionOperand {
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
    case .untyped(let node), .column(let node):
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
