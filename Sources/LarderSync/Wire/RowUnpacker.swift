internal import Foundation

/// Takes the rows out of a frame, and refuses a frame that breaks a rule of `sync.proto`.
struct RowUnpacker {
  private let columns: RowColumns
  private let replicas: ReplicaTable
  private let shapes: [RowShape]
  private let names: [String]
  /// About how many bytes the rows take in memory, without the contents of texts and blobs.
  let sizeInMemory: Int
  private var values: ValueUnpacker
  private var (deletion, write) = (0, 0)
  /// Where the next element of the written properties belongs; nil after the last.
  private var writePlace: Int64?
  private var propertyCount = 0
  private var time: Int64 = 0

  /// Checks everything that can be checked before a row is made.
  ///
  /// - Parameters:
  ///   - message: The message.
  ///   - sender: The replica that sends.
  ///   - limits: The limits of the batch.
  init(_ message: WireRows, sender: ReplicaID, limits: BatchLimits) throws(BatchError.Problem) {
    columns = RowColumns(message)
    replicas = try ReplicaTable(message.replicas, sender: sender, limit: limits.names)
    shapes = try Self.shapes(of: message, limits)
    try Self.checkLengths(of: columns)
    var valueCount = 0
    for index in columns.rowShapes {
      guard index < shapes.count else { throw .init("shape \(index) is meant, and there are \(shapes.count)") }
      valueCount += shapes[Int(index)].width
      guard valueCount <= limits.values else {
        throw .init("there are more than \(limits.values) values", code: .limitExceeded)
      }
    }
    valueCount += columns.lossRows.count
    guard valueCount <= limits.values else {
      throw .init("there are more than \(limits.values) values", code: .limitExceeded)
    }
    values = try ValueUnpacker(columns, count: valueCount)
    sizeInMemory = BatchLimits.sizeInMemory(
      rows: columns.rowShapes.count, values: valueCount + columns.contributionRows.count,
      lengths: columns.lengths.lazy.map { Int($0) })
    names = message.names
    writePlace = columns.writePlaces.first.map { Int64($0) }
  }

  /// Returns the rows.
  mutating func rows() throws(BatchError.Problem) -> [RowState] {
    var rows: [RowState] = []
    rows.reserveCapacity(columns.rowShapes.count)
    var keys = Set<RowKey>(minimumCapacity: columns.rowShapes.count)
    for index in columns.rowShapes.indices {
      let row = try row(index)
      guard keys.insert(row.rowKey).inserted else {
        throw .init("row \(index) is there twice")
      }
      rows.append(row)
    }
    guard deletion == columns.deletionTimes.count, writePlace == nil else {
      throw .init("there are more deletions or writes than rows and properties for them")
    }
    try addLosses(to: &rows)
    try addContributions(to: &rows)
    try values.finish()
    return rows
  }

  /// The position in the columns behind the last element of a row that begins at another one, whose row is given as the
  /// distance to that of the element before.
  private func end(of position: Int, in rows: [UInt32]) -> Int {
    var end = position + 1
    while end < rows.count, rows[end] == 0 { end += 1 }
    return end
  }

  private mutating func addLosses(to rows: inout [RowState]) throws(BatchError.Problem) {
    var (position, row) = (0, 0)
    while position < columns.lossRows.count {
      row += Int(columns.lossRows[position])
      guard row < rows.count else { throw .init("a lost value is of a row that isn't there") }
      let end = end(of: position, in: columns.lossRows)
      var losses: [LostValue] = []
      for index in position..<end {
        let property = columns.lossProperties[index]
        let name = try property == 0 ? nil : self.name(property - 1)
        let stamp = try stamp(
          columns.lossTimes[index], after: rows[row].insertion.time, columns.lossReplicas[index], "row \(row)")
        let value = try values.next()
        let isDismissed = columns.lossDismissals[index]
        guard isDismissed <= 1, value == .null || name != nil && isDismissed == 0 else {
          throw .init("a lost value of row \(row) is impossible")
        }
        let loss = LostValue(property: name, stamp: stamp, value: value, isDismissed: isDismissed == 1)
        guard losses.last.map({ $0 < loss && !$0.isSame(as: loss) }) ?? true else {
          throw .init("the lost values of row \(row) aren't sorted, or one is there twice")
        }
        losses.append(loss)
      }
      rows[row] = rows[row].changed(losses: losses)
      position = end
    }
  }

  private func addContributions(to rows: inout [RowState]) throws(BatchError.Problem) {
    var (position, row) = (0, 0)
    while position < columns.contributionRows.count {
      row += Int(columns.contributionRows[position])
      guard row < rows.count else { throw .init("a contribution is to a row that isn't there") }
      let end = end(of: position, in: columns.contributionRows)
      var contributions: [Contribution] = []
      for index in position..<end {
        let stamp = try stamp(
          columns.contributionTimes[index], after: rows[row].insertion.time, columns.contributionReplicas[index],
          "row \(row)")
        let high = columns.contributionHighs[index]
        guard (-CounterAmount.greatestHigh..<CounterAmount.greatestHigh).contains(high) else {
          throw .init("a contribution to row \(row) is out of range")
        }
        let contribution = Contribution(
          property: try name(columns.contributionProperties[index]), stamp: stamp,
          causalLength: rows[row].insertionLength,
          amount: CounterAmount(high: high, low: columns.contributionLows[index]))
        guard contributions.last.map({ $0.precedes(contribution) }) ?? true else {
          throw .init("the contributions to row \(row) aren't sorted, or one is there twice")
        }
        contributions.append(contribution)
      }
      rows[row] = rows[row].changed(contributions: contributions)
      position = end
    }
  }

  private func name(_ index: UInt32) throws(BatchError.Problem) -> String {
    guard index < names.count else { throw .init("name \(index) is meant, and there are \(names.count)") }
    return names[Int(index)]
  }

  private mutating func row(_ index: Int) throws(BatchError.Problem) -> RowState {
    let shape = shapes[Int(columns.rowShapes[index])]
    guard let length = Int64(exactly: columns.causalLengths[index]), length >= 1 else {
      throw .init("the causal length of row \(index) isn't a number from 1 to 2^63 - 1")
    }
    let insertion = try stamp(
      columns.insertionTimes[index], after: time, columns.insertionReplicas[index], "row \(index)")
    time = insertion.time
    var stamp = insertion
    if length % 2 == 0 {
      guard deletion < columns.deletionTimes.count else { throw .init("the deletion of row \(index) is missing") }
      stamp = try self.stamp(
        columns.deletionTimes[deletion], after: time, columns.deletionReplicas[deletion], "row \(index)")
      deletion += 1
    }
    var key: [ReplicatedValue] = []
    key.reserveCapacity(shape.keyCount)
    for _ in 0..<shape.keyCount { key.append(try values.next()) }
    var properties: [PropertyState] = []
    properties.reserveCapacity(shape.properties.count)
    let written = length - (length % 2 == 0 ? 1 : 0)
    for name in shape.properties {
      let value = try values.next()
      let (stamp, causalLength) = try write(insertion, written, "row \(index)")
      properties.append(PropertyState(name: name, value: value, stamp: stamp, causalLength: causalLength))
    }
    return RowState(
      table: shape.table, key: key, causalLength: length, stamp: stamp, insertion: insertion, properties: properties)
  }

  /// The stamp and the causal length of the next property.
  private mutating func write(
    _ insertion: Stamp, _ written: Int64, _ row: @autoclosure () -> String
  ) throws(BatchError.Problem) -> (Stamp, Int64) {
    defer { propertyCount += 1 }
    guard let place = writePlace, place == Int64(propertyCount) else { return (insertion, written) }
    let stamp = try stamp(columns.writeTimes[write], after: insertion.time, columns.writeReplicas[write], row())
    let lag = columns.writeLags[write]
    guard lag <= UInt64(written / 2) else {
      throw .init("a property of \(row()) was written before the row was first inserted")
    }
    write += 1
    if write < columns.writePlaces.count {
      let distance = columns.writePlaces[write]
      guard distance >= 1 else { throw .init("two writes are of one property") }
      writePlace = place + Int64(distance)
    } else {
      writePlace = nil
    }
    return (stamp, written - 2 * Int64(lag))
  }

  private func stamp(
    _ difference: Int64, after time: Int64, _ replica: UInt32, _ row: @autoclosure () -> String
  ) throws(BatchError.Problem) -> Stamp {
    let (sum, overflow) = time.addingReportingOverflow(difference)
    guard !overflow, let stamp = Stamp(time: sum, replica: try replicas.replica(replica)) else {
      throw .init("a time of \(row()) is negative, or has more than 63 bits")
    }
    return stamp
  }

  private static func checkLengths(of columns: RowColumns) throws(BatchError.Problem) {
    let rows = [columns.causalLengths.count, columns.insertionTimes.count, columns.insertionReplicas.count]
    guard rows.allSatisfy({ $0 == columns.rowShapes.count }) else {
      throw .init("the columns of the rows aren't equally long")
    }
    let losses = [
      columns.lossProperties.count, columns.lossTimes.count, columns.lossReplicas.count, columns.lossDismissals.count,
    ]
    guard losses.allSatisfy({ $0 == columns.lossRows.count }) else {
      throw .init("the columns of the lost values aren't equally long")
    }
    let contributions = [
      columns.contributionProperties.count, columns.contributionReplicas.count, columns.contributionTimes.count,
      columns.contributionHighs.count, columns.contributionLows.count,
    ]
    guard contributions.allSatisfy({ $0 == columns.contributionRows.count }) else {
      throw .init("the columns of the contributions aren't equally long")
    }
    let writes = [columns.writeTimes.count, columns.writeReplicas.count, columns.writeLags.count]
    guard writes.allSatisfy({ $0 == columns.writePlaces.count }),
      columns.deletionReplicas.count == columns.deletionTimes.count
    else { throw .init("the columns of the deletions or writes aren't equally long") }
  }

  private static func shapes(of message: WireRows, _ limits: BatchLimits) throws(BatchError.Problem) -> [RowShape] {
    let names = message.names
    guard Set(names.map(ExactName.init)).count == names.count else { throw .init("a name is there twice") }
    for name in names { try RowShape.check(name: name) }
    func name(_ index: UInt32) throws(BatchError.Problem) -> String {
      guard index < names.count else { throw .init("name \(index) is meant, and there are \(names.count)") }
      return names[Int(index)]
    }
    let (tables, keyCounts) = (message.shapeTables, message.shapeKeyCounts)
    let propertyCounts = message.shapePropertyCounts
    guard keyCounts.count == tables.count, propertyCounts.count == tables.count else {
      throw .init("the columns of the shapes aren't equally long")
    }
    var rest = message.shapeProperties[...]
    var shapes: [RowShape] = []
    for (index, table) in tables.enumerated() {
      guard propertyCounts[index] <= rest.count else { throw .init("properties of a shape are missing") }
      var properties: [String] = []
      for property in rest.prefix(Int(propertyCounts[index])) { properties.append(try name(property)) }
      rest = rest.dropFirst(properties.count)
      guard keyCounts[index] <= limits.values else {
        throw .init("a key has more than \(limits.values) values", code: .limitExceeded)
      }
      let shape = RowShape(table: try name(table), keyCount: Int(keyCounts[index]), properties: properties)
      try shape.check()
      shapes.append(shape)
    }
    guard rest.isEmpty else { throw .init("there are more properties than the shapes have") }
    return shapes
  }
}
