import Foundation
import LarderArchive
import LarderRandom

@testable import LarderSync

/// Random batches that obey all rules, with the edges of each type.
struct RandomBatch {
  var random: SplitMix64
  let replicas: [ReplicaID]

  init(seed: UInt64) {
    random = SplitMix64(seed: seed)
    var made: [ReplicaID] = []
    for _ in 0..<5 { made.append(ReplicaID(using: &random)) }
    replicas = made
  }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

  mutating func element<Element>(_ elements: [Element], or other: Element) -> Element {
    elements.randomElement(using: &random) ?? other
  }

  mutating func replica() -> ReplicaID { element(replicas, or: ReplicaID()) }

  mutating func time() -> Int64 {
    element([0, 1, .max, .max - 1, Int64.random(in: 0...Int64.max, using: &random), 1 << 40], or: 0)
  }

  mutating func stamp() -> Stamp {
    guard let stamp = Stamp(time: time(), replica: replica()) else { preconditionFailure("times aren't negative") }
    return stamp
  }

  mutating func bytes() -> Data {
    let count = element([0, 1, 3, 14, 15, 16, number(0...300)], or: 0)
    return Data((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) })
  }

  mutating func value() -> ReplicatedValue {
    switch number(0...4) {
    case 0: .null
    case 1: .integer(element([.min, -1, 0, 1, .max, Int64.random(in: .min ... .max, using: &random)], or: 0))
    // Any bits: signalling NaNs with payloads, infinities, subnormal numbers and both zeros.
    case 2: .real(Double(bitPattern: element([0, 1 << 63, 0x7ff0_0000_0000_0001, random.next()], or: 0)))
    // Any bytes: invalid UTF-8, and zeros.
    case 3: .text(bytes())
    default: .blob(bytes())
    }
  }

  mutating func row(_ index: Int) -> RowState {
    let isThere = number(0...3) > 0
    let written = 2 * element([0, 0, 1, 2, (1 << 62) - 1], or: 0) + 1
    let insertion = stamp()
    let names = Set((0..<number(0...6)).map { _ in element(["a", "b", "title", "größe", "views", "z"], or: "a") })
    var properties: [PropertyState] = []
    for name in names.sorted() {
      let isOriginal = number(0...2) > 0
      let lag = number(0...3) == 0 ? 2 * Int64.random(in: 0...Int64(written / 2), using: &random) : 0
      properties.append(
        PropertyState(
          name: name, value: value(), stamp: isOriginal ? insertion : stamp(), causalLength: Int64(written) - lag))
    }
    return RowState(
      table: element(["Note", "Folder", "Note_Tag"], or: "Note"), key: [.integer(Int64(index)), value()],
      causalLength: Int64(isThere || written == Int.max ? written : written + 1),
      stamp: isThere || written == Int.max ? insertion : stamp(), insertion: insertion, properties: properties,
      contributions: contributions(Int64(written)), losses: losses())
  }

  private mutating func contributions(_ length: Int64) -> [Contribution] {
    var contributions: [Contribution] = []
    for _ in 0..<element([0, 0, 1, number(0...5)], or: 0) {
      let highs: [Int64] = [0, -1, 1 << 47 - 1, -(1 << 47), Int64.random(in: -(1 << 47)..<(1 << 47), using: &random)]
      let amount = CounterAmount(high: element(highs, or: 0), low: element([0, 1, .max], or: 7))
      let contribution = Contribution(
        property: element(["views", "a", "größe"], or: "a"), stamp: stamp(), causalLength: length, amount: amount)
      if !contributions.contains(where: { $0.isSame(as: contribution) }) { contributions.append(contribution) }
    }
    return contributions.sorted { $0.precedes($1) }
  }

  private mutating func losses() -> [LostValue] {
    var losses: [LostValue] = []
    for _ in 0..<element([0, 0, 1, number(0...5)], or: 0) {
      let property = element([nil, "title", "a", "lost"], or: nil)
      let loss = LostValue(
        property: property, stamp: stamp(), value: property == nil ? .null : value(), isDismissed: number(0...3) == 0)
      if !losses.contains(where: { $0.isSame(as: loss) }) { losses.append(loss) }
    }
    return losses.sorted()
  }

  mutating func batch(rowCount: Int) -> ChangeBatch {
    let sender = replica()
    let since = Int64.random(in: 0...1000, using: &random)
    let knowledge = (0..<number(0...4)).map { _ in
      Knowledge(replica: replica(), since: time(), origin: replica(), upTo: time())
    }
    let names = Set((0..<number(0...3)).map { _ in replica() }).sorted().map { replica in
      ReplicaName(replica: replica, time: time(), name: element(["", "Ada's laptop", "Größe 🦊"], or: ""))
    }
    return ChangeBatch(
      since: ChangeCursor(replica: sender, position: since),
      upTo: ChangeCursor(replica: sender, position: element([since, since + 1, .max], or: since)),
      recipient: number(0...1) == 0 ? nil : replica(), isLast: number(0...1) == 0,
      modelsDigest: Data((0..<32).map { UInt8($0) }), rows: (0..<rowCount).map { row($0) }, knowledge: knowledge,
      names: names, forgotten: element([0, 1, .max], or: 0))
  }
}

/// Writes protobuf messages by hand, right or wrong.
struct HandMessage {
  var bytes = Data()

  static func varint(_ number: UInt64) -> Data {
    var (rest, bytes) = (number, Data())
    while rest >= 0x80 {
      bytes.append(UInt8(rest & 0x7f | 0x80))
      rest >>= 7
    }
    bytes.append(UInt8(rest))
    return bytes
  }

  mutating func number(_ field: UInt64, _ number: UInt64) {
    bytes += Self.varint(field << 3) + Self.varint(number)
  }

  mutating func bytes(_ field: UInt64, _ content: Data) {
    bytes += Self.varint(field << 3 | 2) + Self.varint(UInt64(content.count)) + content
  }

  mutating func packed(_ field: UInt64, _ numbers: [UInt64]) {
    bytes(field, numbers.reduce(into: Data()) { $0 += Self.varint($1) })
  }

  mutating func signed(_ field: UInt64, _ numbers: [Int64]) {
    packed(field, numbers.map { UInt64(bitPattern: $0 << 1 ^ $0 >> 63) })
  }
}

/// Writes batches by hand, right or wrong, from the description in `sync.proto`.
struct HandBatch {
  static let sender = Data(repeating: 0xa, count: 16)
  static let magic = Data([0x89, 0x4c, 0x53, 0x59, 0x0d, 0x0a, 0x1a, 0x0a])

  var bytes = HandBatch.magic
  private var checksum = Data(count: 8)

  static func bigEndian(_ number: some FixedWidthInteger) -> Data {
    withUnsafeBytes(of: number.bigEndian) { Data($0) }
  }

  mutating func frame(_ kind: UInt8, _ payload: Data, length: UInt32? = nil, zeros: [UInt8] = [0, 0, 0]) {
    let start = Data([kind] + zeros) + Self.bigEndian(length ?? UInt32(payload.count))
    checksum = Self.bigEndian(CRC64.checksum(checksum + start + payload))
    bytes += start + checksum + payload
  }

  mutating func header(_ change: (inout HandMessage) -> Void = { _ in }) {
    var header = HandMessage()
    header.number(1, 1)
    header.bytes(2, Self.sender)
    header.number(4, 3)
    header.number(5, 7)
    change(&header)
    frame(1, header.bytes)
  }

  mutating func opening(_ change: (inout HandMessage) -> Void = { _ in }) {
    var opening = HandMessage()
    change(&opening)
    frame(2, [0] + opening.bytes)
  }

  mutating func end(rows: UInt64) {
    var end = HandMessage()
    end.number(1, rows)
    frame(4, [0] + end.bytes)
  }

  /// A batch with one frame of rows.
  static func rows(_ message: HandMessage, count: UInt64 = 1) -> Data {
    var batch = HandBatch()
    batch.header()
    batch.opening()
    batch.frame(3, [0] + message.bytes)
    batch.end(rows: count)
    return batch.bytes
  }
}

/// The columns of a frame with a row of `T` with key 1 and the properties `a` = 5 and `b` = "xy", by hand, to change one
/// of them.
struct HandRows {
  var replicas = Data(repeating: 0xb, count: 16)
  var names = ["T", "a", "b"]
  var shapeTables: [UInt64] = [0]
  var shapeKeyCounts: [UInt64] = [1]
  var shapePropertyCounts: [UInt64] = [2]
  var shapeProperties: [UInt64] = [1, 2]
  var rowShapes: [UInt64] = [0]
  var causalLengths: [UInt64] = [1]
  var insertionTimes: [Int64] = [100]
  var insertionReplicas: [UInt64] = [0]
  var deletionTimes: [Int64] = []
  var deletionReplicas: [UInt64] = []
  var writePlaces: [UInt64] = [1]
  var writeTimes: [Int64] = [20]
  var writeReplicas: [UInt64] = [1]
  var writeLags: [UInt64] = [0]
  var classes = Data([0x11, 0x03])
  var integers: [Int64] = [1, 5]
  var reals = Data()
  var lengths: [UInt64] = [2]
  var contents = Data("xy".utf8)
  var lossRows: [UInt64] = []
  var lossProperties: [UInt64] = []
  var lossTimes: [Int64] = []
  var lossReplicas: [UInt64] = []
  var lossDismissals: [UInt64] = []
  var contributionRows: [UInt64] = []
  var contributionProperties: [UInt64] = []
  var contributionReplicas: [UInt64] = []
  var contributionTimes: [Int64] = []
  var contributionHighs: [Int64] = []
  var contributionLows: [UInt64] = []

  /// The same row with a lost value of `a`, one that was decided about, and the loss of the whole row.
  static var withLosses: HandRows {
    var rows = HandRows()
    rows.lossRows = [0, 0, 0]
    rows.lossProperties = [0, 2, 2]
    rows.lossTimes = [0, 1, 2]
    rows.lossReplicas = [0, 0, 1]
    rows.lossDismissals = [0, 0, 1]
    rows.classes = Data([0x11, 0x03, 0x01])
    rows.integers = [1, 5, 7]
    return rows
  }

  /// The same row with contributions of both replicas to `b`.
  static var withContributions: HandRows {
    var rows = HandRows()
    rows.contributionRows = [0, 0]
    rows.contributionProperties = [2, 2]
    rows.contributionReplicas = [0, 1]
    rows.contributionTimes = [3, 4]
    rows.contributionHighs = [-1, 1 << 47 - 1]
    rows.contributionLows = [4_294_967_295, 0]
    return rows
  }

  var message: HandMessage {
    var message = HandMessage()
    message.bytes(1, replicas)
    for name in names { message.bytes(2, Data(name.utf8)) }
    message.packed(3, shapeTables)
    message.packed(4, shapeKeyCounts)
    message.packed(5, shapePropertyCounts)
    message.packed(6, shapeProperties)
    message.packed(7, rowShapes)
    message.packed(8, causalLengths)
    message.signed(9, insertionTimes)
    message.packed(10, insertionReplicas)
    message.signed(11, deletionTimes)
    message.packed(12, deletionReplicas)
    message.packed(13, writePlaces)
    message.signed(14, writeTimes)
    message.packed(15, writeReplicas)
    message.packed(16, writeLags)
    message.bytes(17, classes)
    message.signed(18, integers)
    message.bytes(19, reals)
    message.packed(20, lengths)
    message.bytes(21, contents)
    if !lossRows.isEmpty { lossColumns(of: &message) }
    if !contributionRows.isEmpty { contributionColumns(of: &message) }
    return message
  }

  private func lossColumns(of message: inout HandMessage) {
    message.packed(32, lossRows)
    message.packed(33, lossProperties)
    message.signed(34, lossTimes)
    message.packed(35, lossReplicas)
    message.packed(36, lossDismissals)
  }

  private func contributionColumns(of message: inout HandMessage) {
    message.packed(40, contributionRows)
    message.packed(41, contributionProperties)
    message.packed(42, contributionReplicas)
    message.signed(43, contributionTimes)
    message.signed(44, contributionHighs)
    message.packed(45, contributionLows)
  }

  static func changed(from rows: HandRows = HandRows(), _ change: (inout HandRows) -> Void) -> Data {
    var rows = rows
    change(&rows)
    return HandBatch.rows(rows.message)
  }
}

/// Returns the error that a batch is refused with, or nil if it is taken.
func refusal(of bytes: Data, limits: BatchLimits = .default) -> BatchError? {
  do {
    _ = try ChangeBatch(decoding: bytes, limits: limits)
    return nil
  } catch {
    return error as? BatchError
  }
}
