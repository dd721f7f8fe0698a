import Testing

@Suite("What a relationship cannot be")
struct RelationshipMisuseTests {
  private func model(_ member: String) -> String { "@Model struct Note { var id: Int; \(member) }" }

  @Test("@Relationship is for ToOne and ToMany", arguments: [": String", " = 0", ": [Tag]", ": Tag?"])
  func otherTypes(type: String) {
    expectMisuse(
      in: model("@Relationship(deleteRule: .cascade) var tag\(type)"),
      .misuse(
        line: 1, at: "@Relationship(deleteRule: .cascade)",
        "'tag' is not written as a 'ToOne' or a 'ToMany', so '@Relationship' has nothing to describe; write such a type, or remove '@Relationship'",
        fixIts: [("remove '@Relationship'", model("var tag\(type)"))]))
  }

  @Test(
    "the type of a relationship is written",
    arguments: [("ToOne<Tag>(1)", "ToOne<Tag>"), ("ToOne(1)", "ToOne<<#Model#>>"), ("ToMany<Tag>()", "ToMany<Tag>")])
  func withoutType(value: String, type: String) {
    expectMisuse(
      in: model("var tag = \(value)"),
      .misuse(
        line: 1, at: "tag",
        "'tag' is a relationship, which is told by its type, and a macro sees only what is written; write its type",
        fixIts: [("write the type", model("var tag: \(type) = \(value)"))]))
  }

  @Test("@Relationship is written once")
  func repeated() {
    expectMisuse(
      in: model("@Relationship(deleteRule: .deny) @Relationship(ordered: true) var tags: ToMany<Tag> = []"),
      .misuse(
        line: 1, at: "@Relationship(ordered: true)",
        "'tags' has '@Relationship' twice, and one of them would be overlooked; remove one",
        fixIts: [
          ("remove the second '@Relationship'", model("@Relationship(deleteRule: .deny) var tags: ToMany<Tag> = []"))
        ]))
  }

  @Test(
    "an embedded struct has no relationships",
    arguments: [
      "var tag: ToOne<Tag>", "var tag: ToOne<Tag>?", "var tag: ToMany<Tag> = []",
      "@Derived(.count(\\Note.tags)) var tag: Int = 0",
    ])
  func embeddable(member: String) {
    expectMisuse(
      in: "@Embeddable struct Font { \(member) }",
      .misuse(
        line: 1, at: "tag",
        "'tag' cannot be in 'Font', which is part of another model's row: relationships are that model's; declare it there"
      ))
  }
}

@Suite("What a ToMany cannot be")
struct RowsMisuseTests {
  private func model(_ member: String) -> String { "@Model struct Note { var id: Int; \(member) }" }

  @Test("a ToMany starts without rows")
  func withoutDefault() {
    expectMisuse(
      in: model("var tags: ToMany<Tag>"),
      .misuse(
        line: 1, at: "tags",
        "'tags' has no column, so a model that is read has no value for it; give it the default value '[]'",
        fixIts: [("give it the default value '[]'", model("var tags: ToMany<Tag> = []"))]))
  }

  @Test("a ToMany is never nil", arguments: ["ToMany<Tag>?", "ToMany<Tag>? = nil", "Optional<ToMany<Tag>> = nil"])
  func optional(type: String) {
    expectMisuse(
      in: model("var tags: \(type)"),
      .misuse(
        line: 1, at: type.replacing(" = nil", with: ""),
        "'tags' cannot be optional: a 'ToMany' without rows is empty; make it one with the default value '[]'",
        fixIts: [("make it 'ToMany<Tag> = []'", model("var tags: ToMany<Tag> = []"))]))
  }

  @Test("a ToMany can be filled")
  func constant() {
    expectMisuse(
      in: model("let tags: ToMany<Tag> = []"),
      .misuse(
        line: 1, at: "let", "'tags' is a constant, and a 'ToMany' is filled after the model is read; make it 'var'",
        fixIts: [("make it 'var'", model("var tags: ToMany<Tag> = []"))]))
  }

  @Test("a ToMany has no column to describe", arguments: ["@Attribute(.indexed)", "@Embedded", "@Transient"])
  func attributes(attribute: String) {
    let name = attribute.prefix { $0 != "(" }
    expectMisuse(
      in: model("\(attribute) var tags: ToMany<Tag> = []"),
      .misuse(
        line: 1, at: attribute,
        "'tags' is a 'ToMany' and has no column, so '\(name)' has nothing to describe; remove it",
        fixIts: [("remove '\(name)'", model("var tags: ToMany<Tag> = []"))]))
  }

  @Test("each ToMany is declared by itself")
  func several() {
    let problem =
      "is declared together with another property, and each 'ToMany' has accessors of its own; declare it by itself"
    expectMisuse(
      in: model("var tags: ToMany<Tag> = [], notes: ToMany<Note> = []"),
      .misuse(line: 1, at: "tags", "'tags' \(problem)"), .misuse(line: 1, at: "notes", "'notes' \(problem)"))
  }
}

@Suite("What a ToOne cannot be")
struct ReferenceMisuseTests {
  private func model(_ member: String) -> String { "@Model struct Note { var id: Int; \(member) }" }

  @Test("one row has no order")
  func ordered() {
    expectMisuse(
      in: model(#"@Relationship(inverse: \Tag.notes, ordered: true) var tag: ToOne<Tag>"#),
      .misuse(
        line: 1, at: "true", "'tag' refers to one row, and only a 'ToMany' has an order; remove 'ordered'",
        fixIts: [("remove 'ordered'", model(#"@Relationship(inverse: \Tag.notes) var tag: ToOne<Tag>"#))]))
  }

  @Test("what is required cannot become nil", arguments: [".nullify", "DeleteRule.nullify"])
  func nullify(rule: String) {
    let base = rule.replacing("nullify", with: "")
    expectMisuse(
      in: model("@Relationship(deleteRule: \(rule)) var tag: ToOne<Tag>"),
      .misuse(
        line: 1, at: rule,
        "'tag' is not optional, so '.nullify' could not leave it without a row; make it optional, or choose another rule",
        fixIts: [
          ("make it optional", model("@Relationship(deleteRule: \(rule)) var tag: ToOne<Tag>?")),
          ("use '.deny'", model("@Relationship(deleteRule: \(base)deny) var tag: ToOne<Tag>")),
          ("use '.cascade'", model("@Relationship(deleteRule: \(base)cascade) var tag: ToOne<Tag>")),
        ]))
  }

  @Test("a reference is one column")
  func embedded() {
    expectMisuse(
      in: model("@Embedded var tag: ToOne<Tag>"),
      .misuse(
        line: 1, at: "@Embedded",
        "'tag' refers to a row in one column, and '@Embedded' is for several; remove '@Embedded'",
        fixIts: [("remove '@Embedded'", model("var tag: ToOne<Tag>"))]))
  }

  @Test("a reference is not text to search")
  func searchable() {
    expectMisuse(
      in: model("@Attribute(.searchable) var tag: ToOne<Tag>"),
      .misuse(
        line: 1, at: ".searchable",
        "'.searchable' is for 'String' and 'String?', and 'tag' is 'ToOne<Tag>'; remove the option",
        fixIts: [("remove '.searchable'", model("var tag: ToOne<Tag>"))]))
  }
}

@Suite("What @Derived cannot be")
struct DerivedMisuseTests {
  private func model(_ member: String) -> String { "@Model struct Note { var id: Int; \(member) }" }

  @Test(
    "what is derived has a value before it is saved",
    arguments: [
      ("count(\\Note.tags)", ": Int", " = 0", "give it the default value '0'"),
      ("max(\\Note.tags, \\Tag.day)", ": Date", "?", "make it optional"),
      ("min(\\Note.tags, \\Tag.day)", ": Optional<Date>", " = nil", "give it the default value 'nil'"),
    ])
  func withoutDefault(derivation: String, type: String, added: String, fixIt: String) {
    expectMisuse(
      in: model("@Derived(.\(derivation)) var uses\(type)"),
      .misuse(
        line: 1, at: "uses",
        "'uses' is computed by the store, so a model that was not saved yet has no value for it; give it a default value, or make it optional",
        fixIts: [(fixIt, model("@Derived(.\(derivation)) var uses\(type)\(added)"))]))
  }

  @Test("what is derived changes")
  func constant() {
    expectMisuse(
      in: model("@Derived(.count(\\Note.tags)) let uses: Int = 0"),
      .misuse(
        line: 1, at: "let",
        "'uses' is a constant, and what is '@Derived' changes with the rows that it is computed from; make it 'var'",
        fixIts: [("make it 'var'", model("@Derived(.count(\\Note.tags)) var uses: Int = 0"))]))
  }

  @Test("what is derived is neither unique nor searched", arguments: ["unique", "searchable"])
  func options(option: String) {
    let derived = "@Derived(.max(\\Note.tags, \\Tag.name)) var last: String?"
    expectMisuse(
      in: model("@Attribute(.\(option)) \(derived)"),
      .misuse(
        line: 1, at: ".\(option)",
        "'last' is computed from other rows, and '.\(option)' is for what a model holds itself; remove the option",
        fixIts: [("remove '.\(option)'", model(derived))]))
  }

  @Test("a relationship is not derived from one", arguments: ["ToOne<Tag>?", "ToMany<Tag> = []"])
  func relationships(type: String) {
    expectMisuse(
      in: model("@Derived(.count(\\Note.tags)) var tag: \(type)"),
      .misuse(
        line: 1, at: "@Derived(.count(\\Note.tags))",
        "'tag' is a relationship, and '@Derived' is for a value that is computed from one; remove '@Derived'",
        fixIts: [("remove '@Derived'", model("var tag: \(type)"))]))
  }
}
