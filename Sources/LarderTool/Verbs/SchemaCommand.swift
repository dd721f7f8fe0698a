import ArgumentParser
import Foundation
import Larder

struct SchemaCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema", abstract: "Shows properties, keys, indexes, relationships and expiry of tables.",
    discussion: """
      How the tables of another version of a program differ is for larder plan to say.

      EXAMPLES
        larder schema notes.larder
        larder schema notes.larder Note --json
      """)

  @OptionGroup var source: StoreFile
  @Argument(help: "The name of the table or of the model; without it, all.")
  var table: String?
  @Flag(help: "Print JSON.")
  var json = false

  func run() async throws {
    try await source.reading().closing { store in
      let tables = if let table { [try await store.table(table)] } else { try await store.tables }
      if json {
        let values = tables.map { SchemaText.json($0) }
        return print(try JSONText.line(table == nil ? .array(values) : values[0]))
      }
      print(tables.map { SchemaText.text($0) }.joined(separator: "\n"), terminator: "")
    }
  }
}

/// The description of a table as text and as JSON.
enum SchemaText {
  static func text(_ table: TableDescription) -> String {
    var text = Terminal.text(DisplayText.escaped(heading(table)), .bold) + "\n"
    var properties = TextTable(["property", "type", "", "column"])
    for property in table.properties {
      properties.add([property.name, property.swiftType, facts(property), property.column])
    }
    text += properties.text()
    for index in table.indexes {
      let columns = index.columns.joined(separator: ", ")
      text += DisplayText.escaped("\(index.isUnique ? "unique " : "")index \(index.name): \(columns)") + "\n"
    }
    for relationship in table.relationships { text += DisplayText.escaped(line(relationship)) + "\n" }
    if !table.retired.isEmpty {
      text += DisplayText.escaped("retired columns: \(table.retired.joined(separator: ", "))") + "\n"
    }
    return text
  }

  private static func heading(_ table: TableDescription) -> String {
    var parts = [table.kind.rawValue]
    if let model = table.model, model != table.name { parts.append("model \(model)") }
    if table.expires { parts.append("rows expire") }
    if table.isSearchable { parts.append("full-text search") }
    return "\(table.name) (\(parts.joined(separator: ", ")))"
  }

  static func facts(_ property: TableDescription.Property) -> String {
    var facts: [String] = []
    if property.isKey { facts.append("key") }
    if property.isUnique { facts.append("unique") }
    if property.isSearchable { facts.append("searchable") }
    if property.isDerived { facts.append("derived") }
    if let target = property.target { facts.append("refers to \(target)") }
    if let cases = property.cases { facts.append("one of \(cases.joined(separator: ", "))") }
    return facts.joined(separator: ", ")
  }

  private static func line(_ relationship: TableDescription.Relationship) -> String {
    "\(relationship.kind.rawValue) \(relationship.name): \(facts(relationship))"
  }

  static func facts(_ relationship: TableDescription.Relationship) -> String {
    let order = relationship.isOrdered ? ", ordered" : ""
    return "\(relationship.target), delete rule \(name(relationship.deleteRule))\(order)"
  }

  private static func name(_ rule: DeleteRule) -> String {
    switch rule {
    case .cascade: "cascade"
    case .nullify: "nullify"
    case .deny: "deny"
    default: "noAction"
    }
  }

  static func json(_ table: TableDescription) -> DocumentValue {
    .record([
      "name": .text(table.name), "model": table.model.map { .text($0) }, "kind": .text(table.kind.rawValue),
      "expires": .bool(table.expires), "isSearchable": .bool(table.isSearchable),
      "properties": .array(table.properties.map(json)),
      "indexes": .array(
        table.indexes.map {
          .record([
            "name": .text($0.name), "columns": .array($0.columns.map { .text($0) }), "isUnique": .bool($0.isUnique),
          ])
        }),
      "relationships": .array(
        table.relationships.map {
          .record([
            "name": .text($0.name), "kind": .text($0.kind.rawValue), "target": .text($0.target),
            "deleteRule": .text(name($0.deleteRule)), "isOrdered": .bool($0.isOrdered),
          ])
        }),
      "retired": .array(table.retired.map { .text($0) }),
    ])
  }

  private static func json(_ property: TableDescription.Property) -> DocumentValue {
    .record([
      "name": .text(property.name), "column": .text(property.column), "type": .text(property.type.rawValue),
      "swiftType": .text(property.swiftType), "isOptional": .bool(property.isOptional), "isKey": .bool(property.isKey),
      "isUnique": .bool(property.isUnique), "isSearchable": .bool(property.isSearchable),
      "isDerived": .bool(property.isDerived), "target": property.target.map { .text($0) },
      "cases": property.cases.map { .array($0.map { .text($0) }) },
    ])
  }
}
