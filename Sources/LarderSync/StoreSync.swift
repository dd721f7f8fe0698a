public import Larder

extension Store {
  /// The sync of this store with other replicas.
  public var sync: StoreSync { StoreSync(store: self) }
}

/// The sync of a store: two replicas exchange what the other doesn't have, also if one has newer models.
///
/// ```swift
/// let report = try await laptop.sync.exchange(with: phone.sync)
/// ```
///
/// Both then hold the same rows. Properties are merged one by one, the later write of a property wins, and no rule of the
/// models is ever broken: a row that can't be visible, for example because its account was deleted elsewhere, is set
/// aside with all its values until it can.
public struct StoreSync: Sendable {
  let store: Store

  /// The number of rows in a batch, unless the caller asks for another.
  static let batchSize = 500

  // MARK: On and off

  /// Returns whether writes to the file are tracked.
  ///
  /// - Throws: The errors of any read.
  public func isEnabled() async throws -> Bool {
    try await store.readingModule(isBrief: true) { try SyncTables.exist($0) }
  }

  /// Starts to track the file. All of its rows are changes to send.
  ///
  /// From then on open the file with `Store.Configuration(sync: .on)`: a migration without it is refused.
  ///
  /// - Throws: `StoreError` `.unsupported` for a model whose key is an integer or has a `Decimal`, for a counter in a unique
  ///   index, for a reference that can't be kept between a model that takes part and one that doesn't, and for a file that
  ///   Larder doesn't manage; the errors of any write.
  /// - Complexity: One pass over all rows. Without effect, one lookup, if the file is tracked already.
  public func enable() async throws {
    try await store.writingModule { connection in
      let isCopy = try SyncTables.exist(connection) && ReplicaFile(connection).isCopy()
      if try !isCopy && Tracker(connection).isFit() { return }
      try connection.transaction {
        if isCopy { try ReplicaFile(connection).identify() }
        try Tracker(connection).enable()
        try Tracker(connection).fit()
      }
    }
  }

  /// Ends the tracking, and forgets what is known of other replicas, rows that are set aside among it. Visible rows
  /// stay. Enabled again, the file is a new replica, and collections of documents that didn't take part still don't.
  ///
  /// - Throws: The errors of any write.
  public func disable() async throws {
    try await store.writingModule { connection in
      try connection.transaction { try Tracker(connection).disable() }
    }
  }

  // MARK: Exchange

  /// Exchanges changes with a peer until each side has everything that the other had when its turn came.
  ///
  /// Changes are applied in transactions of bounded size, each of which keeps all rules. If the exchange is
  /// interrupted, the next one completes it. What is written while it goes on may wait for the next one as well, so that
  /// it ends however fast others write.
  ///
  /// If the file of a side turns out to be an older copy, from a backup for example, that side becomes a new replica, and the
  /// exchange begins anew.
  ///
  /// - Parameters:
  ///   - peer: The other side.
  ///   - attachments: Whether the bytes of attachments travel, in both directions.
  ///   - progress: Called after each batch with what was done so far.
  /// - Returns: What was done.
  /// - Throws: `StoreError` `.unsupported` if sync is off in the file, or if both sides are the same replica;
  ///   `.invalidValue` for a batch that can't come from a replica, and if this file must start afresh and the peer doesn't
  ///   hand out everything; `.notFound` if a side forgets deletions meanwhile of which the other hasn't heard, so that the
  ///   next exchange starts afresh; the errors of the peer, and those of any write. After
  ///   everything else `.corrupt` or `.invalidValue`, if bytes came that aren't those of an attachment.
  /// - Complexity: A few lookups, and no write, if neither side has anything new.
  @discardableResult
  public func exchange(
    with peer: some SyncPeer, attachments: AttachmentTransfer = .eager,
    progress: (@Sendable (ExchangeReport) -> Void)? = nil
  ) async throws -> ExchangeReport {
    let (start, first) = try await begin(with: peer)
    var report = ExchangeReport()
    do {
      try await exchange(with: peer, start, first, attachments, &report, progress)
    } catch {
      guard await isOutdated(start, with: peer, after: error) else { throw error }
      let next = try await begin(with: peer)
      try await exchange(with: peer, next.start, next.first, attachments, &report, progress)
    }
    return report
  }

  /// - Parameters:
  ///   - start: What both sides know when it begins.
  ///   - first: The first batch of the peer.
  ///   - total: What was done. It has what an attempt has done that ended early.
  private func exchange(
    with peer: some SyncPeer, _ start: ExchangeStart, _ first: ChangeBatch, _ attachments: AttachmentTransfer,
    _ total: inout ExchangeReport, _ progress: (@Sendable (ExchangeReport) -> Void)?
  ) async throws {
    let other = start.received.replica
    var (start, theirs, report) = (start, first, total)
    defer { total = report }
    let startsAfresh = try await start.needsFreshStart(with: peer, theirs)
    if startsAfresh {
      try await startAfresh(with: peer, start.received, forgotten: theirs.forgotten)
      report.startedAfresh = true
      start = try await self.start(with: peer, other)
      theirs = try await Self.changes(of: peer, after: start.received, for: start.own)
    }
    var failure = try await receive(theirs, from: peer, start.own, attachments, &report, progress)
    let ours = try await changes(after: start.sent, for: other, limit: Self.batchSize)
    report.peerMustStartAfresh = start.peerNeedsFreshStart(ours)
    if !report.peerMustStartAfresh {
      try await noteSending(ours, start, to: other)
      let known = report.sentAttachments
      let other = try await Self.carry(
        from: self, ours, to: peer, other, attachments,
        applying: { batch in
          // This file has forgotten deletions since, of which the peer can't hear any longer.
          if batch.forgotten > max(ours.forgotten, batch.since.position) { throw ReplicaFile.tooLate }
          return try await peer.apply(batch)
        }
      ) { handed, _, attachments in
        report.sent += handed
        report.sentAttachments = known + attachments
        progress?(report)
      }
      failure = failure ?? other
    }
    if startsAfresh, !report.peerMustStartAfresh {
      // The peer has deleted again what it was offered and had deleted before.
      theirs = try await Self.changes(of: peer, after: try await cursor(of: other), for: start.own)
      failure = try await receive(theirs, from: peer, start.own, attachments, &report, progress) ?? failure
    }
    let (setAside, lastForgotten) = try await store.readingModule(isBrief: true) { connection in
      let file = try ReplicaFile(connection)
      return (try file.setAsideCount(), try file.lastForgotten())
    }
    report.setAside = setAside
    try await forgetDeletionsDaily(after: lastForgotten)
    if let failure { throw failure }
  }

  /// Records that the peer begins with the first change, if deletions were forgotten and one batch isn't all.
  private func noteSending(_ first: ChangeBatch, _ start: ExchangeStart, to other: ReplicaID) async throws {
    guard start.sent.position == 0, start.sentAfter < first.forgotten, !first.isLast else { return }
    try await store.writingModule { connection in
      try connection.transaction {
        try Tracker(connection).upgrade()
        try ReplicaFile(connection).setSentAfter(first.forgotten, to: other)
      }
    }
  }

  /// Takes what the peer has.
  ///
  /// - Parameter first: The first batch.
  private func receive(
    _ first: ChangeBatch, from peer: some SyncPeer, _ own: ReplicaID, _ attachments: AttachmentTransfer,
    _ report: inout ExchangeReport, _ progress: (@Sendable (ExchangeReport) -> Void)?
  ) async throws -> StoreError? {
    let known = report.receivedAttachments
    var current = report
    defer { report = current }
    return try await Self.carry(
      from: peer, first, to: self, own, attachments, applying: { try await merge($0) }
    ) { _, changed, attachments in
      current.received += changed
      current.receivedAttachments = known + attachments
      progress?(current)
    }
  }

  /// Records that changes up to a cursor of this file are handed out, before they are.
  func recordHandingOut(upTo cursor: ChangeCursor) async throws {
    let isRecorded = try await store.readingModule(isBrief: true) {
      try ReplicaFile($0).isHandedOut(upTo: cursor.position)
    }
    if isRecorded { return }
    try await store.writingModule { connection in
      try connection.transaction { try ReplicaFile(connection).recordHandingOut(as: cursor.replica) }
    }
  }

  /// Hands one side what it lacks of the other.
  ///
  /// - Parameters:
  ///   - first: The first batch.
  ///   - apply: Lets the recipient take a batch.
  ///   - report: Called after each batch with the numbers of rows that were handed over, and that changed, and of all
  ///     attachments.
  /// - Returns: The error of an attachment whose bytes weren't its own.
  private static func carry(
    from sender: some SyncPeer, _ first: ChangeBatch, to recipient: some SyncPeer, _ target: ReplicaID,
    _ attachments: AttachmentTransfer, applying apply: (ChangeBatch) async throws -> Int,
    _ report: (_ handed: Int, _ changed: Int, _ attachments: Int) -> Void
  ) async throws -> StoreError? {
    var carrier = AttachmentCarrier(from: sender, to: recipient, attachments)
    var end = ExchangeEnd(of: sender)
    var batch = first
    while true {
      try Task.checkCancellation()
      // The bytes come first, so that no row names what isn't there.
      if batch.rows.contains(where: { $0.isThere && !$0.namedAttachments.isEmpty }) {
        try await carrier.carry(batch.rows)
      }
      let changed = try await apply(batch)
      report(batch.rows.count, changed, carrier.count)
      if try await end.isReached(by: batch) {
        let count = carrier.count
        try await carrier.carryAwaited()
        if carrier.count > count { report(0, 0, carrier.count) }
        return carrier.failure
      }
      batch = try await changes(of: sender, after: batch.upTo, for: target, limit: end.limit)
    }
  }

  /// Asks for the next batch.
  static func changes(
    of sender: some SyncPeer, after cursor: ChangeCursor, for target: ReplicaID, limit: Int = batchSize
  ) async throws -> ChangeBatch {
    let batch = try await sender.changes(after: cursor, for: target, limit: limit)
    guard batch.since == cursor, batch.upTo.replica == cursor.replica,
      batch.isLast || batch.upTo.position > cursor.position
    else {
      throw StoreError(
        .invalidValue, ofModel: nil,
        "The peer was asked for the changes after position \(cursor.position), and returned others. Its transport mixes up batches."
      )
    }
    return batch
  }
}

extension StoreSync: SyncPeer {
  /// Returns the identifier of this file as a replica. A copy of a file gets a new one.
  ///
  /// - Throws: `StoreError` `.unsupported` if sync is off in the file; the errors of any read, and for a copy those of
  ///   any write.
  public func replica() async throws -> ReplicaID {
    let known = try await store.readingModule(isBrief: true) { connection in
      let file = try ReplicaFile(connection)
      return try file.isCopy() ? nil : file.own()
    }
    if let known { return known }
    return try await store.writingModule { connection in
      try connection.transaction {
        let file = try ReplicaFile(connection)
        try file.identify()
        return try file.own()
      }
    }
  }

  /// Returns up to where this file has the changes of a replica: position zero if it has none.
  ///
  /// - Parameter replica: The replica. For that of this file, the position is that up to which it has handed out changes.
  /// - Throws: `StoreError` `.unsupported` if sync is off in the file; the errors of any read.
  public func cursor(of replica: ReplicaID) async throws -> ChangeCursor {
    try await store.readingModule(isBrief: true) { connection in
      let file = try ReplicaFile(connection)
      let clock = try file.clock()
      let position = try replica == file.own() ? min(clock.now, clock.identified) : file.received(from: replica)
      return ChangeCursor(replica: replica, position: position)
    }
  }

  /// Returns changes of this file, oldest first.
  ///
  /// The file records how far it has handed out its changes. Whoever asks for later ones has more of this replica than the
  /// file itself, so the file was put back from an older copy, and becomes a new replica. A store that can't write hands out
  /// only what is recorded.
  ///
  /// - Parameters:
  ///   - cursor: The last change that isn't wanted.
  ///   - recipient: The replica that asks: what came from it is left out.
  ///   - limit: The greatest number of rows.
  /// - Throws: `StoreError` `.unsupported` if sync is off in the file, `.invalidValue` for a cursor of another
  ///   replica, and for one that was never handed out; `.readOnly` if the store can't write and everything that is left was
  ///   never handed out; the errors of any read, and those of any write.
  /// - Complexity: One lookup, and no write, if there is nothing new.
  public func changes(after cursor: ChangeCursor, for recipient: ReplicaID, limit: Int) async throws -> ChangeBatch {
    let (batch, isReady, needsSettling) = try await store.readingModule(isBrief: true) {
      connection -> (ChangeBatch?, Bool, Bool) in
      let file = try ReplicaFile(connection)
      if try file.isOlder(than: cursor) { return (nil, false, false) }
      let batch = try file.changes(after: cursor, for: recipient, limit: max(1, limit))
      let needsSettling = try file.needsSettling()
      return (batch, try !needsSettling && file.isHandedOut(upTo: batch.upTo.position), needsSettling)
    }
    if let batch, isReady { return batch }
    do {
      // Whoever gets the changes computes what is visible with them, so this side does as well.
      if needsSettling { try await settleChanges() }
      return try await store.writingModule { connection in
        if batch == nil {
          try connection.transaction { try ReplicaFile(connection).becomeNewReplica(ifAskedWith: cursor) }
        }
        return try connection.transaction {
          let file = try ReplicaFile(connection)
          if try file.isOlder(than: cursor) { throw file.wrongCursor }
          try file.recordHandingOut(as: cursor.replica)
          if !needsSettling, let batch { return batch }
          return try file.changes(after: cursor, for: recipient, limit: max(1, limit))
        }
      }
    } catch let error as StoreError where error.code == .readOnly {
      guard batch != nil else { throw error }
      return try await store.readingModule(isBrief: true) { connection in
        try ReplicaFile(connection).recordedChanges(after: cursor, for: recipient, limit: max(1, limit))
      }
    }
  }

  /// Takes changes of another replica, in transactions of bounded size. Once a day, old deletions are forgotten after the
  /// last ones.
  ///
  /// - Parameter batch: The changes. What came before changes nothing.
  /// - Returns: How many rows have changed.
  /// - Throws: `StoreError` `.unsupported` if sync is off in the file, `.invalidValue` for a batch that can't come
  ///   from a replica, of which nothing is applied; `.notFound` if the sender has forgotten deletions of which this file
  ///   hasn't heard, which ``exchange(with:attachments:progress:)`` makes good; the errors of any write.
  @discardableResult
  public func apply(_ batch: ChangeBatch) async throws -> Int {
    let changed = try await merge(batch)
    // The changes are there, whatever becomes of old deletions. The next batch tries again.
    if batch.isLast, let last = try? await store.readingModule(isBrief: true, { try ReplicaFile($0).lastForgotten() }) {
      try? await forgetDeletionsDaily(after: last)
    }
    return changed
  }

  /// Takes changes of another replica in an exchange that this one has begun, and forgets nothing: it hasn't sent its own
  /// deletions yet.
  ///
  /// - Parameters:
  ///   - batch: The changes.
  ///   - startsAfresh: Whether this replica takes everything anew, so that the cursor doesn't advance yet.
  func merge(_ batch: ChangeBatch, startsAfresh: Bool = false) async throws -> Int {
    let changed = try await store.writingModule { connection in
      var check = try BatchCheck(
        try ReplicaFile(connection), mayHaveDocuments: batch.rows.contains { $0.isDocument })
      do {
        try check.check(batch)
      } catch {
        if let write = check.lastLackingWrite(in: batch) {
          try connection.transaction { try ReplicaFile(connection).becomeNewReplica(ifAskedWith: write) }
        }
        throw error
      }
      let application = BatchApplication(
        batch.header, knowledge: batch.knowledge, names: batch.names, rowCount: batch.rows.count,
        startsAfresh: startsAfresh)
      return try application.apply(batch.rows, connection)
    }
    store.releaseArrivals(of: batch.rows.lazy.flatMap(\.namedAttachments).map(\.digest))
    return changed
  }
}
