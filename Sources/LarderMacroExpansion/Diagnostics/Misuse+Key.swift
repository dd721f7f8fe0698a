// What identifies a row.

extension Misuse {
  static func noKey(_ model: String) -> Misuse {
    Misuse(
      "'\(model)' has no key by which a row can be found again; add 'id', or mark what identifies it '@Attribute(.primaryKey)'"
    )
  }

  static func keyIsNotStored(_ model: String) -> Misuse {
    Misuse(
      "'id' is not stored, so '\(model)' has no key; store it, or mark the properties that it is made of '@Attribute(.primaryKey)'"
    )
  }

  static func optionalKey(_ property: String) -> Misuse {
    Misuse(
      "'\(property)' is a key and cannot be optional: a row without a key could not be found again; give each value a key when it is made, such as '.v7()'"
    )
  }

  static func embeddedKey(_ property: String) -> Misuse {
    Misuse(
      "'\(property)' is a key and cannot be embedded; make its parts properties of the model, and mark each of them '@Attribute(.primaryKey)'"
    )
  }

  static func keyWithoutType(_ property: String) -> Misuse {
    Misuse(
      "'\(property)' is a key, whose type the generated 'id' repeats, and a macro sees only what is written; write its type"
    )
  }

  static func idBesideKey(_ key: [String]) -> Misuse {
    Misuse(
      "'id' is ambiguous: the key is \(key.quoted), and 'id' is generated to answer it; rename this property and keep its column with 'name: \"id\"'"
    )
  }

  static func idWithinCompositeKey(others: [String]) -> Misuse {
    Misuse(
      "'id' is ambiguous: together with \(others.quoted) it makes a key whose generated name is also 'id'; rename this property"
    )
  }

  static func idIsGenerated(from key: [String]) -> Misuse {
    Misuse("'id' is ambiguous: it is generated from the key \(key.quoted); remove this one")
  }

  static func keyWithinEmbeddable(_ property: String, of embeddable: String) -> Misuse {
    Misuse(
      "'\(property)' cannot be a key: '\(embeddable)' is part of another model's row, and the key is that model's; remove '.primaryKey'"
    )
  }
}

extension [String] {
  fileprivate var quoted: String { map { "'\($0)'" }.formatted }

  private var formatted: String {
    guard let last, count > 1 else { return joined() }
    return "\(dropLast().joined(separator: ", ")) and \(last)"
  }
}
