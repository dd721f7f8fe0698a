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
    var parser = Parser(text)
    steps = try parser.steps()
  }

  /// The name of the document's own property in which the value is.
  var property: String {
    if case .name(let name) = steps.first { name } else { "" }
  }

  /// Whether it is the document's key.
  var isKey: Bool { steps == [.name("key")] }
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

extension DocumentPath {
  private struct Parser {
    private let text: String
    /// A sign that joins with the character before it would hide a point or bracket.
    private var rest: Substring.UnicodeScalarView

    init(_ text: String) {
      self.text = text
      rest = text.unicodeScalars[...]
    }

    mutating func steps() throws -> [Step] {
      var steps: [Step] = [.name(try name())]
      while let separator = rest.popFirst() {
        switch separator {
        case ".": steps.append(.name(try name()))
        case "[": steps.append(.position(try position()))
        default: throw failure
        }
      }
      return steps
    }

    private mutating func name() throws -> String {
      guard rest.first == "\"" else {
        let name = rest.prefix { $0 != "." && $0 != "[" && $0 != "]" }
        guard !name.isEmpty else { throw failure }
        rest = rest[name.endIndex...]
        return String(name)
      }
      rest.removeFirst()
      var name = String.UnicodeScalarView()
      while let scalar = rest.popFirst() {
        guard scalar == "\"" else {
          name.append(scalar)
          continue
        }
        guard rest.first == "\"" else { return String(name) }
        name.append(rest.removeFirst())
      }
      throw failure
    }

    private mutating func position() throws -> Int {
      let digits = rest.prefix { $0 != "]" }
      // SQLite counts the elements of an array in 32 bits.
      guard let position = Int32(String(digits)), digits.first != "+", digits.endIndex < rest.endIndex else { throw failure }
      rest = rest[digits.endIndex...].dropFirst()
      return Int(position)
    }

    private var failure: StoreError {
      StoreError(
        .invalidValue, property: text,
        "\(text.isEmpty ? "An empty text" : text) is not the path of a property. Write names with points between them and positions in brackets, as in address.city or tags[0], and put a name that is empty or has points, brackets or quotation marks of its own in quotation marks."
      )
    }
  }
}
