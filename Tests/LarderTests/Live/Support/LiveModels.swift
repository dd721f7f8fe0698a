import Foundation
import Larder

@Model
struct Shelf: Hashable {
  var id: Int
  var name: String = ""
  @Relationship(inverse: \Book.shelf) var books: ToMany<Book> = []
}

@Model
struct Book: Hashable {
  var id: Int
  var title: String = ""
  var genre: String = ""
  var pages: Int = 0
  var note: String?
  var shelf: ToOne<Shelf>?
}

@Model
struct Visitor: Hashable {
  var id: UUID = .v7()
  var name: String = ""
}

/// A model whose values cannot be compared.
@Model
struct Poster {
  var id: String
  var rank: Int
  var caption: String = ""
  var tags: Set<String> = []
}

/// A row of a table whose key has two columns.
@Model
struct Seat: Hashable {
  @Attribute(.primaryKey) var row: Int
  @Attribute(.primaryKey) var number: String
  var price: Double = 0
}

@Model
struct LiveEntry: Hashable {
  var id: Int
  @Attribute(.searchable) var text: String = ""
  var stamps: ToMany<LiveTag> = []
}

@Model
struct LiveTag: Hashable {
  var id: Int
  var word: String = ""
  @Relationship(inverse: \LiveEntry.stamps) var entries: ToMany<LiveEntry> = []
}
