// What a property may be.

extension Misuse {
  static func lazyProperty(_ property: String) -> Misuse {
    Misuse(
      "'\(property)' is lazy and may have no value yet when the model is saved; mark it '@Transient', or store it without 'lazy'"
    )
  }

  static func constantWithValue(_ property: String) -> Misuse {
    Misuse(
      "'\(property)' is a constant with a value, so what was stored could not be read back; make it 'var' or 'static let', or mark it '@Transient'"
    )
  }

  static var destructuring: Misuse {
    Misuse(
      "a tuple pattern declares several properties at once and does not say which column is which; declare each property by itself"
    )
  }

  static func conditionalProperty(_ property: String) -> Misuse {
    Misuse(
      "'\(property)' is stored or not depending on '#if', so one file would have two schemas; declare it without '#if', or mark it '@Transient'"
    )
  }

  static func transientWithoutDefault(_ property: String) -> Misuse {
    Misuse("'\(property)' is never stored, so a model that is read has no value for it; give it a default value")
  }

  static func transientWithOther(_ other: String, property: String) -> Misuse {
    Misuse(
      "'\(property)' is '@Transient' and has no column, so '\(other)' has nothing to describe; remove one of the two")
  }

  static func embeddedWithAttribute(_ property: String) -> Misuse {
    Misuse(
      "'\(property)' is '@Embedded' and becomes several columns, of which '@Attribute' cannot describe one; write '@Attribute' within the embedded struct"
    )
  }

  static func embeddedWithoutType(_ property: String) -> Misuse {
    Misuse(
      "'\(property)' is '@Embedded' in columns that its type declares, and a macro sees only what is written; write its type"
    )
  }

  static func embeddedOptional(_ property: String) -> Misuse {
    Misuse(
      "'\(property)' is '@Embedded' and cannot be optional: its columns have no way to say that there is none; "
        + "give it a default value, or remove '@Embedded' to store it as JSON in one column")
  }

  static func embeddedNeedsStruct(_ property: String, type: String) -> Misuse {
    Misuse(
      "'\(property)' is '@Embedded' and '\(type)' is not an '@Embeddable' struct; remove '@Embedded' to store it in one column"
    )
  }

  static func fieldWithoutType(_ property: String) -> Misuse {
    Misuse(
      "'\(property)' needs a type: the columns of an '@Embeddable' struct repeat it, and a macro sees only what is written; write its type"
    )
  }

  static func nameInKeyPath(_ property: String) -> Misuse {
    Misuse(
      "a property called '\(property)' cannot be named in a key path, by which columns know their property; rename it, and keep its column with 'name:'"
    )
  }

  static func generatedName(_ name: String, _ macro: MacroName) -> Misuse {
    Misuse("'\(name)' is a name that '\(macro.attribute)' generates; rename this one")
  }
}
