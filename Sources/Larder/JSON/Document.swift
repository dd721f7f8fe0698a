/// An ordered dictionary of JSON values by name. Documents with the same values are equal regardless of order.
///
/// ```swift
/// var person: Document = ["name": "Ada", "languages": ["English", "French"]]
/// person["age"] = 36
/// ```
public struct Document: Sendable {
  private struct Entry: Sendable, Hashable {
    let name: String
    var value: DocumentValue
  }

  private var entries: [Entry] = []
  /// The position of each name, once there are too many for a linear search.
  private var positions: [String: Int]?

  private static let linearLimit = 12

  /// Creates an empty document.
  public init() {}

  /// Creates a document with the values. If a name occurs twice, the later value is kept.
  ///
  /// - Parameter elements: The names and values.
  public init(_ elements: some Sequence<(String, DocumentValue)>) {
    for (name, value) in elements { self[name] = value }
  }

  /// The number of values.
  public var count: Int { entries.count }

  /// Whether the document has no values.
  public var isEmpty: Bool { entries.isEmpty }

  /// The names of the values.
  public var names: [String] { entries.map(\.name) }

  /// Accesses the value of the name. Setting nil removes the name; set `.null` to store JSON's null.
  public subscript(name: String) -> DocumentValue? {
    get { position(of: name).map { entries[$0].value } }
    set {
      guard let newValue else { return remove(name) }
      if let position = position(of: name) {
        entries[position].value = newValue
      } else {
        append(name, newValue)
      }
    }
  }

  private mutating func append(_ name: String, _ value: DocumentValue) {
    entries.append(Entry(name: name, value: value))
    if positions != nil {
      positions?[name] = entries.count - 1
    } else if entries.count > Self.linearLimit {
      positions = Dictionary(uniqueKeysWithValues: entries.enumerated().map { ($1.name, $0) })
    }
  }

  private mutating func remove(_ name: String) {
    guard let position = position(of: name) else { return }
    entries.remove(at: position)
    positions = nil
    if entries.count > Self.linearLimit {
      positions = Dictionary(uniqueKeysWithValues: entries.enumerated().map { ($1.name, $0) })
    }
  }

  private func position(of name: String) -> Int? {
    if let positions { return positions[name] }
    return entries.firstIndex { $0.name == name }
  }
}

extension Document: Hashable {
  public static func == (left: Document, right: Document) -> Bool {
    left.entries.count == right.entries.count
      && (left.entries == right.entries || left.entries.allSatisfy { right[$0.name] == $0.value })
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(entries.reduce(0) { $0 ^ $1.hashValue })
  }
}

extension Document: ExpressibleByDictionaryLiteral {
  public init(dictionaryLiteral elements: (String, DocumentValue)...) {
    self.init(elements)
  }
}

extension Document: RandomAccessCollection {
  public var startIndex: Int { 0 }
  public var endIndex: Int { entries.count }

  public subscript(position: Int) -> (name: String, value: DocumentValue) {
    (entries[position].name, entries[position].value)
  }
}
