import SwiftSyntax

/// The macros of the library, by the names that users write.
enum MacroName: String {
  case model = "Model"
  case embeddable = "Embeddable"
  case attribute = "Attribute"
  case embedded = "Embedded"
  case transient = "Transient"

  /// As it stands in source and in messages.
  var attribute: String { "@\(rawValue)" }
}

extension AttributeListSyntax {
  /// The attributes that apply the given macro, written with or without the module's name.
  func applications(of macro: MacroName) -> [AttributeSyntax] {
    compactMap { $0.as(AttributeSyntax.self) }.filter { attribute in
      let name = attribute.attributeName.trimmedDescription
      return name == macro.rawValue || name == "Larder.\(macro.rawValue)"
    }
  }

  func apply(_ macro: MacroName) -> Bool {
    !applications(of: macro).isEmpty
  }
}
