import Foundation
import LarderArchive

extension CreaturesService {
  /// For this long a deletion can be undone.
  static let undoPeriod: TimeInterval = 60 * 60

  /// Moves a creature into the trash. Throws `CreatureProblem.gone` if there is none.
  func delete(_ name: String, now: Date = .now) throws {
    let document = try document(name)
    do {
      deletions[name] = try documents.delete(document)
    } catch let error as ArchiveError where error.code == .notFound {
      throw CreatureProblem.gone("This creature is not there any more.")
    }
    lastDeletion = now
    tellChange()
  }

  /// Brings a deleted creature back as it was. Throws `CreatureProblem.gone` if the undo period is over.
  func undelete(_ name: String) throws -> Card? {
    // After a restart the trash itself is asked.
    guard let deleted = try deletions[name] ?? documents.deletedDocuments().last(where: { $0.name == name }) else {
      throw CreatureProblem.gone("The trash was emptied meanwhile.")
    }
    let document: DocumentPackage
    do {
      document = try documents.restore(deleted)
    } catch let error as ArchiveError where error.code == .notFound {
      throw CreatureProblem.gone("The trash was emptied meanwhile.")
    }
    deletions[name] = nil
    tellChange()
    return card(of: document)
  }

  /// Empties the trash when its last deletion, or the start, is longer ago than the undo period.
  func tidy(now: Date = .now) throws {
    guard now.timeIntervalSince(lastDeletion) >= Self.undoPeriod else { return }
    try documents.emptyTrash()
    deletions = [:]
    lastDeletion = now
  }
}
