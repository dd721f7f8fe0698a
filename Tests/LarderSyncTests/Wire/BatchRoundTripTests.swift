import Foundation
import LarderRandom
import Testing

@testable import LarderSync

@Suite("Batches as bytes: there and back")
struct BatchRoundTripTests {
  @Test("any batch arrives as it was sent, compressed or not", arguments: 0..<60)
  func roundTrip(seed: Int) throws {
    var random = RandomBatch(seed: UInt64(seed))
    let count = random.element([0, 1, 2, 40], or: 1)
    let batch = random.batch(rowCount: count)
    for compression in BatchCompression.allCases {
      let bytes = try batch.encoded(compression: compression)
      #expect(try ChangeBatch(decoding: bytes) == batch, "seed \(seed)")
    }
  }

  @Test("any batch arrives in any chunks and frames, with the same rows", arguments: 100..<130)
  func chunks(seed: Int) throws {
    var random = RandomBatch(seed: UInt64(seed))
    let batch = random.batch(rowCount: 50)
    let header = BatchHeader(since: batch.since, upTo: batch.upTo, recipient: batch.recipient, isLast: batch.isLast)
    let opening = BatchOpening(modelsDigest: batch.modelsDigest, knowledge: batch.knowledge, names: batch.names)
    var writer = try BatchWriter(header, opening, compression: .zlib, frameSize: random.number(1...2000))
    var bytes = Data()
    for row in batch.rows { bytes += try writer.append(row) ?? Data() }
    bytes += try writer.finish()

    var reader = BatchReader()
    var parts: [BatchPart] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let chunk = rest.prefix(random.number(1...400))
      rest = rest.dropFirst(chunk.count)
      reader.append(chunk)
      while let part = try reader.next() { parts.append(part) }
    }
    try reader.finish()
    #expect(parts.first == .header(header), "seed \(seed)")
    #expect(
      parts.dropFirst().first
        == .opening(modelsDigest: batch.modelsDigest, knowledge: batch.knowledge, names: batch.names))
    #expect(parts.last == .end)
    let rows = parts.flatMap { part -> [RowState] in
      if case .rows(let rows) = part { rows } else { [] }
    }
    #expect(rows == batch.rows, "seed \(seed)")
  }

  @Test("the payload of a NaN, a negative zero, invalid UTF-8 and zero bytes arrive bit for bit")
  func bits() throws {
    var random = RandomBatch(seed: 1)
    let values: [ReplicatedValue] = [
      .real(Double(bitPattern: 0x7ff0_0000_0000_0001)), .real(Double(bitPattern: 0xfff8_1234_5678_9abc)), .real(-0.0),
      .text(Data([0xff, 0xc0, 0x80, 0, 0xed, 0xa0, 0x80])), .text(Data([0])), .blob(Data()), .text(Data()), .null,
      .integer(.min),
    ]
    let stamp = random.stamp()
    let row = RowState(
      table: "T", key: values, causalLength: 1, stamp: stamp, insertion: stamp,
      properties: values.enumerated().map {
        PropertyState(name: "p\($0.offset)", value: $0.element, stamp: stamp, causalLength: 1)
      })
    var batch = random.batch(rowCount: 0)
    batch = ChangeBatch(
      since: batch.since, upTo: batch.upTo, recipient: nil, isLast: true, modelsDigest: Data(), rows: [row],
      knowledge: [])
    #expect(try ChangeBatch(decoding: batch.encoded()).rows == [row])
  }

  @Test("a change of one property takes little more than its values")
  func small() throws {
    let (sender, other) = (ReplicaID(), ReplicaID())
    let insertion = try #require(Stamp(milliseconds: 1_700_000_000_000, counter: 0, replica: other))
    let write = try #require(Stamp(milliseconds: 1_700_000_900_000, counter: 3, replica: sender))
    let row = RowState(
      table: "Note", key: [.blob(other.bytes)], causalLength: 1, stamp: insertion, insertion: insertion,
      properties: [
        PropertyState(name: "text", value: .text(Data("Hello".utf8)), stamp: insertion, causalLength: 1),
        PropertyState(name: "title", value: .text(Data("World".utf8)), stamp: write, causalLength: 1),
      ])
    let batch = ChangeBatch(
      since: ChangeCursor(replica: sender, position: 100), upTo: ChangeCursor(replica: sender, position: 101),
      recipient: other, isLast: true, modelsDigest: Data(count: 32), rows: [row], knowledge: [])
    let size = try batch.encoded().count
    #expect(size < 320)
    let thousand = ChangeBatch(
      since: batch.since, upTo: batch.upTo, recipient: other, isLast: true, modelsDigest: Data(count: 32),
      rows: (0..<1000).map { index in
        RowState(
          table: "Note", key: [.blob(Data((0..<16).map { UInt8(truncatingIfNeeded: index >> ($0 % 8)) }))],
          causalLength: 1, stamp: insertion, insertion: insertion, properties: row.properties)
      }, knowledge: [])
    // 26 bytes of key and texts, and the rest is less than as much again.
    #expect(try thousand.encoded(compression: .off).count - size < 1000 * 52)
  }

  @Test("the bytes of a known batch stay as they are")
  func knownAnswer() throws {
    // Written down when the format was made. A change here is a new version of the format.
    let expected = [
      "894c53590d0a1a0a010000000000002c84f2ed50849dfeff080112100a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a1a100b0b0b0b0b0b",
      "0b0b0b0b0b0b0b0b0b0b2029282c3001020000000000002b87bc6f4dedbc10e0000a02dead12100c0c0c0c0c0c0c0c0c0c0c0c0c",
      "0c0c0c1a01002209828080c0d6fcf3c5012a010132014d03000000000000c65dab5cc895ca88a8000a100c0c0c0c0c0c0c0c0c0c",
      "0c0c0c0c0c0c12044e6f746512047465787412057469746c651205766965777312084e6f74655f5461671a020004220201022a02",
      "030032030102033a0300010042030302014a1084808080adf9e78b030080808092f40152030000015a0680808092f4016201016a",
      "020101720c80808092f40180808092f4017a02010182010200018a0105331413031292010d03d804feffffffffffffffff019a01",
      "08000000000000f83fa201050201020202aa01096e31ff01026e316e32040000000000000396ba5d38f2e3ea9f000803",
    ].joined()
    let batch = try KnownBatch.make()
    let bytes = try batch.encoded(compression: .off)
    #expect(bytes.map { String(format: "%02x", $0) }.joined() == expected)
    #expect(try ChangeBatch(decoding: bytes) == batch)
  }

  @Test("a row that contradicts itself isn't written")
  func invalidRows() throws {
    let batch = try KnownBatch.make()
    let row = try #require(batch.rows.first)
    let later = try #require(Stamp(time: row.insertion.time + 1, replica: row.insertion.replica))
    func property(_ name: String, _ length: Int64 = 1) -> PropertyState {
      PropertyState(name: name, value: .null, stamp: row.stamp, causalLength: length)
    }
    func changed(
      table: String = "T", key: [ReplicatedValue] = [.null], length: Int64 = 1, stamp: Stamp? = nil,
      _ properties: [PropertyState] = []
    ) -> RowState {
      RowState(
        table: table, key: key, causalLength: length, stamp: stamp ?? row.insertion, insertion: row.insertion,
        properties: properties)
    }
    let wrong = [
      changed(table: ""), changed(table: String(repeating: "x", count: 1025)), changed(key: []), changed(length: 0),
      changed(length: -1), changed(stamp: later), changed([property("b"), property("a")]),
      changed([property("a"), property("a")]), changed([property("a", 2)]), changed([property("a", 3)]),
      changed([property("a", 0)]), changed([property("")]),
    ]
    func refusal(of rows: [RowState]) throws -> BatchError? {
      let header = BatchHeader(since: batch.since, upTo: batch.upTo, recipient: nil, isLast: true)
      var writer = try BatchWriter(header, modelsDigest: Data(), knowledge: [])
      do {
        for row in rows { _ = try writer.append(row) }
        return nil
      } catch let error as BatchError {
        return error
      }
    }
    for (index, row) in wrong.enumerated() {
      #expect(try refusal(of: [row])?.code == .invalidValue, "row \(index)")
    }
    #expect(try refusal(of: [changed()]) == nil)
    #expect(try refusal(of: [changed(), changed()])?.code == .invalidValue)
  }

  @Test("cursors of two replicas, and an end before the beginning, aren't written")
  func invalidHeaders() throws {
    let (one, two) = (ReplicaID(), ReplicaID())
    for (since, upTo) in [
      (ChangeCursor(replica: one, position: 0), ChangeCursor(replica: two, position: 1)),
      (ChangeCursor(replica: one, position: 2), ChangeCursor(replica: one, position: 1)),
      (ChangeCursor(replica: one, position: -1), ChangeCursor(replica: one, position: 1)),
    ] {
      let header = BatchHeader(since: since, upTo: upTo, recipient: nil, isLast: true)
      #expect { _ = try BatchWriter(header, modelsDigest: Data(), knowledge: []) } throws: {
        ($0 as? BatchError)?.code == .invalidValue
      }
    }
  }
}

/// A small batch in which everything occurs.
enum KnownBatch {
  static func make() throws -> ChangeBatch {
    func replica(_ byte: UInt8) throws -> ReplicaID { try #require(ReplicaID(Data(repeating: byte, count: 16))) }
    let (sender, other, third) = (try replica(0xa), try replica(0xb), try replica(0xc))
    func stamp(_ milliseconds: UInt64, _ replica: ReplicaID) throws -> Stamp {
      try #require(Stamp(milliseconds: milliseconds, counter: 2, replica: replica))
    }
    let insertion = try stamp(1_700_000_000_000, sender)
    let later = try stamp(1_700_000_500_000, third)
    let rows = [
      RowState(
        table: "Note", key: [.text(Data("n1".utf8))], causalLength: 3, stamp: insertion, insertion: insertion,
        properties: [
          PropertyState(name: "text", value: .text(Data([0xff])), stamp: insertion, causalLength: 3),
          PropertyState(name: "title", value: .blob(Data([1, 2])), stamp: later, causalLength: 3),
          PropertyState(name: "views", value: .integer(-2), stamp: later, causalLength: 1),
        ]),
      RowState(
        table: "Note_Tag", key: [.text(Data("n1".utf8)), .integer(300)], causalLength: 2, stamp: later,
        insertion: insertion, properties: []),
      RowState(
        table: "Note", key: [.text(Data("n2".utf8))], causalLength: 1, stamp: later, insertion: later,
        properties: [
          PropertyState(name: "text", value: .null, stamp: later, causalLength: 1),
          PropertyState(name: "title", value: .real(1.5), stamp: later, causalLength: 1),
          PropertyState(name: "views", value: .integer(.max), stamp: later, causalLength: 1),
        ]),
    ]
    return ChangeBatch(
      since: ChangeCursor(replica: sender, position: 41), upTo: ChangeCursor(replica: sender, position: 44),
      recipient: other, isLast: true, modelsDigest: Data([0xde, 0xad]), rows: rows,
      knowledge: [Knowledge(replica: sender, since: insertion.time, origin: third, upTo: 77)])
  }
}
