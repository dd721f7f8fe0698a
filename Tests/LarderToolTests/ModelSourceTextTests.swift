import Foundation
import Larder
import LarderTestSupport
import Testing

@testable import LarderTool

@Suite("The text of models that open any SQLite file")
struct ModelSourceTextTests {
  @Test("a small schema has always the same source")
  func golden() async throws {
    let file = try await ModelSourceFile([
      """
      create table "Customers" ("CustomerID" text primary key, "Company Name" text not null, "VAT_NUMBER" text unique,
        "IsActive" boolean not null default 1, "Rating" double, "Logo" blob, "Anything")
      """,
      """
      create table "Order Details" ("OrderID" integer not null, "Line" integer not null,
        "CustomerID" text not null references "Customers" on delete cascade, "AgentID" text references "Customers",
        "Payer" text references "Customers" ("VAT_NUMBER"), "OrderedOn" date, "Price" decimal(10, 2) not null,
        "ParentID" integer references "tickets" on delete set null, "class" text,
        "Twice" integer generated always as ("Line" * 2), primary key ("OrderID", "Line")) without rowid
      """,
      "create table tickets (id integer primary key, parent_id integer references tickets on delete restrict)",
      "create index by_name on \"Customers\" (\"Company Name\")",
      "create unique index by_both on \"Customers\" (\"Company Name\", \"Rating\")",
      "create table stars (name text not null unique, mass real)",
      "create table loose (a, b)",
      "create view \"all \"\"stars\"\"\" as select * from stars",
    ])
    let source = try await file.source
    #expect(
      source.components(separatedBy: "\n\n/// A value of any kind").first == """
        // Models of the tables of an SQLite file, as the file describes them. They open it without changing its schema:
        //
        //   let store = try Store(at: path, for: models, schema: .existing)
        //
        // A column that is declared as a date is a Date, which reads text in ISO 8601, and numbers as seconds since 2001.
        // If it holds Unix time, make the property a Double or an Int.

        import Foundation
        import Larder

        /// The models of the file.
        let models: [any Model.Type] = [
          Customer.self,
          OrderDetail.self,
          Star.self,
          Ticket.self,
        ]

        @Model("Customers")
        struct Customer {
          @Attribute(.primaryKey, name: "CustomerID") var customerID: String
          @Attribute(.indexed, name: "Company Name") var companyName: String
          @Attribute(.unique, name: "VAT_NUMBER") var vatNumber: String?
          @Attribute(name: "IsActive") var isActive: Bool
          @Attribute(name: "Rating") var rating: Double?
          @Attribute(name: "Logo") var logo: Data?
          @Attribute(name: "Anything") var anything: AnyValue?
          @Relationship(inverse: \\OrderDetail.customer) var orderDetailsByCustomer: ToMany<OrderDetail> = []
          @Relationship(inverse: \\OrderDetail.agent) var orderDetailsByAgent: ToMany<OrderDetail> = []

          static var indexes: [Index<Self>] {
            [
              Index(\\.companyName, \\.rating, unique: true),
            ]
          }
        }

        @Model("Order Details")
        struct OrderDetail {
          // SQLite computes the column "Twice". A save must not write it, so it isn't declared.
          @Attribute(.primaryKey, name: "OrderID") var orderID: Int
          @Attribute(.primaryKey, name: "Line") var line: Int
          @Attribute(name: "CustomerID") @Relationship(deleteRule: .cascade) var customer: ToOne<Customer>
          @Attribute(name: "AgentID") @Relationship(deleteRule: .noAction) var agent: ToOne<Customer>?
          // Refers to "VAT_NUMBER" of "Customers", and a ToOne holds the key.
          @Attribute(name: "Payer") var payer: String?
          @Attribute(name: "OrderedOn") var orderedOn: Date?
          @Attribute(name: "Price") var price: Decimal
          @Attribute(name: "ParentID") var parent: ToOne<Ticket>?
          var `class`: String?
        }

        @Model("stars")
        struct Star {
          @Attribute(.primaryKey) var name: String
          var mass: Double?
        }

        @Model("tickets")
        struct Ticket {
          var id: Int
          @Attribute(name: "parent_id") @Relationship(deleteRule: .deny) var parent: ToOne<Ticket>?
          @Relationship(inverse: \\OrderDetail.parent) var orderDetails: ToMany<OrderDetail> = []
          @Relationship(inverse: \\Ticket.parent) var ticketsByParent: ToMany<Ticket> = []
        }
        """)
    #expect(
      source.hasSuffix(
        """
        }

        // The view "all \\"stars\\"" has no key: store.rows(TableQuery("all \\"stars\\"")).
        // The table "loose" has no primary key and no unique index of required columns: store.rows(TableQuery("loose")).

        """))
  }

  @Test("a file without tables has a source without models")
  func empty() async throws {
    let source = try await ModelSourceFile([]).source
    #expect(source.hasSuffix("let models: [any Model.Type] = []\n"))
  }

  @Test(
    "names of the file become names in Swift's style",
    arguments: [
      ("Order Details", "OrderDetail", "orderDetails"), ("CustomerID", "CustomerID", "customerID"),
      ("customer_id", "CustomerID", "customerID"), ("ID", "Id", "id"), ("IDs", "ID", "ids"),
      ("URLString", "URLString", "urlString"), ("FIRST_NAME", "FirstName", "firstName"),
      ("1st", "Table1st", "_1st"), ("ünï-cödé", "ÜnïCödé", "ünïCödé"), ("名前", "名前", "名前"),
      ("a\u{202E}b", "AB", "aB"), ("x\"; import y", "XImportY", "xImportY"),
    ])
  func names(_ text: String, _ type: String, _ property: String) {
    #expect(SwiftName.type(text) == type)
    #expect(SwiftName.property(text) == property)
  }

  @Test("a name without letters and digits gives none", arguments: ["", "_", "*/", "😀", "\u{301}", "\u{0}\n"])
  func nameless(_ text: String) {
    #expect(SwiftName.type(text) == nil)
    #expect(SwiftName.property(text) == nil)
    #expect(SwiftName.unchanged(text) == nil)
  }

  @Test(
    "a table's name gives a singular",
    arguments: [
      ("Orders", "Order"), ("Categories", "Category"), ("Boxes", "Box"), ("Addresses", "Address"), ("Status", "Status"),
      ("Statuses", "Status"), ("Houses", "House"), ("Analysis", "Analysis"), ("Series", "Series"), ("s", "s"),
      ("Movies", "Movie"), ("Matches", "Match"), ("ORDERS", "ORDER"), ("", ""),
    ])
  func singular(_ plural: String, _ word: String) {
    #expect(SingularWord(plural).text == word)
  }

  @Test("a literal stays in its line and its quotes, whatever the text is")
  func literals() {
    let text = "\"\\(exit(1))\n\r\u{0}\t\u{2028}\u{202E}*/ é\u{301}\u{FEFF}\u{1B}"
    let expected = "\"\\\"\\\\(exit(1))\\u{a}\\u{d}\\u{0}\\u{9}\\u{2028}\\u{202e}*/ é\u{301}\\u{feff}\\u{1b}\""
    #expect(text.swiftLiteral == expected)
  }

  @Test("a recorded type is written anew if the library knows all of it")
  func recordedTypes() {
    let known: [(String, PropertyType, String)] = [
      ("Array<Optional<Int>>", .json, "[Int?]"), ("Dictionary<String, Array<Date>>", .json, "[String: [Date]]"),
      ("Set<UUID>?", .json, "Set<UUID>"), ("UInt8?", .integer, "UInt8"), ("URL", .text, "URL"),
    ]
    for (recorded, type, text) in known { #expect(RecordedType(recorded, storing: type)?.text == text) }
    let deep = String(repeating: "Array<", count: 99_999) + "Int" + String(repeating: ">", count: 99_999)
    let unknown: [(String, PropertyType)] = [
      ("Array<Color>", .json), ("Date", .json), ("Int\n}", .integer), ("Array<Int", .json), ("[Int]", .json),
      ("", .text),
      (deep, .json),
    ]
    for (recorded, type) in unknown { #expect(RecordedType(recorded, storing: type) == nil) }
  }
}
