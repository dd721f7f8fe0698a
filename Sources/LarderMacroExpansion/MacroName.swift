import SwiftSyntax

/// The macros of the library, by the names that users write.
package enum MacroName: String {
  case model = "Model"
  case embeddable = "Embeddable"
  case attribute = "Attribute"
  case embedded = "Embedded"
  case transient = "Transient"
  case relationship = "Relationship"
  case derived = "Derived"

  /// The name as in source code and in messages.
  var attribute: String { "@\(rawValue)" }
}

extension AttributeListSyntax {
  /// The attributes that apply one of the given macros, written with or without the module's name.
  func applications(of macros: MacroName...) -> [AttributeSyntax] {
    let names = macros.flatMap { [$0.rawValue, "Larder.\($0.rawValue)"] }
    return compactMap { $0.as(AttributeSyntax.self) }.filter { names.contains($0.attributeName.trimmedDescription) }
  }

  func apply(_ macro: MacroName) -> Bool {
    !applications(of: macro).isEmpty
  }
}
