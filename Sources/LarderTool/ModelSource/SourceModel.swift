import Larder

/// A struct of the source: a model, or what a model embeds.
struct SourceModel {
  /// The attribute with its arguments: `@Model("Order Details")`.
  let attribute: String
  let name: String
  var properties: [SourceProperty] = []
  /// The lists of properties in `static var indexes`.
  var indexes: [(paths: [String], isUnique: Bool)] = []
  /// What isn't declared, and why.
  var notes: [String] = []

  var text: String {
    var lines = notes.map { "  // \($0)" } + properties.flatMap(\.lines)
    if !indexes.isEmpty {
      lines += ["", "  static var indexes: [Index<Self>] {", "    ["]
      lines += indexes.map { "      Index(\($0.paths.joined(separator: ", "))\($0.isUnique ? ", unique: true" : ""))," }
      lines += ["    ]", "  }"]
    }
    return (["\(attribute)", "struct \(name) {"] + lines + ["}"]).joined(separator: "\n")
  }
}

/// A property of a struct of the source.
struct SourceProperty {
  let name: String
  let type: String
  /// `@Attribute(.unique, name: "Number")` and others.
  var attributes: [String] = []
  /// The initial value.
  var value: String?
  /// What the file says beyond what the property can.
  var note: String?
  /// The column, if its values are those of one.
  var column: String?

  fileprivate var lines: [String] {
    let declaration = "var \(SwiftName.quoted(name)): \(type)\(value.map { " = \($0)" } ?? "")"
    let line = (attributes + [declaration]).joined(separator: " ")
    // The attributes of a long line stand above it.
    let lines = line.count <= 118 ? [line] : attributes + [declaration]
    return ((note.map { ["// \($0)"] } ?? []) + lines).map { "  \($0)" }
  }
}

/// An enum of the source, for the raw values that a file records.
struct SourceEnum: Hashable {
  /// The name in the file.
  let recordedName: String
  let isText: Bool
  let values: [String]

  /// Creates an enum; nil if the property isn't one, or has raw values of another type.
  init?(_ property: TableDescription.Property) {
    guard let values = property.cases, !values.isEmpty else { return nil }
    guard property.type == .text || (property.type == .integer && values.allSatisfy { Int($0) != nil }) else {
      return nil
    }
    recordedName = property.swiftType.filter { $0 != "?" }
    isText = property.type == .text
    // An enum can't have the same raw value twice.
    var seen: Set<String> = []
    let raw = property.type == .text ? values : values.compactMap { Int($0) }.sorted().map(String.init)
    self.values = raw.filter { seen.insert($0).inserted }
  }

  /// - Parameter name: The name of the enum.
  func text(_ name: String) -> String {
    var scope = NameScope(reserved: NameScope.cases)
    let cases = values.map { value in
      let name = scope.take(isText ? Self.name(ofText: value) : Self.name(ofNumber: value))
      let raw = isText ? (name == value ? nil : value.swiftLiteral) : value
      return "  case \(SwiftName.quoted(name))\(raw.map { " = \($0)" } ?? "")"
    }
    let head = "enum \(name): \(isText ? "String" : "Int"), CaseIterable, Codable {"
    return ([head] + cases + ["}"]).joined(separator: "\n")
  }

  private static func name(ofText text: String) -> String {
    SwiftName.unchanged(text) ?? SwiftName.property(text, beforeDigit: "value") ?? "value"
  }

  private static func name(ofNumber number: String) -> String {
    number.first == "-" ? "minus\(number.dropFirst())" : "value\(number)"
  }
}
