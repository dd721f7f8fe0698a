/// Where a value is in a document: names of properties and positions in arrays, `address.city` or `tags[0]`.
///
/// As text, names are joined by points, and positions stand in brackets; a negative one counts from the end, so `tags[-1]` is the last element. A name
/// that is empty, or has a point or bracket in it, or begins with a quotation mark, stands in quotation marks, its own doubled: `"a.b".c`.
///
/// ```swift
/// let path = DocumentPath("home town", "streets", 0)
/// print(path)  // home town.streets[0]
/// ```
public struct DocumentPath: Sendable, Hashable {
  /// One step of a path.
  public enum Step: Sendable, Hashable {
    /// The property of an object.
    case name(String)
    /// The element of an array. A negative position counts from the end: -1 is the last one.
    case position(Int)
  }

  /// The steps from the document to the value, of which the first is a name.
  public private(set) var steps: [Step]

  /// The path of a property, and from there to a value in it. Names are taken as they are, whatever characters they have.
  public init(_ property: String, _ steps: Step...) {
    self.steps = [.name(property)] + steps
  }

  init(_ steps: ArraySlice<Step>) {
    self.steps = Array(steps)
  }

  /// The path to a value in what is at this path.
  public func appending(_ step: Step) -> DocumentPath {
    var path = self
    path.steps.append(step)
    return path
  }

  /// The path that the text says.
  ///
  /// - Throws: ``StoreError`` `.invalidValue` if the text isn't a path.
  public init(parsing text: String) throws {
    var parser = DocumentPathParser(text)
    steps = try parser.steps()
  }

  /// The name of the document's own property in which the value is.
  var property: String {
    if case .name(let name) = steps.first { name } else { "" }
  }

  /// Whether it is the document's key.
  var isKey: Bool { steps == [.name("key")] }
}

extension DocumentPath.Step {
  /// Names are equal byte by byte, as SQLite compares them with those of the JSON.
  public static func == (left: DocumentPath.Step, right: DocumentPath.Step) -> Bool {
    switch (left, right) {
    case (.name(let left), .name(let right)): ExactText(left) == ExactText(right)
    case (.position(let left), .position(let right)): left == right
    default: false
    }
  }

  public func hash(into hasher: inout Hasher) {
    switch self {
    case .name(let name): hasher.combine(ExactText(name))
    case .position(let position): hasher.combine(position)
    }
  }
}

extension DocumentPath.Step: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
  public init(stringLiteral value: String) { self = .name(value) }
  public init(integerLiteral value: Int) { self = .position(value) }
}

extension DocumentPath: CustomStringConvertible {
  /// The path as text, which ``init(parsing:)``, conditions and sort orders read.
  public var description: String {
    var text = ""
    for step in steps {
      switch step {
      case .position(let position): text += "[\(position)]"
      case .name(let name):
        if !text.isEmpty { text += "." }
        text += Self.isPlain(name) ? name : "\"\(name.escaping("\"", by: "\""))\""
      }
    }
    return text
  }

  private static func isPlain(_ name: String) -> Bool {
    let scalars = name.unicodeScalars
    guard let first = scalars.first, let last = scalars.last, !first.properties.isWhitespace, !last.properties.isWhitespace else { return false }
    return !scalars.contains { $0 == "." || $0 == "[" || $0 == "]" || $0 == "," || $0 == "\"" }
  }
}
