public import Foundation
import Larder

extension StoreSync {
  /// The most frames of a transaction, which bound its size if the rows are large.
  private static let mostFrames = 8

  /// Merges a file that another replica has exported.
  ///
  /// The whole file is checked first, and damage is an error that names the byte. Then it is merged in transactions of
  /// bounded size, each of which keeps all rules, and between which others write. If it is interrupted, import it again:
  /// what was merged already changes nothing.
  ///
  /// ```swift
  /// let report = try await store.sync.import(from: url) { print($0.fraction) }
  /// ```
  ///
  /// - Parameters:
  ///   - url: The file.
  ///   - keys: The keys of the group, new and old. If there are any, only files that one of them seals are taken.
  ///   - limits: The limits on the cost of reading the file.
  ///   - attachments: Whether the bytes of attachments that the file carries are taken.
  ///   - progress: Called after each transaction. At the end the fraction is 1.
  /// - Returns: What was done.
  /// - Throws: ``BatchError`` for a file that is damaged, can't be read, exceeds a limit or isn't sealed with one of the keys,
  ///   `StoreError` `.invalidValue` for one that can't come from another replica or is for another one, `.notFound` if the
  ///   sender has forgotten deletions of which this file hasn't heard; nothing is applied then. ``BatchError`` `.damaged` if
  ///   the file is changed while it is merged; what was merged stays. `.unsupported` if sync is off in this file; the errors
  ///   of any write.
  /// - Complexity: O(*n*) of the file, which is read twice. It holds a part of it at a time.
  @discardableResult
  public func `import`(
    from url: URL, keys: [GroupKey] = [], limits: BatchLimits = .default,
    attachments: AttachmentTransfer = .eager, progress: (@Sendable (SyncProgress) -> Void)? = nil
  ) async throws -> ImportReport {
    _ = try await replica()
    var (file, extent) = try await verified(url, keys, limits)
    // Another program may write into the file while it is merged, so every part is checked once more.
    var check = try await store.readingModule { try BatchCheck(try ReplicaFile($0)) }
    let (header, total) = (file.header, file.rowCount)
    // Of an outdated file, only the bytes of attachments may be new.
    let isOutdated = try await store.readingModule { connection in
      let file = try ReplicaFile(connection)
      if header.since.position > 0 { try file.checkDeletions(header) }
      return try file.isOutdated(header)
    }
    let known = isOutdated ? nil : try await positionOfFreshStart(header, extent)
    var sent = SentRows()
    var application = BatchApplication(header, knowledge: [], names: [], rowCount: total)
    var (rows, frames, completed, changed) = ([RowState](), 0, 0, 0)
    var arrival = FileArrival(self, attachments)
    while let part = try file.next() {
      switch part {
      case .opening where isOutdated, .rows where isOutdated: continue
      case .attachment(let piece):
        // All rows come before.
        if !rows.isEmpty {
          changed += try await apply(rows, application, isLast: false)
          application = application.continued
        }
        completed += rows.count
        rows = []
        try await arrival.take(piece)
      case .opening(_, let knowledge, let names):
        try check.check(knowledge)
        try check.check(names)
        application = BatchApplication(header, knowledge: knowledge, names: names, rowCount: total)
      case .rows(let more):
        try check.check(more)
        rows += more
        frames += 1
        if known != nil { sent.insert(more) }
      case .header(let other): guard other == header else { throw Self.isReplaced }
      case .end: continue
      }
      while rows.count >= BatchApplication.chunkSize || frames >= Self.mostFrames {
        let chunk = Array(rows.prefix(BatchApplication.chunkSize))
        rows.removeFirst(chunk.count)
        if rows.isEmpty { frames = 0 }
        changed += try await apply(chunk, application, isLast: false)
        application = application.continued
        completed += chunk.count
        progress?(SyncProgress(completed: completed, total: total))
      }
    }
    guard file.isAsVerified else { throw Self.isReplaced }
    if let known {
      try await offerRows(except: sent, to: header.sender, knownUpTo: known)
      try await store.writingModule { connection in
        try connection.transaction {
          try Tracker(connection).upgrade()
          let file = try ReplicaFile(connection)
          try file.recordOffer(header)
          // If an exchange has begun to take everything anew, this is done.
          try file.setStartingAfresh(false, with: header.sender)
        }
      }
    }
    if !isOutdated { changed += try await apply(rows, application, isLast: true) }
    progress?(SyncProgress(completed: total, total: total))
    return try await report(header, total, changed: changed, startedAfresh: known != nil)
  }

  private func report(
    _ header: BatchHeader, _ rows: Int, changed: Int = 0, startedAfresh: Bool = false
  ) async throws -> ImportReport {
    try await store.readingModule { connection in
      let replica = try ReplicaFile(connection)
      return ImportReport(
        header: header, rows: rows, changed: changed, setAside: try replica.setAsideCount(),
        received: ChangeCursor(replica: header.sender, position: try replica.received(from: header.sender)),
        startedAfresh: startedAfresh)
    }
  }

  /// Returns up to where the sender of a whole file has the changes of this replica, if it has forgotten deletions of which
  /// this one hasn't heard; nil otherwise.
  ///
  /// The rows that the file doesn't have are offered to the sender then. It knows which of them it has deleted.
  ///
  /// - Parameter extent: Up to where the file says that the sender has the changes of this replica.
  private func positionOfFreshStart(_ header: BatchHeader, _ extent: Int64) async throws -> Int64? {
    guard header.since.position == 0, header.forgotten > 0 else { return nil }
    return try await store.readingModule { connection in
      let file = try ReplicaFile(connection)
      let progress = try file.progress(of: header.sender)
      let known = try max(file.told(by: header.sender), min(extent, file.clock().now))
      let isMissed = progress.received < header.forgotten && progress.begunAfter < header.forgotten
      guard progress.startsAfresh || isMissed else { return nil }
      return progress.received > 0 || known > 0 ? known : nil
    }
  }

  private func apply(_ rows: [RowState], _ application: BatchApplication, isLast: Bool) async throws -> Int {
    try await store.writingModule { connection in
      if isLast, try application.isReceived(connection) { return 0 }
      let changed = try application.apply(rows, isLast: isLast, connection)
      return isLast ? try changed + application.applyDue(connection) : changed
    }
  }

  private static let isReplaced = BatchError(
    .damaged,
    "The file was changed while it was imported. What was merged before is valid, and the rest is missing: import it again."
  )

  /// Opens a file all of which can come from another replica.
  ///
  /// - Returns: The file, and up to where it says that its sender has the changes of this replica.
  private func verified(
    _ url: URL, _ keys: [GroupKey], _ limits: BatchLimits
  ) async throws -> (file: BatchFile, extent: Int64) {
    var check = try await store.readingModule { try BatchCheck(try ReplicaFile($0)) }
    let own = check.own
    var extent: Int64 = 0
    var newest: Int64?
    var digests = AttachmentDigests()
    let file = try BatchFile(at: url, keys: keys, limits: limits) { part, header in
      try Task.checkCancellation()
      switch part {
      case .header(let header): try check.check(header)
      case .opening(_, let knowledge, let names):
        extent = max(extent, knowledge.extent(of: header.sender, over: own, at: header.forgotten))
        if check.isOlder(than: knowledge, of: header.sender) {
          newest = max(newest ?? 0, knowledge.extent(of: header.sender, over: own))
        }
        try check.check(knowledge)
        try check.check(names)
      case .rows(let rows): try check.check(rows)
      case .attachment(let piece): try digests.check(piece)
      case .end: break
      }
    }
    guard let newest, try await isNewReplica(after: ChangeCursor(replica: own, position: newest)) else {
      return (file, extent)
    }
    // The sender has nothing of the new replica.
    guard file.header.recipient != nil else { return (file, 0) }
    // The file leaves out what the sender has from the newer copy.
    throw StoreError(
      .invalidValue, ofModel: nil,
      "The store's file was put back from an older copy, and is a new replica now. Have the changes exported again for replica \(try await replica())."
    )
  }

  /// Makes the file a new replica if someone has more of it than it has handed out: then it was replaced by an older copy.
  ///
  /// - Parameter cursor: Up to where someone has the changes of this file.
  /// - Returns: Whether it is a new replica. Another import may have made it one meanwhile.
  private func isNewReplica(after cursor: ChangeCursor) async throws -> Bool {
    try await store.writingModule { connection in
      try connection.transaction {
        let file = try ReplicaFile(connection)
        return try file.becomeNewReplica(ifOlderThan: cursor) || file.own() != cursor.replica
      }
    }
  }
}
