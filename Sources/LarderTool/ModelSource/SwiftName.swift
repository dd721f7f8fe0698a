/// Names in Swift's style for the names of tables, columns and values.
enum SwiftName {
  /// The greatest length of a name that is made; SQLite has no limit.
  private static let maximumLength = 80
  /// Words that stay in capitals within a name.
  private static let acronyms: Set<String> = ["html", "id", "ip", "json", "url", "uuid", "xml"]

  /// Returns the name of a type: `OrderDetail` for `Order Details`.
  ///
  /// - Parameter text: The name in the file.
  /// - Returns: The name, with the last word in the singular; nil if the text has no letter or digit.
  static func type(_ text: String) -> String? {
    var words = words(of: text)
    guard let last = words.popLast() else { return nil }
    return identifier((words + [SingularWord(last).text]).map(\.capitalizedWord).joined(), beforeDigit: "Table")
  }

  /// Returns the name of a property: `shipCity` for `Ship City`, `customerID` for `CustomerID`.
  ///
  /// - Parameters:
  ///   - text: The name in the file.
  ///   - prefix: What a name begins with that would begin with a digit.
  /// - Returns: The name; nil if the text has no letter or digit.
  static func property(_ text: String, beforeDigit prefix: String = "_") -> String? {
    let words = words(of: text)
    guard let first = words.first else { return nil }
    return identifier(first.uncapitalizedWord + words.dropFirst().map(\.capitalizedWord).joined(), beforeDigit: prefix)
  }

  /// Returns the name as it is, if Swift can write it so and it begins like a property, or a type.
  ///
  /// - Parameters:
  ///   - text: The name.
  ///   - isType: Whether it is the name of a type, which may begin with a capital letter.
  /// - Returns: The name, or nil.
  static func unchanged(_ text: String, isType: Bool = false) -> String? {
    let scalars = text.unicodeScalars
    guard let first = scalars.first, text.utf8.count <= maximumLength, scalars.allSatisfy({ $0 == "_" || $0.isWord }),
      first.isWord, !first.isDigit, isType || !first.properties.isUppercase
    else { return nil }
    return text
  }

  /// Returns a name in backquotes if it is a keyword.
  static func quoted(_ name: String) -> String {
    keywords.contains(name) ? "`\(name)`" : name
  }

  private static func identifier(_ name: String, beforeDigit prefix: String) -> String {
    let name = String(name.prefix(maximumLength))
    return name.unicodeScalars.first.map { $0.isDigit } == true ? "\(prefix)\(name)" : name
  }

  /// Returns the parts of a name between spaces and signs.
  private static func words(of text: String) -> [String] {
    let parts = text.unicodeScalars.split { !$0.isWord }.prefix(maximumLength).map {
      String(String.UnicodeScalarView($0))
    }
    // A name in capitals shows nothing of its words.
    let isInCapitals = !parts.contains { $0.contains(where: \.isLowercase) }
    return parts.enumerated().map { position, part in
      let word = isInCapitals ? part.lowercased() : part
      return position > 0 && acronyms.contains(word) ? word.uppercased() : word
    }
  }
}

extension SwiftName {
  /// The keywords, and the names that mean something else where generated code writes them: `await`, `get`.
  ///
  /// Source: <https://docs.swift.org/swift-book/documentation/the-swift-programming-language/lexicalstructure/>.
  private static let keywords: Set<String> = [
    "any", "as", "associatedtype", "await", "borrow", "break", "case", "catch", "class", "continue", "default", "defer",
    "deinit", "didSet", "do", "each", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func",
    "get", "guard", "if", "import", "in", "init", "inout", "internal", "is", "let", "modify", "mutate", "mutating",
    "nil",
    "nonmutating", "operator", "precedencegroup", "private", "protocol", "public", "read", "repeat", "rethrows",
    "return", "set", "some", "static", "struct", "subscript", "super", "switch", "throw", "throws", "true", "try",
    "typealias", "var", "where", "while", "willSet",
  ]
}

extension String {
  fileprivate var capitalizedWord: String { prefix(1).uppercased() + dropFirst() }

  /// The word with small letters at its beginning: `customerID`, `id`, `urlString`.
  fileprivate var uncapitalizedWord: String {
    let capitals = prefix { $0.isUppercase }
    let rest = self[capitals.endIndex...]
    // The last capital letter begins the next word, except in a plural such as `IDs`.
    guard capitals.count > 1, rest.first?.isLowercase == true, rest != "s" else { return capitals.lowercased() + rest }
    return capitals.dropLast().lowercased() + capitals.suffix(1) + rest
  }
}

extension Unicode.Scalar {
  fileprivate var isDigit: Bool { properties.generalCategory == .decimalNumber }

  /// Whether the scalar is a letter or a digit that may stand in a name. The letters that only may follow another, and
  /// the ranges outside of Swift's grammar, are left out.
  fileprivate var isWord: Bool {
    if isASCII { return ("a"..."z").contains(self) || ("A"..."Z").contains(self) || ("0"..."9").contains(self) }
    let excluded: [ClosedRange<UInt32>] = [
      0...0xBF, 0x300...0x36F, 0x1DC0...0x1DFF, 0x20D0...0x20FF, 0x2E00...0x2E7F, 0xFE20...0xFE2F,
    ]
    return properties.isAlphabetic && !excluded.contains { $0.contains(value) }
  }
}
