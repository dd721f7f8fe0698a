import Testing

@Suite("What a property cannot be")
struct PropertyMisuseTests {
  private func model(_ member: String) -> String {
    """
    @Model struct Note {
      var id: Int
      \(member)
    }
    """
  }

  @Test("a constant with a value could not be read back")
  func constantWithValue() {
    expectMisuse(
      in: model("let kind = \"note\""),
      .misuse(
        line: 3, at: "let",
        "'kind' is a constant with a value, so what was stored could not be read back; make it 'var' or 'static let', or mark it '@Transient'",
        fixIts: [
          ("make it 'var'", model("var kind = \"note\"")),
          ("make it 'static let'", model("static let kind = \"note\"")),
          ("mark it '@Transient'", model("@Transient let kind = \"note\"")),
        ]))
  }

  @Test("a lazy property may have no value when the model is saved")
  func lazy() {
    expectMisuse(
      in: model("lazy var words = title.split()"),
      .misuse(
        line: 3, at: "lazy",
        "'words' is lazy and may have no value yet when the model is saved; mark it '@Transient', or store it without 'lazy'",
        fixIts: [("mark it '@Transient'", model("@Transient lazy var words = title.split()"))]))
  }

  @Test("a tuple pattern does not say which column is which")
  func destructuring() {
    expectMisuse(
      in: model("var (x, y) = (0, 0)"),
      .misuse(
        line: 3, at: "(x, y)",
        "a tuple pattern declares several properties at once and does not say which column is which; declare each property by itself"
      ))
  }

  @Test("a stored property within #if would make two schemas, in any of its branches")
  func conditional() {
    expectMisuse(
      in: model("#if DEBUG\n  #if os(Linux)\n  var trace: Int\n  #endif\n  #else\n  var log: Int\n  #endif"),
      .misuse(
        line: 5, at: "var trace: Int",
        "'trace' is stored or not depending on '#if', so one file would have two schemas; declare it without '#if', or mark it '@Transient'"
      ),
      .misuse(
        line: 8, at: "var log: Int",
        "'log' is stored or not depending on '#if', so one file would have two schemas; declare it without '#if', or mark it '@Transient'"
      ))
  }

  @Test("what is not stored may stand within #if")
  func conditionalUnstored() {
    expectLines(
      "self.init(id: try row.next())",
      in: model("#if DEBUG\n  @Transient var trace = 0\n  var log: Int { 0 }\n  static let limit = 3\n  #endif"))
  }

  @Test("a transient property needs a default")
  func transientWithoutDefault() {
    expectMisuse(
      in: model("@Transient var isSelected: Bool"),
      .misuse(
        line: 3, at: "isSelected",
        "'isSelected' is never stored, so a model that is read has no value for it; give it a default value",
        fixIts: [("give it a default value", model("@Transient var isSelected: Bool = <#value#>"))]))
  }

  @Test(
    "so does an optional one that does not start as nil",
    arguments: ["let preview: Image?", "var preview: Optional<Image>"])
  func transientOptionalWithoutDefault(declaration: String) {
    expectMisuse(
      in: model("@Transient \(declaration)"),
      .misuse(
        line: 3, at: "preview",
        "'preview' is never stored, so a model that is read has no value for it; give it a default value",
        fixIts: [("give it a default value", model("@Transient \(declaration) = nil"))]))
  }

  @Test(
    "a transient property has no column to describe",
    arguments: [("@Attribute(.primaryKey)", "@Attribute"), ("@Embedded", "@Embedded")])
  func transientWithOther(attribute: String, name: String) {
    expectMisuse(
      in: model("@Transient \(attribute) var size: Size = Size()"),
      .misuse(
        line: 3, at: attribute,
        "'size' is '@Transient' and has no column, so '\(name)' has nothing to describe; remove one of the two",
        fixIts: [
          ("remove '\(name)'", model("@Transient var size: Size = Size()")),
          ("remove '@Transient'", model("\(attribute) var size: Size = Size()")),
        ]))
  }

  @Test("an embedded property is described within the embedded struct")
  func embeddedWithAttribute() {
    expectMisuse(
      in: "@Model struct Note { var id: Int; @Embedded @Attribute(.indexed) var size: Size }",
      .misuse(
        line: 1, at: "@Attribute(.indexed)",
        "'size' is '@Embedded' and becomes several columns, of which '@Attribute' cannot describe one; write '@Attribute' within the embedded struct",
        fixIts: [
          ("remove '@Attribute'", "@Model struct Note { var id: Int; @Embedded var size: Size }"),
          ("remove '@Embedded'", "@Model struct Note { var id: Int; @Attribute(.indexed) var size: Size }"),
        ]))
  }

  @Test(
    "an embedded property needs a written type, which the fix-it takes from the value",
    arguments: [("Font()", "Font"), (".standard", "<#Type#>")])
  func embeddedWithoutType(value: String, type: String) {
    expectMisuse(
      in: model("@Embedded var font = \(value)"),
      .misuse(
        line: 3, at: "font",
        "'font' is '@Embedded' in columns that its type declares, and a macro sees only what is written; write its type",
        fixIts: [("write the type", model("@Embedded var font: \(type) = \(value)"))]))
  }

  @Test("an embedded property is not optional", arguments: ["Font?", "Optional<Font>", "Font!"])
  func embeddedOptional(type: String) {
    expectMisuse(
      in: model("@Embedded var font: \(type)"),
      .misuse(
        line: 3, at: "font",
        "'font' is '@Embedded' and cannot be optional: its columns have no way to say that there is none; give it a default value, or remove '@Embedded' to store it as JSON in one column",
        fixIts: [("remove '@Embedded'", model("var font: \(type)"))]))
  }

  @Test(
    "what is visibly no struct of one's own is not embedded",
    arguments: ["[Font]", "[String: Font]", "(Int, Int)", "String", "Foundation.Date"])
  func embeddedNeedsStruct(type: String) {
    expectMisuse(
      in: model("@Embedded var font: \(type)"),
      .misuse(
        line: 3, at: "font",
        "'font' is '@Embedded' and '\(type)' is not an '@Embeddable' struct; remove '@Embedded' to store it in one column",
        fixIts: [("remove '@Embedded'", model("var font: \(type)"))]))
  }

  @Test(
    "a property of an embeddable struct needs a type that the macro can see",
    arguments: [".black", "makeColor()", "Color.black", "[1, 2]"])
  func fieldWithoutType(value: String) {
    expectMisuse(
      in: "@Embeddable struct Style { var color = \(value) }",
      .misuse(
        line: 1, at: "color",
        "'color' needs a type: the columns of an '@Embeddable' struct repeat it, and a macro sees only what is written; write its type",
        fixIts: [("write the type", "@Embeddable struct Style { var color: <#Type#> = \(value) }")]))
  }

  @Test("a property called Type cannot be named in a key path")
  func type() {
    expectMisuse(
      in: model("var `Type`: Int"),
      .misuse(
        line: 3, at: "`Type`",
        "a property called 'Type' cannot be named in a key path, by which columns know their property; rename it, and keep its column with 'name:'"
      ))
  }

  @Test("all misuses of a struct are reported at once")
  func several() {
    expectMisuse(
      in: "@Model struct Note { lazy var a = 1; var (b, c) = (1, 2) }",
      .misuse(
        line: 1, at: "lazy",
        "'a' is lazy and may have no value yet when the model is saved; mark it '@Transient', or store it without 'lazy'",
        fixIts: [("mark it '@Transient'", "@Model struct Note { @Transient lazy var a = 1; var (b, c) = (1, 2) }")]),
      .misuse(
        line: 1, at: "(b, c)",
        "a tuple pattern declares several properties at once and does not say which column is which; declare each property by itself"
      ),
      .misuse(
        line: 1, at: "Note",
        "'Note' has no key by which a row can be found again; add 'id', or mark what identifies it '@Attribute(.primaryKey)'",
        fixIts: [
          (
            "add 'var id: UUID = .v7()'",
            "@Model struct Note { var id: UUID = .v7(); lazy var a = 1; var (b, c) = (1, 2) }"
          )
        ]))
  }
}
