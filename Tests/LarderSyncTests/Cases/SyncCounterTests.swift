import Foundation
import Larder
import LarderRandom
import LarderTestSupport
import Testing

@testable import LarderSync

@Model("Visit")
private struct PlainVisit: Hashable {
  var id: String
  var count = 0
}

@Model("Visit")
private struct CountedVisit: Hashable {
  var id: String
  @Attribute(.counter) var count = 0
}

@Model("Ballot")
private struct CountedBallot: Hashable {
  var id: String
  @Attribute(.unique) var name: String
  @Attribute(.counter) var votes = 0
}

@Suite("Sync: counters", .overEachTransport)
struct SyncCounterTests {
  private let a: Replica
  private let b: Replica

  init() throws {
    a = try Replica()
    b = try Replica()
  }

  private func meet(_ others: Replica...) async throws {
    for _ in 0..<2 {
      for replica in [a, b] + others {
        for other in [a, b] + others where other.path != replica.path { try await replica.exchange(with: other) }
      }
    }
    try await expectEqual([a, b] + others)
  }

  private func views(_ replica: Replica) async throws -> Int? {
    try await replica.store.find(SharedPage.self, "home")?.views
  }

  @Test("S12: what replicas add apart is added up, whichever verb adds it, and nothing is in conflict")
  func sum() async throws {
    let c = try Replica()
    try await a.store.insert(SharedPage(id: "home", views: 10))
    try await meet(c)
    var page = try #require(try await a.store.find(SharedPage.self, "home"))
    page.views += 1
    try await a.store.save(page)
    try await b.store.updateAll(SharedPage.all) { $0.views.increment(by: 1) }
    try c.executeOutside("UPDATE SharedPage SET views = views - 5, title = 'Shell'")
    try await meet(c)
    #expect(try await views(b) == 7)
    #expect(try await a.store.sync.conflicts().isEmpty)
    try await b.store.updateAll(SharedPage.all) { $0.views.set(0) }
    try await meet(c)
    #expect(try await views(a) == 0)
  }

  @Test("S12: a row that is set aside is listed with what its counters come to")
  func setAside() async throws {
    let (c, d) = (try Replica([CountedBallot.self]), try Replica([CountedBallot.self]))
    try await c.store.insert(CountedBallot(id: "1", name: "Ada", votes: 3))
    try await d.setClock(past: c)
    try await d.store.insert(CountedBallot(id: "2", name: "Ada", votes: 4))
    try await d.store.updateAll(CountedBallot.all) { $0.votes.increment(by: 1) }
    for _ in 0..<2 {
      try await c.exchange(with: d)
      try await d.exchange(with: c)
    }
    for replica in [c, d] {
      #expect(try await replica.store.sync.setAside().map(\.properties) == [["name": "Ada", "votes": 5]])
    }
  }

  @Test("S12: a row that is saved over one that is set aside shows the number that it was saved with")
  func savedOverSetAside() async throws {
    let (c, d) = (try Replica([CountedBallot.self]), try Replica([CountedBallot.self]))
    try await c.store.insert(CountedBallot(id: "1", name: "Ada", votes: 3))
    try await d.setClock(past: c)
    try await d.store.insert(CountedBallot(id: "2", name: "Ada", votes: 5))
    for _ in 0..<2 { for (one, other) in [(c, d), (d, c)] { try await one.exchange(with: other) } }
    try await c.store.insert(CountedBallot(id: "2", name: "Bob", votes: 1))
    for _ in 0..<2 { for (one, other) in [(c, d), (d, c)] { try await one.exchange(with: other) } }
    try await expectEqual([c, d])
    #expect(try await d.store.find(CountedBallot.self, "2")?.votes == 1)
  }

  @Test("S12, S20: a statement that changes the key and a counter counts once")
  func keyAndCounter() async throws {
    try await a.store.insert(SharedPage(id: "home", views: 10))
    try await meet()
    try a.executeOutside("UPDATE SharedPage SET id = 'away', views = views + 1 WHERE id = 'home'")
    try await meet()
    #expect(try await b.store.find(SharedPage.self, "away")?.views == 11)
  }

  @Test("S12: both insert the row and count in it")
  func insertions() async throws {
    try await a.store.save(SharedPage(id: "home", views: 1))
    try await b.store.save(SharedPage(id: "home", views: 1))
    try await meet()
    #expect(try await views(a) == 2)
  }

  @Test("S12: a sum out of the type's range shows the bound, and comes back unharmed")
  func bounds() async throws {
    try await a.store.insert(SharedPage(id: "home", views: .max - 1, stars: 100))
    try await meet()
    for replica in [a, b] {
      try await replica.store.updateAll(SharedPage.all) {
        $0.views.increment(by: 1)
        $0.stars.increment(by: 20)
      }
    }
    try await meet()
    #expect(try await a.store.find(SharedPage.self, "home") == SharedPage(id: "home", views: .max, stars: 127))
    try await a.store.updateAll(SharedPage.all) {
      $0.views.increment(by: -3)
      $0.stars.increment(by: -30)
    }
    try await meet()
    #expect(try await b.store.find(SharedPage.self, "home") == SharedPage(id: "home", views: .max - 2, stars: 110))
  }

  @Test("S12: from one end of the range to the other, nothing is rounded")
  func extremes() async throws {
    try await a.store.insert(SharedPage(id: "home", views: .min))
    try await meet()
    try await a.store.updateAll(SharedPage.all) { $0.views.set(.max) }
    try await b.store.updateAll(SharedPage.all) { $0.views.set(.min + 7) }
    try await meet()
    #expect(try await views(a) == .max)
    try await a.store.updateAll(SharedPage.all) { $0.views.set(.max - 7) }
    try await meet()
    #expect(try await views(b) == .max)
    try await b.store.updateAll(SharedPage.all) { $0.views.set(.max - 1) }
    try await meet()
    #expect(try await views(a) == .max - 1)
  }

  @Test("S12: a row that is deleted and inserted again counts anew")
  func reinsertion() async throws {
    try await a.store.insert(SharedPage(id: "home", views: 10))
    try await meet()
    try await b.store.updateAll(SharedPage.all) { $0.views.increment(by: 5) }
    try await a.store.deleteAll(SharedPage.all)
    try await a.store.insert(SharedPage(id: "home", views: 1))
    try await meet()
    #expect(try await views(b) == 1)
    try await b.store.updateAll(SharedPage.all) { $0.views.increment(by: 1) }
    try await meet()
    #expect(try await views(a) == 2)
  }

  @Test("S12: what was added to a row that was inserted again elsewhere is in conflict, and one call adds it again")
  func lostAddition() async throws {
    try await a.store.insert(SharedPage(id: "home", views: 10))
    try await meet()
    try await b.store.updateAll(SharedPage.all) {
      $0.views.increment(by: 5)
      $0.stars.increment(by: -2)
    }
    try await a.store.deleteAll(SharedPage.all)
    try await a.store.insert(SharedPage(id: "home", views: 1))
    try await meet()
    // What is counted in the new row decides nothing about the old one.
    try await b.store.updateAll(SharedPage.all) { $0.views.increment(by: 1) }
    try await meet()
    for replica in [a, b] {
      let conflicts = try await replica.store.sync.conflicts()
      #expect(Set(conflicts.map(\.kind)) == [.value(property: "views"), .value(property: "stars")])
      let conflict = try #require(conflicts.first { $0.kind == .value(property: "views") })
      #expect(conflict.lost == 5 && conflicts.allSatisfy(\.isAddition))
      #expect(conflict.current == 2)
      #expect(conflict.lostStamp.replica == (try await b.store.sync.replica()))
      #expect(conflict.currentStamp.replica == (try await a.store.sync.replica()))
    }
    for conflict in try await a.store.sync.conflicts() { try await a.store.sync.restore(conflict) }
    try await meet()
    #expect(try await b.store.find(SharedPage.self, "home") == SharedPage(id: "home", views: 7, stars: -2))
    for replica in [a, b] { #expect(try await replica.store.sync.conflicts().isEmpty) }
  }

  @Test("S12: what was known to who inserted the row again isn't in conflict, and what is dismissed isn't added")
  func knownAddition() async throws {
    try await a.store.insert(SharedPage(id: "home", views: 10))
    try await meet()
    try await b.store.updateAll(SharedPage.all) { $0.views.increment(by: 5) }
    try await meet()
    try await a.store.deleteAll(SharedPage.all)
    try await a.store.insert(SharedPage(id: "home", views: 1))
    try await meet()
    for replica in [a, b] { #expect(try await replica.store.sync.conflicts().isEmpty) }
    try await b.store.updateAll(SharedPage.all) { $0.views.increment(by: 3) }
    try await a.store.deleteAll(SharedPage.all)
    try await a.store.insert(SharedPage(id: "home", views: 2))
    try await meet()
    let conflict = try #require(try await b.store.sync.conflicts().first)
    #expect(conflict.lost == 3)
    try await b.store.sync.dismiss(conflict)
    try await meet()
    #expect(try await views(a) == 2)
    #expect(try await a.store.sync.conflicts().isEmpty)
  }

  @Test("S12: who hears of a part of what was added lists all of it once")
  func partlyHeard() async throws {
    let c = try Replica()
    try await a.store.insert(SharedPage(id: "home", views: 10))
    try await meet(c)
    try await b.store.updateAll(SharedPage.all) { $0.views.increment(by: 5) }
    try await b.exchange(with: c)
    try await b.store.updateAll(SharedPage.all) { $0.views.increment(by: 3) }
    try await a.store.deleteAll(SharedPage.all)
    try await a.store.insert(SharedPage(id: "home", views: 1))
    try await meet(c)
    for replica in [a, b, c] { #expect(try await replica.store.sync.conflicts().map(\.lost) == [8]) }
    try await c.store.sync.restore(try #require(try await c.store.sync.conflicts().first))
    try await meet(c)
    #expect(try await views(a) == 9)
    for replica in [a, b, c] { #expect(try await replica.store.sync.conflicts().isEmpty) }
  }

  @Test("S12: of a row that was brought back, only what was added since is in conflict")
  func additionToRestored() async throws {
    try await a.store.insert(SharedPage(id: "home", views: 10))
    try await meet()
    try await b.store.updateAll(SharedPage.all) { $0.views.increment(by: 5) }
    try await a.store.deleteAll(SharedPage.all)
    try await a.store.sync.import(from: b.store.sync.export(to: b.folder.file("changes")).url)
    try await a.store.sync.restore(try #require(try await a.store.sync.conflicts().first))
    #expect(try await views(a) == 15)
    try await b.store.updateAll(SharedPage.all) { $0.views.increment(by: 3) }
    try await meet()
    for replica in [a, b] { #expect(try await replica.store.sync.conflicts().map(\.lost) == [3]) }
    try await b.store.sync.restore(try #require(try await b.store.sync.conflicts().first))
    try await meet()
    #expect(try await views(a) == 18)
  }

  @Test("S12: a row that both bring back has its count once, and a count was a change of the deleted row")
  func restoration() async throws {
    try await a.store.insert(SharedPage(id: "home", views: 10))
    try await meet()
    try await a.store.deleteAll(SharedPage.all)
    try await b.store.updateAll(SharedPage.all) { $0.views.increment(by: 5) }
    try await meet()
    for replica in [a, b] {
      try await replica.store.sync.restore(try #require(try await replica.store.sync.conflicts().first))
    }
    try await meet()
    #expect(try await views(a) == 15)
  }

  @Test("S12, S17: a copy of the file counts for itself, and what was counted before counts once")
  func copies() async throws {
    try await b.store.insert(SharedPage(id: "home", views: 3))
    try await a.exchange(with: b)
    try await b.store.updateAll(SharedPage.all) { $0.views.increment(by: 4) }
    try await a.exchange(with: b)
    let folder = try TemporaryFolder()
    try await b.store.backup(to: folder.file("test.larder"))
    let c = try Replica(folder: folder)
    try await b.store.updateAll(SharedPage.all) { $0.views.increment(by: 10) }
    try await c.store.updateAll(SharedPage.all) { $0.views.increment(by: 100) }
    try await c.store.insert(SharedPage(id: "other", views: 2))
    try await meet(c)
    #expect(try await views(a) == 117)
    #expect(try await a.store.find(SharedPage.self, "other")?.views == 2)
  }

  @Test("S12, S16, S17: what a property had before it became a counter counts once in a copy that has counted since")
  func copyOfAdopted() async throws {
    let old = try Replica([PlainVisit.self])
    let peer = try Replica([CountedVisit.self])
    try await old.store.insert(PlainVisit(id: "x", count: 1000))
    try await old.exchange(with: peer)
    let updated = try await old.reopened(CountedVisit.self)
    try await updated.store.updateAll(CountedVisit.all) { $0.count.increment(by: 1) }
    let folder = try TemporaryFolder()
    try await updated.store.backup(to: folder.file("test.larder"))
    let copy = try Replica(folder: folder, [CountedVisit.self])
    try await copy.exchange(with: peer)
    for replica in [copy, peer] {
      #expect(try await replica.store.find(CountedVisit.self, "x")?.count == 1001)
    }
  }

  @Test("S12, S16: what a program counts that knows no counter is what its replica has added")
  func versions() async throws {
    let old = try Replica([PlainVisit.self])
    let new = try Replica([CountedVisit.self])
    try await old.store.insert(PlainVisit(id: "x", count: 5))
    try await old.exchange(with: new)
    #expect(try await new.store.find(CountedVisit.self, "x")?.count == 5)
    try await new.store.updateAll(CountedVisit.all) { $0.count.increment(by: 2) }
    try await old.exchange(with: new)
    try await old.store.updateAll(PlainVisit.all) { $0.count.set(6) }
    try await old.exchange(with: new)
    #expect(try await new.store.find(CountedVisit.self, "x")?.count == 8)
    let updated = try await old.reopened(CountedVisit.self)
    try await updated.exchange(with: new)
    try await new.exchange(with: updated)
    try await expectEqual([updated, new])
    #expect(try await updated.store.find(CountedVisit.self, "x")?.count == 8)
    try await updated.store.updateAll(CountedVisit.all) { $0.count.increment(by: 1) }
    try await updated.exchange(with: new)
    #expect(try await new.store.find(CountedVisit.self, "x")?.count == 9)
  }
}

@Suite("Sync: amounts of counters")
struct CounterAmountTests {
  @Test("amounts are added and compared as numbers of any size", arguments: 0..<20 as Range<UInt64>)
  func amounts(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    func number(_ amount: CounterAmount) -> Int128 { Int128(amount.high) << 32 + Int128(amount.low) }
    var (sum, expected) = (CounterAmount.zero, Int128(0))
    for _ in 0..<200 {
      let edges: [Int64] = [.min, .max, 0, -1, 1, 1 << 32, -(1 << 32), Int64.random(in: .min ... .max, using: &random)]
      let term = edges.randomElement(using: &random) ?? 0
      #expect(number(CounterAmount(term)) == Int128(term), "seed \(seed)")
      #expect(CounterAmount(term).clamped(to: .min ... .max) == term, "seed \(seed)")
      let isAdded = Bool.random(using: &random)
      sum = isAdded ? sum + CounterAmount(term) : sum - CounterAmount(term)
      expected += isAdded ? Int128(term) : -Int128(term)
      #expect(number(sum) == expected, "seed \(seed)")
      let bound = Int128(sum.clamped(to: -100 ... .max))
      #expect(bound == min(max(expected, -100), Int128(Int64.max)), "seed \(seed)")
    }
  }
}
