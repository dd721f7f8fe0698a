import Foundation

/// What the list shows of one creature; for one that is damaged, what of it can be read.
struct Card: Encodable, Equatable, Sendable {
  /// The name of its package.
  let name: String
  var title: String?
  var rating: Int?
  var created: Date?
  var modified: Date?
  var picture: Picture?
  var hasThumbnail = false
  var damage: Damage?

  init(name: String) { self.name = name }

  mutating func show(_ creature: Creature) {
    title = creature.title
    rating = creature.rating
    created = creature.created
    modified = creature.modified
    picture = creature.picture
  }
}

/// What is wrong with a creature's package, and what is left of it.
struct Damage: Encodable, Equatable, Sendable {
  /// The parts that are not as they were written.
  let lost: [CreaturePart]
  /// The parts that can be saved.
  let left: [CreaturePart]
  /// Whether the lost picture's file still begins as a picture does, so that a part of it may be seen.
  var hasRemnant = false
  /// Why the package cannot be read although it may be whole; then nothing is to be restored.
  var obstacle: String?
}
