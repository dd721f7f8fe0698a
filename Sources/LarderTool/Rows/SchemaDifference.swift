import Larder

/// What differs between the tables of two files.
struct SchemaDifference {
  enum Kind: String {
    case added, removed, changed
  }

  struct Change {
    let kind: Kind
    let table: String
    /// What of the table differs, such as `property note`; nil for the table itself.
    var part: String?
    var before: String?
    var after: String?
  }

  private(set) var changes: [Change] = []

  /// - Parameters:
  ///   - tables: The tables of the file that would be changed.
  ///   - others: Those that it would have.
  init(_ tables: [TableDescription], _ others: [TableDescription]) {
    let (before, after) = (Self.byName(tables), Self.byName(others))
    for name in Set(before.keys).union(after.keys).sorted() {
      switch (before[name], after[name]) {
      case (let table?, nil): changes.append(Change(kind: .removed, table: name, before: Self.text(table)))
      case (nil, let table?): changes.append(Change(kind: .added, table: name, after: Self.text(table)))
      case (let table?, let other?): compare(table, other)
      case (nil, nil): break
      }
    }
  }

  private static func byName(_ tables: [TableDescription]) -> [String: TableDescription] {
    Dictionary(uniqueKeysWithValues: tables.map { ($0.name, $0) })
  }

  private static func text(_ table: TableDescription) -> String {
    table.model == nil || table.model == table.name ? table.kind.rawValue : "\(table.kind.rawValue) \(table.title)"
  }

  private mutating func compare(_ table: TableDescription, _ other: TableDescription) {
    if Self.text(table) != Self.text(other) {
      changes.append(
        Change(kind: .changed, table: table.name, before: Self.text(table), after: Self.text(other)))
    }
    compare(facts(table), facts(other), in: table.name, as: "")
    compare(
      table.properties.map { ($0.column, Self.text($0)) }, other.properties.map { ($0.column, Self.text($0)) },
      in: table.name, as: "property ")
    compare(
      table.indexes.map { ($0.name, Self.text($0)) }, other.indexes.map { ($0.name, Self.text($0)) },
      in: table.name, as: "index ")
    compare(
      table.relationships.map { ($0.name, SchemaText.facts($0)) },
      other.relationships.map { ($0.name, SchemaText.facts($0)) }, in: table.name, as: "relationship ")
  }

  private func facts(_ table: TableDescription) -> [(String, String)] {
    table.expires ? [("expiry", "rows expire")] : []
  }

  private static func text(_ property: TableDescription.Property) -> String {
    let facts = SchemaText.facts(property)
    let type = property.name == property.column ? property.swiftType : "\(property.name): \(property.swiftType)"
    return facts.isEmpty ? type : "\(type) (\(facts))"
  }

  private static func text(_ index: TableDescription.Index) -> String {
    "\(index.isUnique ? "unique " : "")\(index.columns.joined(separator: ", "))"
  }

  private mutating func compare(
    _ before: [(String, String)], _ after: [(String, String)], in table: String, as kind: String
  ) {
    let (old, new) = (Dictionary(before) { first, _ in first }, Dictionary(after) { first, _ in first })
    for (name, text) in before where old[name] == text {
      guard let other = new[name] else {
        changes.append(Change(kind: .removed, table: table, part: kind + name, before: text))
        continue
      }
      if other != text {
        changes.append(Change(kind: .changed, table: table, part: kind + name, before: text, after: other))
      }
    }
    for (name, text) in after where old[name] == nil {
      changes.append(Change(kind: .added, table: table, part: kind + name, after: text))
    }
  }
}
