/// What documents must satisfy, as the closure of ``Documents/fetch(sort:limit:offset:validatesProperties:where:)`` says it.
///
/// `==` and `!=` have Swift's meaning: a property that is not there is null, equal to null, and different from everything else.
public struct DocumentPredicate: Sendable, Hashable {
  indirect enum Node: Sendable, Hashable {
    case everything
    case comparison(String, Condition.Operator, DocumentValue)
    /// Different from the value, or not there.
    case differs(String, DocumentValue)
    case and(Node, Node)
    case or(Node, Node)
    case not(Node)
  }

  let node: Node

  public static func && (left: DocumentPredicate, right: DocumentPredicate) -> DocumentPredicate {
    DocumentPredicate(node: .and(left.node, right.node))
  }

  public static func || (left: DocumentPredicate, right: DocumentPredicate) -> DocumentPredicate {
    DocumentPredicate(node: .or(left.node, right.node))
  }

  public static prefix func ! (predicate: DocumentPredicate) -> DocumentPredicate {
    DocumentPredicate(node: .not(predicate.node))
  }
}

/// The properties of documents in the closure of a condition: `$0.age`, or `$0["home town"]` for names that Swift cannot say.
@dynamicMemberLookup
public struct DocumentProperties: Sendable {
  init() {}

  /// The property with the name; `key` is the document's key.
  public subscript(name: String) -> DocumentProperty { DocumentProperty(name: name) }

  /// The property with the name; `key` is the document's key.
  public subscript(dynamicMember name: String) -> DocumentProperty { DocumentProperty(name: name) }
}

/// A property in a condition: compare it with a value.
public struct DocumentProperty: Sendable {
  let name: String

  private func compared(_ comparison: Condition.Operator, _ value: some DocumentValueConvertible) -> DocumentPredicate {
    DocumentPredicate(node: .comparison(name, comparison, value.documentValue))
  }

  public static func == (property: DocumentProperty, value: some DocumentValueConvertible) -> DocumentPredicate {
    property.compared(.equal, value)
  }

  public static func != (property: DocumentProperty, value: some DocumentValueConvertible) -> DocumentPredicate {
    DocumentPredicate(node: .differs(property.name, value.documentValue))
  }

  public static func == (property: DocumentProperty, value: DocumentValue) -> DocumentPredicate {
    property.compared(.equal, value)
  }

  public static func != (property: DocumentProperty, value: DocumentValue) -> DocumentPredicate {
    DocumentPredicate(node: .differs(property.name, value))
  }

  public static func < (property: DocumentProperty, value: some DocumentValueConvertible) -> DocumentPredicate {
    property.compared(.lessThan, value)
  }

  public static func > (property: DocumentProperty, value: some DocumentValueConvertible) -> DocumentPredicate {
    property.compared(.greaterThan, value)
  }

  public static func <= (property: DocumentProperty, value: some DocumentValueConvertible) -> DocumentPredicate {
    property.compared(.lessThanOrEqual, value)
  }

  public static func >= (property: DocumentProperty, value: some DocumentValueConvertible) -> DocumentPredicate {
    property.compared(.greaterThanOrEqual, value)
  }

  /// An array has the value as an element; a text has it as a part, whatever the case of its letters A to Z.
  public func contains(_ value: some DocumentValueConvertible) -> DocumentPredicate {
    compared(.contains, value)
  }

  /// The property is one of the values.
  public func isIn(_ values: some Sequence<some DocumentValueConvertible>) -> DocumentPredicate {
    compared(.inList, values.map(\.documentValue))
  }
}
