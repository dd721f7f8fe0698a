import Testing

@Suite("What cannot name a table or a column")
struct NameMisuseTests {
  @Test(
    "a name is a plain string literal",
    arguments: [
      ("@Model(tableName) struct Note { var id: Int }", "tableName", "table"),
      (#"@Model("a\(1)") struct Note { var id: Int }"#, #""a\(1)""#, "table"),
      (#"@Model struct Note { @Attribute(name: "a" + "b") var id: Int }"#, #""a" + "b""#, "column"),
      (#"@Model struct Note { @Attribute(originalName: Names.old) var id: Int }"#, "Names.old", "original column"),
    ])
  func nameIsNotLiteral(source: String, text: String, kind: String) {
    expectMisuse(
      in: source,
      .misuse(
        line: 1, at: text,
        "the name of the \(kind) must be a string literal without interpolation: the schema is written when the program compiles"
      ))
  }

  @Test("whether rows expire is written out", arguments: ["flag", "!true", "1 > 0"])
  func expires(text: String) {
    expectMisuse(
      in: "@Model(expires: \(text)) struct Note { var id: Int }",
      .misuse(
        line: 1, at: text,
        "'expires' must be 'true' or 'false', written out: what the struct conforms to is decided when the program compiles"
      )
    )
  }

  @Test("whether rows sync is written out", arguments: ["flag", "!true"])
  func syncs(text: String) {
    expectMisuse(
      in: "@Model(syncs: \(text)) struct Note { var id: Int }",
      .misuse(
        line: 1, at: text,
        "'syncs' must be 'true' or 'false', written out: the schema is written when the program compiles"))
  }

  @Test("a model that doesn't sync says so in its schema")
  func syncs() {
    expectLines(
      "static let schema = Larder.ModelSchema<Note>(\"Note\", syncs: false, [",
      in: "@Model(syncs: false) struct Note { var id: Int }")
  }

  @Test(
    "a name is not empty",
    arguments: [
      (#"@Model("") struct Note { var id: Int }"#, "table"),
      (#"@Model struct Note { @Attribute(name: "") var id: Int }"#, "column"),
      (#"@Model struct Note { @Attribute(originalName: "") var id: Int }"#, "original column"),
    ])
  func emptyName(source: String, kind: String) {
    expectMisuse(
      in: source, .misuse(line: 1, at: "\"\"", "the name of the \(kind) is empty; write a name, or leave it out"))
  }

  @Test(
    "a name holds no NUL",
    arguments: [
      (#"@Model("a\0b") struct Note { var id: Int }"#, #""a\0b""#, "table"),
      (#"@Model struct Note { @Attribute(name: "\u{0}") var id: Int }"#, #""\u{0}""#, "column"),
    ])
  func nul(source: String, text: String, kind: String) {
    expectMisuse(
      in: source,
      .misuse(
        line: 1, at: text,
        "the name of the \(kind) holds a NUL character, at which SQLite would cut it off; remove '\\0'"))
  }

  @Test(
    "the names of SQLite's and Larder's own tables are reserved, in any case",
    arguments: [
      (#"@Model("SQLite_notes") struct Note { var id: Int }"#, #""SQLite_notes""#, "SQLite_notes", "sqlite_", "SQLite"),
      (#"@Model("_larderNotes") struct Note { var id: Int }"#, #""_larderNotes""#, "_larderNotes", "_larder", "Larder"),
      ("@Model struct _LarderNote { var id: Int }", "_LarderNote", "_LarderNote", "_larder", "Larder"),
    ])
  func reservedTable(source: String, text: String, name: String, prefix: String, owner: String) {
    expectMisuse(
      in: source,
      .misuse(
        line: 1, at: text,
        "'\(name)' cannot name a table: '\(prefix)' begins the names of \(owner)'s own tables; give another with '@Model(\"…\")'"
      ))
  }

  @Test(
    "the hidden column's name is reserved, in any case",
    arguments: [
      ("var _rowID: Int", "_rowID", "_rowID"),
      (#"@Attribute(name: "_ROWID") var number: Int"#, "\"_ROWID\"", "_ROWID"),
    ])
  func reservedColumn(member: String, text: String, name: String) {
    expectMisuse(
      in: "@Model struct Note { var id: Int; \(member) }",
      .misuse(
        line: 1, at: text,
        "'\(name)' cannot name a column: '_rowid' is Larder's hidden column in every table; give another with '@Attribute(name: \"…\")'"
      ))
  }

  @Test("a property of a reserved name may have another column")
  func reservedColumnWithName() {
    expectLines(
      #"let _rowid = Larder.Column(\Note._rowid, "_rowid", column: "row")"#,
      in: "@Model struct Note { var id: Int; @Attribute(name: \"row\") var _rowid: Int }")
  }

  @Test(
    "two properties cannot have one column, in upper case or lower",
    arguments: [
      ("var title: String; var Title: String", "Title", "Title", "Title", "title"),
      (#"var title: String; @Attribute(name: "TITLE") var name: String"#, #"name: "TITLE""#, "TITLE", "name", "title"),
    ])
  func duplicateColumn(members: String, text: String, column: String, property: String, owner: String) {
    expectMisuse(
      in: "@Model struct Note { var id: Int; \(members) }",
      .misuse(
        line: 1, at: text,
        "'\(property)' cannot have the column '\(column)': '\(owner)' has it, and SQLite does not tell upper from lower case; "
          + "give one of them another with '@Attribute(name: \"…\")'"))
  }

  @Test("SQLite folds ASCII letters alone, so these are two columns")
  func otherLettersDiffer() {
    expectLines("static let columns = Columns()", in: "@Model struct Note { var id: Int; var é: Int; var É: Int }")
  }

  @Test("two properties cannot have been one column")
  func duplicateOriginalColumn() {
    expectMisuse(
      in:
        "@Model struct Note { var id: Int; @Attribute(originalName: \"t\") var a: Int; @Attribute(originalName: \"T\") var b: Int }",
      .misuse(
        line: 1, at: "originalName: \"T\"",
        "'b' cannot have been the column 'T': 'a' claims to have been it too; a column becomes one property"))
  }

  @Test("a property that has its first name back says so")
  func firstName() {
    expectLines(
      "Larder.Property(columns.title, .unique, originalName: \"t\"),",
      in: "@Model struct Note { var id: Int; @Attribute(.unique, name: \"t\", originalName: \"t\") var title: String }")
  }
}
