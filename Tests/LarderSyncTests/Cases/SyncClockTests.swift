import Foundation
import Larder
import Testing

@testable import LarderSync

@Suite("Sync: clocks that are wrong", .overEachTransport)
struct SyncClockTests {
  private let a: Replica
  private let b: Replica
  private static let day: Int64 = 24 * 60 * 60 * 1000

  init() throws {
    a = try Replica()
    b = try Replica()
  }

  @Test("S18: an answer to a change has the later stamp, although the clock of its device is hours behind")
  func causality() async throws {
    try await a.advanceClock(by: 5 * 60 * 60 * 1000)
    try await a.store.insert(SharedKind(id: "a", title: "A"))
    try await a.exchange(with: b)
    try await b.store.updateAll(SharedKind.all) { $0.title.set("B") }
    try await b.exchange(with: a)
    #expect(try await a.store.find(SharedKind.self, "a")?.title == "B")
    #expect(try await a.store.sync.conflicts().isEmpty)
  }

  @Test("S18: changes from more than a day ahead wait, move no clock, and lose nothing")
  func waiting() async throws {
    try await b.store.insert(SharedKind(id: "now", title: "before the jump"))
    try await b.advanceClock(by: 365 * Self.day)
    try await b.store.insert(SharedKind(id: "early", title: "a year ahead"))
    try await a.exchange(with: b)
    try await a.exchange(with: b)
    #expect(try await a.store.fetch(SharedKind.all).map(\.id) == ["now"])
    let neighbor = try a.neighbor(toward: b)
    let first = neighbor.path == b.path ? a : neighbor
    #expect(try await first.store.sync.waiting().map(\.key) == [["early"]])
    try await a.store.insert(SharedKind(id: "a", title: "A"))
    let written = try #require(try await a.state()[RowKey(table: "SharedKind", key: [.init("a")])])
    #expect(abs(written.stamp.date.timeIntervalSinceNow) < 60)

    // As if the year had passed.
    for replica in [a, first] { try await replica.advanceClock(by: 366 * Self.day) }
    try await a.exchange(with: b)
    try await b.exchange(with: a)
    #expect(try await a.store.sync.waiting().isEmpty)
    #expect(Set(try await a.store.fetch(SharedKind.all).map(\.id)) == ["a", "early", "now"])
    try await expectEqual([a, b])
  }

  @Test("S18: a document that has waited is there, although its collection came with it")
  func waitingDocument() async throws {
    try await b.advanceClock(by: 365 * Self.day)
    try await b.store.documents("plans").save("p", ["text": "t"])
    try await a.exchange(with: b)
    #expect(try await a.store.documents("plans").find("p") == nil)
    for replica in [a, try a.neighbor(toward: b)] where replica.path != b.path {
      try await replica.advanceClock(by: 366 * Self.day)
    }
    try await a.exchange(with: b)
    try await b.exchange(with: a)
    #expect(try await a.store.documents("plans").find("p") == ["text": "t"])
    try await expectEqual([a, b])
  }

  @Test("S18: a clock that jumps back gives no stamp twice")
  func backwards() async throws {
    try await a.store.insert(SharedKind(id: "a", title: "A"))
    try await a.advanceClock(by: Self.day)
    var last = try await a.store.history().changes.map(\.lastWrite).max()
    for number in 0..<20 {
      try await a.store.updateAll(SharedKind.all) { $0.title.set("\(number)") }
      let next = try await a.store.history().changes.map(\.lastWrite).max()
      #expect(try #require(next) > (try #require(last)))
      last = next
    }
  }
}
