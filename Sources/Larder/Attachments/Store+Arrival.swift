package import Foundation
import Synchronization

extension Store {
  /// The most bytes of a piece.
  package static let greatestPiece = AttachmentFile.chunk

  /// Returns a piece of an attachment's data; empty at its end, nil if the store doesn't have the data as it was
  /// attached.
  package func piece(ofAttachment digest: String, size: Int, from offset: Int) async throws -> Data? {
    let storage = environment.attachments
    guard Attachment.isDigest(digest), size >= 0, (0...size).contains(offset) else { return nil }
    return try await AttachmentWork.run { [readers] in
      let isWhole = try storage.isWhole(digest, size: size) { AttachmentTable.savedVersion($0, readers) }
      guard isWhole else { return nil }
      return try storage.folder.open(digest).read(at: offset, count: Swift.min(Self.greatestPiece, size - offset))
    }
  }

  /// Returns how many bytes of an attachment have arrived: ``take(_:ofAttachment:at:size:)`` goes on there.
  package func arrived(ofAttachment digest: String) async throws -> Int {
    let folder = try managedAttachments.folder
    guard Attachment.isDigest(digest) else { return 0 }
    return try await AttachmentWork.run { try folder.arrival(of: digest, creates: false)?.size ?? 0 }
  }

  /// Takes a piece of an attachment's data that arrives. With the last one, all of it is checked and placed.
  ///
  /// What has arrived is kept if the process ends, but isn't data of the store yet.
  ///
  /// - Returns: Where the next piece begins, which may be elsewhere if another task takes the same data; nil if the data
  ///   is here.
  /// - Throws: ``StoreError`` `.corrupt` if the data isn't that of the digest; what has arrived is deleted then.
  ///   `.invalidValue` for a piece that can't be a part of it, `.diskFull`, `.readOnly`, `.inputOutput`.
  package func take(
    _ bytes: Data, ofAttachment digest: String, at offset: Int, size: Int
  ) async throws -> Int? {
    let storage = try managedAttachments
    let folder = storage.folder
    guard Attachment.isDigest(digest), offset >= 0, bytes.count <= Self.greatestPiece, bytes.count <= size - offset
    else {
      throw StoreError(
        .invalidValue,
        "A piece of an attachment has more bytes than were announced. Take attachments from someone else, or repair the transport."
      )
    }
    let (isPlaced, reached) = try await AttachmentWork.run { [readers] () -> (Bool, Int) in
      let isWhole = try storage.isWhole(digest, size: size) { AttachmentTable.savedVersion($0, readers) }
      if isWhole { return (true, size) }
      guard let file = try folder.arrival(of: digest, creates: true) else { return (false, 0) }
      try file.lockExclusive()
      if file.size == offset { try bytes.withUnsafeBytes { try file.write($0) } }
      return (false, file.size)
    }
    if reached < size { return reached }
    let path = folder.arrivalPath(of: digest)
    let hasArrival = FileManager.default.fileExists(atPath: path)
    if !isPlaced, hasArrival {
      guard try await AttachmentWork.run({ try AttachmentFile(path, O_RDONLY).digest() }) == digest else {
        try? FileManager.default.removeItem(atPath: path)
        throw StoreError(
          .corrupt,
          "The bytes of an attachment that arrived aren't those that rows name, and were discarded. Take them from another device."
        )
      }
    }
    // Data that is placed already may be neither registered nor synced.
    let attachment = try await attach(contentsOf: !isPlaced && hasArrival ? path : folder.path(of: digest))
    // If that can't be told, the data is kept for a while.
    let isUsed = try? await reading { try ModuleConnection($0).isAttachmentUsed(digest) }
    if isUsed != true { storage.arrived.keep(attachment) }
    if hasArrival { try? FileManager.default.removeItem(atPath: path) }
    return nil
  }

  /// Ends what keeps data that has arrived before the rows that name it: they have come.
  package func releaseArrivals(of digests: some Sequence<String>) {
    environment.attachments.arrived.release(digests)
  }

  /// Deletes what has arrived of an attachment's data, so that it begins anew.
  package func removeArrival(ofAttachment digest: String) async throws {
    let folder = try managedAttachments.folder
    guard Attachment.isDigest(digest) else { return }
    try await AttachmentWork.run { try? FileManager.default.removeItem(atPath: folder.arrivalPath(of: digest)) }
  }

  /// Deletes what has arrived of data that nobody waits for any longer.
  ///
  /// - Parameters:
  ///   - time: What has arrived since stays, because more of it may be under way.
  ///   - isAwaited: Whether someone waits for the data of a digest.
  package func removeArrivals(
    before time: Date, except isAwaited: @escaping @Sendable (String) -> Bool
  ) async throws {
    guard let folder = try? managedAttachments.folder else { return }
    try await AttachmentWork.run {
      for digest in AttachmentFolder.names(in: folder.arrivals) where !isAwaited(digest) {
        let path = folder.arrivalPath(of: digest)
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard let date = attributes?[.modificationDate] as? Date, date < time else { continue }
        try? FileManager.default.removeItem(atPath: path)
      }
    }
  }
}

extension AttachmentFolder {
  /// The folder of data that arrives in pieces.
  var arrivals: String { path + "/arriving" }

  func arrivalPath(of digest: String) -> String { "\(arrivals)/\(digest)" }

  /// Opens the file of data that arrives; nil if there is none and it isn't created.
  fileprivate func arrival(of digest: String, creates: Bool) throws -> AttachmentFile? {
    let path = arrivalPath(of: digest)
    do {
      return try AttachmentFile(path, creates ? O_RDWR | O_APPEND | O_CREAT : O_RDONLY, mode: fileMode)
    } catch let error as StoreError where error.code == .notFound {
      guard creates else { return nil }
      try create()
      try make(arrivals)
      return try AttachmentFile(path, O_RDWR | O_APPEND | O_CREAT, mode: fileMode)
    }
  }
}

/// Keeps data that has arrived before the rows that name it: without a row, it would be deleted.
final class ArrivedAttachments: Sendable {
  private let attachments = Mutex<[String: (attachment: Attachment, time: ContinuousClock.Instant)]>([:])

  /// How long rows may take to come. Whoever sends them broke off if they take longer.
  private static let limit = Duration.seconds(600)

  func keep(_ attachment: Attachment) {
    attachments.withLock { attachments in
      let now = ContinuousClock.now
      attachments = attachments.filter { now - $0.value.time < Self.limit }
      attachments[attachment.digest] = (attachment, now)
    }
  }

  func release(_ digests: some Sequence<String>) {
    attachments.withLock { attachments in
      guard !attachments.isEmpty else { return }
      for digest in digests { attachments[digest] = nil }
    }
  }
}
