import Larder

/// A table of the file that becomes a struct, while the source is planned.
struct SourceTable {
  let description: TableDescription
  /// The name of the struct.
  let name: String
  /// The columns that identify a row.
  let key: [TableDescription.Property]
  /// The names of the struct's members.
  var scope = NameScope(reserved: NameScope.members)
  /// The key path of each column's property, without its root, by the folded name of the column.
  var paths: [String: String] = [:]
  /// The properties that stand for rows, and the positions of the tables of those, by their names in the file.
  var rows: [String: (name: String, table: Int)] = [:]
  /// The derived properties, and before which of the others they stand.
  var derived: [(property: TableDescription.Property, name: String, place: Int)] = []
  var model: SourceModel

  /// Why a table can't be a struct.
  enum Refusal: Error {
    case hasNoKey
    /// A column of the key, or the table, has a name that a model can't have.
    case hasReservedName(String)
  }

  /// - Parameters:
  ///   - description: The table.
  ///   - name: Returns the name of the struct. It is only called for a table that can be one.
  /// - Throws: ``Refusal``.
  init(_ description: TableDescription, name: (TableDescription) -> String) throws {
    let folded = description.name.folded
    guard !folded.isEmpty, !["sqlite_", "_larder"].contains(where: folded.hasPrefix) else {
      throw Refusal.hasReservedName(description.name)
    }
    key = try Self.key(of: description)
    self.description = description
    self.name = name(description)
    var arguments = self.name == description.name ? [] : [description.name.swiftLiteral]
    if description.kind == .model {
      if description.expires { arguments.append("expires: true") }
      if !description.syncs { arguments.append("syncs: false") }
    }
    model = SourceModel(
      attribute: "@Model\(arguments.isEmpty ? "" : "(\(arguments.joined(separator: ", ")))")", name: self.name)
  }

  func isKey(_ property: TableDescription.Property) -> Bool {
    key.contains { $0.column == property.column }
  }

  /// The properties that a struct can declare, and notes on the others.
  func declarable() -> (properties: [TableDescription.Property], notes: [String]) {
    var properties: [TableDescription.Property] = []
    var notes: [String] = []
    var columns: Set<String> = []
    for property in description.properties where !property.isRowNumber {
      let column = property.column.swiftLiteral
      if property.isDerived, description.kind != .model {
        notes.append("SQLite computes the column \(column). A save must not write it, so it isn't declared.")
      } else if property.hasReservedColumn || !columns.insert(property.column.folded).inserted {
        notes.append("No property can have the column \(column), because of its name.")
      } else {
        properties.append(property)
      }
    }
    return (properties, notes)
  }
}

extension SourceTable {
  /// Returns the columns of the primary key, or those of the shortest unique index whose values are required.
  private static func key(of table: TableDescription) throws -> [TableDescription.Property] {
    var key = table.key
    // Opening a file looks for the columns of a model, and the number of a row is none.
    if key.contains(where: \.isRowNumber) {
      let unique = table.indexes.filter(\.isUnique).compactMap { index -> [TableDescription.Property]? in
        let properties = index.columns.compactMap { column in table.properties.first { $0.column == column } }
        let isRequired = properties.allSatisfy { !$0.isOptional && !$0.isDerived }
        return properties.count == index.columns.count && isRequired ? properties : nil
      }
      key = unique.min { $0.count < $1.count } ?? []
    }
    guard !key.isEmpty else { throw Refusal.hasNoKey }
    if let property = key.first(where: \.hasReservedColumn) { throw Refusal.hasReservedName(property.column) }
    return key
  }
}

extension TableDescription.Property {
  /// Whether a model can't have the column.
  fileprivate var hasReservedColumn: Bool { column.isEmpty || column.folded == "_rowid" }
}

extension String {
  /// SQLite considers names equal that only differ in the case of ASCII letters.
  var folded: String {
    String(decoding: utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}
