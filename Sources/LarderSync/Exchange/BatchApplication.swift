import Larder

/// Merges changes into the file, in transactions of bounded size.
///
/// Each transaction computes which rows are visible, so every commit keeps all rules. The cursor advances with the last
/// one. If the process ends before, the changes come again, and what was merged already changes nothing.
struct BatchApplication: Sendable {
  private let header: BatchHeader
  private let knowledge: [Knowledge]
  private let names: [ReplicaName]
  private let rowCount: Int
  /// Whether the file takes everything of the sender anew. Up to where it has come counts when its own rows were offered.
  private let startsAfresh: Bool

  /// The number of rows of a transaction.
  static let chunkSize = 500

  /// - Parameters:
  ///   - header: Who sends, from where to where.
  ///   - knowledge: What replicas knew of each other.
  ///   - names: The names of replicas.
  ///   - rowCount: The number of all rows.
  ///   - startsAfresh: Whether the file takes everything of the sender anew, as ``FreshStart`` does.
  init(
    _ header: BatchHeader, knowledge: [Knowledge], names: [ReplicaName], rowCount: Int, startsAfresh: Bool = false
  ) {
    self.header = header
    self.knowledge = knowledge
    self.names = names
    self.rowCount = rowCount
    self.startsAfresh = startsAfresh
  }

  /// Merges all rows, and returns the number of those that have changed.
  ///
  /// - Throws: `StoreError` `.notFound` if the sender has forgotten deletions of which this file hasn't heard.
  func apply(_ rows: [RowState], _ connection: ModuleConnection) throws -> Int {
    if try isReceived(connection) || ReplicaFile(connection).isOutdated(header) { return 0 }
    if header.forgotten > 0, !startsAfresh {
      let position = try connection.transaction {
        try Tracker(connection).upgrade()
        let file = try ReplicaFile(connection)
        try file.checkDeletions(header)
        return try file.positionOfOffer(header, knowledge)
      }
      if let position {
        // The sender knows which of them it has deleted.
        try StoreSync.offerRows(except: SentRows(rows), to: header.sender, knownUpTo: position, connection)
        try connection.transaction { try ReplicaFile(connection).recordOffer(header) }
      }
    }
    var changed = 0
    var rest = rows[...]
    var application = self
    repeat {
      let chunk = rest.prefix(Self.chunkSize)
      rest = rest.dropFirst(Self.chunkSize)
      changed += try application.apply(Array(chunk), isLast: rest.isEmpty && !startsAfresh, connection)
      application = application.continued
    } while !rest.isEmpty
    return try changed + application.applyDue(connection)
  }

  /// The application of what comes after the first rows: what holds for the whole batch is recorded with those.
  var continued: BatchApplication {
    BatchApplication(header, knowledge: [], names: [], rowCount: rowCount, startsAfresh: startsAfresh)
  }

  /// Merges the changes that have waited for their time, and returns the number of rows that have changed.
  func applyDue(_ connection: ModuleConnection) throws -> Int {
    var changed = 0
    while try WaitingChanges(ReplicaFile(connection)).areDue() {
      changed += try apply([], isLast: false, connection)
    }
    return changed
  }

  /// Whether there is nothing to merge or to record.
  func isReceived(_ connection: ModuleConnection) throws -> Bool {
    guard rowCount == 0, knowledge.isEmpty, names.isEmpty else { return false }
    let file = try ReplicaFile(connection)
    let received = try file.received(from: header.sender)
    if try WaitingChanges(file).areDue() { return false }
    // Programs have written, or the models have changed, and what is visible then is still to be computed.
    if try file.needsSettling() { return false }
    return header.since.position > received || header.upTo.position <= received
  }

  /// Merges some of the rows in one transaction, and returns the number of those that have changed.
  ///
  /// - Parameter isLast: Whether all other rows were merged before, so that the cursor advances.
  func apply(_ rows: [RowState], isLast: Bool, _ connection: ModuleConnection) throws -> Int {
    try Settling.prepare(connection)
    return try connection.transaction {
      try Tracker(connection).upgrade()
      let due = try takeDue(connection)
      try Tracker(connection).takeUp(rows + due)
      // Another process may have changed what is tracked since the last transaction.
      let file = try ReplicaFile(connection)
      try file.identify()
      try file.settle()
      return try file.applying { try merge(rows, due, file, isLast: isLast) }
    }
  }

  /// Takes some of the changes whose time has come.
  private func takeDue(_ connection: ModuleConnection) throws -> [RowState] {
    guard try connection.finds("SELECT 1 FROM \(SyncTables.waiting)", []) else { return [] }
    return try WaitingChanges(ReplicaFile(connection)).take(atMost: Self.chunkSize)
  }

  /// - Parameter due: Changes that have waited for their time.
  private func merge(_ received: [RowState], _ due: [RowState], _ file: ReplicaFile, isLast: Bool) throws -> Int {
    let connection = file.connection
    let waiting = WaitingChanges(file)
    let limit = try waiting.latestTime()
    let early = received.filter { $0.latestTime > limit }
    for state in early { try waiting.add(state) }
    let timely = received.filter { $0.latestTime <= limit }
    let states = timely + due
    let latest = states.map(\.latestTime).max() ?? 0
    if !states.isEmpty { _ = try file.tick(past: latest) }
    let sender = try file.id(of: header.sender)
    let own = try file.own()
    for known in knowledge {
      // What this replica knows, it knows best itself.
      if known.replica == own { continue }
      try file.record(
        try file.id(of: known.replica), try file.id(of: known.origin), known.since, known.upTo)
    }
    try file.recordTold(by: header.sender, sender, knowledge)
    for name in names { try file.setName(name) }
    file.attachmentSender = sender
    let region = VisibilityRegion(file)
    var sources: [RowKey: Int64] = [:]
    var (copied, mixed): ([RowKey], Set<RowKey>) = ([], [])
    var changed = 0
    for (number, received) in states.enumerated() {
      let state = file.counting(received)
      let old = try file.row(state.rowKey)
      let known = region.members[state.rowKey]?.state ?? old?.state
      let merged =
        if let known {
          known.merging(state).adding(try file.losses(of: known, and: state))
        } else {
          try file.deletedAgain(state) ?? state
        }
      if merged == known {
        if known?.sharesCopiedWrite(with: state) == true { copied.append(state.rowKey) }
        continue
      }
      changed += 1
      // The sender lacks nothing of the row. What has waited may be of another one, or of this replica.
      sources[state.rowKey] = merged == received && number < timely.count ? sender : nil
      if sources[state.rowKey] == nil { mixed.insert(state.rowKey) }
      if file.table(state.table) != nil {
        region.touch(merged, old: old)
      } else {
        let position = try file.tick()
        try file.expectAttachments(of: merged, isAwaited: merged.isThere)
        try file.write(
          StoredRow(
            id: old?.id, state: merged, status: .unknown, position: position, source: sources[state.rowKey]))
      }
    }
    try region.solve()
    let returning = region.members.filter { rowKey, member in
      (member.isReturning || member.isWanted) && !mixed.contains(rowKey)
    }.map(\.key)
    if !returning.isEmpty {
      // Who lacks what they return for may have forgotten them, or forget them before it gets that.
      let sent = try due.isEmpty && isInStep(file) ? Set(timely.map(\.rowKey)) : []
      for rowKey in returning { sources[rowKey] = sent.contains(rowKey) ? sender : nil }
    }
    try file.write(region, sources: sources)
    for rowKey in copied { try file.offerAnew(rowKey) }
    if isLast { try finish(file, sender) }
    if !due.isEmpty { try file.recordKnowledgeOfAll() }
    // What was merged is settled.
    try connection.run("UPDATE \(SyncTables.clock) SET settled = now")
    return changed
  }

  /// Whether the sender has everything that this file had before the batch.
  private func isInStep(_ file: ReplicaFile) throws -> Bool {
    guard try header.recipient == file.own() else { return false }
    return try file.isComplete(upTo: header.received, for: header.sender)
  }

  /// Records what is known after the last transaction.
  private func finish(_ file: ReplicaFile, _ sender: Int64) throws {
    // The file has become a new replica meanwhile, which lacks what was left out for the former one.
    if let recipient = header.recipient, try recipient != file.own() { return }
    try file.recordBeginning(sender, header)
    let before = try file.received(from: header.sender)
    guard let end = try file.advance(sender, by: header), end.isLast else {
      if rowCount > 0 { try file.setUnrecordedRows(true, of: sender) }
      return
    }
    // Without rows there is nothing new to know, except that they came before, or that nothing is left to hear of deletions
    // that the sender has forgotten.
    guard try rowCount > 0 || before < header.forgotten || file.hasUnrecordedRows(of: sender) else { return }
    try file.setUnrecordedRows(false, of: sender)
    // Of what waits, some may have come with these rows. It no longer limits what is known of others.
    guard try WaitingChanges(file).isEmpty() else { return try file.recordKnowledgeOfAll() }
    try file.recordKnowledge(of: sender, upTo: end.position)
  }
}

extension ReplicaFile {
  /// Gives a row a new position, so that everybody gets it once more. In a transaction of the caller's.
  ///
  /// A copy of a file has what its original has of others. Its writes since the last exchange get its own identifier,
  /// but whoever has those of the original under a greater one keeps them, and the copy may have passed their position.
  fileprivate func offerAnew(_ rowKey: RowKey) throws {
    guard let id = try row(rowKey)?.id else { return }
    try connection.run(
      "UPDATE \(SyncTables.rows) SET position = ?2, source = NULL WHERE id = ?1", [.integer(id), .integer(try tick())])
  }

  /// Calls the closure while the triggers record nothing, in a transaction of the caller's.
  func applying<Result>(_ body: () throws -> Result) throws -> Result {
    try connection.run("UPDATE \(SyncTables.clock) SET is_applying = 1")
    let result = try body()
    try connection.run("UPDATE \(SyncTables.clock) SET is_applying = 0")
    return result
  }
}
