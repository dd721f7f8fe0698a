/// The properties of documents in the closure of a condition: `$0.age`, or `$0["home town"]` for names that Swift cannot say.
@dynamicMemberLookup
public struct DocumentProperties: Sendable {
  init() {}

  /// The property with the name, whatever characters it has; `key` is the document's key.
  public subscript(name: String) -> DocumentProperty { DocumentProperty(documentPath: DocumentPath(name)) }

  /// The property with the name; `key` is the document's key.
  public subscript(dynamicMember name: String) -> DocumentProperty { self[name] }

  /// The value at the path.
  public subscript(path: DocumentPath) -> DocumentProperty { DocumentProperty(documentPath: path) }
}

/// A value of a document in a condition: `$0.age > 30`, `$0.address.city == "Paris"`, `$0.tags[0] == "new"`.
@dynamicMemberLookup
public struct DocumentProperty: Sendable {
  let documentPath: DocumentPath

  /// The property of the object that this is, whatever characters the name has.
  public subscript(name: String) -> DocumentProperty { DocumentProperty(documentPath: documentPath.appending(.name(name))) }

  /// The property of the object that this is.
  public subscript(dynamicMember name: String) -> DocumentProperty { self[name] }

  /// The element of the array that this is. A negative position counts from the end: -1 is the last one.
  public subscript(position: Int) -> DocumentProperty { DocumentProperty(documentPath: documentPath.appending(.position(position))) }

  private func compared(_ comparison: Condition.Operator, _ value: some DocumentValueConvertible) -> DocumentPredicate {
    DocumentPredicate(node: .comparison(documentPath, comparison, DocumentOperand(value)))
  }

  public static func == (property: DocumentProperty, value: some DocumentValueConvertible) -> DocumentPredicate {
    property.compared(.equal, value)
  }

  public static func != (property: DocumentProperty, value: some DocumentValueConvertible) -> DocumentPredicate {
    DocumentPredicate(node: .differs(property.documentPath, DocumentOperand(value)))
  }

  public static func == (property: DocumentProperty, value: DocumentValue) -> DocumentPredicate {
    property.compared(.equal, value)
  }

  public static func != (property: DocumentProperty, value: DocumentValue) -> DocumentPredicate {
    DocumentPredicate(node: .differs(property.documentPath, DocumentOperand(value)))
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

  /// An array has the value as an element; a text has the text as a part, whatever the case of its letters A to Z.
  public func contains(_ value: some DocumentValueConvertible) -> DocumentPredicate {
    compared(.contains, value)
  }

  /// An array has all of the values as elements; a text has all of the texts as parts. Without values, every document.
  public func containsAll(_ values: some Sequence<some DocumentValueConvertible>) -> DocumentPredicate {
    DocumentPredicate(all: values.map { contains($0) })
  }

  /// The property equals one of the values.
  public func isIn(_ values: some Sequence<some DocumentValueConvertible>) -> DocumentPredicate {
    DocumentPredicate(node: .comparison(documentPath, .inList, .list(values.map { DocumentOperand($0) })))
  }
}
