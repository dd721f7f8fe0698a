import ExampleWeb
import Foundation
import LarderArchive

/// What the trash shows of a deleted creature.
struct DeletedCard: Encodable, Equatable, Sendable {
  /// The name of its package.
  let name: String
  /// Nil where its data can't be read.
  var title: String?
  var rating: Int?
  var hasThumbnail = false
}

extension CreaturesService {
  /// The deleted creatures that can still come back. Reads the data of each, and no picture.
  func deletedCards() throws -> [DeletedCard] {
    try packages.deletedPackages().map { deleted in
      var card = DeletedCard(name: deleted.name)
      let folder = packages.url(of: deleted)
      let data = try? Data(contentsOf: folder.appending(path: CreaturePart.data.rawValue))
      if let creature = data.flatMap({ try? Archive.decode(Creature.self, from: $0, limits: packages.limits) }) {
        card.title = creature.title
        card.rating = creature.rating
      }
      card.hasThumbnail = Self.thumbnail(in: folder) != nil
      return card
    }
  }

  /// The thumbnail of a deleted creature. Throws `CreatureProblem.gone` if there is none.
  func deletedThumbnail(of name: String) throws -> PictureFile {
    guard let (url, format) = Self.thumbnail(in: packages.url(of: try deletedPackage(name))),
      let file = (try? Data(contentsOf: url)).flatMap(PictureFile.init), file.format == format
    else { throw CreatureProblem.gone("There is no such picture.") }
    return file
  }

  /// Deletes a creature in the trash for good. Throws `CreatureProblem.gone` if it isn't there any more.
  func deleteForGood(_ name: String) throws {
    do {
      try packages.remove(deletedPackage(name))
    } catch let error as ArchiveError where error.code == .notFound {
      throw Self.notInTrash
    }
    deletions[name] = nil
    tellChange()
  }

  /// Deletes everything in the trash for good.
  func emptyTrash() throws {
    try packages.emptyTrash()
    deletions = [:]
    tellChange()
  }

  /// After a restart the trash itself is asked. Throws `CreatureProblem.gone` if the creature isn't there.
  func deletedPackage(_ name: String) throws -> DeletedPackage {
    guard let deleted = try deletions[name] ?? packages.deletedPackages().last(where: { $0.name == name }) else {
      throw Self.notInTrash
    }
    return deleted
  }

  static let notInTrash = CreatureProblem.gone("It is not in the trash any more.")

  private static func thumbnail(in folder: URL) -> (URL, PictureFormat)? {
    for format in PictureFormat.allCases {
      let url = folder.appending(path: CreaturePart.thumbnail.name(format), directoryHint: .notDirectory)
      if FileManager.default.fileExists(atPath: url.path) { return (url, format) }
    }
    return nil
  }
}
