import ExampleWeb
import Foundation
import LarderArchive

/// A creature, as its package's part `data` keeps it.
struct Creature: Archivable, Equatable, Sendable {
  static let archiveTag = "Creature"

  var title: String
  /// One to five stars; 0 as long as nobody gave any.
  var rating: Int
  let created: Date
  /// Also tells one state of the creature from another.
  var modified: Date
  /// What the package's picture is like, so that the list need not read it.
  var picture: Picture?
}

/// What a picture is like.
struct Picture: Codable, Equatable, Sendable {
  /// Another one for each picture, so that a browser never takes one for another.
  var id = UUID()
  let format: PictureFormat
  let width: Int
  let height: Int
  /// The length of its file.
  let bytes: Int

  init(_ file: PictureFile) {
    format = file.format
    width = file.width
    height = file.height
    bytes = file.content.count
  }
}
