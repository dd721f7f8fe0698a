import Foundation
import Larder

/// A shelf whose derived properties are kept by triggers.
@Model("Shelf")
struct FaultShelf: Hashable {
  var id: Int
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \FaultBook.shelf) var books: ToMany<FaultBook> = []
  @Derived(.count(\FaultShelf.books)) var bookCount: Int = 0
  @Derived(.sum(\FaultShelf.books, \FaultBook.pages)) var pages: Int = 0
}

/// A book: a full-text index, an index, a foreign key, pairs, an attachment.
@Model("Book")
struct FaultBook: Hashable {
  var id: Int
  @Attribute(.searchable) var title: String
  @Attribute(.indexed) var pages: Int = 0
  var text: String = ""
  var cover: Attachment?
  var shelf: ToOne<FaultShelf>
  @Relationship(inverse: \FaultTag.books) var tags: ToMany<FaultTag> = []
}

@Model("Tag")
struct FaultTag: Hashable {
  var id: String
  var books: ToMany<FaultBook> = []
  @Derived(.count(\FaultTag.books)) var uses: Int = 0
}

/// A row that is gone when its time has come.
@Model("Token", expires: true)
struct FaultToken: Hashable {
  var id: Int
  var text: String = ""
}

/// A link of chains that are longer than SQLite follows delete rules, with a sum of their rows.
@Model("Link")
struct FaultLink: Hashable {
  var id: Int
  @Relationship(deleteRule: .cascade) var earlier: ToOne<FaultLink>?
  @Relationship(deleteRule: .nullify) var shelf: ToOne<FaultRack>?
}

@Model("Rack")
struct FaultRack: Hashable {
  var id: Int
  @Relationship(inverse: \FaultLink.shelf) var links: ToMany<FaultLink> = []
  @Derived(.sum(\FaultRack.links, \FaultLink.id)) var sum: Int = 0
}

/// What is written after a fault, to see that the store goes on.
@Model("Probe", syncs: false)
struct FaultProbe: Hashable {
  var id: Int
}

/// A table before and after a change of its schema.
enum OldSchema {
  @Model("Entry")
  struct Entry: Hashable {
    var id: Int
    var title: String
    var note: String
  }
}

enum NewSchema {
  @Model("Entry")
  struct Entry: Hashable {
    var id: Int
    @Attribute(.searchable, originalName: "title") var headline: String
    @Attribute(.indexed) var rank: Int = 7
  }
}
