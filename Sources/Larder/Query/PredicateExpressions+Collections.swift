import Foundation

extension PredicateExpressions.CollectionContainsCollection: LowerablePredicateExpression {
  func lower(in scope: PredicateScope) throws -> PredicateOperand {
    let text = try scope.operand(base)
    guard Base.Output.self is String.Type else { throw scope.unsupported("contains(_:) of one collection in another") }
    return PredicateOperand(.textContains(text.node, try scope.node(other)))
  }
}

extension PredicateExpressions.SequenceStartsWith: LowerablePredicateExpression {
  func lower(in scope: PredicateScope) throws -> PredicateOperand {
    let text = try scope.operand(base)
    guard Base.Output.self is String.Type, case .value(.text(let prefix)) = try scope.node(self.prefix) else {
      throw scope.unsupported("starts(with:) of anything but a constant text")
    }
    return PredicateOperand(.textHasPrefix(text.node, prefix))
  }
}

#if canImport(Darwin)
// Foundation only has it on Apple platforms.
extension PredicateExpressions.StringLocalizedStandardContains: LowerablePredicateExpression {
  func lower(in scope: PredicateScope) throws -> PredicateOperand {
    PredicateOperand(.function(.localizedContains, [try scope.node(root), try scope.node(other)]))
  }
}
#endif

extension PredicateExpressions.SequenceContains: LowerablePredicateExpression {
  func lower(in scope: PredicateScope) throws -> PredicateOperand {
    let container = try scope.operand(sequence)
    let value = try scope.operand(element)
    if let values = (container.constant as? any Sequence)?.anyElements {
      let nodes = try values.map { element in
        try PredicateOperand(scope.constant(element), constant: element).node(beside: value)
      }
      let list = nodes.filter { $0 != .value(.null) }
      let isIn = SQLNode.isIn(value.node, list, value.node.order)
      return PredicateOperand(list.count == nodes.count ? isIn : .or(isIn, .isNull(value.node)))
    }
    if let rows = container.rows, let member = value.constant.flatMap(rows.member) { return PredicateOperand(member) }
    guard container.isCollection else { throw scope.unsupported("contains(_:) of this collection") }
    if let constant = value.constant as? any Encodable {
      return PredicateOperand(.jsonContains(container.node, .jsonConstant(constant)))
    }
    guard !value.isCollection else { return PredicateOperand(.jsonContains(container.node, value.node)) }
    // JSON represents some types in other forms than columns do.
    let found = PredicateOperand(json: .jsonElement(scope.elementCount), LHS.Output.Element.self)
    let isSame = SQLNode.or(.compare(.equal, found.node, value.node), .and(.isNull(found.node), .isNull(value.node)))
    return PredicateOperand(
      .jsonTest(container.node.array(of: LHS.Output.Element.self), .some, element: scope.elementCount, isSame))
  }
}

extension PredicateExpressions.CollectionIndexSubscript: LowerablePredicateExpression {
  func lower(in scope: PredicateScope) throws -> PredicateOperand {
    let container = try scope.operand(wrapped)
    guard container.isCollection, let position = try scope.operand(index).constant as? Int else {
      throw scope.unsupported("CollectionIndexSubscript with a computed position")
    }
    return PredicateOperand(json: .json(container.node, path: [.index(position)]), Output.self)
  }
}

extension PredicateExpressions.DictionaryKeySubscript: LowerablePredicateExpression {
  func lower(in scope: PredicateScope) throws -> PredicateOperand {
    try scope.member(of: wrapped, key, Output.self, "DictionaryKeySubscript")
  }
}

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: LowerablePredicateExpression {
  func lower(in scope: PredicateScope) throws -> PredicateOperand {
    let member = try scope.member(of: wrapped, key, Output.self, "DictionaryKeyDefaultValueSubscript")
    return member.with(.function(.coalesce, [member.node, try scope.operand(self.default).node(beside: member)]))
  }
}

extension PredicateScope {
  fileprivate func member(
    of dictionary: any PredicateExpression, _ key: any PredicateExpression, _ type: Any.Type, _ name: String
  ) throws -> PredicateOperand {
    let container = try operand(dictionary)
    let key = try operand(key).constant
    guard container.isCollection, let member = key as? String ?? (key as? Int).map(String.init) else {
      throw unsupported("\(name) with a computed key, or one that is neither text nor a whole number,")
    }
    return PredicateOperand(json: .json(container.node, path: [.key(member)]), type)
  }

  /// Returns the condition on the elements of an array.
  fileprivate func test(
    _ quantifier: JSONQuantifier, _ sequence: any PredicateExpression, of type: Any.Type,
    _ variable: PredicateExpressions.VariableID,
    _ test: any PredicateExpression
  ) throws -> PredicateOperand {
    let container = try operand(sequence)
    if let rows = container.rows { return try self.test(quantifier, rows, variable, test) }
    guard container.isCollection else {
      throw unsupported("contains(where:) or allSatisfy(_:) of anything but a stored collection")
    }
    var inner = self
    inner.elementCount += 1
    inner.variables[variable] = .value(PredicateOperand(json: .jsonElement(elementCount), type))
    return PredicateOperand(
      .jsonTest(container.node.array(of: type), quantifier, element: elementCount, try inner.node(test)))
  }
}

extension PredicateScope {
  /// Returns the condition on the rows of a relationship.
  private func test(
    _ quantifier: JSONQuantifier, _ rows: any AnyToManyColumn, _ variable: PredicateExpressions.VariableID,
    _ test: any PredicateExpression
  ) throws -> PredicateOperand {
    var inner = self
    inner.depth = rows.depth
    inner.variables[variable] = .row(PredicateRow(model: rows.target, scope: .rows(rows.depth)))
    let condition = try inner.node(test)
    switch quantifier {
    case .some: return PredicateOperand(rows.question(.exist, at: rows.depth, condition))
    case .every: return PredicateOperand(.not(rows.question(.exist, at: rows.depth, .not(condition))))
    }
  }
}

extension PredicateExpressions.SequenceContainsWhere: LowerablePredicateExpression {
  func lower(in scope: PredicateScope) throws -> PredicateOperand {
    try scope.test(.some, sequence, of: LHS.Output.Element.self, variable.key, test)
  }
}

extension PredicateExpressions.SequenceAllSatisfy: LowerablePredicateExpression {
  func lower(in scope: PredicateScope) throws -> PredicateOperand {
    try scope.test(.every, sequence, of: LHS.Output.Element.self, variable.key, test)
  }
}

extension PredicateExpressions.StringContainsRegex: LowerablePredicateExpression {
  func lower(in scope: PredicateScope) throws -> PredicateOperand {
    guard let regex = try scope.operand(regex).constant as? any RegexComponent else {
      throw scope.unsupported("StringContainsRegex with a computed pattern")
    }
    return PredicateOperand(.regex(RegexMatcher(regex), try scope.node(subject)))
  }
}

extension Sequence {
  fileprivate var anyElements: [Any]? {
    self is String || self is Substring ? nil : Array(self)
  }
}
