public import Foundation
public import Larder

extension StoreSync {
  /// Gets the bytes of an attachment from a peer, if they are not here.
  ///
  /// ```swift
  /// try await store.sync.fetch(picture, from: peer)
  /// let data = try await store.data(of: picture)
  /// ```
  ///
  /// If it is interrupted, the next call goes on where it ended. The bytes are kept once all of them are there and have the
  /// digest of the attachment.
  ///
  /// - Parameters:
  ///   - attachment: The attachment of a row.
  ///   - peer: The other side.
  /// - Throws: `StoreError` `.notFound` if the peer doesn't have the bytes either, `.corrupt` if it sends others, which are
  ///   discarded, `.invalidValue` if it sends too much, `.diskFull`, `.unsupported` if sync is off in the file; the errors of
  ///   the peer, and those of any write.
  public func fetch(_ attachment: Attachment, from peer: some SyncPeer) async throws {
    let named = NamedAttachment(digest: attachment.digest, size: attachment.size)
    guard let offset = try await offset(of: named) else { return }
    let carrier = AttachmentCarrier(from: peer, to: self, .eager)
    guard try await carrier.carry(named, from: offset) else {
      throw StoreError(
        .notFound, ofModel: nil,
        "The peer doesn't have the bytes of the attachment. Ask the replica on which it was attached.")
    }
  }

  /// Returns the attachments that rows name and whose bytes have not come: at most 1,000.
  ///
  /// - Throws: `StoreError` `.unsupported` if sync is off in the file; the errors of any read.
  public func awaitedAttachments() async throws -> [NamedAttachment] {
    try await store.readingModule { connection in
      try ReplicaFile(connection).awaitedAttachments().filter { attachment in
        try !connection.hasAttachment(attachment.digest) && connection.isAttachmentUsed(attachment.digest)
      }
    }
  }

  // MARK: As a peer

  /// Returns the attachments that this file lacks, with the offsets from which it needs them: those of the list, and
  /// those that it waits for.
  ///
  /// - Parameter attachments: Attachments that rows name which are about to come.
  /// - Throws: `StoreError` `.unsupported` if sync is off in the file; the errors of any read.
  public func wanted(among attachments: [NamedAttachment]) async throws -> [NamedAttachment: Int] {
    let (missing, done) = try await store.readingModule { connection in
      let awaited = try ReplicaFile(connection).awaitedAttachments()
      let needed = try awaited.filter { attachment in
        try !connection.hasAttachment(attachment.digest) && connection.isAttachmentUsed(attachment.digest)
      }
      let named = try attachments.filter { try !connection.hasAttachment($0.digest) }
      return (Set(needed + named), awaited.filter { !needed.contains($0) })
    }
    if !done.isEmpty { try await settleAwaited(done) }
    var wanted: [NamedAttachment: Int] = [:]
    for attachment in missing { wanted[attachment] = try await arrived(of: attachment) }
    return wanted
  }

  /// Returns where an attachment goes on that is taken; nil if it is here.
  func offset(of attachment: NamedAttachment) async throws -> Int? {
    let isHere = try await store.readingModule { connection in
      _ = try ReplicaFile(connection)
      return try connection.hasAttachment(attachment.digest)
    }
    return isHere ? nil : try await arrived(of: attachment)
  }

  /// Records the arrival of awaited attachments that are here: they were attached, or the process ended before it was
  /// recorded. A store that can't write goes without.
  ///
  /// - Complexity: One lookup, and one for each awaited attachment.
  func recordArrivals() async throws {
    var last = ""
    while true {
      let page = try await store.readingModule { [last] connection in
        let awaited = try ReplicaFile(connection).awaitedAttachments(after: last)
        return (arrived: try awaited.filter { try connection.hasAttachment($0.digest) }, last: awaited.last?.digest)
      }
      if !page.arrived.isEmpty {
        do {
          try await settleAwaited(page.arrived)
        } catch let error as StoreError where error.code == .readOnly {
          return
        }
      }
      guard let next = page.last else { return }
      last = next
    }
  }

  private func settleAwaited(_ attachments: [NamedAttachment]) async throws {
    try await store.writingModule { connection in
      try connection.transaction { try ReplicaFile(connection).settleAwaited(attachments) }
    }
  }

  private func arrived(of attachment: NamedAttachment) async throws -> Int {
    min(try await store.arrived(ofAttachment: attachment.digest), attachment.size)
  }

  /// Returns a piece of an attachment.
  ///
  /// - Parameters:
  ///   - attachment: The attachment.
  ///   - offset: Where the piece begins.
  /// - Returns: The bytes; nil if this file doesn't have them, or they are damaged.
  /// - Throws: The errors of any read.
  public func attachment(_ attachment: NamedAttachment, from offset: Int) async throws -> Data? {
    try await store.piece(ofAttachment: attachment.digest, size: attachment.size, from: offset)
  }

  /// Takes a piece of an attachment. With the last one, all bytes are checked, and kept if they have the digest.
  ///
  /// - Parameter piece: The piece.
  /// - Returns: Where the next piece begins; nil if all bytes are here.
  /// - Throws: `StoreError` `.corrupt` for bytes that don't have the digest, which are discarded, `.invalidValue` for a piece
  ///   that can't be one of the attachment's, `.diskFull`, `.unsupported` if sync is off in the file; the errors of any write.
  public func take(_ piece: AttachmentPiece) async throws -> Int? {
    let attachment = piece.attachment
    let next = try await store.take(
      piece.bytes, ofAttachment: attachment.digest, at: piece.offset, size: attachment.size)
    guard next == nil else { return next }
    try await store.writingModule { connection in
      try connection.transaction { try ReplicaFile(connection).setArrived(attachment) }
    }
    return nil
  }
}
