import Foundation
import Larder
import Testing

@Embeddable
struct Typeface: Hashable {
  var name = "Serif"
  var size: Double = 12
}

enum ModelsArticle {
  enum Color: String, Codable, Sendable {
    case black, red
  }

  struct PlacedImage: Codable, Hashable, Sendable {
    var file: String
    var x: Double
  }

  @Model
  struct Note: Hashable {
    var id: UUID = .v7()
    var title: String
    var remark: String?
    @Embedded var font: Typeface = Typeface()
    var color: Color = .black
    var images: [PlacedImage] = []
    @Attribute(.indexed) var modifiedAt: Date = .now
    @Transient var isSelected = false
  }

  @Model("Order Details")
  struct OrderLine {
    @Attribute(.primaryKey, name: "OrderID") var orderID: Int
    @Attribute(.primaryKey, name: "ProductID") var productID: Int
    var quantity: Int = 1
  }

  struct MissingISBN: Error {}

  @Model
  struct Book {
    var id: Int
    @Attribute(.unique) var isbn: String
    var author: String
    var year: Int

    static var indexes: [Index<Self>] {
      [Index(\.author, \.year), Index(\.isbn, \.year, unique: true)]
    }

    func validate() throws {
      if isbn.isEmpty { throw MissingISBN() }
    }
  }

  struct UnreadableVersion: Error {}

  struct Version: StoredValue, Hashable {
    var major: Int
    var minor: Int

    static var storageClass: StorageClass { .integer }

    init(major: Int, minor: Int) {
      (self.major, self.minor) = (major, minor)
    }

    init(storedValue: Value) throws {
      guard let number = storedValue.integer else { throw UnreadableVersion() }
      self.init(major: Int(number / 1000), minor: Int(number % 1000))
    }

    func storedValue() throws -> Value {
      .integer(Int64(major * 1000 + minor))
    }
  }

  @Model
  struct Release {
    var id: Int
    var version: Version
  }
}

@Suite("Documentation: Models")
@MainActor
struct ModelsArticleTests {
  private typealias Note = ModelsArticle.Note
  private typealias OrderLine = ModelsArticle.OrderLine
  private typealias Book = ModelsArticle.Book
  private typealias Release = ModelsArticle.Release

  @Test("a model comes back equal, without what is transient")
  func note() async throws {
    let store = try Store(inMemoryFor: Note.self)
    var note = Note(title: "Milk", images: [.init(file: "a.png", x: 3)], isSelected: true)
    try await store.insert(note)

    let large = try await store.fetch(Note.where { $0.font.size > 10 && $0.color == .black && $0.remark == nil })

    note.isSelected = false
    #expect(large == [note])
  }

  @Test("a composite key is a value of the generated type ID")
  func compositeKey() async throws {
    let store = try Store(inMemoryFor: OrderLine.self)
    try await store.insert(OrderLine(orderID: 10248, productID: 11, quantity: 12))

    let line = try await store.find(OrderLine.self, .init(orderID: 10248, productID: 11))

    #expect(line?.quantity == 12)
    #expect(try await store.rows(OrderLine.all).first?["OrderID"] == 10248)
  }

  @Test("rules refuse what breaks them, and validate() what it throws for")
  func rules() async throws {
    let store = try Store(inMemoryFor: Book.self)
    try await store.insert(Book(id: 1, isbn: "978-0", author: "Ada", year: 1843))
    let taken = await #expect(throws: StoreError.self) {
      try await store.insert(Book(id: 2, isbn: "978-0", author: "Bob", year: 2001))
    }
    #expect(taken?.code == .duplicate)
    #expect(taken?.property == "isbn")
    await #expect(throws: ModelsArticle.MissingISBN.self) {
      try await store.insert(Book(id: 3, isbn: "", author: "Bob", year: 2001))
    }
  }

  @Test("a type of one's own is compared and sorted by what it stores")
  func ownType() async throws {
    let store = try Store(inMemoryFor: Release.self)
    try await store.insert([
      Release(id: 1, version: .init(major: 1, minor: 10)), Release(id: 2, version: .init(major: 1, minor: 9)),
    ])

    let newest = try await store.first(Release.all.sorted(by: \.version, order: .reverse))

    #expect(newest?.version == .init(major: 1, minor: 10))
  }
}
