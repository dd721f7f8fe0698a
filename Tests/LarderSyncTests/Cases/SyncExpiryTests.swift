import Foundation
import Larder
import LarderTestSupport
import Synchronization
import Testing

@testable import LarderSync

@Model(expires: true)
private struct Lot: Hashable {
  var id: String
  var price: Int
}

@Model
private struct Bid: Hashable {
  var id: String
  @Relationship(deleteRule: .deny) var lot: ToOne<Lot>?
}

/// A clock that a test sets.
private final class SetClock: Sendable {
  private let time: Mutex<Date>

  init(_ time: Date) {
    self.time = Mutex(time)
  }

  var now: Date { time.withLock { $0 } }

  func advance(by seconds: Double) { time.withLock { $0 += seconds } }
}

@Suite("Sync: expiry by the clock of the store", .overEachTransport)
struct SyncExpiryTests {
  private let a: Replica
  private let b: Replica
  private let clock: SetClock
  private let start: Date

  /// Both clocks are years behind that of the system.
  init() throws {
    let start = Date(timeIntervalSinceReferenceDate: 1000)
    let clock = SetClock(start)
    (self.start, self.clock) = (start, clock)
    var first = Store.Configuration(now: { clock.now })
    first.sync = .on
    var second = Store.Configuration(now: { start })
    second.sync = .on
    a = try Replica([Lot.self, Bid.self], configuration: first)
    b = try Replica([Lot.self, Bid.self], configuration: second)
  }

  @Test("S13: what the store's clock lets expire sends nothing, and the extension from elsewhere brings it back")
  func extended() async throws {
    try await a.store.save(Lot(id: "l", price: 5), expires: start + 10)
    try await a.exchange(with: b)
    clock.advance(by: 3600)
    let cursor = try await a.store.history().cursor
    // The store's own sweep may have come first.
    _ = try await a.store.removeExpired()
    #expect(try await a.store.history(after: cursor).changes.isEmpty)
    #expect(try await b.store.setExpiry(of: Lot.self, "l", to: start + 7200))
    try await a.exchange(with: b)
    #expect(try await a.store.find(Lot.self, "l")?.price == 5)
    #expect(try await b.store.find(Lot.self, "l")?.price == 5)
  }

  @Test("S13: a row that someone deletes before it expires is deleted everywhere, whatever the system's clock says")
  func deleted() async throws {
    try await a.store.save(Lot(id: "l", price: 5), expires: start + 10)
    try await a.exchange(with: b)
    try await a.store.deleteAll(Lot.all)
    try await a.exchange(with: b)
    #expect(try await b.store.count(Lot.all) == 0)
  }

  @Test("S13: an expired document sends nothing either")
  func document() async throws {
    try await a.store.documents("lots").save("l", ["price": 5], expires: start + 10)
    try await a.exchange(with: b)
    clock.advance(by: 3600)
    _ = try await a.store.removeExpired()
    try await a.exchange(with: b)
    #expect(try await b.store.documents("lots").find("l") == ["price": 5])
    #expect(try await b.store.documents("lots").setExpiry(of: "l", to: start + 7200))
    try await a.exchange(with: b)
    #expect(try await a.store.documents("lots").find("l") == ["price": 5])
  }

  @Test("S13: that something no longer expires is a change like others")
  func unlimited() async throws {
    try await a.store.save(Lot(id: "l", price: 5), expires: start + 10)
    try await a.store.documents("lots").save("l", ["price": 5], expires: start + 10)
    try await a.exchange(with: b)
    #expect(try await b.store.setExpiry(of: Lot.self, "l", to: nil))
    #expect(try await b.store.documents("lots").setExpiry(of: "l", to: nil))
    try await a.exchange(with: b)
    clock.advance(by: 3600)
    _ = try await a.store.removeExpired()
    for replica in [a, b] {
      #expect(try await replica.store.find(Lot.self, "l")?.price == 5)
      #expect(try await replica.store.documents("lots").find("l") == ["price": 5])
    }
    try await expectEqual([a, b])
  }

  @Test("S13: what has expired and wasn't removed yet is shown nowhere, whether it comes by an exchange or by a file")
  func arrived() async throws {
    try await a.store.save(Lot(id: "l", price: 5), expires: start + 10)
    try await a.store.documents("lots").save("l", ["price": 5], expires: start + 10)
    // What shows that something arrives.
    try await a.store.save(Lot(id: "m", price: 6))
    try await a.store.documents("lots").save("m", ["price": 6])
    clock.advance(by: 3600)
    var late = Store.Configuration(now: { [start] in start + 3600 })
    late.sync = .on
    let (c, d) = (
      try Replica([Lot.self, Bid.self], configuration: late), try Replica([Lot.self, Bid.self], configuration: late)
    )
    try await a.exchange(with: c)
    let file = a.folder.file("changes")
    try await a.store.sync.export(to: file)
    try await d.store.sync.import(from: file)
    for replica in [c, d] {
      #expect(try await replica.store.fetch(Lot.all).map(\.id) == ["m"])
      #expect(try await replica.store.find(Lot.self, "l") == nil)
      #expect(try await replica.store.documents("lots").find("l") == nil)
      #expect(try await replica.store.documents("lots").keys() == ["m"])
    }
  }

  @Test("S13: a conflict of a row that has expired since is no longer in the list")
  func expiredConflict() async throws {
    try await a.store.save(Lot(id: "l", price: 5), expires: start + 10)
    try await a.exchange(with: b)
    try await a.store.updateAll(Lot.all) { $0.price.set(6) }
    try await b.setClock(past: a)
    try await b.store.updateAll(Lot.all) { $0.price.set(7) }
    for _ in 0..<2 { try await a.exchange(with: b) }
    let conflict = try #require(try await a.store.sync.conflicts().first)
    clock.advance(by: 3600)
    // The store's own sweep may have come first.
    _ = try await a.store.removeExpired()
    #expect(try await a.store.sync.conflicts().isEmpty)
    var error = await #expect(throws: StoreError.self) { try await a.store.sync.restore(conflict) }
    #expect(error?.code == .notFound)
    error = await #expect(throws: StoreError.self) { try await a.store.sync.dismiss(conflict) }
    #expect(error?.code == .notFound)
    #expect(try await a.store.find(Lot.self, "l") == nil)
    #expect(try await a.store.sync.setAside().isEmpty)
    #expect(try await a.state().isEmpty)
  }

  @Test("S13: an expired row that a reference keeps stays as it was for others")
  func kept() async throws {
    try await a.store.save(Lot(id: "l", price: 5), expires: start + 10)
    try await a.store.insert(Bid(id: "b", lot: ToOne("l")))
    try await a.exchange(with: b)
    clock.advance(by: 3600)
    #expect(try await a.store.removeExpired() == 0)
    let state = try await a.state()
    #expect(try await b.state() == state)
    #expect(try await b.store.setExpiry(of: Lot.self, "l", to: start + 7200))
    try await a.exchange(with: b)
    #expect(try await a.store.find(Lot.self, "l")?.price == 5)
    #expect(try await a.state() == b.state())
  }
}
