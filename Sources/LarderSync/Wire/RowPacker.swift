internal import Foundation

/// Gathers rows for a frame.
struct RowPacker {
  private var columns = RowColumns()
  /// The storage classes and the contents of values. They grow by a few bytes at a time, which costs an array less than
  /// `Data`.
  private var (classes, contents): ([UInt8], [UInt8]) = ([], [])
  private var replicas: ReplicaTable
  private var names: [String] = []
  private var nameIndexes: [ExactName: UInt32] = [:]
  private var shapes: [RowShape] = []
  private var shapeIndexes: [RowShape: UInt32] = [:]
  private var latestShape = 0
  private var rowKeys: Set<RowKey> = []
  private var lastTime: Int64 = 0
  private var propertyCount = 0
  private var lastWritePlace = 0
  private(set) var valueCount = 0
  private var shownCount = 0
  /// The values that lost, which come after those of all rows.
  private var lostValues: [ReplicatedValue] = []
  private var lostSize = 0
  private var lastLossRow = 0
  private var lastContributionRow = 0

  init(sender: ReplicaID) {
    replicas = ReplicaTable(sender: sender)
  }

  /// The number of rows.
  var count: Int { columns.rowShapes.count }
  /// About how many bytes the message has.
  var size: Int {
    contents.count + lostSize + 8 * columns.reals.count + 4 * valueCount + 8 * count
      + 16 * (columns.lossRows.count + columns.contributionRows.count)
  }
  /// The greatest number of replicas, names or shapes.
  var nameCount: Int { Swift.max(names.count, shapes.count, replicas.count - 1) }

  /// Adds a row.
  ///
  /// - Throws: If the row contradicts itself, or is there already. The packer can't be used any more.
  mutating func append(_ row: RowState) throws(BatchError.Problem) {
    let shape = try shapeIndex(of: row)
    guard rowKeys.insert(row.rowKey).inserted else {
      throw .init("a row of \(row.table) comes twice")
    }
    guard row.causalLength >= 1 else { throw .init("the causal length of a row of \(row.table) is less than 1") }
    columns.rowShapes.append(shape)
    columns.causalLengths.append(UInt64(row.causalLength))
    columns.insertionTimes.append(row.insertion.time - lastTime)
    lastTime = row.insertion.time
    columns.insertionReplicas.append(replicas.index(of: row.insertion.replica))
    if !row.isThere {
      columns.deletionTimes.append(row.stamp.time - row.insertion.time)
      columns.deletionReplicas.append(replicas.index(of: row.stamp.replica))
    } else if row.stamp != row.insertion {
      throw .init("a row of \(row.table) is there, and its stamp isn't that of its insertion")
    }
    for value in row.key { appendShown(value) }
    let written = row.causalLength - (row.isThere ? 0 : 1)
    for property in row.properties { try append(property, of: row, written) }
    for loss in row.losses { try append(loss, of: row) }
    for contribution in row.contributions { try append(contribution, of: row, written) }
  }

  private mutating func append(_ loss: LostValue, of row: RowState) throws(BatchError.Problem) {
    columns.lossRows.append(UInt32(count - 1 - lastLossRow))
    lastLossRow = count - 1
    columns.lossProperties.append(
      try loss.property.map { name throws(BatchError.Problem) in try index(of: name) + 1 } ?? 0)
    columns.lossTimes.append(loss.stamp.time - row.insertion.time)
    columns.lossReplicas.append(replicas.index(of: loss.stamp.replica))
    columns.lossDismissals.append(loss.isDismissed ? 1 : 0)
    lostValues.append(loss.value)
    switch loss.value {
    case .text(let bytes), .blob(let bytes): lostSize += bytes.count
    default: lostSize += 8
    }
    valueCount += 1
  }

  private mutating func append(
    _ contribution: Contribution, of row: RowState, _ written: Int64
  ) throws(BatchError.Problem) {
    guard contribution.causalLength == written else {
      throw .init("a contribution to \(row.table).\(contribution.property) isn't of the row's last insertion")
    }
    columns.contributionRows.append(UInt32(count - 1 - lastContributionRow))
    lastContributionRow = count - 1
    columns.contributionProperties.append(try index(of: contribution.property))
    columns.contributionReplicas.append(replicas.index(of: contribution.stamp.replica))
    columns.contributionTimes.append(contribution.stamp.time - row.insertion.time)
    columns.contributionHighs.append(contribution.amount.high)
    columns.contributionLows.append(contribution.amount.low)
  }

  private mutating func index(of name: String) throws(BatchError.Problem) -> UInt32 {
    try addName(name)
    return nameIndexes[ExactName(name)] ?? 0
  }

  private mutating func append(
    _ property: PropertyState, of row: RowState, _ written: Int64
  ) throws(BatchError.Problem) {
    appendShown(property.value)
    defer { propertyCount += 1 }
    guard property.stamp != row.insertion || property.causalLength != written else { return }
    guard property.causalLength % 2 == 1, (1...written).contains(property.causalLength) else {
      throw .init("the causal length of \(row.table).\(property.name) isn't that of an insertion of the row")
    }
    columns.writePlaces.append(UInt32(propertyCount - lastWritePlace))
    lastWritePlace = propertyCount
    columns.writeTimes.append(property.stamp.time - row.insertion.time)
    columns.writeReplicas.append(replicas.index(of: property.stamp.replica))
    columns.writeLags.append(UInt64((written - property.causalLength) / 2))
  }

  private mutating func appendShown(_ value: ReplicatedValue) {
    append(value, at: shownCount)
    shownCount += 1
    valueCount += 1
  }

  private mutating func append(_ value: ReplicatedValue, at position: Int) {
    let number: UInt8
    switch value {
    case .null:
      number = 0
    case .integer(let integer):
      number = 1
      columns.integers.append(integer)
    case .real(let real):
      number = 2
      columns.reals.append(real.bitPattern)
    case .text(let bytes):
      number = 3
      append(bytes)
    case .blob(let bytes):
      number = 4
      append(bytes)
    }
    if position % 2 == 0 {
      classes.append(number)
    } else {
      classes[classes.count - 1] |= number << 4
    }
  }

  private mutating func append(_ bytes: Data) {
    columns.lengths.append(UInt32(clamping: bytes.count))
    bytes.withUnsafeBytes { contents.append(contentsOf: $0) }
  }

  private mutating func shapeIndex(of row: RowState) throws(BatchError.Problem) -> UInt32 {
    if shapes.indices.contains(latestShape), shapes[latestShape].fits(row) { return UInt32(latestShape) }
    let shape = RowShape(of: row)
    if let known = shapeIndexes[shape] {
      latestShape = Int(known)
      return known
    }
    try shape.check()
    for name in [shape.table] + shape.properties { try addName(name) }
    latestShape = shapes.count
    shapes.append(shape)
    shapeIndexes[shape] = UInt32(latestShape)
    return UInt32(latestShape)
  }

  private mutating func addName(_ name: String) throws(BatchError.Problem) {
    guard nameIndexes[ExactName(name)] == nil else { return }
    try RowShape.check(name: name)
    nameIndexes[ExactName(name)] = UInt32(names.count)
    names.append(name)
  }

  /// The rows as a message.
  var message: WireRows {
    var packer = self
    for (index, value) in lostValues.enumerated() { packer.append(value, at: shownCount + index) }
    var message = WireRows()
    message.replicas = replicas.bytes
    message.names = names
    message.shapeTables = shapes.compactMap { nameIndexes[ExactName($0.table)] }
    message.shapeKeyCounts = shapes.map { UInt32($0.keyCount) }
    message.shapePropertyCounts = shapes.map { UInt32($0.properties.count) }
    message.shapeProperties = shapes.flatMap { $0.properties.compactMap { nameIndexes[ExactName($0)] } }
    (packer.columns.classes, packer.columns.contents) = (Data(packer.classes), Data(packer.contents))
    packer.columns.write(to: &message)
    return message
  }
}
