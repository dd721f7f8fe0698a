import Foundation
import Larder

/// A model with a full-text index and an integer key.
@Model
struct NewsItem: Hashable {
  var id: Int
  @Attribute(.searchable) var title: String
  @Attribute(.searchable) var body: String? = nil
  var section: String = ""
  var views = 0
}

/// A full-text index over a table with another key than the row's number, and names that need quoting.
@Model("the \"order\" table's")
struct OddlyNamed: Hashable {
  var id: UUID = .v7()
  @Attribute(.searchable, name: "the \"text\" of it's") var text: String
  @Attribute(.searchable, name: "select") var other: String = ""
}

/// A model without a searchable property.
@Model
struct Unsearchable: Hashable {
  var id: Int
  var title: String
}
