import SwiftSyntax
import SwiftSyntaxBuilder

extension StoredProperty {
  /// The name as an argument label, where only `inout` needs backticks.
  var label: String {
    let isIdentifier = plainName.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
    return isIdentifier && plainName != "inout" ? plainName : name.text
  }

  private var isISO8601: Bool { isMarked(.iso8601) }

  /// `(\Note.title, "title", column: "Title", as: .iso8601)`, the arguments of a column or of an embedded struct's
  /// columns.
  func columnArguments(in type: TypeSyntax) -> ExprSyntax {
    let column = attribute?.name.map { ", column: \($0.literal)" } ?? ""
    return "(\\\(type).\(name), \(plainName.literal)\(raw: column)\(raw: isISO8601 ? ", as: .iso8601" : ""))"
  }

  /// `Larder.Property(columns.title, .unique, originalName: "name", default: .constant(""))`
  func schemaEntry(isKey: Bool) -> ExprSyntax {
    var arguments = [storage == .embedded ? "embedded: columns.\(name)" : "columns.\(name)"]
    if isKey { arguments.append(AttributeOption.primaryKey.expression) }
    arguments +=
      attribute?.options.map(\.option).filter { ![.primaryKey, .iso8601].contains($0) }.map(\.expression) ?? []
    if let original = attribute?.originalName { arguments.append("originalName: \(original.literal)") }
    if let derivation { arguments.append("derived: \(derivation.trimmed)") }
    arguments += relationship?.map { $0.with(\.trailingComma, nil).trimmedDescription } ?? []
    if storage == .rows { return "Larder.Property(\(raw: arguments.joined(separator: ", ")))" }
    switch defaultValue {
    case .constant(let value): arguments.append("default: .constant(\(value))")
    case .computed(let value): arguments.append("default: .computed { \(value) }")
    case nil: break
    }
    return "Larder.Property(\(raw: arguments.joined(separator: ", ")))"
  }

  /// The expression that reads the property. An embedded struct is distinguished by name, because it may also be
  /// `Codable` and elsewhere be stored as JSON.
  var reading: String {
    switch storage {
    case .embedded: "try row.nextEmbedded()"
    case .reference: "try row.nextReference()"
    case .column, .rows: "try row.next()"
    }
  }

  /// `try row.bind(self.title)`, where `value` is the property or the part of a key that stands for it.
  func binding(_ value: String) -> CodeBlockItemSyntax {
    "try row.bind(\(raw: storage == .embedded ? "embedded: " : storage == .reference ? "reference: " : "")\(raw: value)\(raw: isISO8601 ? ", as: .iso8601" : ""))"
  }
}
