import Foundation
import LarderRandom
import Testing

@testable import LarderSync

@Suite("Batches as bytes: damage and malice")
struct HostileBatchTests {
  @Test("a batch written by hand from the description is read")
  func handWritten() throws {
    let batch = try ChangeBatch(decoding: HandBatch.rows(HandRows().message))
    let sender = try #require(ReplicaID(HandBatch.sender))
    let other = try #require(ReplicaID(Data(repeating: 0xb, count: 16)))
    let insertion = try #require(Stamp(time: 100, replica: sender))
    let write = try #require(Stamp(time: 120, replica: other))
    let row = RowState(
      table: "T", key: [.integer(1)], causalLength: 1, stamp: insertion, insertion: insertion,
      properties: [
        PropertyState(name: "a", value: .integer(5), stamp: insertion, causalLength: 1),
        PropertyState(name: "b", value: .text(Data("xy".utf8)), stamp: write, causalLength: 1),
      ])
    #expect(batch.rows == [row])
    #expect(batch.since == ChangeCursor(replica: sender, position: 3))
    #expect(batch.upTo == ChangeCursor(replica: sender, position: 7))
  }

  @Test("a batch with any byte changed in any way is refused", arguments: BatchCompression.allCases)
  func everyFlip(compression: BatchCompression) throws {
    let bytes = try KnownBatch.make().encoded(compression: compression)
    for index in bytes.indices {
      for mask in [1, 2, 4, 8, 0x10, 0x20, 0x40, 0x80, 0xff] as [UInt8] {
        var changed = bytes
        changed[index] ^= mask
        #expect(refusal(of: changed) != nil, "byte \(index) xor \(mask)")
      }
    }
  }

  @Test("a batch that is cut anywhere is refused, with the byte where it ends or the frame that is cut")
  func everyCut() throws {
    let bytes = try KnownBatch.make().encoded()
    for count in 0..<bytes.count {
      let error = refusal(of: bytes.prefix(count))
      #expect(error?.code == (count < 8 ? .notABatch : .damaged), "\(count) bytes")
      #expect(error?.offset == (count < 8 ? 0 : count), "\(count) bytes")
    }
  }

  @Test("bytes after the end, frames twice, missing or in another order are refused")
  func frameOrder() throws {
    var random = RandomBatch(seed: 5)
    let batch = random.batch(rowCount: 6)
    let header = BatchHeader(since: batch.since, upTo: batch.upTo, recipient: nil, isLast: true)
    var frames: [Data] = []
    let opening = BatchOpening(modelsDigest: Data(), knowledge: [])
    var writer = try BatchWriter(header, opening, compression: .zlib, frameSize: 1)
    for row in batch.rows { frames += try writer.append(row).map { [$0] } ?? [] }
    frames.append(try writer.finish())
    #expect(frames.count == 7)
    func joined(_ frames: [Data]) -> Data { frames.reduce(Data(), +) }
    #expect(refusal(of: joined(frames)) == nil)
    #expect(refusal(of: joined(frames) + [0])?.code == .damaged)
    for index in frames.indices {
      var missing = frames
      missing.remove(at: index)
      #expect(refusal(of: joined(missing)) != nil, "frame \(index) missing")
      var twice = frames
      twice.insert(frames[index], at: index)
      #expect(refusal(of: joined(twice)) != nil, "frame \(index) twice")
      for other in frames.indices where other != index {
        var swapped = frames
        swapped.swapAt(index, other)
        #expect(refusal(of: joined(swapped)) != nil, "frames \(index) and \(other)")
      }
    }
  }

  @Test("a frame of another batch is refused in its place")
  func foreignFrame() throws {
    var random = RandomBatch(seed: 6)
    let opening = BatchOpening(modelsDigest: Data(), knowledge: [])
    var batches: [[Data]] = []
    for _ in 0..<2 {
      let batch = random.batch(rowCount: 3)
      let header = BatchHeader(since: batch.since, upTo: batch.upTo, recipient: nil, isLast: true)
      var writer = try BatchWriter(header, opening, compression: .off, frameSize: 1)
      var frames: [Data] = []
      for row in batch.rows { frames += try writer.append(row).map { [$0] } ?? [] }
      frames.append(try writer.finish())
      batches.append(frames)
    }
    for index in batches[0].indices {
      var frames = batches[0]
      frames[index] = batches[1][index]
      let error = refusal(of: frames.reduce(Data(), +))
      #expect(error?.code == .damaged, "frame \(index)")
      #expect(error?.offset != nil)
    }
  }

  @Test("contents that break a rule are refused, with the frame's place", arguments: HostileRows.all)
  func hostileRows(hostile: HostileRows) {
    let error = refusal(of: HandRows.changed(hostile.change))
    #expect(error?.code == .invalid)
    // The magic, the header and the opening are before the frame.
    #expect(error?.offset == 8 + 16 + 24 + 17)
    #expect(error?.message.contains(hostile.expected) == true, "\(String(describing: error))")
  }

  @Test("headers that break a rule are refused")
  func hostileHeaders() {
    let changes: [(BatchError.Code, (inout HandMessage) -> Void)] = [
      (.invalid, { $0.number(1, 0) }), (.newerVersion, { $0.number(1, 2) }), (.newerVersion, { $0.number(1, 1 << 31) }),
      (.invalid, { $0.bytes(2, Data(count: 15)) }), (.invalid, { $0.bytes(2, Data(count: 17)) }),
      (.invalid, { $0.bytes(3, Data(count: 1)) }), (.invalid, { $0.number(4, 8) }), (.invalid, { $0.number(4, .max) }),
      (.invalid, { $0.number(5, 1 << 63) }), (.invalid, { $0.number(7, 9) }),
      (.invalid, { $0.bytes(8, Data(count: 3)) }),
      (.invalid, { $0.bytes(8, Data(count: 16)) }), (.invalid, { $0.bytes(9, Data(count: 32)) }),
      (.invalid, { $0.bytes += [0xff] }), (.limitExceeded, { $0.bytes(99, Data(count: 5000)) }),
    ]
    for (index, (code, change)) in changes.enumerated() {
      var batch = HandBatch()
      batch.header(change)
      batch.opening()
      batch.end(rows: 0)
      #expect(refusal(of: batch.bytes)?.code == code, "change \(index)")
    }
  }

  @Test("a field that the version doesn't know is ignored in the header, and refused everywhere else")
  func unknownFields() {
    var batch = HandBatch()
    batch.header { $0.number(99, 1) }
    batch.opening()
    batch.end(rows: 0)
    #expect(refusal(of: batch.bytes) == nil)

    var opening = HandBatch()
    opening.header()
    opening.opening { $0.number(99, 1) }
    opening.end(rows: 0)
    #expect(refusal(of: opening.bytes)?.code == .invalid)

    var rows = HandRows().message
    rows.number(99, 1)
    #expect(refusal(of: HandBatch.rows(rows))?.code == .invalid)
    var group = HandRows().message
    group.bytes += Data(repeating: 0x23, count: 100_000)
    #expect(refusal(of: HandBatch.rows(group))?.code == .invalid)
  }

  @Test("lost values and contributions written by hand from the description are read")
  func handWrittenParts() throws {
    let sender = try #require(ReplicaID(HandBatch.sender))
    let other = try #require(ReplicaID(Data(repeating: 0xb, count: 16)))
    func stamp(_ time: Int64, _ replica: ReplicaID) throws -> Stamp {
      try #require(Stamp(time: time, replica: replica))
    }
    let lost = try ChangeBatch(decoding: HandBatch.rows(HandRows.withLosses.message))
    #expect(
      lost.rows.first?.losses == [
        LostValue(property: nil, stamp: try stamp(100, sender), value: .null),
        LostValue(property: "a", stamp: try stamp(101, sender), value: .integer(7)),
        LostValue(property: "a", stamp: try stamp(102, other), value: .null, isDismissed: true),
      ])
    let added = try ChangeBatch(decoding: HandBatch.rows(HandRows.withContributions.message))
    #expect(
      added.rows.first?.contributions == [
        Contribution(
          property: "b", stamp: try stamp(103, sender), causalLength: 1, amount: CounterAmount(high: -1, low: .max)),
        Contribution(
          property: "b", stamp: try stamp(104, other), causalLength: 1, amount: CounterAmount(high: 1 << 47 - 1, low: 0)
        ),
      ])
  }

  @Test("lost values and contributions that break a rule are refused")
  func hostileParts() {
    let losses: [(inout HandRows) -> Void] = [
      { $0.lossRows[0] = 1 }, { $0.lossRows[2] = 4_294_967_295 }, { $0.lossRows.removeLast() },
      { $0.lossProperties[2] = 4 }, { $0.lossProperties.removeLast() }, { $0.lossProperties[0] = 3 },
      { $0.lossTimes[0] = -101 }, { $0.lossTimes[0] = .max },
      {
        $0.lossTimes[1] = 2; $0.lossReplicas[1] = 1
      },
      { $0.lossReplicas[2] = 2 }, { $0.lossReplicas.append(0) }, { $0.lossTimes.append(0) },
      { $0.lossDismissals[0] = 2 }, { $0.lossDismissals[1] = 1 }, { $0.lossDismissals = [] },
      { $0.lossProperties[1] = 0 }, { $0.integers.removeLast() }, { $0.classes = Data([0x11, 0x03]) },
    ]
    for (index, change) in losses.enumerated() {
      #expect(refusal(of: HandRows.changed(from: .withLosses, change))?.code == .invalid, "loss \(index)")
    }
    let contributions: [(inout HandRows) -> Void] = [
      { $0.contributionRows[1] = 1 }, { $0.contributionRows.removeLast() }, { $0.contributionProperties[0] = 3 },
      { $0.contributionProperties[1] = 1 }, { $0.contributionReplicas[1] = 0 }, { $0.contributionReplicas[1] = 2 },
      { $0.contributionTimes[0] = -101 }, { $0.contributionTimes.append(1) }, { $0.contributionHighs[1] = 1 << 47 },
      { $0.contributionHighs[0] = -(1 << 47) - 1 }, { $0.contributionHighs[0] = .min },
      { $0.contributionHighs.removeLast() }, { $0.contributionLows.removeLast() }, { $0.contributionProperties = [2] },
    ]
    for (index, change) in contributions.enumerated() {
      #expect(
        refusal(of: HandRows.changed(from: .withContributions, change))?.code == .invalid, "contribution \(index)")
    }
    #expect(
      refusal(of: HandRows.changed(from: .withLosses) { _ in }, limits: BatchLimits(values: 5))?.code == .limitExceeded)
    let many = HandRows.changed { $0.contributionRows = Array(repeating: 0, count: 101) }
    #expect(refusal(of: many, limits: BatchLimits(values: 100))?.code == .limitExceeded)
  }

  @Test("names of replicas that break a rule are refused")
  func hostileNames() {
    func opening(_ replicas: [UInt64], _ times: [UInt64], _ names: [Data]) -> Data {
      var batch = HandBatch()
      batch.header()
      batch.opening {
        $0.packed(7, replicas)
        $0.packed(8, times)
        for name in names { $0.bytes(9, name) }
      }
      batch.end(rows: 0)
      return batch.bytes
    }
    let name = Data("Ada".utf8)
    #expect(refusal(of: opening([0], [5], [name])) == nil)
    #expect(refusal(of: opening([1], [5], [name]))?.code == .invalid)
    #expect(refusal(of: opening([0, 0], [5, 6], [name, name]))?.code == .invalid)
    #expect(refusal(of: opening([0], [1 << 63], [name]))?.code == .invalid)
    #expect(refusal(of: opening([0], [], [name]))?.code == .invalid)
    #expect(refusal(of: opening([0], [5], []))?.code == .invalid)
    #expect(refusal(of: opening([0], [5], [Data(repeating: 0x61, count: 257)]))?.code == .invalid)
    #expect(refusal(of: opening([0], [5], [Data([0xff])]))?.code == .invalid)
  }

  @Test("knowledge that breaks a rule is refused")
  func hostileOpenings() {
    let changes: [(inout HandMessage) -> Void] = [
      { $0.bytes(1, Data(count: 65)) }, { $0.bytes(2, Data(count: 15)) }, { $0.bytes(2, Data(count: 32)) },
      { $0.bytes(2, HandBatch.sender) }, { $0.packed(3, [0]) },
      {
        $0.packed(3, [1])
        $0.packed(4, [0])
        $0.packed(5, [0])
        $0.packed(6, [0])
      },
      {
        $0.packed(3, [0])
        $0.packed(4, [1 << 63])
        $0.packed(5, [0])
        $0.packed(6, [0])
      },
    ]
    for (index, change) in changes.enumerated() {
      var batch = HandBatch()
      batch.header()
      batch.opening(change)
      batch.end(rows: 0)
      #expect(refusal(of: batch.bytes)?.code == .invalid, "change \(index)")
    }
  }

  @Test("frames whose length, kind, zeros or packing lie are refused")
  func hostileFrames() {
    func batch(_ change: (inout HandBatch) -> Void) -> Data {
      var batch = HandBatch()
      batch.header()
      change(&batch)
      return batch.bytes
    }
    #expect(refusal(of: batch { $0.frame(2, Data([0]), length: .max) })?.code == .limitExceeded)
    #expect(refusal(of: batch { $0.frame(2, Data([0]), length: 2) })?.code == .damaged)
    #expect(refusal(of: batch { $0.frame(0, Data([0])) })?.code == .damaged)
    #expect(refusal(of: batch { $0.frame(9, Data([0])) })?.code == .damaged)
    #expect(refusal(of: batch { $0.frame(3, Data([0])) })?.code == .damaged)
    #expect(refusal(of: batch { $0.frame(4, Data([0])) })?.code == .damaged)
    #expect(refusal(of: batch { $0.frame(2, Data([0]), zeros: [0, 1, 0]) })?.code == .damaged)
    #expect(refusal(of: batch { $0.frame(2, Data()) })?.code == .invalid)
    #expect(refusal(of: batch { $0.frame(2, Data([7])) })?.code == .invalid)
    // Compressed, though the header says that nothing is.
    #expect(refusal(of: batch { $0.frame(2, Data([1, 0, 0, 0, 0, 1])) })?.code == .invalid)
    #expect(
      refusal(
        of: batch {
          $0.opening(); $0.end(rows: 1)
        })?.code == .invalid)
    #expect(refusal(of: Data("SQLite format 3".utf8))?.code == .notABatch)
  }

  @Test("compressed messages whose length lies are refused before anything is allocated")
  func hostileCompression() throws {
    var rows = HandRows()
    rows.lengths = [200]
    rows.contents = Data(repeating: 0x78, count: 200)
    let message = rows.message.bytes
    let packed = Packing.pack(message, .zlib)
    try #require(packed.first == 1)
    let stream = packed.dropFirst(5)
    func batch(_ length: UInt32, _ stream: Data) -> Data {
      var batch = HandBatch()
      batch.header { $0.number(7, 1) }
      batch.opening()
      batch.frame(3, [1] + HandBatch.bigEndian(length) + stream)
      batch.end(rows: 1)
      return batch.bytes
    }
    let length = UInt32(message.count)
    #expect(refusal(of: batch(length, Data(stream))) == nil)
    for (length, stream) in [
      (length - 1, stream), (length + 1, stream), (0, stream), (length, stream + [0]), (length, stream.dropLast()),
      (length, Data()), (60 << 20, stream), (length, Data(repeating: 0xff, count: 40)),
    ] {
      #expect(refusal(of: batch(length, Data(stream)))?.code == .invalid, "\(length) of \(stream.count)")
    }
    #expect(refusal(of: batch(60 << 20, Data(stream)))?.message.contains("more than a stream of") == true)
    #expect(refusal(of: batch(65 << 20, Data(stream)))?.code == .limitExceeded)
    #expect(refusal(of: batch(.max, Data(stream)))?.code == .limitExceeded)
  }

  @Test("counts above the limits are refused")
  func limits() {
    let many = HandRows.changed {
      $0.rowShapes = Array(repeating: 0, count: 10)
      $0.causalLengths = Array(repeating: 1, count: 10)
      $0.insertionTimes = Array(repeating: 1, count: 10)
      $0.insertionReplicas = Array(repeating: 0, count: 10)
    }
    #expect(refusal(of: many, limits: BatchLimits(rows: 9))?.code == .limitExceeded)
    #expect(refusal(of: many, limits: BatchLimits(values: 29))?.code == .limitExceeded)
    #expect(refusal(of: many)?.code == .invalid)
    let names = HandRows.changed { $0.names += (0..<10).map { "n\($0)" } }
    #expect(refusal(of: names, limits: BatchLimits(names: 12))?.code == .limitExceeded)
    #expect(refusal(of: names) == nil)
    #expect(refusal(of: HandRows.changed { $0.replicas = Data(count: 32) }, limits: BatchLimits(names: 1)) != nil)
    // Two bytes each in the message, and a key of four thousand million values.
    let key = HandRows.changed { $0.shapeKeyCounts = [UInt64(UInt32.max)] }
    #expect(refusal(of: key)?.code == .limitExceeded)
    let shapes = HandRows.changed { $0.shapeTables = Array(repeating: 0, count: 101) }
    #expect(refusal(of: shapes, limits: BatchLimits(names: 100))?.code == .limitExceeded)
    let integers = HandRows.changed { $0.integers = Array(repeating: 0, count: 1001) }
    #expect(refusal(of: integers, limits: BatchLimits(values: 1000))?.code == .limitExceeded)
  }

  @Test("a row in two frames of a batch is refused if the batch is read as a whole")
  func repeatedRow() {
    var batch = HandBatch()
    batch.header()
    batch.opening()
    batch.frame(3, [0] + HandRows().message.bytes)
    batch.frame(3, [0] + HandRows().message.bytes)
    batch.end(rows: 2)
    #expect(refusal(of: batch.bytes)?.code == .invalid)
  }

  @Test("random bytes in a frame with a right checksum never trap", arguments: 0..<20)
  func randomDamage(seed: Int) throws {
    var random = SplitMix64(seed: UInt64(seed))
    let message = HandRows().message.bytes
    for _ in 0..<200 {
      var changed = message
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        changed[Int.random(in: 0..<changed.count, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
      }
      var batch = HandBatch()
      batch.header()
      batch.opening()
      batch.frame(3, [0] + changed)
      batch.end(rows: 1)
      // Who can make a checksum can also write another batch that obeys all rules; it must then travel on as it is.
      guard let read = try? ChangeBatch(decoding: batch.bytes) else { continue }
      #expect(try ChangeBatch(decoding: read.encoded()) == read, "seed \(seed)")
    }
  }

  @Test("a reader that has thrown throws the same error again, and takes nothing more")
  func failedReader() throws {
    var reader = BatchReader()
    reader.append(Data("nothing".utf8))
    let first = try #require(throws: BatchError.self) { try reader.next() }
    reader.append(try KnownBatch.make().encoded())
    #expect(try #require(throws: BatchError.self) { try reader.next() } == first)
    #expect(try #require(throws: BatchError.self) { try reader.finish() } == first)
  }
}

/// A change of the columns that breaks one rule, and a part of the message that names it.
struct HostileRows: Sendable, CustomTestStringConvertible {
  let expected: String
  let change: @Sendable (inout HandRows) -> Void

  var testDescription: String { expected }

  static let all: [HostileRows] = [
    .init(expected: "a replica is named twice") { $0.replicas += $0.replicas },
    .init(expected: "a replica is named twice") { $0.replicas = HandBatch.sender },
    .init(expected: "16 bytes each") { $0.replicas = Data(count: 17) },
    .init(expected: "a name is there twice") { $0.names = ["T", "a", "a"] },
    .init(expected: "1 to 1024 bytes") { $0.names = ["T", "a", "b", ""] },
    .init(expected: "1 to 1024 bytes") { $0.names = ["T", "a", "b", String(repeating: "x", count: 1025)] },
    .init(expected: "name 3 is meant") { $0.shapeTables = [3] },
    .init(expected: "the columns of the shapes") { $0.shapeTables = [0, 0] },
    .init(expected: "no value") { $0.shapeKeyCounts = [0] },
    .init(expected: "properties of a shape are missing") { $0.shapePropertyCounts = [3] },
    .init(expected: "more properties than the shapes have") { $0.shapePropertyCounts = [1] },
    .init(expected: "aren't sorted") { $0.shapeProperties = [2, 1] },
    .init(expected: "aren't sorted") { $0.shapeProperties = [1, 1] },
    .init(expected: "name 9 is meant") { $0.shapeProperties = [1, 9] },
    .init(expected: "shape 1 is meant") { $0.rowShapes = [1] },
    .init(expected: "the columns of the rows") { $0.rowShapes = [0, 0] },
    .init(expected: "causal length of row 0") { $0.causalLengths = [0] },
    .init(expected: "causal length of row 0") { $0.causalLengths = [1 << 63] },
    .init(expected: "a time of row 0") { $0.insertionTimes = [-1] },
    .init(expected: "a time of row 0") { $0.insertionTimes = [.min] },
    .init(expected: "replica 2 is meant") { $0.insertionReplicas = [2] },
    .init(expected: "the deletion of row 0 is missing") { $0.causalLengths = [2] },
    .init(expected: "more deletions") {
      $0.deletionTimes = [1]
      $0.deletionReplicas = [0]
    },
    .init(expected: "the columns of the deletions") { $0.deletionTimes = [1] },
    .init(expected: "a time of row 0") {
      $0.causalLengths = [2]
      $0.deletionTimes = [-101]
      $0.deletionReplicas = [0]
    },
    .init(expected: "a time of row 0") { $0.writeTimes = [-101] },
    .init(expected: "a time of row 0") { $0.writeTimes = [.max] },
    .init(expected: "replica 7 is meant") { $0.writeReplicas = [7] },
    .init(expected: "before the row was first inserted") { $0.writeLags = [1] },
    .init(expected: "before the row was first inserted") { $0.writeLags = [.max] },
    .init(expected: "more deletions or writes") { $0.writePlaces = [2] },
    .init(expected: "the columns of the deletions or writes") { $0.writePlaces = [0, 1] },
    .init(expected: "two writes are of one property") {
      $0.writePlaces = [1, 0]
      $0.writeTimes = [1, 1]
      $0.writeReplicas = [0, 0]
      $0.writeLags = [0, 0]
    },
    .init(expected: "storage classes for") { $0.classes = Data([0x11]) },
    .init(expected: "storage classes for") { $0.classes = Data([0x11, 0x03, 0]) },
    .init(expected: "after the last value") { $0.classes = Data([0x11, 0x13]) },
    .init(expected: "storage class that doesn't exist") { $0.classes = Data([0x11, 0x05]) },
    .init(expected: "a real is missing") { $0.classes = Data([0x12, 0x03]) },
    .init(expected: "an integer is missing") { $0.integers = [1] },
    .init(expected: "more integers") { $0.integers = [1, 2, 3] },
    .init(expected: "more integers") { $0.reals = Data(count: 8) },
    .init(expected: "isn't protobuf") { $0.reals = Data(count: 7) },
    .init(expected: "more integers") { $0.contents += [0] },
    .init(expected: "more integers") { $0.lengths = [1] },
    .init(expected: "more integers") { $0.lengths = [2, 0] },
    .init(expected: "length of a text or blob is missing") { $0.lengths = [] },
    .init(expected: "longer than the contents") { $0.lengths = [3] },
    .init(expected: "longer than the contents") { $0.lengths = [UInt64(UInt32.max)] },
    .init(expected: "row 1 is there twice") {
      $0.rowShapes = [0, 0]
      $0.causalLengths = [1, 1]
      $0.insertionTimes = [100, 0]
      $0.insertionReplicas = [0, 0]
      $0.classes = Data([0x11, 0x13, 0x31])
      $0.integers = [1, 5, 1, 6]
      $0.lengths = [1, 1]
    },
  ]
}
