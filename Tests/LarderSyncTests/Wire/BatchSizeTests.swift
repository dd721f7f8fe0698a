import Foundation
import Larder
import Testing

@testable import LarderSync

@Suite("Sync: the size of batches")
struct BatchSizeTests {
  @Test("a batch ends before it is too large for who reads it, and a large row has one of its own")
  func largeRows() async throws {
    let (a, b) = (try Replica(), try Replica())
    let account = SharedAccount(name: "Cash")
    try await a.store.insert(account)
    for size in [6, 6, 6, 20, 1, 1] {
      let receipt = Data(repeating: 7, count: size << 20)
      try await a.store.insert(SharedCost(amount: size, receipt: receipt, account: ToOne(account)))
    }
    var cursor = ChangeCursor(replica: try await a.store.sync.replica(), position: 0)
    var counts: [Int] = []
    while true {
      let batch = try await a.store.sync.changes(after: cursor, for: ReplicaID(), limit: 500)
      counts.append(batch.rows.count)
      #expect(batch.rows.count == 1 || batch.rows.map(\.size).reduce(0, +) <= 16 << 20)
      cursor = batch.upTo
      if batch.isLast { break }
    }
    #expect(counts == [3, 1, 1, 2])
    try await b.exchange(with: a)
    try await expectEqual([a, b])
  }

  @Test("as many rows are handed out as are asked for", arguments: [1, 3, 15, 16, 17, 40, Int.max])
  func limits(limit: Int) async throws {
    let a = try Replica()
    try await a.store.insert((0..<40).map { SharedKind(id: "\($0)", title: "t") })
    var cursor = ChangeCursor(replica: try await a.store.sync.replica(), position: 0)
    var rows: [RowState] = []
    while true {
      let batch = try await a.store.sync.changes(after: cursor, for: ReplicaID(), limit: limit)
      #expect(batch.rows.count == min(limit, 40 - rows.count))
      rows += batch.rows
      cursor = batch.upTo
      if batch.isLast { break }
    }
    #expect(Set(rows.map(\.rowKey)).count == 40 && rows.count == 40)
  }

  /// Rows of 21 values each, of which all but the keys are null.
  private func emptyRows(_ count: Int) throws -> [RowState] {
    let stamp = try #require(Stamp(time: 1, replica: ReplicaID()))
    let properties = (10..<30).map {
      PropertyState(name: "p\($0)", value: .null, stamp: stamp, causalLength: 1)
    }
    return (0..<count).map { number in
      RowState(
        table: "T", key: [.integer(Int64(number))], causalLength: 1, stamp: stamp, insertion: stamp,
        properties: properties)
    }
  }

  @Test("S22: a batch that is small as bytes and large in memory is refused as a whole, and read in parts")
  func sizeInMemory() throws {
    let rows = try emptyRows(1000)
    let bytes = try Messages().batch(rows).encoded()
    #expect(bytes.count < 100_000)
    let error = refusal(of: bytes, limits: BatchLimits(wholeSize: 1 << 20))
    #expect(error?.code == .limitExceeded)
    #expect(error?.message.contains("BatchLimits.wholeSize") == true)
    #expect(refusal(of: bytes, limits: BatchLimits(wholeSize: 4 << 20)) == nil)
    var reader = BatchReader(limits: BatchLimits(wholeSize: 1 << 20))
    reader.append(bytes)
    var count = 0
    while let part = try reader.next() {
      if case .rows(let rows) = part { count += rows.count }
    }
    try reader.finish()
    #expect(count == rows.count)
  }

  @Test("S22: the size in memory is that of all frames of a batch")
  func sizeOfFrames() throws {
    func bytes(frames: Int) -> Data {
      var batch = HandBatch()
      batch.header()
      batch.opening()
      for key in 0..<frames {
        var rows = HandRows()
        rows.integers = [Int64(key), 5]
        batch.frame(3, [0] + rows.message.bytes)
      }
      batch.end(rows: UInt64(frames))
      return batch.bytes
    }
    // A row with three values, and a message of about 100 bytes.
    let limits = BatchLimits(wholeSize: 1500)
    #expect(refusal(of: bytes(frames: 2), limits: limits) == nil)
    #expect(refusal(of: bytes(frames: 4), limits: limits)?.code == .limitExceeded)
  }

  @Test("long texts, lost values and contributions to counters count")
  func otherValues() throws {
    let stamp = try #require(Stamp(time: 1, replica: ReplicaID()))
    func row(
      _ value: ReplicatedValue = .null, contributions: [Contribution] = [], losses: [LostValue] = []
    ) -> RowState {
      RowState(
        table: "T", key: [.integer(1)], causalLength: 1, stamp: stamp, insertion: stamp,
        properties: [PropertyState(name: "a", value: value, stamp: stamp, causalLength: 1)],
        contributions: contributions, losses: losses)
    }
    let plain = row().sizeInMemory
    #expect(row(.init("short")).sizeInMemory == plain)
    #expect(row(.init("longer than fourteen bytes")).sizeInMemory > plain)
    #expect(row(losses: [LostValue(property: "a", stamp: stamp, value: .integer(1))]).sizeInMemory > plain)
    let contribution = Contribution(
      property: "a", stamp: stamp, causalLength: 1, amount: CounterAmount(high: 0, low: 1))
    #expect(row(contributions: [contribution]).sizeInMemory > plain)
  }
}
