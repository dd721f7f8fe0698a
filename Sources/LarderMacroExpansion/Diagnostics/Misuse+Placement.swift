import SwiftSyntax

// The placement of a macro.

extension Misuse {
  static func notStruct(_ declaration: DeclSyntax, _ macro: MacroName) -> Misuse {
    let remark =
      switch declaration.as(DeclSyntaxEnum.self) {
      case .classDecl(let declaration):
        "'\(declaration.name.text)' is a class, whose instances can change where the store does not see it; make it a struct"
      case .actorDecl(let declaration):
        "'\(declaration.name.text)' is an actor, whose properties cannot be read without waiting; make it a struct"
      case .enumDecl(let declaration):
        "'\(declaration.name.text)' is an enum, whose cases are not columns; make it a property of a model, which stores it in one column"
      case .protocolDecl(let declaration):
        "'\(declaration.name.text)' is a protocol, which stores nothing; mark the structs that conform to it"
      case .extensionDecl(let declaration):
        "an extension does not show the stored properties; mark the declaration of '\(declaration.extendedType.trimmedDescription)' itself"
      default:
        "this declaration has no stored properties; mark a struct"
      }
    return Misuse("'\(macro.attribute)' works on structs: \(remark)")
  }

  static func generic(_ name: String, _ macro: MacroName) -> Misuse {
    Misuse(
      "'\(macro.attribute)' needs a struct without type parameters: '\(name)' would be another table for each of them; name the types instead"
    )
  }

  static func withinGeneric(_ name: String, _ macro: MacroName) -> Misuse {
    Misuse(
      "'\(macro.attribute)' needs a struct without type parameters, and '\(name)' inherits those of the generic declaration around it; move it out"
    )
  }

  static func privateWithinType(_ name: String) -> Misuse {
    Misuse(
      "'\(name)' is private within another type, out of reach of the extension that is generated beside that type; make it 'fileprivate'"
    )
  }

  static func appliedTwice(_ macro: MacroName, to name: String) -> Misuse {
    Misuse("'\(macro.attribute)' is applied to '\(name)' twice, which would write its conformance twice; remove one")
  }

  static func modelAndEmbeddable(_ name: String) -> Misuse {
    Misuse(
      "'\(name)' cannot be both '@Model', which has a table of its own, and '@Embeddable', which is columns in the table of another; remove one"
    )
  }

  static func notProperty(_ macro: MacroName) -> Misuse {
    Misuse("'\(macro.attribute)' describes a stored property of a model; this declaration stores nothing, so remove it")
  }

  static func localVariable(_ macro: MacroName, _ name: String) -> Misuse {
    Misuse(
      "'\(macro.attribute)' describes a stored property of a model, and '\(name)' is not a member of one; remove it")
  }

  static func staticProperty(_ macro: MacroName, _ name: String) -> Misuse {
    Misuse(
      "'\(macro.attribute)' has no effect on '\(name)': a static property belongs to the type, and only what an instance holds is stored; remove it"
    )
  }

  static func computedProperty(_ macro: MacroName, _ name: String) -> Misuse {
    Misuse("'\(macro.attribute)' has no effect on '\(name)': a computed property is not stored; remove it")
  }

  static func outsideModel(_ macro: MacroName, _ name: String) -> Misuse {
    Misuse(
      "'\(macro.attribute)' has no effect on '\(name)': only '@Model' and '@Embeddable' structs are stored; mark the struct, or remove it"
    )
  }
}
