import Foundation
import Larder
import Synchronization

/// A file with changes that is written: first the rows of one commit, then the attachments that they name.
final class FileExport: Sendable {
  /// The rows that are read first, and about how many bytes are read at a time then.
  private static let (firstPage, pageSize) = (16, 1 << 20)

  private struct State: ~Copyable {
    var writer: BatchWriter?
    let file: NewFile
    var rows = 0
    var attachments: Set<NamedAttachment> = []
  }

  private let url: URL
  private let recipient: ReplicaID?
  private let since: ChangeCursor
  /// Where the changes end.
  let upTo: ChangeCursor
  private let state: Mutex<State>

  /// Begins the file.
  ///
  /// - Throws: `StoreError` `.readOnly` if the store can't write, and has changes that were never handed out.
  init(
    _ file: ReplicaFile, to url: URL, for recipient: ReplicaID?, since: ChangeCursor, key: GroupKey?, canWrite: Bool
  ) throws {
    let clock = try file.clock()
    let upTo = ChangeCursor(
      replica: since.replica, position: canWrite ? clock.now : max(clock.identified, since.position))
    guard try canWrite || file.isComplete(upTo: upTo.position, for: recipient) else { throw file.unrecorded }
    (self.url, self.recipient, self.since, self.upTo) = (url, recipient, since, upTo)
    var header = BatchHeader(since: since, upTo: upTo, recipient: recipient, isLast: true)
    header.forgotten = try file.forgotten()
    header.received = try recipient.map(file.received) ?? 0
    let writer = try BatchWriter(
      header, modelsDigest: file.modelsDigest,
      knowledge: try file.knowledge(after: since.position, upTo: upTo.position),
      names: try file.names(after: since.position, upTo: upTo.position), key: key)
    let target = try NewFile(at: url.path(percentEncoded: false), mode: file.fileMode)
    state = Mutex(State(writer: writer, file: target))
  }

  /// The attachments that the recipient may lack.
  var attachments: Set<NamedAttachment> { state.withLock { $0.attachments } }

  /// Writes all rows. All reads see the same commit.
  func writeRows(_ file: ReplicaFile, _ cancellation: CancellationFlag) throws {
    let recipientID = try recipient.flatMap(file.knownID)
    var (position, limit) = (since.position, Self.firstPage)
    // What no row names any longer may be deleted at any moment.
    var attachments = Set(
      try file.arrivedAttachments(after: since.position, upTo: upTo.position).filter {
        try file.connection.isAttachmentUsed($0.digest)
      })
    while true {
      try cancellation.check()
      let rows = try file.rows(after: position, upTo: upTo.position, limit: limit, exceptFrom: recipientID)
      guard let last = rows.last else { break }
      for row in rows {
        try write { try $0.append(row.state) }
        if row.state.isThere { attachments.formUnion(try newAttachments(of: row.state, file)) }
      }
      state.withLock { $0.rows += rows.count }
      position = last.position
      let size = rows.reduce(1) { $0 + $1.state.size } / rows.count + 1
      limit = max(1, min(StoreSync.batchSize, Self.pageSize / size))
    }
    state.withLock { [attachments] in $0.attachments = attachments }
  }

  /// The attachments of values that the recipient doesn't know. It had the bytes with the others.
  private func newAttachments(of state: RowState, _ file: ReplicaFile) throws -> [NamedAttachment] {
    try state.properties.flatMap { property -> [NamedAttachment] in
      let attachments = property.value.namedAttachments
      if attachments.isEmpty { return [] }
      if property.stamp.replica == since.replica { return property.stamp.time > since.position ? attachments : [] }
      guard since.position > 0, let recipient else { return attachments }
      return try file.knows(recipient, of: property.stamp) ? [] : attachments
    }
  }

  /// The bytes of an attachment were deleted after some of them were written.
  struct BytesAreGone: Error {}

  /// Writes the bytes of an attachment, unless they are not here.
  func write(_ attachment: NamedAttachment, of sync: StoreSync) async throws {
    var offset = 0
    while let bytes = try await sync.attachment(attachment, from: offset) {
      guard !bytes.isEmpty || attachment.size == 0 else { break }
      let piece = AttachmentPiece(of: attachment, at: offset, bytes)
      try write { try $0.append(piece) }
      offset = piece.end
      if offset >= attachment.size { return }
    }
    guard offset == 0 else { throw BytesAreGone() }
  }

  private func write(_ body: (inout BatchWriter) throws -> Data?) throws {
    try state.withLock { state in
      // After an error the batch can't be continued.
      guard var writer = state.writer.take() else { return }
      if let bytes = try body(&writer) { try state.file.write(bytes) }
      state.writer = consume writer
    }
  }

  /// Removes what was written.
  func discard() {
    state.withLock { $0.file.discard() }
  }

  /// Ends the file, and gives it its name.
  func finish() throws -> SyncFile {
    try state.withLock { state in
      if let writer = state.writer.take() { try state.file.write(writer.finish()) }
      try state.file.place()
      return SyncFile(
        url: url, recipient: recipient, since: since, upTo: upTo, rows: state.rows, size: state.file.size)
    }
  }
}

extension ReplicaFile {
  /// The permissions of the store's file, as far as they are about reading and writing.
  fileprivate var fileMode: mode_t {
    let attributes = connection.filePath.flatMap { try? FileManager.default.attributesOfItem(atPath: $0) }
    let mode = attributes?[.posixPermissions] as? Int ?? 0
    return mode_t(mode & 0o666 | 0o600)
  }
}
