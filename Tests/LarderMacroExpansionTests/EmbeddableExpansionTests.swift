import Testing

@Suite("What @Embeddable writes")
struct EmbeddableExpansionTests {
  @Test("an embeddable struct gets columns within any model, its properties and its codecs")
  func plain() {
    expectExpansion(
      """
      @Embeddable
      struct Font {
        var name = "Helvetica"
        @Attribute(.indexed, name: "points") var size: Double
        @Embedded var color: Color = Color()
      }
      """,
      #"""
      struct Font {
        var name = "Helvetica"
        var size: Double
        var color: Color = Color()
      }

      nonisolated extension Font: Larder.Embeddable {
        struct Columns<Root: Larder.Model>: Larder.EmbeddedColumns {
          let name: Larder.Column<Root, String>
          let size: Larder.Column<Root, Double>
          let color: Color.Columns<Root>
          let embedding: Larder.Embedding<Root, Font>
          init(_ path: any KeyPath<Root, Font> & Sendable, _ name: String) {
            self.init(Larder.Embedding(path, name))
          }
          init(_ embedding: Larder.Embedding<Root, Font>) {
            self.embedding = embedding
            self.name = embedding.column(\Font.name, "name")
            self.size = embedding.column(\Font.size, "size", column: "points")
            self.color = Color.Columns(embedding.embedding(\Font.color, "color"))
          }
        }
        static func properties<Root>(_ embedding: Larder.Embedding<Root, Font>) -> [Larder.Property<Root>] {
          let columns = Columns(embedding)
          return [
            Larder.Property(columns.name, default: .constant("Helvetica")),
            Larder.Property(columns.size, .indexed),
            Larder.Property(embedded: columns.color, default: .computed { Color() }),
          ]
        }
        init(from row: inout Larder.RowReader) throws {
          self.init(name: try row.next(), size: try row.next(), color: try row.nextEmbedded())
        }
        func encode(to row: inout Larder.RowWriter) throws {
          try row.bind(self.name)
          try row.bind(self.size)
          try row.bind(embedded: self.color)
        }
      }
      """#)
  }

  @Test("types that the initial value says need not be written")
  func inferredTypes() {
    expectLines(
      "let count: Larder.Column<Root, Int>",
      "let ratio: Larder.Column<Root, Double>",
      "let flag: Larder.Column<Root, Bool>",
      "let name: Larder.Column<Root, String>",
      "let since: Larder.Column<Root, Foundation.Date>",
      "let tags: Larder.Column<Root, Set<String>>",
      "let list: Larder.Column<Root, [Int]>",
      "let map: Larder.Column<Root, [String: Int]>",
      "let maybe: Larder.Column<Root, Int?>",
      in: """
        @Embeddable struct Style {
          var count = -1
          var ratio = 1.5
          var flag = false
          var name = ""
          var since = Foundation.Date()
          var tags = Set<String>()
          var list = [Int]()
          var map = [String: Int]()
          var maybe: Int!
        }
        """)
  }

  @Test("a public embeddable struct gets public members, and hides what the struct hides")
  func access() {
    expectLines(
      "public struct Columns<Root: Larder.Model>: Larder.EmbeddedColumns {",
      "public let width: Larder.Column<Root, Int>",
      "let height: Larder.Column<Root, Int>",
      "fileprivate let depth: Larder.Column<Root, Int>",
      "public let embedding: Larder.Embedding<Root, Size>",
      "public init(from row: inout Larder.RowReader) throws {",
      in: "@Embeddable public struct Size { public var width: Int; var height: Int; private var depth: Int }")
  }

  @Test("an embedded date is text where it asks for that")
  func iso8601() {
    expectLines(
      #"self.since = embedding.column(\Span.since, "since", as: .iso8601)"#,
      "try row.bind(self.since, as: .iso8601)",
      in: "@Embeddable struct Span { @Attribute(.iso8601) var since: Date }")
  }
}
