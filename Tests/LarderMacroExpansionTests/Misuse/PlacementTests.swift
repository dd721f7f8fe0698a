import Testing

@Suite("Where @Attribute, @Embedded and @Transient cannot stand")
struct PlacementTests {
  @Test("a computed property is not stored", arguments: ["@Attribute(.unique)", "@Embedded", "@Transient"])
  func computed(attribute: String) {
    expectMisuse(
      in: "@Model struct Note { var id: Int; \(attribute) var title: String { \"\" } }",
      .misuse(
        line: 1, at: attribute,
        "'\(name(of: attribute))' has no effect on 'title': a computed property is not stored; remove it",
        fixIts: [("remove '\(name(of: attribute))'", "@Model struct Note { var id: Int; var title: String { \"\" } }")])
    )
  }

  @Test("a static property belongs to the type", arguments: ["@Attribute(name: \"limit\")", "@Embedded", "@Transient"])
  func statics(attribute: String) {
    expectMisuse(
      in: "@Model struct Note { var id: Int; \(attribute) static let limit = 3 }",
      .misuse(
        line: 1, at: attribute,
        "'\(name(of: attribute))' has no effect on 'limit': a static property belongs to the type, and only what an instance holds is stored; remove it",
        fixIts: [("remove '\(name(of: attribute))'", "@Model struct Note { var id: Int; static let limit = 3 }")]))
  }

  @Test("a function stores nothing", arguments: ["@Attribute(.unique)", "@Embedded", "@Transient"])
  func functions(attribute: String) {
    expectMisuse(
      in: "@Model struct Note {\n  var id: Int\n  \(attribute)\n  func title() {}\n}",
      .misuse(
        line: 3, at: attribute,
        "'\(name(of: attribute))' describes a stored property of a model; this declaration stores nothing, so remove it",
        fixIts: [("remove '\(name(of: attribute))'", "@Model struct Note {\n  var id: Int\n  func title() {}\n}")]))
  }

  @Test("a local variable is not a member", arguments: ["@Attribute(.unique)", "@Embedded", "@Transient"])
  func locals(attribute: String) {
    expectMisuse(
      in: "func title() { \(attribute) var text = \"\" }",
      .misuse(
        line: 1, at: attribute,
        "'\(name(of: attribute))' describes a stored property of a model, and 'text' is not a member of one; remove it",
        fixIts: [("remove '\(name(of: attribute))'", "func title() { var text = \"\" }")]))
  }

  @Test("a struct that is no model stores nothing", arguments: ["@Attribute(.unique)", "@Embedded", "@Transient"])
  func outsideModel(attribute: String) {
    expectMisuse(
      in: "struct Note { \(attribute) var title = \"\" }",
      .misuse(
        line: 1, at: attribute,
        "'\(name(of: attribute))' has no effect on 'title': only '@Model' and '@Embeddable' structs are stored; mark the struct, or remove it",
        fixIts: [("remove '\(name(of: attribute))'", "struct Note { var title = \"\" }")]))
  }

  @Test("names of the module in front change nothing")
  func qualified() {
    expectLines(
      "Larder.Property(columns.title, .unique),",
      in:
        "@Model struct Note { var id: Int; @Larder.Attribute(.unique) var title: String; @Larder.Transient var isNew = true }"
    )
  }

  private func name(of attribute: String) -> String {
    String(attribute.prefix { $0 != "(" })
  }
}
