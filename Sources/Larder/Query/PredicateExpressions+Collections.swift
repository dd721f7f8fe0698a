import Foundation

extension PredicateExpressions.CollectionContainsCollection: LowerablePredicateExpression {
  func lower(in scope: PredicateScope) throws -> PredicateOperand {
    let text = try scope.operand(base)
    guard text.column?.type.isJSON != true else { throw scope.unsupported("contains(_:) of one collection in another") }
    return PredicateOperand(.textContains(text.node, try scope.node(other)))
  }
}

extension PredicateExpressions.SequenceStartsWith: LowerablePredicateExpression {
  func lower(in scope: PredicateScope) throws -> PredicateOperand {
    let text = try scope.operand(base)
    guard text.column?.type.isJSON != true, case .value(.text(let prefix)) = try scope.node(self.prefix) else {
      throw scope.unsupported("starts(with:) of anything but a constant text")
    }
    return PredicateOperand(.textHasPrefix(text.node, prefix))
  }
}

#if canImport(Darwin)
  // Foundation has it on Apple's platforms alone.
  extension PredicateExpressions.StringLocalizedStandardContains: LowerablePredicateExpression {
    func lower(in scope: PredicateScope) throws -> PredicateOperand {
      PredicateOperand(.function("larder_localized_contains", [try scope.node(root), try scope.node(other)]))
    }
  }
#endif

extension PredicateExpressions.SequenceContains: LowerablePredicateExpression {
  func lower(in scope: PredicateScope) throws -> PredicateOperand {
    let container = try scope.operand(sequence)
    let value = try scope.operand(element)
    if let values = (container.constant as? any Sequence)?.anyElements {
      let nodes = try values.map { element in
        let stored = (element as? any StoredValue).map { SQLNode.bound($0) } ?? .value(.null)
        return try PredicateOperand(stored, constant: element).node(beside: value)
      }
      let list = nodes.filter { $0 != .value(.null) }
      let isIn = SQLNode.isIn(value.node, list, value.node.order)
      return PredicateOperand(list.count == nodes.count ? isIn : .binary(.or, isIn, .isNull(value.node)))
    }
    guard container.column?.type.isJSON == true else {
      // `text.contains("x")` with a character.
      guard let character = value.constant as? Character else { throw scope.unsupported("contains(_:) of this collection") }
      return PredicateOperand(.textContains(container.node, .value(.text(String(character)))))
    }
    guard let constant = value.constant as? any Encodable else { return PredicateOperand(.jsonContains(container.node, value.node)) }
    return PredicateOperand(.jsonContains(container.node, .jsonElement(constant)))
  }
}

extension PredicateExpressions.CollectionIndexSubscript: LowerablePredicateExpression {
  func lower(in scope: PredicateScope) throws -> PredicateOperand {
    let container = try scope.operand(wrapped)
    guard container.column?.type.isJSON == true, let position = try scope.operand(index).constant as? Int else {
      throw scope.unsupported("subscript with a computed position")
    }
    return PredicateOperand(.json(container.node, path: [.index(position)]))
  }
}

extension PredicateExpressions.DictionaryKeySubscript: LowerablePredicateExpression {
  func lower(in scope: PredicateScope) throws -> PredicateOperand {
    let container = try scope.operand(wrapped)
    guard container.column?.type.isJSON == true, let key = try scope.operand(key).constant as? String else {
      throw scope.unsupported("subscript with a computed key")
    }
    return PredicateOperand(.json(container.node, path: [.key(key)]))
  }
}

extension Sequence {
  fileprivate var anyElements: [Any]? {
    self is String || self is Substring ? nil : Array(self)
  }
}
