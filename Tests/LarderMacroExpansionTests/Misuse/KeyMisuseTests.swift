import Testing

@Suite("What cannot identify a row")
struct KeyMisuseTests {
  @Test(
    "a model without a key is offered one, in the layout of its members",
    arguments: [
      (
        "@Model struct Note {\n    var title: String\n}",
        "@Model struct Note {\n    var id: UUID = .v7()\n    var title: String\n}"
      ),
      ("@Model struct Note { var title: String }", "@Model struct Note { var id: UUID = .v7(); var title: String }"),
      ("@Model struct Note {}", "@Model struct Note {\n  var id: UUID = .v7()\n}"),
      ("@Model struct Note {\n}", "@Model struct Note {\n  var id: UUID = .v7()\n}"),
      (
        "@Model public struct Note {\n\n  // The title.\n  var title: String\n}",
        "@Model public struct Note {\n  public var id: UUID = .v7()\n\n  // The title.\n  var title: String\n}"
      ),
    ])
  func noKey(source: String, fixed: String) {
    expectMisuse(
      in: source,
      .misuse(
        line: 1, at: "Note",
        "'Note' has no key by which a row can be found again; add 'id', or mark what identifies it '@Attribute(.primaryKey)'",
        fixIts: [("add 'var id: UUID = .v7()'", fixed)]))
  }

  @Test("an id that is computed or transient is no key", arguments: ["var id: Int { 1 }", "@Transient var id = 1"])
  func keyIsNotStored(declaration: String) {
    expectMisuse(
      in: "@Model struct Note { \(declaration) }",
      .misuse(
        line: 1, at: "id",
        "'id' is not stored, so 'Note' has no key; store it, or mark the properties that it is made of '@Attribute(.primaryKey)'"
      ))
  }

  @Test("an optional key is refused")
  func optionalKey() {
    expectMisuse(
      in: "@Model struct Note { var id: Int? }",
      .misuse(
        line: 1, at: "id",
        "'id' is a key and cannot be optional: a row without a key could not be found again; give each value a key when it is made, such as '.v7()'",
        fixIts: [("remove '?'", "@Model struct Note { var id: Int }")]))
  }

  @Test(
    "an optional key has no fix-it where nil is its value, or where the type is written out",
    arguments: ["Int? = nil", "Optional<Int>", "Int!"])
  func optionalKeyWithoutFixIt(type: String) {
    expectMisuse(
      in: "@Model struct Note { @Attribute(.primaryKey) var number: \(type) }",
      .misuse(
        line: 1, at: "number",
        "'number' is a key and cannot be optional: a row without a key could not be found again; give each value a key when it is made, such as '.v7()'"
      ))
  }

  @Test("a key of another name needs a written type, which the fix-it takes from the value")
  func keyWithoutType() {
    expectMisuse(
      in: "@Model struct Note { @Attribute(.primaryKey) var number = 1 }",
      .misuse(
        line: 1, at: "number",
        "'number' is a key, whose type the generated 'id' repeats, and a macro sees only what is written; write its type",
        fixIts: [("write the type", "@Model struct Note { @Attribute(.primaryKey) var number: Int = 1 }")]))
  }

  @Test("so does each part of a composite key")
  func compositeKeyWithoutTypes() {
    expectMisuse(
      in: """
        @Model struct Seat {
          @Attribute(.primaryKey) var row = "A"
          @Attribute(.primaryKey) var number: Int
          @Attribute(.primaryKey) var hall = Hall.main
        }
        """,
      .misuse(
        line: 2, at: "row",
        "'row' is a key, whose type the generated 'id' repeats, and a macro sees only what is written; write its type",
        fixIts: [
          (
            "write the type",
            """
            @Model struct Seat {
              @Attribute(.primaryKey) var row: String = "A"
              @Attribute(.primaryKey) var number: Int
              @Attribute(.primaryKey) var hall = Hall.main
            }
            """
          )
        ]),
      .misuse(
        line: 4, at: "hall",
        "'hall' is a key, whose type the generated 'id' repeats, and a macro sees only what is written; write its type",
        fixIts: [
          (
            "write the type",
            """
            @Model struct Seat {
              @Attribute(.primaryKey) var row = "A"
              @Attribute(.primaryKey) var number: Int
              @Attribute(.primaryKey) var hall: <#Type#> = Hall.main
            }
            """
          )
        ]))
  }

  @Test("an id beside another key would be ambiguous")
  func idBesideKey() {
    expectMisuse(
      in: """
        @Model struct Order {
          var id: UUID
          @Attribute(.primaryKey) var number: Int
        }
        """,
      .misuse(
        line: 2, at: "id",
        "'id' is ambiguous: the key is 'number', and 'id' is generated to answer it; rename this property and keep its column with 'name: \"id\"'",
        fixIts: [
          (
            "rename it to 'identifier' and keep its column",
            """
            @Model struct Order {
              @Attribute(name: "id") var identifier: UUID
              @Attribute(.primaryKey) var number: Int
            }
            """
          )
        ]))
  }

  @Test("an id within a composite key would be ambiguous; the fix-it keeps column and options")
  func idWithinCompositeKey() {
    expectMisuse(
      in:
        "@Model struct Line { @Attribute(.primaryKey) var id: Int; @Attribute(.primaryKey) var a: Int; @Attribute(.primaryKey) var b: Int }",
      .misuse(
        line: 1, at: "id",
        "'id' is ambiguous: together with 'a' and 'b' it makes a key whose generated name is also 'id'; rename this property",
        fixIts: [
          (
            "rename it to 'identifier' and keep its column",
            "@Model struct Line { @Attribute(.primaryKey, name: \"id\") var identifier: Int; "
              + "@Attribute(.primaryKey) var a: Int; @Attribute(.primaryKey) var b: Int }"
          )
        ]))
  }

  @Test(
    "the fix-it for an ambiguous id leaves the arguments in order",
    arguments: [
      (
        "@Attribute(originalName: \"key\")", "@Attribute(name: \"id\", originalName: \"key\")",
        "rename it to 'identifier' and keep its column"
      ),
      ("@Attribute(name: \"key\")", "@Attribute(name: \"key\")", "rename it to 'identifier'"),
    ])
  func renamingKeepsArguments(attribute: String, fixed: String, message: String) {
    expectMisuse(
      in: "@Model struct Order { \(attribute) var id: Int; @Attribute(.primaryKey) var number: Int }",
      .misuse(
        line: 1, at: "id",
        "'id' is ambiguous: the key is 'number', and 'id' is generated to answer it; rename this property and keep its column with 'name: \"id\"'",
        fixIts: [
          (message, "@Model struct Order { \(fixed) var identifier: Int; @Attribute(.primaryKey) var number: Int }")
        ]))
  }

  @Test("a computed id is generated, not written")
  func computedID() {
    expectMisuse(
      in: """
        @Model struct Order {
          @Attribute(.primaryKey) var number: Int
          var id: Int { number }
          var date: Date
        }
        """,
      .misuse(
        line: 3, at: "id", "'id' is ambiguous: it is generated from the key 'number'; remove this one",
        fixIts: [
          (
            "remove 'id'",
            """
            @Model struct Order {
              @Attribute(.primaryKey) var number: Int
              var date: Date
            }
            """
          )
        ]))
  }

  @Test("an embedded id is refused")
  func embeddedKey() {
    expectMisuse(
      in: "@Model struct Order { @Embedded var id: OrderID }",
      .misuse(
        line: 1, at: "id",
        "'id' is a key and cannot be embedded; make its parts properties of the model, and mark each of them '@Attribute(.primaryKey)'"
      ))
  }

  @Test("an embedded property is not marked as a key, and nothing else is said about the key")
  func markedEmbeddedKey() {
    expectMisuse(
      in: "@Model struct Order { var id: Int; @Embedded @Attribute(.primaryKey) var number: Number }",
      .misuse(
        line: 1, at: "@Attribute(.primaryKey)",
        "'number' is a key and cannot be embedded; make its parts properties of the model, and mark each of them '@Attribute(.primaryKey)'",
        fixIts: [
          ("remove '@Attribute'", "@Model struct Order { var id: Int; @Embedded var number: Number }"),
          ("remove '@Embedded'", "@Model struct Order { var id: Int; @Attribute(.primaryKey) var number: Number }"),
        ]))
  }

  @Test("an embeddable struct has no key")
  func keyWithinEmbeddable() {
    expectMisuse(
      in: "@Embeddable struct Font { @Attribute(.primaryKey, .indexed) var name: String }",
      .misuse(
        line: 1, at: ".primaryKey",
        "'name' cannot be a key: 'Font' is part of another model's row, and the key is that model's; remove '.primaryKey'",
        fixIts: [("remove '.primaryKey'", "@Embeddable struct Font { @Attribute(.indexed) var name: String }")]))
  }
}
