import Larder

/// Errands of which one comes of another: queries about them ask for rows of their own table.
@Model
struct Errand: Hashable {
  var id: Int
  var state: String = "open"
  var depth: Int = 0
  @Relationship(deleteRule: .cascade) var parent: ToOne<Errand>?
  @Relationship(inverse: \Errand.parent) var children: ToMany<Errand> = []
  @Derived(.sum(\Errand.children, \Errand.depth)) var below: Int = 0
}
