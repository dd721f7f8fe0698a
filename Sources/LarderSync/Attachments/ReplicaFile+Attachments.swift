import Foundation
import Larder

/// The attachments whose bytes rows have named before they came.
///
/// A row may name a digest with a size that isn't that of its bytes. It is another attachment then, whose bytes nobody has,
/// and keeps none from the row that names the true size.
extension ReplicaFile {
  /// The most attachments that are asked for at a time.
  private static let mostAwaited = 1000

  /// Registers the attachments that a state names, before the state is written: a table refuses others.
  ///
  /// - Parameter isAwaited: Whether somebody may want to read their bytes.
  func expectAttachments(of state: RowState, isAwaited: Bool) throws {
    for attachment in state.namedAttachments {
      let isHere = try connection.expectAttachment(attachment.digest)
      if isHere || !isAwaited { continue }
      try connection.run(
        """
        INSERT INTO \(SyncTables.attachments) (digest, size, sender) VALUES (?1, ?2, ?3) ON CONFLICT (digest, size) DO UPDATE \
        SET sender = coalesce(excluded.sender, sender), position = NULL
        """,
        [
          .init(attachment.digest), .integer(Int64(attachment.size)), attachmentSender.map { .integer($0) } ?? .null,
        ])
    }
  }

  /// The attachments that have not come. Of many, each time others: those that nobody has must not hide the others.
  func awaitedAttachments() throws -> [NamedAttachment] {
    try connection.rows(
      "SELECT digest, size FROM \(SyncTables.attachments) WHERE position IS NULL ORDER BY random() LIMIT \(Self.mostAwaited)"
    ) { NamedAttachment(digest: $0.text(0), size: Int($0.integer(1))) }
  }

  /// The attachments that have not come, in the order of their digests: a part of them.
  ///
  /// - Parameter digest: The digest after which they begin.
  func awaitedAttachments(after digest: String) throws -> [NamedAttachment] {
    try connection.rows(
      """
      SELECT digest, size FROM \(SyncTables.attachments) WHERE position IS NULL AND digest > ?1 \
      ORDER BY digest, size LIMIT \(Self.mostAwaited)
      """, [.init(digest)]
    ) { NamedAttachment(digest: $0.text(0), size: Int($0.integer(1))) }
  }

  /// The digests of all attachments that have not come.
  func awaitedDigests() throws -> Set<String> {
    Set(try connection.rows("SELECT digest FROM \(SyncTables.attachments) WHERE position IS NULL") { $0.text(0) })
  }

  func isAwaited(_ digest: String) throws -> Bool {
    try connection.finds(
      "SELECT 1 FROM \(SyncTables.attachments) WHERE digest = ?1 AND position IS NULL", [.init(digest)])
  }

  /// Records which attachments have come that were awaited, and removes those that no row uses. The others stay: a row may
  /// have named them since they were read. In a transaction of the caller's.
  func settleAwaited(_ attachments: [NamedAttachment]) throws {
    for digest in Set(attachments.map(\.digest)).sorted() {
      if try !connection.isAttachmentUsed(digest) {
        try connection.run(
          "DELETE FROM \(SyncTables.attachments) WHERE digest = ?1 AND position IS NULL", [.init(digest)])
      } else if let size = try connection.attachmentSize(digest) {
        try setArrived(NamedAttachment(digest: digest, size: size))
      }
    }
  }

  /// Records that bytes have come after the row that names them. A file with later changes takes them along.
  func setArrived(_ attachment: NamedAttachment) throws {
    guard try isAwaited(attachment.digest) else { return }
    let digest = ReplicatedValue(attachment.digest)
    // The bytes have one size, so what named the digest with another waits for nothing.
    try connection.run("DELETE FROM \(SyncTables.attachments) WHERE digest = ?1", [digest])
    try connection.run(
      "INSERT INTO \(SyncTables.attachments) (digest, size, position) VALUES (?1, ?2, ?3)",
      [digest, .integer(Int64(attachment.size)), .integer(try tick())])
  }

  /// The attachments whose bytes have come after their rows, between two positions.
  func arrivedAttachments(after position: Int64, upTo end: Int64) throws -> [NamedAttachment] {
    try connection.rows(
      "SELECT digest, size FROM \(SyncTables.attachments) WHERE position > ?1 AND position <= ?2 ORDER BY digest",
      [.integer(position), .integer(end)]
    ) { NamedAttachment(digest: $0.text(0), size: Int($0.integer(1))) }
  }

  /// Where the bytes are that have not come, and how to get them; nil if they aren't awaited.
  func remedy(forMissing digest: String) throws -> String? {
    let sender = try connection.first(
      "SELECT sender FROM \(SyncTables.attachments) WHERE digest = ?1 AND position IS NULL ORDER BY sender IS NULL, sender",
      [.init(digest)]
    ) { $0.optionalInteger(0) }
    guard let sender else { return nil }
    guard let number = sender else {
      return
        "The bytes of the attachment have not come yet. Exchange with a replica that has them, or call store.sync.fetch(_:from:)."
    }
    let replica = try replica(number)
    let name = try name(of: replica).map { "\"\($0)\", " } ?? ""
    return
      "The bytes of the attachment have not come yet: its row came from \(name)replica \(replica). Exchange with it, or call store.sync.fetch(_:from:)."
  }
}

extension RowState {
  /// The attachments that the values of the row name.
  var namedAttachments: [NamedAttachment] {
    properties.flatMap { $0.value.namedAttachments }
  }
}

extension ReplicatedValue {
  /// The attachments that a JSON text names.
  var namedAttachments: [NamedAttachment] {
    guard case .text(let bytes) = self else { return [] }
    return Attachment.named(in: bytes).map { NamedAttachment(digest: $0.digest, size: $0.size) }
  }
}
