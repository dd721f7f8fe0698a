import Foundation

@testable import Larder

@Model
struct Letter: Hashable {
  var id: Int
  var title: String = ""
  var scan: Attachment?
  var pages: [LetterPage] = []
  @Relationship(deleteRule: .cascade) var box: ToOne<LetterBox>?
}

@Model
struct LetterBox: Hashable {
  var id: Int
}

struct LetterPage: Codable, Hashable, Sendable {
  var number: Int
  var images: [String: Attachment] = [:]
}

/// A store with attachments whose collector works when the test says so.
struct AttachmentStore {
  let file: StoreFile
  let store: Store

  init() throws {
    file = try StoreFile()
    store = try Self.open(file)
  }

  static func open(_ file: StoreFile) throws -> Store {
    let store = try Store(at: file.path, for: Letter.self, LetterBox.self)
    store.attachmentCollector.stop()
    return store
  }

  /// Opens the file once more, as another process would.
  func reopen() throws -> Store { try Self.open(file) }

  var folder: String { file.path + ".attachments" }

  /// The digests that have a file.
  var files: [String] {
    let folder = AttachmentFolder(ofStore: file.path)
    return folder.shards().flatMap(folder.digests)
  }

  var temporaryFiles: [String] { AttachmentFolder.names(in: folder + "/tmp") }

  func uses(_ attachment: Attachment) throws -> Int64? {
    try store.blocking.sql("select uses from _larder_attachments where digest = \(attachment.digest)").first?["uses"]?
      .integer
  }
}

extension Data {
  /// So many bytes that look random, always the same for a seed.
  static func sample(_ count: Int, seed: UInt64 = 1) -> Data {
    var state = seed &* 0x9E37_79B9_7F4A_7C15
    return Data(
      (0..<count).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 33)
      })
  }
}
