/// The properties of a document in the closure of a condition: `$0.age`, or `$0["home town"]` for names that aren't
/// Swift identifiers.
@dynamicMemberLookup
public struct DocumentProperties: Sendable {
  init() {}

  /// The property with the name, which may have any characters; `key` is the document's key.
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

  /// The property of this object with the name, which may have any characters.
  public subscript(name: String) -> DocumentProperty {
    DocumentProperty(documentPath: documentPath.appending(.name(name)))
  }

  /// The property of this object with the name.
  public subscript(dynamicMember name: String) -> DocumentProperty { self[name] }

  /// The element of this array. A negative position counts from the end: -1 is the last element.
  public subscript(position: Int) -> DocumentProperty {
    DocumentProperty(documentPath: documentPath.appending(.position(position)))
  }

  private func compared(_ comparison: Condition.Operator, _ value: some DocumentValueConvertible) -> Condition {
    Condition(node: .comparison(documentPath, comparison, DocumentOperand(value)))
  }

  /// Returns a condition that holds if the property equals the value. A missing property equals nothing but null.
  public static func == (property: DocumentProperty, value: some DocumentValueConvertible) -> Condition {
    property.compared(.equal, value)
  }

  /// Returns a condition that holds if the property doesn't equal the value, or is missing.
  public static func != (property: DocumentProperty, value: some DocumentValueConvertible) -> Condition {
    Condition(node: .differs(property.documentPath, DocumentOperand(value)))
  }

  /// Returns a condition that holds if the property equals the value. A missing property equals nothing but null.
  public static func == (property: DocumentProperty, value: DocumentValue) -> Condition {
    property.compared(.equal, value)
  }

  /// Returns a condition that holds if the property doesn't equal the value, or is missing.
  public static func != (property: DocumentProperty, value: DocumentValue) -> Condition {
    Condition(node: .differs(property.documentPath, DocumentOperand(value)))
  }

  /// Returns a condition that holds if the property is less than the value.
  public static func < (property: DocumentProperty, value: some DocumentValueConvertible) -> Condition {
    property.compared(.lessThan, value)
  }

  /// Returns a condition that holds if the property is greater than the value.
  public static func > (property: DocumentProperty, value: some DocumentValueConvertible) -> Condition {
    property.compared(.greaterThan, value)
  }

  /// Returns a condition that holds if the property is less than or equal to the value.
  public static func <= (property: DocumentProperty, value: some DocumentValueConvertible) -> Condition {
    property.compared(.lessThanOrEqual, value)
  }

  /// Returns a condition that holds if the property is greater than or equal to the value.
  public static func >= (property: DocumentProperty, value: some DocumentValueConvertible) -> Condition {
    property.compared(.greaterThanOrEqual, value)
  }

  /// Returns a condition that holds if an array contains the value, or a text contains the text, ignoring the case of A
  /// to Z.
  ///
  /// - Parameter value: The element or the part of the text.
  /// - Returns: The condition.
  public func contains(_ value: some DocumentValueConvertible) -> Condition {
    compared(.contains, value)
  }

  /// Returns a condition that holds if an array contains all of the values, or a text all of the texts.
  ///
  /// - Parameter values: The elements or the parts of the text. Without values, the condition holds for every document.
  /// - Returns: The condition.
  public func containsAll(_ values: some Sequence<some DocumentValueConvertible>) -> Condition {
    Condition(all: values.map { contains($0) })
  }

  /// Returns a condition that holds if the property equals one of the values.
  ///
  /// - Parameter values: The values to compare with.
  /// - Returns: The condition.
  public func isIn(_ values: some Sequence<some DocumentValueConvertible>) -> Condition {
    Condition(node: .comparison(documentPath, .inList, .list(values.map { DocumentOperand($0) })))
  }
}
