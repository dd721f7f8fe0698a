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
}
