/// The names that are taken in a struct, an enum or a file.
struct NameScope {
  private var taken: Set<String>

  /// Creates a scope.
  ///
  /// - Parameter reserved: The names that can't be given.
  init(reserved: Set<String>) {
    taken = reserved
  }

  /// Returns the first of the names that is free, or the last with a number, and takes it.
  ///
  /// - Parameter names: The names, the best first; at least one.
  /// - Returns: The name.
  mutating func take(_ names: String...) -> String {
    let name = names.first { !taken.contains($0) } ?? numbered(names[names.count - 1])
    taken.insert(name)
    return name
  }

  private func numbered(_ name: String) -> String {
    let stem = name.last?.isNumber == true ? "\(name)_" : name
    var number = 2
    while taken.contains("\(stem)\(number)") { number += 1 }
    return "\(stem)\(number)"
  }
}

extension NameScope {
  /// The types that generated source, or what the macros make of it, names without their module, and the modules.
  static let types: Set<String> = [
    "Any", "AnyValue", "Array", "Attachment", "Bool", "CaseIterable", "Codable", "Columns", "Data", "Date", "Decimal",
    "Decoder", "Dictionary", "Document", "DocumentValue", "Double", "Encoder", "Error", "Float", "Foundation",
    "Hashable",
    "ID", "Identifiable", "Index", "Int", "Int8", "Int16", "Int32", "Int64", "Larder", "Model", "Never", "Optional",
    "Property", "Protocol", "RawRepresentable", "Self", "Sendable", "Set", "StorageClass", "Store", "StoredValue",
    "String", "Swift", "ToMany", "ToOne", "Type", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "URL", "UUID", "Value",
    "Void", "models",
  ]

  /// The members that a model has, and the names that Swift gives a meaning of their own after a point.
  static let members: Set<String> = [
    "Columns", "ID", "Protocol", "Self", "Type", "customMirror", "id", "init", "schema", "self",
  ]

  /// The members that an enum with raw values has.
  static let cases: Set<String> = ["Protocol", "Self", "Type", "allCases", "hashValue", "init", "rawValue", "self"]
}
