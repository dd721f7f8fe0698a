import Larder

/// Refuses changes that can't come from a replica, before anything of them is applied.
///
/// It is a value that knows what it needs of the file, so that changes are checked part by part without a connection.
struct BatchCheck: Sendable {
  let own: ReplicaID
  private var now: Int64
  /// Up to where this file has handed out its changes.
  private let handedOut: Int64
  private let tables: [ExactName: TrackedTable]
  /// The number of values in the keys of a table, for those that no model has too.
  private var keyCounts: [ExactName: Int]
  /// The names in the exchange of the collections of documents in the file, and of those that the rows name besides.
  private let collections: Set<ExactName>
  private var newCollections: Set<ExactName> = []
  /// The number of rows that were checked, and of those to come, if that is known.
  private var checked = 0
  private var rowCount: Int?

  /// The greatest number of values of a key.
  static let greatestKeyCount = 32
  /// Before it a row can be deleted and inserted again more often than anyone does.
  static let greatestLength: Int64 = 1 << 53
  /// The most collections of a batch that the file doesn't have. Each becomes a table.
  static let mostNewCollections = 1000

  /// - Parameters:
  ///   - file: The file.
  ///   - mayHaveDocuments: Whether there may be documents among the rows.
  init(_ file: ReplicaFile, mayHaveDocuments: Bool = true) throws {
    own = try file.own()
    let clock = try file.clock()
    (now, handedOut) = (clock.now, clock.identified)
    tables = Dictionary(uniqueKeysWithValues: file.tables.map { (ExactName($0.name), $0) })
    keyCounts = try file.keyCounts()
    if mayHaveDocuments {
      let present = try file.connection.collections.map { ExactName(CollectionName.exchange($0)) }
      collections = try Tracker(file.connection).localCollections().union(present)
    } else {
      collections = []
    }
  }

  /// - Throws: `StoreError` `.invalidValue` that names the row.
  mutating func check(_ batch: ChangeBatch) throws {
    guard batch.since.replica == batch.sender else { throw refusal("its cursors are of two replicas") }
    try check(batch.header)
    rowCount = batch.rows.count
    try check(batch.rows)
    try check(batch.knowledge)
    try check(batch.names)
  }

  func check(_ header: BatchHeader) throws {
    guard header.sender != own else { throw refusal("it comes from this replica itself") }
    guard (0...header.upTo.position).contains(header.since.position) else { throw refusal("it ends before it begins") }
    if let recipient = header.recipient, recipient != own { throw refusal("it was collected for another replica") }
    if header.forgotten == 0 { return }
    // The last batch ends with the last position, and all batches of who has a deletion end with one.
    let end = header.upTo.position
    guard header.forgotten > 0, end > 0, !header.isLast || header.forgotten <= end else {
      throw refusal("its sender has forgotten deletions that it can't have heard of")
    }
  }

  func check(_ knowledge: [Knowledge]) throws {
    for known in knowledge {
      guard known.since >= 0, known.upTo >= 0, known.replica != known.origin else {
        throw refusal("what it says of the knowledge of replicas is impossible")
      }
      guard known.replica != own || known.since <= now else {
        throw refusal("it says of this replica what it will know")
      }
    }
  }

  func check(_ names: [ReplicaName]) throws {
    for name in names {
      guard name.time >= 0, name.name.utf8.count <= ReplicaName.longest, name.replica != own || name.time <= now else {
        throw refusal("it gives a replica an impossible name")
      }
    }
  }

  /// Whether the sender knows writes of this replica that this file hasn't handed out, because it was put back from an older
  /// copy. Such writes aren't refused then.
  mutating func isOlder(than knowledge: [Knowledge], of sender: ReplicaID) -> Bool {
    let known = knowledge.extent(of: sender, over: own)
    guard known > handedOut else { return false }
    now = max(now, known)
    return true
  }

  /// Returns the last write of this replica in a batch, if this file lacks it and the sender says that it knows it; nil
  /// otherwise.
  func lastLackingWrite(in batch: ChangeBatch) -> ChangeCursor? {
    let stamps: [Stamp] = batch.rows.flatMap { [$0.stamp, $0.insertion] + $0.writes + $0.losses.map(\.stamp) }
    guard let last = stamps.filter({ $0.replica == own }).map(\.time).max(), last > now,
      batch.knowledge.extent(of: batch.sender, over: own) >= last
    else { return nil }
    return ChangeCursor(replica: own, position: last)
  }

  /// Checks the next rows.
  mutating func check(_ rows: [RowState]) throws {
    try checkCollections(rows)
    for row in rows {
      checked += 1
      try check(row)
      try checkParts(row)
      let keyCount = keyCounts[ExactName(row.table), default: row.key.count]
      keyCounts[ExactName(row.table)] = keyCount
      guard row.key.count == keyCount else { throw refusal(row, "has a key of another size than its table") }
      try check(row.stamp, of: row)
      try check(row.insertion, of: row)
      for stamp in row.writes + row.losses.map(\.stamp) { try check(stamp, of: row) }
    }
  }

  private mutating func checkCollections(_ rows: [RowState]) throws {
    for row in rows where row.isDocument && !collections.contains(ExactName(row.table)) {
      newCollections.insert(ExactName(row.table))
    }
    guard newCollections.count <= Self.mostNewCollections else {
      throw StoreError(
        .invalidValue, ofModel: nil,
        "A batch of changes was refused, and nothing of it applied: it has documents of at least \(newCollections.count) collections that this file lacks, and the limit is \(Self.mostNewCollections). If they are meant, let exchange(with:) bring them, some at a time."
      )
    }
  }

  private func check(_ stamp: Stamp, of row: RowState) throws {
    guard stamp.time > 0 else { throw refusal(row, "has a write without a time") }
    guard stamp.replica != own || stamp.time <= now else {
      throw refusal(row, "names a write of this replica that this replica has not made")
    }
  }

  private func checkParts(_ row: RowState) throws {
    for (index, contribution) in row.contributions.enumerated() {
      guard !contribution.property.isEmpty, !contribution.property.utf8.contains(0),
        index == 0 || row.contributions[index - 1].precedes(contribution)
      else { throw refusal(row, "has contributions to counters that aren't sorted, or one of them twice") }
      guard contribution.causalLength == row.insertionLength,
        (-CounterAmount.greatestHigh..<CounterAmount.greatestHigh).contains(contribution.amount.high)
      else { throw refusal(row, "has an impossible contribution to the counter \(contribution.property)") }
    }
    for (index, loss) in row.losses.enumerated() {
      guard loss.property.map({ !$0.isEmpty && !$0.utf8.contains(0) }) ?? true,
        index == 0 || row.losses[index - 1] < loss && !row.losses[index - 1].isSame(as: loss)
      else { throw refusal(row, "has lost values that aren't sorted, or one of them twice") }
      guard !loss.value.isNoNumber, loss.value.isNull || loss.property != nil && !loss.isDismissed else {
        throw refusal(row, "has an impossible lost value")
      }
    }
  }

  private func check(_ row: RowState) throws {
    guard !row.table.isEmpty, !row.table.utf8.contains(0), !row.table.hasPrefix("sqlite_"),
      CollectionName.isPossible(row.table) || !row.table.hasPrefix("_larder_")
    else { throw refusal(row, "has a name of a table that no model has") }
    if row.isDocument { try checkDocument(row) }
    guard (1...Self.greatestKeyCount).contains(row.key.count), !row.key.contains(.null),
      !row.key.contains(where: \.isNoNumber)
    else { throw refusal(row, "has an impossible key") }
    if let table = tables[ExactName(row.table)] {
      let keys = table.description.keys
      guard keys.count == row.key.count, zip(keys, row.key).allSatisfy({ $1.fits($0.storageClass) }) else {
        throw refusal(row, "has a key of another type than the model \(table.description.model)")
      }
    }
    guard row.causalLength >= 1, row.causalLength < Self.greatestLength, row.insertion <= row.stamp,
      !row.isThere || row.insertion == row.stamp
    else { throw refusal(row, "was inserted and deleted in an impossible order") }
    var last: String?
    for property in row.properties {
      guard !property.name.isEmpty, !property.name.utf8.contains(0), last.map({ $0 < property.name }) ?? true else {
        throw refusal(row, "has properties that aren't sorted by name, or one of them twice")
      }
      guard (1...row.causalLength).contains(property.causalLength), property.causalLength % 2 == 1 else {
        throw refusal(row, "has a property \(property.name) that was written when the row was not there")
      }
      guard !property.value.isNoNumber else {
        throw refusal(row, "has a property \(property.name) that no replica can store")
      }
      last = property.name
    }
  }

  /// Checks what is JSON in a table: it must be in the form in which every replica writes it.
  private func checkDocument(_ row: RowState) throws {
    guard row.key.count == 1, row.key[0].fits(.text), row.contributions.isEmpty else {
      throw refusal(row, "is a document with an impossible key or counter")
    }
    let values =
      row.properties.map { ($0.name, $0.value) }
      + row.losses.compactMap { loss in
        loss.property.map { ($0, loss.value) }
      }
    for (name, value) in values {
      if name == ModuleTable.expires, value.isNull || value.fits(.real) { continue }
      guard let property = CollectionName.property(name), property != "key",
        CollectionName.exchange(property: property).utf8.elementsEqual(name.utf8)
      else { throw refusal(row, "is a document with a property that has an impossible name") }
      if value.isNull { continue }
      guard case .text(let json) = value, DocumentParts.isValue(json) else {
        throw refusal(row, "is a document with a property that isn't JSON")
      }
    }
  }

  private func refusal(_ problem: String) -> StoreError {
    StoreError(
      .invalidValue, ofModel: nil,
      "A batch of changes was refused, and nothing of it applied: \(problem). The peer or its transport is damaged.")
  }

  private func refusal(_ row: RowState, _ problem: String) -> StoreError {
    let model = tables[ExactName(row.table)]?.description.model
    return StoreError(
      .invalidValue, ofModel: model,
      "A batch of changes was refused, and nothing of it applied: row \(checked)\(rowCount.map { " of \($0)" } ?? "")\(model.map { ", a \($0)," } ?? "") \(problem). The peer or its transport is damaged."
    )
  }
}

extension ReplicatedValue {
  /// Whether this is a number that no replica has, because SQLite would store it as another value: NaN as NULL, and -0.0
  /// as 0.0.
  fileprivate var isNoNumber: Bool {
    if case .real(let value) = self { value.isNaN || value == 0 && value.sign == .minus } else { false }
  }
}
