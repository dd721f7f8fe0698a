/// The references that `load(_:following:)` follows: those at a path in documents.
///
/// ```swift
/// let found = try await orders.load("o1", following: "customer", "lines[*].product")
/// let raw = try await store.documents("orders").load("o1", following: DocumentLink("customer", to: "customers"))
/// ```
///
/// The path is a ``DocumentPath`` in which `[*]` stands for every element of an array and every value of an object. A
/// path to an array leads to its elements. The path is applied to each loaded document, and so followed from level to
/// level: `"parent"` leads to all ancestors. A link with a source applies only to the documents of that collection.
public struct DocumentLink: Sendable, Hashable {
  /// One component of a link's path.
  enum Step: Sendable, Hashable {
    case step(DocumentPath.Step)
    /// Every element of an array, or value of an object.
    case every
  }

  /// The path from a document to its references.
  public let path: String
  /// The collection whose documents the path applies to; nil for all collections.
  public let source: String?
  /// The collection that the references lead to; nil if their type determines it.
  public let target: String?

  /// Creates a link.
  ///
  /// - Parameters:
  ///   - path: The path from a document to its references.
  ///   - source: The collection whose documents the path applies to; nil for all collections.
  ///   - target: The collection that the references lead to. A ``DocumentReference`` in a typed document determines it;
  ///     plain texts need it.
  public init(_ path: String, in source: String? = nil, to target: String? = nil) {
    self.path = path
    self.source = source
    self.target = target
  }
}

extension DocumentLink: ExpressibleByStringLiteral {
  public init(stringLiteral path: String) {
    self.init(path)
  }
}

/// A link with its parsed path.
struct ParsedDocumentLink {
  let link: DocumentLink
  let steps: [DocumentLink.Step]

  /// Throws ``StoreError`` `.invalidValue` if the text isn't a path.
  init(_ link: DocumentLink) throws {
    self.link = link
    var parser = DocumentPathParser(link.path)
    steps = try parser.linkSteps()
  }

  /// The name of the document's top-level property that contains the references.
  var property: String {
    if case .step(.name(let name)) = steps.first { name } else { "" }
  }

  /// Returns whether the path applies to documents of the collection.
  func isFor(_ collection: String) -> Bool {
    link.source.map { $0.foldedTableName == collection.foldedTableName } ?? true
  }

  /// Calls the closure with each text that the path leads to.
  func forEachText(in document: Document, _ body: (_ path: [DocumentPath.Step], _ text: String) throws -> Void) throws {
    var path: [DocumentPath.Step] = []
    try Self.visit(.object(document), steps[...], &path, body)
  }

  private static func visit(
    _ value: DocumentValue, _ steps: ArraySlice<DocumentLink.Step>, _ path: inout [DocumentPath.Step],
    _ body: ([DocumentPath.Step], String) throws -> Void
  ) throws {
    func enter(_ step: DocumentPath.Step, _ inner: DocumentValue, _ path: inout [DocumentPath.Step]) throws {
      path.append(step)
      try visit(inner, steps.dropFirst(), &path, body)
      path.removeLast()
    }
    switch (steps.first, value) {
    case (nil, .text(let text)): try body(path, text)
    case (nil, .array(let values)), (.every, .array(let values)):
      for (position, inner) in values.enumerated() { try enter(.position(position), inner, &path) }
    case (.every, .object(let document)):
      for (name, inner) in document { try enter(.name(name), inner, &path) }
    case (.step(.name(let name)), .object(let document)):
      if let inner = document[name] { try enter(.name(name), inner, &path) }
    case (.step(.position(let position)), .array(let values)):
      let position = position < 0 ? position + values.count : position
      if values.indices.contains(position) { try enter(.position(position), values[position], &path) }
    default: break
    }
  }
}
