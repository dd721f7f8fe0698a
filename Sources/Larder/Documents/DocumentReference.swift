/// A reference from one document to another: the key of the target, stored as plain text.
///
/// ```swift
/// struct Order: StoredDocument {
///   static let collection = "orders"
///   var key: String
///   var customer: DocumentReference<Customer>
///   var seeAlso: [DocumentReference<Order>] = []
/// }
///
/// let order = Order(key: "o1", customer: DocumentReference(ada))
/// let orders = try await store.documents(Order.self).fetch { $0.customer == order.customer }
/// ```
///
/// The target's type determines the collection. SQL, conditions and other programs only see the key. The target need
/// not exist: references aren't checked. `load(_:following:)` of ``Documents`` reads a document together with the
/// documents that it refers to.
public struct DocumentReference<Target: StoredDocument>: Sendable {
  /// The key of the target.
  public let key: String

  /// Creates a reference to the document with the key.
  ///
  /// - Parameter key: The key of the document.
  public init(_ key: String) {
    self.key = key
  }

  /// Creates a reference to the value's document.
  ///
  /// - Parameter value: The document.
  public init(_ value: Target) {
    key = value.key
  }

  var address: DocumentAddress { DocumentAddress(Target.collection, key) }
}

extension DocumentReference: Hashable {
  // Swift considers keys equal that differ in the file: é can be one scalar or two.
  public static func == (left: DocumentReference, right: DocumentReference) -> Bool {
    ExactText(left.key) == ExactText(right.key)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(ExactText(key))
  }
}

extension DocumentReference: Identifiable {
  /// The reference itself, because keys that differ in the file may be equal as strings.
  public var id: DocumentReference { self }
}

extension DocumentReference: ExpressibleByStringLiteral {
  public init(stringLiteral key: String) {
    self.init(key)
  }
}

extension DocumentReference: Codable {
  /// Decodes the key.
  public init(from decoder: any Decoder) throws {
    key = try decoder.singleValueContainer().decode(String.self)
    if let decoder = decoder as? DocumentDecoder { decoder.references?.note(Target.self, key, at: decoder.codingPath) }
  }

  /// Encodes the key.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(key)
  }
}

extension DocumentReference: DocumentValueConvertible {
  /// The key as text.
  public var documentValue: DocumentValue { .text(key) }
}

extension DocumentReference: CustomDebugStringConvertible {
  public var debugDescription: String { "DocumentReference<\(Target.self)>(\(key))" }
}

/// The references found while a document is decoded. Used by one decoding at a time, on one thread.
final class DocumentReferences {
  struct Reference {
    let target: any StoredDocument.Type
    let key: String
    let path: [DocumentPath.Step]
  }

  private(set) var found: [Reference] = []

  func note(_ target: any StoredDocument.Type, _ key: String, at path: [any CodingKey]) {
    let steps = path.map { step -> DocumentPath.Step in
      // Property names can be numbers too; only a decoder creates positions.
      if let position = (step as? DocumentCodingKey)?.intValue { .position(position) } else { .name(step.stringValue) }
    }
    found.append(Reference(target: target, key: key, path: steps))
  }
}
