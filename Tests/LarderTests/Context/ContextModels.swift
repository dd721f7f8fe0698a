import Foundation
import Larder

@Model("Page")
struct Page: Hashable {
  var id: UUID = .v7()
  @Attribute(.searchable) var title: String
  @Attribute(.unique) var code: String?
  @Attribute(.indexed) var number: Int = 0
  var price: Decimal = 0
  var tags: [String] = []

  func validate() throws {
    if title.isEmpty { throw Untitled() }
  }

  struct Untitled: Error {}
}

/// A library: a bookcase takes its volumes along, a volume loses its author, and an agency that has authors stays.
@Model
struct Bookcase: Hashable {
  var id: Int
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Volume.shelf) var volumes: ToMany<Volume> = []
  @Derived(.sum(\Bookcase.volumes, \Volume.price)) var worth: Decimal = 0
  @Derived(.count(\Bookcase.volumes)) var count: Int = 0
  @Derived(.max(\Bookcase.volumes, \Volume.pages)) var longest: Int?
}

@Model
struct Volume: Hashable {
  var id: Int
  @Attribute(.searchable) var title: String
  @Attribute(.unique) var code: String?
  var pages: Int = 0
  var price: Decimal = 0
  var shelf: ToOne<Bookcase>
  var author: ToOne<Author>?
  @Relationship(inverse: \Label.volumes, ordered: true) var labels: ToMany<Label> = []
}

@Model
struct Author: Hashable {
  var id: Int
  var name: String
  @Relationship(deleteRule: .deny) var agency: ToOne<Agency>?
  @Relationship(inverse: \Volume.author) var volumes: ToMany<Volume> = []
}

@Model
struct Agency: Hashable {
  var id: Int
  var name: String
}

@Model
struct Label: Hashable {
  var id: Int
  var name: String
  var volumes: ToMany<Volume> = []
  @Derived(.count(\Label.volumes)) var uses: Int = 0
}
