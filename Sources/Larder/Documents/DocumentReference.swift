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
/// The collection is that of the target's type. Other programs, SQL and conditions find the key alone. The target need not be there: a reference
/// promises nothing. `load(_:following:)` of ``Documents`` reads a document together with what it refers to.
public struct DocumentReference<Target: StoredDocument>: Sendable {
  /// The key of the document that is referred to.
  public let key: String

  /// A reference to the document with the key.
  public init(_ key: String) {
    self.key = key
  }

  /// A reference to the value's document.
  public init(_ value: Target) {
    key = value.key
  }

  var address: DocumentAddress { DocumentAddress(Target.collection, key) }
}

extension DocumentReference: Hashable {
  // Swift takes keys for equal that differ in the file: é is one character or two.
  public static func == (left: DocumentReference, right: DocumentReference) -> Bool {
    ExactText(left.key) == ExactText(right.key)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(ExactText(key))
  }
}

extension DocumentReference: Identifiable {
  /// The reference itself, because keys that differ in the file may be equal as texts.
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

/// The references that were met while a document was decoded. One decoding at a time uses it, on one thread.
final class DocumentReferences {
  struct Reference {
    let target: any StoredDocument.Type
    let key: String
    let path: [DocumentPath.Step]
  }

  private(set) var found: [Reference] = []

  func note(_ target: any StoredDocument.Type, _ key: String, at path: [any CodingKey]) {
    let steps = path.map { step -> DocumentPath.Step in
      // Names of properties can be numbers, too; only a decoder makes up positions.
      if let position = (step as? DocumentCodingKey)?.intValue { .position(position) } else { .name(step.stringValue) }
    }
    found.append(Reference(target: target, key: key, path: steps))
  }
}
