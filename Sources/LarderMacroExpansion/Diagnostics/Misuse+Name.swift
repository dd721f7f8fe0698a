// Names of tables and columns.

extension Misuse {
  static func nameIsNotLiteral(_ name: SchemaName) -> Misuse {
    Misuse(
      "the name of the \(name.rawValue) must be a string literal without interpolation: the schema is written when the program compiles"
    )
  }

  static var expiresIsNotLiteral: Misuse {
    Misuse(
      "'expires' must be 'true' or 'false', written out: what the struct conforms to is decided when the program compiles"
    )
  }

  static var syncsIsNotLiteral: Misuse {
    Misuse("'syncs' must be 'true' or 'false', written out: the schema is written when the program compiles")
  }

  static func emptyName(_ name: SchemaName) -> Misuse {
    Misuse("the name of the \(name.rawValue) is empty; write a name, or leave it out")
  }

  static func nameHoldsNull(_ name: SchemaName) -> Misuse {
    Misuse("the name of the \(name.rawValue) holds a NUL character, at which SQLite would cut it off; remove '\\0'")
  }

  static func reservedTableName(_ name: String, prefix: String) -> Misuse {
    let owner = prefix == "sqlite_" ? "SQLite" : "Larder"
    return Misuse(
      "'\(name)' cannot name a table: '\(prefix)' begins the names of \(owner)'s own tables; give another with '@Model(\"…\")'"
    )
  }

  static func reservedColumnName(_ name: String) -> Misuse {
    Misuse(
      "'\(name)' cannot name a column: '_rowid' is Larder's hidden column in every table; give another with '@Attribute(name: \"…\")'"
    )
  }

  static func duplicateColumn(_ column: String, of property: String, takenBy owner: String) -> Misuse {
    Misuse(
      "'\(property)' cannot have the column '\(column)': '\(owner)' has it, and SQLite does not tell upper from lower case; "
        + "give one of them another with '@Attribute(name: \"…\")'")
  }

  static func duplicateOriginalColumn(_ column: String, of property: String, takenBy owner: String) -> Misuse {
    Misuse(
      "'\(property)' cannot have been the column '\(column)': '\(owner)' claims to have been it too; a column becomes one property"
    )
  }
}
