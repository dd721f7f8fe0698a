public import Foundation
import Larder
import Synchronization

extension StoreSync {
  /// Writes the changes that a replica lacks to a file.
  ///
  /// ```swift
  /// let file = try await store.sync.export(to: url, for: peer)
  /// ```
  ///
  /// Every change that came from a replica tells what it has of this file, so the next file for it begins there, and
  /// leaves out what it sent itself. A replica that never sends anything back gets everything each time, unless you
  /// pass where the last file ended.
  ///
  /// The file takes its name when it is whole and on the disk; a file that is there is replaced. Others read and write
  /// meanwhile.
  ///
  /// - Parameters:
  ///   - url: Where the file is written.
  ///   - recipient: The replica that gets the file; nil for everybody.
  ///   - cursor: Where the changes begin: the end of an earlier file, and not of a history; nil for what the recipient is
  ///     known to have.
  ///   - attachments: Whether the file has the bytes of attachments: those that rows name which the recipient doesn't know,
  ///     and those that came after their rows.
  ///   - key: The key that seals the file; nil if it isn't sealed.
  /// - Returns: What the file has.
  /// - Throws: `StoreError` `.unsupported` if sync is off in the file, `.notFound` for a recipient that was away for longer than
  ///   deletions are kept, and if attachments are deleted again and again meanwhile, `.readOnly` if the store can't write and has changes for the recipient that were never handed out,
  ///   `.invalidValue` for a cursor of another replica, for this replica as the recipient, and for a cursor past everything
  ///   that was handed out, because the store was put back from an older copy and is a new replica now;
  ///   `.diskFull` and `.inputOutput` if the file can't be written;
  ///   ``BatchError`` `.limitExceeded` for a row that is too large; the errors of any read and write. No file is left then.
  /// - Complexity: O(*n*) of the changes. It holds a part of them at a time.
  @discardableResult
  public func export(
    to url: URL, for recipient: ReplicaID? = nil, since cursor: ChangeCursor? = nil,
    attachments: AttachmentTransfer = .eager, key: GroupKey? = nil
  ) async throws -> SyncFile {
    let own = try await replica()
    guard recipient != own else {
      throw StoreError(
        .invalidValue, ofModel: nil,
        "A file for this replica itself was asked for. Name the replica that imports it, or leave the name out.")
    }
    if let cursor { try await refuseIfOlder(than: cursor) }
    if attachments.takesBytes { try await recordArrivals() }
    var (attempts, canWrite) = (0, true)
    while true {
      do {
        return try await written(to: url, for: recipient, since: cursor, attachments, key, canWrite: canWrite)
      } catch let error as StoreError where error.code == .readOnly && canWrite {
        canWrite = false
      } catch is FileExport.BytesAreGone {
        // Whoever deleted the bytes has changed the rows that named them: the next file doesn't name them either.
        attempts += 1
        guard attempts < Self.exportAttempts else {
          throw StoreError(
            .notFound, ofModel: nil,
            "The bytes of attachments were deleted again and again while they were written to the file; nothing of it was kept. Export again."
          )
        }
      }
    }
  }

  /// Refuses a cursor up to which this file hasn't handed out its changes: it was put back from an older copy, and becomes a
  /// new replica.
  private func refuseIfOlder(than cursor: ChangeCursor) async throws {
    let isOlder = try await store.readingModule(isBrief: true) { try ReplicaFile($0).isOlder(than: cursor) }
    guard isOlder else { return }
    let wasOlder = try await store.writingModule { connection in
      try connection.transaction {
        let file = try ReplicaFile(connection)
        guard try cursor.position <= WaitingChanges(file).latestTime() else { return false }
        // Another export may have handed out more since.
        return try file.becomeNewReplica(ifOlderThan: cursor)
      }
    }
    guard wasOlder else { return }
    throw StoreError(
      .invalidValue, ofModel: nil,
      "No file of this store has ended at position \(cursor.position), so it was put back from an older copy, or the cursor is that of a history. Export without since, and pass the end of that file the next time."
    )
  }

  /// How often a file is begun whose attachments are deleted meanwhile.
  private static let exportAttempts = 5

  /// Writes a whole file.
  ///
  /// - Parameter canWrite: Whether it can be recorded that changes are handed out. Otherwise those are written of which it is.
  /// - Throws: ``FileExport/BytesAreGone`` if the bytes of an attachment were deleted meanwhile. Nothing of the file is
  ///   left then.
  private func written(
    to url: URL, for recipient: ReplicaID?, since cursor: ChangeCursor?, _ transfer: AttachmentTransfer,
    _ key: GroupKey?, canWrite: Bool
  ) async throws -> SyncFile {
    let export = try await withRows(of: url, recipient, cursor, key, canWrite: canWrite)
    do {
      if canWrite { try await recordHandingOut(upTo: export.upTo) }
      for attachment in export.attachments.sorted() where transfer.takes(attachment) {
        try await export.write(attachment, of: self)
      }
      return try export.finish()
    } catch {
      export.discard()
      throw error
    }
  }

  /// Begins a file, and writes all rows.
  ///
  /// A cancelled read returns while its closure may still run. This one waits for the closure, so that nothing of the file
  /// is there when the caller hears of the cancellation.
  private func withRows(
    of url: URL, _ recipient: ReplicaID?, _ cursor: ChangeCursor?, _ key: GroupKey?, canWrite: Bool
  ) async throws -> FileExport {
    try Task.checkCancellation()
    let isCancelled = CancellationFlag()
    let reading = Task {
      try await store.readingModule { connection in
        let file = try ReplicaFile(connection)
        let since = try cursor ?? ChangeCursor(replica: try file.own(), position: recipient.map(file.told) ?? 0)
        try file.check(since)
        guard try since.position == 0 || since.position >= file.forgotten() else { throw ReplicaFile.tooLate }
        let export = try FileExport(file, to: url, for: recipient, since: since, key: key, canWrite: canWrite)
        try export.writeRows(file, isCancelled)
        return export
      }
    }
    return try await withTaskCancellationHandler {
      try await reading.value
    } onCancel: {
      isCancelled.set()
    }
  }
}

/// Whether the task has been cancelled for which another one works.
final class CancellationFlag: Sendable {
  private let isSet = Atomic<Bool>(false)

  func set() { isSet.store(true, ordering: .relaxed) }

  /// Throws `CancellationError` once the flag is set.
  func check() throws {
    if isSet.load(ordering: .relaxed) { throw CancellationError() }
  }
}

extension RowState {
  /// The bytes of the texts and blobs of the row.
  var size: Int {
    (key + properties.map(\.value) + losses.map(\.value)).reduce(0) { size, value in
      switch value {
      case .text(let bytes), .blob(let bytes): size + bytes.count
      case .null, .integer, .real: size
      }
    }
  }
}
