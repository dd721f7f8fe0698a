/// The path to a value in a document: property names and array positions, such as `address.city` or `tags[0]`.
///
/// As text, names are separated by points, and positions are in brackets; a negative position counts from the end, so
/// `tags[-1]` is the last element. A name that is empty, contains a point or bracket, or begins with a quotation mark
/// is written in quotation marks, with its own doubled: `"a.b".c`.
///
/// ```swift
/// let path = DocumentPath("home town", "streets", 0)
/// print(path)  // home town.streets[0]
/// ```
public struct DocumentPath: Sendable, Hashable {
  /// One component of a path.
  public enum Step: Sendable, Hashable {
    /// A property of an object.
    case name(String)
    /// An element of an array. A negative position counts from the end: -1 is the last element.
    case position(Int)
  }

  /// The components from the document to the value. The first is a name.
  public private(set) var steps: [Step]

  /// Creates the path of a property, or of a value in it.
  ///
  /// - Parameters:
  ///   - property: The name of the property, with any characters.
  ///   - steps: The components from the property to the value.
  public init(_ property: String, _ steps: Step...) {
    self.steps = [.name(property)] + steps
  }

  init(_ steps: ArraySlice<Step>) {
    self.steps = Array(steps)
  }

  /// Returns the path to a value in the value at this path.
  ///
  /// - Parameter step: The component to add.
  /// - Returns: The longer path.
  public func appending(_ step: Step) -> DocumentPath {
    var path = self
    path.steps.append(step)
    return path
  }

  /// Creates the path that the text describes.
  ///
  /// - Parameter text: A path such as `address.city` or `tags[0]`.
  /// - Throws: ``StoreError`` `.invalidValue` if the text isn't a path.
  public init(parsing text: String) throws {
    var parser = DocumentPathParser(text)
    steps = try parser.steps()
  }

  /// The name of the document's top-level property that contains the value.
  var property: String {
    if case .name(let name) = steps.first { name } else { "" }
  }

  /// Whether it is the document's key.
  var isKey: Bool { steps == [.name("key")] }
}

extension DocumentPath.Step {
  /// Returns whether two components are equal. Names are compared byte by byte, as SQLite compares them with those of
  /// the JSON.
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
  /// The path as text, in the form that ``init(parsing:)``, conditions and sorts accept.
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
    guard let first = scalars.first, let last = scalars.last, !first.properties.isWhitespace,
      !last.properties.isWhitespace
    else { return false }
    return !scalars.contains { $0 == "." || $0 == "[" || $0 == "]" || $0 == "," || $0 == "\"" }
  }
}
