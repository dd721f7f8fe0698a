@testable import Larder
@testable import Notes

extension NotesService {
  /// The digests of the files that keep pictures, once the store has deleted what nobody needs.
  func files() async throws -> [String] {
    // A reader that is about to end is in the way for a moment.
    while try await store.attachmentCollector.round(waits: false).isBlocked { await Task.yield() }
    try await store.collectAttachments()
    let folder = store.environment.attachments.folder
    return folder.shards().flatMap(folder.digests)
  }
}
