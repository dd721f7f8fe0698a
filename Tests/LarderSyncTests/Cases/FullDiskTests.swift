import Foundation
import Larder
import Testing

@testable import LarderSync

@Suite("Sync: a disk that is full in the middle of an exchange", .overEachTransport)
struct FullDiskTests {
  private let a: Replica
  private let b: Replica
  private static let count = 1700

  init() throws {
    (a, b) = (try Replica(), try Replica())
  }

  @Test(
    "S19: the store is as before the transaction that had no room, keeps those before it, and goes on when there is room",
    arguments: [false, true])
  func exchange(isBegunByOther: Bool) async throws {
    let text = String(repeating: "t", count: 1000)
    try await b.store.insert((0..<Self.count).map { SharedKind(id: "\($0)", title: text) })
    try await a.store.insert(SharedPage(id: "mine"))
    let sent = try await b.state()
    // 500 rows, which are one transaction, need about 150 pages.
    try await a.store.setRoom(400)
    let error = await #expect(throws: StoreError.self) {
      if isBegunByOther { try await b.exchange(with: a) } else { try await a.exchange(with: b) }
    }
    #expect(error?.code == .diskFull)

    let arrived = try await a.store.count(SharedKind.all)
    #expect(arrived == 1000)
    let state = try await a.state().filter { $0.key.table == "SharedKind" }
    #expect(state.count == arrived)
    #expect(state.allSatisfy { sent[$0.key] == $0.value })
    #expect(try await a.shownRows() == a.expectedRows())
    #expect(try await a.store.check().isHealthy)
    #expect(try await a.store.find(SharedPage.self, "mine") != nil)
    // Nothing counts as received that isn't there.
    let neighbor = try a.neighbor(toward: b)
    let cursor = try await a.store.sync.cursor(of: neighbor.store.sync.replica())
    let rest = try await neighbor.store.sync.changes(after: cursor, for: a.store.sync.replica(), limit: 10_000)
    #expect(rest.rows.filter { $0.table == "SharedKind" }.count >= Self.count - arrived)

    try await a.store.setRoom(nil)
    try await a.exchange(with: b)
    try await b.exchange(with: a)
    try await expectEqual([a, b])
    #expect(try await a.store.count(SharedKind.all) == Self.count)
  }
}
