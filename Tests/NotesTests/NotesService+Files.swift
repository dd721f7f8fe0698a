@testable import Larder
@testable import Notes

extension NotesService {
  /// The digests of the files that keep pictures, once the store has deleted what nobody needs.
  func files() async throws -> [String] {
    try await store.collectAttachments()
    let folder = store.environment.attachments.folder
    return folder.shards().flatMap(folder.digests)
  }
}
