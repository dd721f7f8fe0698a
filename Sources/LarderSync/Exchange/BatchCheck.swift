import Larder

/// Refuses a batch that can't come from a replica, before anything of it is applied.
struct BatchCheck {
  private let batch: ChangeBatch
  private let file: ReplicaFile

  /// The greatest number of values of a key.
  static let greatestKeyCount = 32

  init(_ batch: ChangeBatch, _ file: ReplicaFile) {
    self.batch = batch
    self.file = file
  }

  /// - Throws: `StoreError` `.invalidValue` that names the row.
  func check() throws {
    let own = try file.own()
    guard batch.sender != own else { throw refusal("it comes from this replica itself") }
    guard batch.since.replica == batch.sender else { throw refusal("its cursors are of two replicas") }
    guard (0...batch.upTo.position).contains(batch.since.position) else {
      throw refusal("it ends before it begins")
    }
    if let recipient = batch.recipient, recipient != own { throw refusal("it was collected for another replica") }
    let clock = try file.clock()
    var keyCounts: [String: Int] = [:]
    for (number, row) in batch.rows.enumerated() {
      func checkStamp(_ stamp: Stamp) throws {
        guard stamp.replica != own || stamp.time <= clock.now else {
          throw refusal(number, "names a write of this replica that this replica has not made")
        }
      }
      try check(row, number)
      try checkParts(row, number)
      let keyCount = try keyCounts[row.table] ?? file.keyCount(of: row.table) ?? row.key.count
      keyCounts[row.table] = keyCount
      guard row.key.count == keyCount else { throw refusal(number, "has a key of another size than its table") }
      for stamp in [row.stamp, row.insertion] + row.writes + row.losses.map(\.stamp) { try checkStamp(stamp) }
    }
    try checkNames(own, clock.now)
    for known in batch.knowledge where known.since < 0 || known.upTo < 0 || known.replica == known.origin {
      throw refusal("what it says of the knowledge of replicas is impossible")
    }
  }

  private func checkNames(_ own: ReplicaID, _ now: Int64) throws {
    for name in batch.names {
      guard name.time >= 0, name.name.utf8.count <= ReplicaName.longest, name.replica != own || name.time <= now else {
        throw refusal("it gives a replica an impossible name")
      }
    }
  }

  private func checkParts(_ row: RowState, _ number: Int) throws {
    for (index, contribution) in row.contributions.enumerated() {
      guard !contribution.property.isEmpty, !contribution.property.utf8.contains(0),
        index == 0 || row.contributions[index - 1].precedes(contribution)
      else { throw refusal(number, "has contributions to counters that aren't sorted, or one of them twice") }
      guard contribution.causalLength == row.insertionLength,
        (-CounterAmount.greatestHigh..<CounterAmount.greatestHigh).contains(contribution.amount.high)
      else { throw refusal(number, "has an impossible contribution to the counter \(contribution.property)") }
    }
    for (index, loss) in row.losses.enumerated() {
      guard loss.property.map({ !$0.isEmpty && !$0.utf8.contains(0) }) ?? true,
        index == 0 || row.losses[index - 1] < loss && !row.losses[index - 1].isSame(as: loss)
      else { throw refusal(number, "has lost values that aren't sorted, or one of them twice") }
      guard !loss.value.isNaN, loss.value.isNull || loss.property != nil && !loss.isDismissed else {
        throw refusal(number, "has an impossible lost value")
      }
    }
  }

  private func check(_ row: RowState, _ number: Int) throws {
    guard !row.table.isEmpty, !row.table.utf8.contains(0), !row.table.hasPrefix("_larder_"),
      !row.table.hasPrefix("sqlite_")
    else { throw refusal(number, "has a name of a table that no model has") }
    guard (1...Self.greatestKeyCount).contains(row.key.count), !row.key.contains(.null),
      !row.key.contains(where: \.isNaN)
    else { throw refusal(number, "has an impossible key") }
    if let table = file.table(row.table) {
      let keys = table.description.keys
      guard keys.count == row.key.count, zip(keys, row.key).allSatisfy({ $1.fits($0.storageClass) }) else {
        throw refusal(number, "has a key of another type than the model \(table.description.model)")
      }
    }
    guard row.causalLength >= 1, row.causalLength < .max - 1, row.insertion <= row.stamp,
      !row.isThere || row.insertion == row.stamp
    else { throw refusal(number, "was inserted and deleted in an impossible order") }
    var last: String?
    for property in row.properties {
      guard !property.name.isEmpty, !property.name.utf8.contains(0), last.map({ $0 < property.name }) ?? true else {
        throw refusal(number, "has properties that aren't sorted by name, or one of them twice")
      }
      guard (1...row.causalLength).contains(property.causalLength), property.causalLength % 2 == 1 else {
        throw refusal(number, "has a property \(property.name) that was written when the row was not there")
      }
      guard !property.value.isNaN else { throw refusal(number, "has a property \(property.name) that is no number") }
      last = property.name
    }
  }

  private func refusal(_ problem: String) -> StoreError {
    StoreError(
      .invalidValue, ofModel: nil,
      "A batch of changes was refused, and nothing of it applied: \(problem). The peer or its transport is damaged.")
  }

  private func refusal(_ number: Int, _ problem: String) -> StoreError {
    let table = file.table(batch.rows[number].table)
    return StoreError(
      .invalidValue, ofModel: table?.description.model,
      "A batch of changes was refused, and nothing of it applied: row \(number + 1) of \(batch.rows.count)\(table.map { ", a \($0.description.model)," } ?? "") \(problem). The peer or its transport is damaged."
    )
  }
}

extension ReplicatedValue {
  /// Whether this is a number that SQLite would store as NULL.
  fileprivate var isNaN: Bool {
    if case .real(let value) = self { value.isNaN } else { false }
  }
}
