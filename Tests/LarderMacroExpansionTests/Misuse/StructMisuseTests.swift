import Testing

@Suite("Where @Model and @Embeddable cannot stand")
struct StructMisuseTests {
  @Test("a class is told to become a struct")
  func classes() {
    expectMisuse(
      in: """
        @Model
        public final class Note {
          var id = 1
        }
        """,
      .misuse(
        line: 1, at: "@Model",
        "'@Model' works on structs: 'Note' is a class, whose instances can change where the store does not see it; make it a struct",
        fixIts: [
          (
            "make it a struct",
            """
            @Model
            public struct Note {
              var id = 1
            }
            """
          )
        ]))
  }

  @Test("a class that inherits has no fix-it, since a struct could not")
  func subclasses() {
    expectMisuse(
      in: "@Embeddable class Font: Base {}",
      .misuse(
        line: 1, at: "@Embeddable",
        "'@Embeddable' works on structs: 'Font' is a class, whose instances can change where the store does not see it; make it a struct"
      ))
  }

  @Test("an actor is told to become a struct")
  func actors() {
    expectMisuse(
      in: "@Model actor Note { var id = 1 }",
      .misuse(
        line: 1, at: "@Model",
        "'@Model' works on structs: 'Note' is an actor, whose properties cannot be read without waiting; make it a struct",
        fixIts: [("make it a struct", "@Model struct Note { var id = 1 }")]))
  }

  @Test(
    "enums, protocols and extensions are told what to mark instead",
    arguments: [
      (
        "@Model enum Kind { case a }",
        "'Kind' is an enum, whose cases are not columns; make it a property of a model, which stores it in one column"
      ),
      ("@Model protocol Named {}", "'Named' is a protocol, which stores nothing; mark the structs that conform to it"),
      (
        "@Model extension Outer.Note {}",
        "an extension does not show the stored properties; mark the declaration of 'Outer.Note' itself"
      ),
    ])
  func otherDeclarations(source: String, remark: String) {
    expectMisuse(in: source, .misuse(line: 1, at: "@Model", "'@Model' works on structs: \(remark)"))
  }

  @Test("a generic struct is refused")
  func generic() {
    expectMisuse(
      in: "@Model struct Box<Content> { var id: Int }",
      .misuse(
        line: 1, at: "<Content>",
        "'@Model' needs a struct without type parameters: 'Box' would be another table for each of them; name the types instead"
      ))
  }

  @Test("a struct within a generic type is generic too")
  func withinGeneric() {
    expectMisuse(
      in: "struct Box<Content> { @Embeddable struct Label { var text: String } }",
      .misuse(
        line: 1, at: "Label",
        "'@Embeddable' needs a struct without type parameters, and 'Label' inherits those of the generic declaration around it; move it out"
      ))
  }

  @Test("a private struct within another type is out of reach")
  func privateWithinType() {
    expectMisuse(
      in: "struct Outer { @Model private struct Note { var id: Int } }",
      .misuse(
        line: 1, at: "private",
        "'Note' is private within another type, out of reach of the extension that is generated beside that type; make it 'fileprivate'",
        fixIts: [("make it 'fileprivate'", "struct Outer { @Model fileprivate struct Note { var id: Int } }")]))
  }

  @Test("so is a struct within a private one that is within another")
  func withinPrivate() {
    expectMisuse(
      in: "struct Outer { private struct Middle { @Model struct Note { var id: Int } } }",
      .misuse(
        line: 1, at: "Note",
        "'Note' is private within another type, out of reach of the extension that is generated beside that type; make it 'fileprivate'"
      ))
  }

  @Test("a macro that is applied twice is reported once")
  func twice() {
    expectMisuse(
      in: "@Model @Model(\"Notes\") struct Note { var id: Int }",
      .misuse(
        line: 1, at: "@Model(\"Notes\")",
        "'@Model' is applied to 'Note' twice, which would write its conformance twice; remove one",
        fixIts: [("remove '@Model'", "@Model struct Note { var id: Int }")]))
  }

  @Test("a model is not embeddable at the same time")
  func modelAndEmbeddable() {
    expectMisuse(
      in: """
        @Embeddable
        @Model
        struct Note { var id: Int }
        """,
      .misuse(
        line: 2, at: "@Model",
        "'Note' cannot be both '@Model', which has a table of its own, and '@Embeddable', which is columns in the table of another; remove one",
        fixIts: [("remove '@Model'", "@Embeddable\nstruct Note { var id: Int }")]))
  }

  @Test(
    "a name that the macro generates is left to it",
    arguments: [
      ("@Model struct Note { var id: Int; struct Columns {} }", "Columns", "@Model"),
      ("@Model struct Note { var id: Int; static let columns = 3 }", "columns", "@Model"),
      ("@Model struct Note { var id: Int; static var schema: Int { 3 } }", "schema", "@Model"),
      ("@Embeddable struct Font { var embedding: Int }", "embedding", "@Embeddable"),
      ("@Embeddable struct Font { typealias Columns = Int }", "Columns", "@Embeddable"),
      (
        "@Model struct Note { @Attribute(.primaryKey) var a: Int; @Attribute(.primaryKey) var b: Int; enum ID {} }",
        "ID", "@Model"
      ),
    ])
  func generatedNames(source: String, name: String, macro: String) {
    expectMisuse(
      in: source, .misuse(line: 1, at: name, "'\(name)' is a name that '\(macro)' generates; rename this one"))
  }
}
