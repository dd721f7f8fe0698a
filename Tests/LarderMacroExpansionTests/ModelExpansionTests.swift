import Testing

@Suite("What @Model writes")
struct ModelExpansionTests {
  @Test("a model gets its columns, its schema and its codecs, and keeps its memberwise initialiser")
  func plain() {
    expectExpansion(
      """
      @Model
      struct Note {
        var id: UUID = .v7()
        var title: String
        @Embedded var font: Font = Font()
        @Attribute(.indexed, name: "changed", originalName: "modified") var modifiedAt: Date = .now
        @Attribute(.iso8601) var born: Date?
        @Transient var isSelected = false
        var isEmpty: Bool { title.isEmpty }
        static let limit = 100
      }
      """,
      #"""
      struct Note {
        var id: UUID = .v7()
        var title: String
        var font: Font = Font()
        var modifiedAt: Date = .now
        var born: Date?
        var isSelected = false
        var isEmpty: Bool { title.isEmpty }
        static let limit = 100
      }

      nonisolated extension Note: Larder.Model {
        final class Columns: Larder.ModelColumns {
          typealias Root = Note
          let id = Larder.Column(\Note.id, "id")
          let title = Larder.Column(\Note.title, "title")
          let font = Font.Columns(\Note.font, "font")
          let modifiedAt = Larder.Column(\Note.modifiedAt, "modifiedAt", column: "changed")
          let born = Larder.Column(\Note.born, "born", as: .iso8601)
          init() {}
        }
        static let columns = Columns()
        static let schema = Larder.ModelSchema<Note>("Note", [
          Larder.Property(columns.id, .primaryKey, default: .computed { .v7() }),
          Larder.Property(columns.title),
          Larder.Property(embedded: columns.font, default: .computed { Font() }),
          Larder.Property(columns.modifiedAt, .indexed, originalName: "modified", default: .computed { .now }),
          Larder.Property(columns.born),
        ])
        init(from row: inout Larder.RowReader) throws {
          self.init(id: try row.next(), title: try row.next(), font: try row.nextEmbedded(), modifiedAt: try row.next(), born: try row.next())
        }
        func encode(to row: inout Larder.RowWriter) throws {
          try row.bind(self.id)
          try row.bind(self.title)
          try row.bind(embedded: self.font)
          try row.bind(self.modifiedAt)
          try row.bind(self.born, as: .iso8601)
        }
        static func bind(key: ID, to row: inout Larder.RowWriter) throws {
          try row.bind(key)
        }
        static func key(from row: inout Larder.RowReader) throws -> ID {
          try row.next()
        }
      }
      """#)
  }

  @Test("several key properties make a composite key with a type of its own")
  func compositeKey() {
    expectExpansion(
      """
      @Model("Order Details")
      struct OrderDetail {
        @Attribute(.primaryKey, name: "OrderID") var orderID: Int
        @Attribute(.primaryKey, .iso8601) var day: Date
        var quantity = 1
      }
      """,
      #"""
      struct OrderDetail {
        var orderID: Int
        var day: Date
        var quantity = 1
      }

      nonisolated extension OrderDetail: Larder.Model {
        final class Columns: Larder.ModelColumns {
          typealias Root = OrderDetail
          let orderID = Larder.Column(\OrderDetail.orderID, "orderID", column: "OrderID")
          let day = Larder.Column(\OrderDetail.day, "day", as: .iso8601)
          let quantity = Larder.Column(\OrderDetail.quantity, "quantity")
          init() {}
        }
        static let columns = Columns()
        static let schema = Larder.ModelSchema<OrderDetail>("Order Details", [
          Larder.Property(columns.orderID, .primaryKey),
          Larder.Property(columns.day, .primaryKey),
          Larder.Property(columns.quantity, default: .constant(1)),
        ])
        struct ID: Hashable, Sendable, Codable {
          var orderID: Int
          var day: Date
          init(orderID: Int, day: Date) {
            self.orderID = orderID
            self.day = day
          }
        }
        var id: ID { ID(orderID: orderID, day: day) }
        init(from row: inout Larder.RowReader) throws {
          self.init(orderID: try row.next(), day: try row.next(), quantity: try row.next())
        }
        func encode(to row: inout Larder.RowWriter) throws {
          try row.bind(self.orderID)
          try row.bind(self.day, as: .iso8601)
          try row.bind(self.quantity)
        }
        static func bind(key: ID, to row: inout Larder.RowWriter) throws {
          try row.bind(key.orderID)
          try row.bind(key.day, as: .iso8601)
        }
        static func key(from row: inout Larder.RowReader) throws -> ID {
          ID(orderID: try row.next(), day: try row.next())
        }
      }
      """#)
  }

  @Test("a public model with an initialiser of its own gets public members and is read by assignment")
  func publicWithInitializer() {
    expectExpansion(
      """
      @available(macOS 15, *)
      @Model
      public struct Customer {
        public let id: String
        public private(set) var name: String
        var rank = 0
        private var secret: String?

        public init(id: String) {
          self.id = id
          name = ""
        }
      }
      """,
      #"""
      @available(macOS 15, *)
      public struct Customer {
        public let id: String
        public private(set) var name: String
        var rank = 0
        private var secret: String?

        public init(id: String) {
          self.id = id
          name = ""
        }
      }

      @available(macOS 15, *)
      nonisolated extension Customer: Larder.Model {
        public final class Columns: Larder.ModelColumns {
          public typealias Root = Customer
          public let id = Larder.Column(\Customer.id, "id")
          public let name = Larder.Column(\Customer.name, "name")
          let rank = Larder.Column(\Customer.rank, "rank")
          fileprivate let secret = Larder.Column(\Customer.secret, "secret")
          public init() {}
        }
        public static let columns = Columns()
        public static let schema = Larder.ModelSchema<Customer>("Customer", [
          Larder.Property(columns.id, .primaryKey),
          Larder.Property(columns.name),
          Larder.Property(columns.rank, default: .constant(0)),
          Larder.Property(columns.secret),
        ])
        @inline(__always) public init(from row: inout Larder.RowReader) throws {
          self.id = try row.next()
          self.name = try row.next()
          self.rank = try row.next()
          self.secret = try row.next()
        }
        public func encode(to row: inout Larder.RowWriter) throws {
          try row.bind(self.id)
          try row.bind(self.name)
          try row.bind(self.rank)
          try row.bind(self.secret)
        }
        public static func bind(key: ID, to row: inout Larder.RowWriter) throws {
          try row.bind(key)
        }
        public static func key(from row: inout Larder.RowReader) throws -> ID {
          try row.next()
        }
      }
      """#)
  }

  @Test("a single key of another name is answered as id too")
  func renamedKey() {
    expectLines(
      "var id: Int { orderID }",
      "Larder.Property(columns.orderID, .primaryKey),",
      "try row.bind(key)",
      in: "@Model struct Order { @Attribute(.primaryKey) var orderID: Int; var remark: String }")
  }

  @Test("an option beside the key stays in the schema")
  func keyOptions() {
    expectLines(
      "Larder.Property(columns.id, .primaryKey, .indexed),",
      in: "@Model struct Order { @Attribute(.indexed, .primaryKey) var id: Int }")
  }

  @Test("a nested model is extended by its full name, and its table has the last one")
  func nested() {
    expectLines(
      "nonisolated extension Outer.Note: Larder.Model {",
      "typealias Root = Outer.Note",
      #"let id = Larder.Column(\Outer.Note.id, "id")"#,
      #"static let schema = Larder.ModelSchema<Outer.Note>("Note", ["#,
      in: "struct Outer { @Model struct Note { var id: Int } }")
  }

  @Test("SQL's and Swift's keywords are ordinary names of properties")
  func keywords() {
    expectLines(
      #"let group = Larder.Column(\Word.group, "group")"#,
      #"let `default` = Larder.Column(\Word.`default`, "default")"#,
      #"let `where` = Larder.Column(\Word.`where`, "where")"#,
      "Larder.Property(columns.`default`, .primaryKey),",
      "self.init(default: try row.next(), group: try row.next(), order: try row.next(), where: try row.next(), in: try row.next())",
      "try row.bind(self.`in`)",
      "var id: Int { `default` }",
      in: """
        @Model struct Word {
          @Attribute(.primaryKey) var `default`: Int
          var group, order: String
          var `where`: Int, `in`: Int
        }
        """)
  }

  @Test("a parameter does not hide a property of its name")
  func parameterNames() {
    expectLines(
      "try row.bind(self.row)", "try row.bind(key.row)", "try row.bind(key.key)",
      in: "@Model struct Cell { @Attribute(.primaryKey) var row: Int; @Attribute(.primaryKey) var key: Int }")
  }

  @Test("quotes, backslashes, emoji and combining marks in names are written as they are meant")
  func names() {
    expectLines(
      ##"static let schema = Larder.ModelSchema<Odd>("a\"b\\c 🍎\u{9}é", ["##,
      ##"let x = Larder.Column(\Odd.x, "x", column: "\"\##u{301} 👩‍👩‍👧")"##,
      ##"Larder.Property(columns.x, originalName: "\\(x)"),"##,
      in: ##"""
        @Model("a\"b\\c 🍎\té") struct Odd {
          var id: Int
          @Attribute(name: "\"\u{301} 👩‍👩‍👧", originalName: #"\(x)"#) var x: Int
        }
        """##)
  }

  @Test("literals are constant defaults, and everything else is computed for each row")
  func defaults() {
    expectLines(
      "Larder.Property(columns.count, default: .constant(-1)),",
      "Larder.Property(columns.ratio, default: .constant(0.5)),",
      "Larder.Property(columns.flag, default: .constant(true)),",
      #"Larder.Property(columns.name, default: .constant("a \"b\"")),"#,
      #"Larder.Property(columns.greeting, default: .computed { "\(1)" }),"#,
      "Larder.Property(columns.list, default: .constant([1, -2])),",
      #"Larder.Property(columns.map, default: .constant(["a": [1]])),"#,
      "Larder.Property(columns.empty, default: .constant([:])),",
      "Larder.Property(columns.none, default: .constant(nil)),",
      "Larder.Property(columns.open),",
      "Larder.Property(columns.sum, default: .computed { 1 + 2 }),",
      "Larder.Property(columns.mixed, default: .computed { [1, two] }),",
      in: #"""
        @Model struct Defaults {
          var id: Int
          var count = -1
          var ratio = 0.5 // half
          var flag = true
          var name = "a \"b\""
          var greeting = "\(1)"
          var list = [1, -2]
          var map = ["a": [1]]
          var empty: [String: Int] = [:]
          var none: Int? = nil
          var open: Int?
          var sum = 1 + 2
          var mixed = [1, two]
        }
        """#)
  }

  @Test("a default of several lines keeps its text, whatever its place in the source")
  func multilineDefault() {
    expectLines(
      "Larder.Property(columns.body, default: .constant(\"\"\"",
      "one",
      "\"\"\")),",
      in: "@Model struct Letter {\n  var id: Int\n  var body = \"\"\"\n    one\n\n      two\n    \"\"\"\n}")
    let text = Expansion(
      of: "@Model struct Letter {\n  var id: Int\n  var body = \"\"\"\n    one\n\n      two\n    \"\"\"\n}"
    ).text
    #expect(
      text.contains("      one\n      \n        two\n      \"\"\""), "blank lines reach as far as the closing quotes")
  }

  @Test(
    "an initialiser, an unknown attribute on a property, and one on the struct lead to assignments",
    arguments: [
      "@Model struct Note { var id: Int; init() { id = 1 } }",
      "@Model struct Note { var id: Int\n#if DEBUG\ninit() { id = 1 }\n#endif\n}",
      "@Model struct Note { @Clamped var id: Int }",
      "@Model @Initializable struct Note { var id: Int }",
    ])
  func assignments(source: String) {
    expectLines("self.id = try row.next()", in: source)
  }

  @Test("observed, lazy transient and private properties are read through the memberwise initialiser")
  func memberwise() {
    expectLines(
      "self.init(id: try row.next(), count: try row.next(), hidden: try row.next())",
      "fileprivate let hidden = Larder.Column(\\Note.hidden, \"hidden\")",
      in: """
        @Model struct Note {
          var id: Int
          var count = 0 { didSet {} }
          private var hidden: Int
          @Transient lazy var cache = 1
          @Transient var preview: String?
          var double: Int { get { count * 2 } set {} }
        }
        """)
  }

  @Test(
    "members are as visible as the struct",
    arguments: [
      ("@Model package struct Note { var id: Int }", "package static let columns = Columns()"),
      ("@Model fileprivate struct Note { var id: Int }", "fileprivate static let columns = Columns()"),
      ("@Model private struct Note { var id: Int }", "fileprivate static let columns = Columns()"),
      ("@Model internal struct Note { var id: Int }", "static let columns = Columns()"),
      ("fileprivate struct Outer { @Model struct Note { var id: Int } }", "fileprivate static let columns = Columns()"),
      ("public extension Outer { @Model struct Note { var id: Int } }", "public static let columns = Columns()"),
    ])
  func access(source: String, line: String) {
    expectLines(line, in: source)
  }

  @Test("a struct that states its conformance is not made to conform twice")
  func statedConformance() {
    let unstated = Expansion(of: "@Model struct Note { var id: Int }").text
    #expect(unstated.contains("nonisolated extension Note: Larder.Model {"))
    let stated = Expansion(of: "@Model struct Note: Model { var id: Int }", conformingTo: []).text
    #expect(stated.contains("nonisolated extension Note {"))
  }

  @Test("options may be written in full, and once more than needed")
  func optionsInFull() {
    expectLines(
      "Larder.Property(columns.name, .unique, .searchable),",
      in:
        "@Model struct Note { var id: Int; @Attribute(AttributeOption.unique, .searchable, .unique, name: nil) var name: String }"
    )
  }
}
