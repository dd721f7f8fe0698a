/// Parses the text of a ``DocumentPath``, and that of a ``DocumentLink``, in which `[*]` is also a step.
struct DocumentPathParser {
  private let text: String
  /// Scalars, because a combining mark would hide the point or bracket before it.
  private var rest: Substring.UnicodeScalarView

  init(_ text: String) {
    self.text = text
    rest = text.unicodeScalars[...]
  }

  /// Returns the steps of a path. Throws ``StoreError`` `.invalidValue` if the text isn't a path.
  mutating func steps() throws -> [DocumentPath.Step] {
    try linkSteps().map { step in
      guard case .step(let step) = step else { throw failure }
      return step
    }
  }

  /// Returns the steps of a link. Throws ``StoreError`` `.invalidValue` if the text isn't a link.
  mutating func linkSteps() throws -> [DocumentLink.Step] {
    var steps: [DocumentLink.Step] = [.step(.name(try name()))]
    while let separator = rest.popFirst() {
      switch separator {
      case ".": steps.append(.step(.name(try name())))
      case "[" where rest.starts(with: "*]".unicodeScalars):
        rest.removeFirst(2)
        steps.append(.every)
      case "[": steps.append(.step(.position(try position())))
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
    guard let position = Int32(String(digits)), digits.first != "+", digits.endIndex < rest.endIndex else {
      throw failure
    }
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
