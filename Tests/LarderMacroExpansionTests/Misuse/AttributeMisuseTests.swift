import Testing

@Suite("What @Attribute cannot say")
struct AttributeMisuseTests {
  private func model(_ member: String) -> String { "@Model struct Note { var id: Int; \(member) }" }

  @Test(
    "a misspelt option is corrected",
    arguments: [
      ("index", "indexed"), ("primarykey", "primaryKey"), ("unqiue", "unique"), ("ISO8601", ""),
      ("externalStorage", ""),
    ])
  func unknownOption(written: String, meant: String) {
    expectMisuse(
      in: model("@Attribute(.\(written)) var title: String"),
      .misuse(
        line: 1, at: written,
        "'.\(written)' is not an option of '@Attribute'; the options are '.primaryKey', '.unique', '.indexed', '.searchable', '.iso8601', '.counter'",
        fixIts: meant.isEmpty ? [] : [("use '.\(meant)'", model("@Attribute(.\(meant)) var title: String"))]))
  }

  @Test(
    "an option is written out", arguments: ["option", "[.unique]", "Options.unique", "isTest ? .unique : .indexed"])
  func optionIsNotWrittenOut(expression: String) {
    expectMisuse(
      in: model("@Attribute(\(expression)) var title: String"),
      .misuse(
        line: 1, at: expression,
        "'\(expression)' is evaluated when the program runs, and the schema is written when it compiles; write the option itself: "
          + "'.primaryKey', '.unique', '.indexed', '.searchable', '.iso8601', '.counter'"))
  }

  @Test(".iso8601 is for dates", arguments: ["String", "Int?", "[Date]", "Date.Type", "Foundation.UUID"])
  func iso8601(type: String) {
    expectMisuse(
      in: model("@Attribute(.iso8601) var born: \(type)"),
      .misuse(
        line: 1, at: ".iso8601", "'.iso8601' is for 'Date' and 'Date?', and 'born' is '\(type)'; remove the option",
        fixIts: [("remove '.iso8601'", model("var born: \(type)"))]))
  }

  @Test(".searchable is for text, and the other options stay", arguments: [": Int", ": [String]", " = 1.5", ": Date?"])
  func searchable(type: String) {
    let visible = type == " = 1.5" ? "Double" : String(type.dropFirst(2))
    expectMisuse(
      in: model("@Attribute(.unique, .searchable, name: \"t\") var title\(type)"),
      .misuse(
        line: 1, at: ".searchable",
        "'.searchable' is for 'String' and 'String?', and 'title' is '\(visible)'; remove the option",
        fixIts: [("remove '.searchable'", model("@Attribute(.unique, name: \"t\") var title\(type)"))]))
  }

  @Test(
    ".counter is for integers that aren't optional",
    arguments: [": String", ": Int?", ": Bool", " = 1.5", ": [Int]", ": ToOne<Other>", ": Optional<Int>"])
  func counter(type: String) {
    let visible = type == " = 1.5" ? "Double" : String(type.dropFirst(2))
    expectMisuse(
      in: model("@Attribute(.indexed, .counter) var views\(type)"),
      .misuse(
        line: 1, at: ".counter",
        "'.counter' is for integers that aren't optional, such as 'Int', and 'views' is '\(visible)'; remove the option",
        fixIts: [("remove '.counter'", model("@Attribute(.indexed) var views\(type)"))]))
  }

  @Test(".counter and .unique exclude each other")
  func uniqueCounter() {
    expectMisuse(
      in: model("@Attribute(.unique, .counter) var views: Int"),
      .misuse(
        line: 1, at: ".counter",
        "'views' can't be '.counter' and '.unique': its sum may become that of another row; remove one of the options",
        fixIts: [
          ("remove '.counter'", model("@Attribute(.unique) var views: Int")),
          ("remove '.unique'", model("@Attribute(.counter) var views: Int")),
        ]))
  }

  @Test(
    "a key doesn't count",
    arguments: ["@Attribute(.counter) var id: Int", "@Attribute(.primaryKey, .counter) var id: Int"])
  func counterKey(property: String) {
    let corrected = property.contains("primaryKey") ? "@Attribute(.primaryKey) var id: Int" : "var id: Int"
    expectMisuse(
      in: "@Model struct Note { \(property) }",
      .misuse(
        line: 1, at: ".counter", "'id' is the key, and a key that counts would be another row's; remove '.counter'",
        fixIts: [("remove '.counter'", "@Model struct Note { \(corrected) }")]))
  }

  @Test("the last argument goes with the comma before it")
  func lastArgument() {
    expectMisuse(
      in: model("@Attribute(.unique, .searchable) var count: Int"),
      .misuse(
        line: 1, at: ".searchable",
        "'.searchable' is for 'String' and 'String?', and 'count' is 'Int'; remove the option",
        fixIts: [("remove '.searchable'", model("@Attribute(.unique) var count: Int"))]))
  }

  @Test(
    "a type that may be an alias, an optional and a qualified name are believed",
    arguments: [
      "@Attribute(.iso8601) var born: Timestamp", "@Attribute(.iso8601) var born: Foundation.Date?",
      "@Attribute(.iso8601) var born = Date()",
      "@Attribute(.iso8601) var born: Optional<Date>", "@Attribute(.searchable) var text: Markdown",
      "@Attribute(.searchable) var text: String?",
      "@Attribute(.searchable) var text = \"\"", "@Attribute(.counter) var views = 0",
      "@Attribute(.counter) var views: UInt8", "@Attribute(.counter) var views: Amount",
    ])
  func believed(member: String) {
    expectLines("static let columns = Columns()", in: model(member))
  }

  @Test("two @Attribute are one too many")
  func repeated() {
    expectMisuse(
      in: model("@Attribute(.unique) @Attribute(.indexed) var title: String"),
      .misuse(
        line: 1, at: "@Attribute(.indexed)",
        "'title' has '@Attribute' twice, and one of them would be overlooked; write all options into one"))
  }
}
