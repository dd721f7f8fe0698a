internal import Foundation
internal import Synchronization

/// What ``Archived`` values need to know while one archive is encoded or decoded.
///
/// Unchecked because metatypes are not Sendable: a context never leaves the call that made it, and its allow-list never changes.
final class ArchiveContext: @unchecked Sendable {
  /// The types that may be built, by their tags.
  let allowed: [String: any Decodable.Type]
  private let types: Mutex<[ArchiveHeader.TypeEntry]>

  init(allowed: [String: any Decodable.Type] = [:], root: ArchiveHeader.TypeEntry? = nil) {
    self.allowed = allowed
    types = Mutex(root.map { [$0] } ?? [])
  }

  /// The types of the archive, the root's first.
  var table: [ArchiveHeader.TypeEntry] { types.withLock { $0 } }

  func note(_ entry: ArchiveHeader.TypeEntry) {
    types.withLock { types in
      if !types.contains(entry) { types.append(entry) }
    }
  }
}

extension CodingUserInfoKey {
  static let archiveContext: CodingUserInfoKey = {
    guard let key = CodingUserInfoKey(rawValue: "LarderArchive.context") else { preconditionFailure("A key of user info takes any text.") }
    return key
  }()
}
