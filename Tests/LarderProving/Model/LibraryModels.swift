import Foundation
import Larder

@Model
struct LibraryShelf: Hashable, Codable {
  var id: Int
  @Attribute(.indexed) var name: String
  @Attribute(.unique) var code: String?
  @Relationship(deleteRule: .cascade, inverse: \LibraryBook.shelf) var books: ToMany<LibraryBook> = []
  @Derived(.sum(\LibraryShelf.books, \LibraryBook.pages)) var pages: Int = 0
  @Derived(.count(\LibraryShelf.books)) var count: Int = 0
  @Derived(.max(\LibraryShelf.books, \LibraryBook.price)) var dearest: Decimal?
}

@Model
struct LibraryBook: Hashable {
  var id: Int
  @Attribute(.searchable) var title: String
  @Attribute(.indexed) var pages: Int
  var price: Decimal
  var rating: Double?
  var isRead: Bool = false
  var tags: [String] = []
  var shelf: ToOne<LibraryShelf>
  var author: ToOne<LibraryAuthor>?
  @Relationship(inverse: \LibraryLabel.books, ordered: true) var labels: ToMany<LibraryLabel> = []
}

@Model
struct LibraryAuthor: Hashable {
  var id: Int
  var name: String
  @Relationship(deleteRule: .deny) var agency: ToOne<LibraryAgency>?
  @Relationship(inverse: \LibraryBook.author) var books: ToMany<LibraryBook> = []
}

@Model
struct LibraryAgency: Hashable, Codable {
  var id: Int
  var name: String
  var city: String = ""
}

@Model
struct LibraryLabel: Hashable {
  var id: String
  var books: ToMany<LibraryBook> = []
  @Derived(.count(\LibraryLabel.books)) var uses: Int = 0
}

@Model(expires: true)
struct LibraryPass: Hashable, Codable {
  var id: Int
  var value: Int
}

enum Library {
  static let models: [any Model.Type] = [
    LibraryShelf.self, LibraryBook.self, LibraryAuthor.self, LibraryAgency.self, LibraryLabel.self, LibraryPass.self,
  ]
  static let words = ["red", "fox", "blue", "hen", "map"]
  static let labels = ["a", "b", "c", "d"]
}
