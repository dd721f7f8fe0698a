import Foundation
import LarderArchive

extension CreaturesService {
  /// For this long a deletion can be undone.
  static let undoPeriod: TimeInterval = 60 * 60

  /// Moves a creature into the trash. Throws `CreatureProblem.gone` if there is none.
  func delete(_ name: String, now: Date = .now) throws {
    let package = try package(name)
    do {
      deletions[name] = try packages.delete(package)
    } catch let error as ArchiveError where error.code == .notFound {
      throw CreatureProblem.gone("This creature is not there any more.")
    }
    lastDeletion = now
    tellChange()
  }

  /// Brings a deleted creature back as it was. Throws `CreatureProblem.gone` if the undo period is over.
  func undelete(_ name: String) throws -> Card? {
    let package: DocumentPackage
    do {
      package = try packages.restore(deletedPackage(name))
    } catch let error as ArchiveError where error.code == .notFound {
      throw Self.notInTrash
    }
    deletions[name] = nil
    tellChange()
    return card(of: package)
  }

  /// Empties the trash when its last deletion, or the start, is longer ago than the undo period.
  func tidy(now: Date = .now) throws {
    guard now.timeIntervalSince(lastDeletion) >= Self.undoPeriod else { return }
    try emptyTrash()
    lastDeletion = now
  }
}
