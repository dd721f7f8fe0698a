// What a relationship, and what is derived from one, may be.

extension Misuse {
  static func relationshipOnColumn(_ property: String) -> Misuse {
    Misuse(
      "'\(property)' is not written as a 'ToOne' or a 'ToMany', so '@Relationship' has nothing to describe; write such a type, or remove '@Relationship'"
    )
  }

  static func relationshipWithoutType(_ property: String) -> Misuse {
    Misuse(
      "'\(property)' is a relationship, which is told by its type, and a macro sees only what is written; write its type"
    )
  }

  static func relationshipWithinEmbeddable(_ property: String, of embeddable: String) -> Misuse {
    Misuse(
      "'\(property)' cannot be in '\(embeddable)', which is part of another model's row: relationships are that model's; declare it there"
    )
  }

  static func repeatedRelationship(_ macro: MacroName, on property: String) -> Misuse {
    Misuse("'\(property)' has '\(macro.attribute)' twice, and one of them would be overlooked; remove one")
  }

  static func embeddedReference(_ property: String) -> Misuse {
    Misuse("'\(property)' refers to a row in one column, and '@Embedded' is for several; remove '@Embedded'")
  }
}

// MARK: - ToMany

extension Misuse {
  static func optionalRows(_ property: String) -> Misuse {
    Misuse(
      "'\(property)' cannot be optional: a 'ToMany' without rows is empty; make it one with the default value '[]'")
  }

  static func constantRows(_ property: String) -> Misuse {
    Misuse("'\(property)' is a constant, and a 'ToMany' is filled after the model is read; make it 'var'")
  }

  static func rowsWithoutDefault(_ property: String) -> Misuse {
    Misuse("'\(property)' has no column, so a model that is read has no value for it; give it the default value '[]'")
  }

  static func severalRows(_ property: String) -> Misuse {
    Misuse(
      "'\(property)' is declared together with another property, and each 'ToMany' has accessors of its own; declare it by itself"
    )
  }

  static func rowsWithColumn(_ attribute: String, property: String) -> Misuse {
    Misuse("'\(property)' is a 'ToMany' and has no column, so '\(attribute)' has nothing to describe; remove it")
  }
}

// MARK: - ToOne

extension Misuse {
  static func orderedReference(_ property: String) -> Misuse {
    Misuse("'\(property)' refers to one row, and only a 'ToMany' has an order; remove 'ordered'")
  }

  static func nullifiedReference(_ property: String) -> Misuse {
    Misuse(
      "'\(property)' is not optional, so '.nullify' could not leave it without a row; make it optional, or choose another rule"
    )
  }
}

// MARK: - @Derived

extension Misuse {
  static func derivedRelationship(_ property: String) -> Misuse {
    Misuse(
      "'\(property)' is a relationship, and '@Derived' is for a value that is computed from one; remove '@Derived'")
  }

  static func derivedEmbedded(_ property: String) -> Misuse {
    Misuse("'\(property)' is '@Derived' as one value, and '@Embedded' is for several columns; remove one of the two")
  }

  static func constantDerived(_ property: String) -> Misuse {
    Misuse(
      "'\(property)' is a constant, and what is '@Derived' changes with the rows that it is computed from; make it 'var'"
    )
  }

  static func derivedWithoutDefault(_ property: String) -> Misuse {
    Misuse(
      "'\(property)' is computed by the store, so a model that was not saved yet has no value for it; give it a default value, or make it optional"
    )
  }

  static func derivedOption(_ option: AttributeOption, property: String) -> Misuse {
    Misuse(
      "'\(property)' is computed from other rows, and '\(option.expression)' is for what a model holds itself; remove the option"
    )
  }
}
