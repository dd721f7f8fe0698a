import Foundation
import Larder
import LarderRandom
import LarderTestSupport
import Testing

@testable import LarderSync

@Model("Tally")
private struct SharedTally: Hashable {
  var id: String
  @Attribute(.counter) var count = 0
  @Attribute(.counter) var small: Int8 = 0
  var note = ""
}

@Model("Tally", syncs: false)
private struct LocalTally: Hashable {
  var id: String
  @Attribute(.counter) var count = 0
  @Attribute(.counter) var small: Int8 = 0
  var note = ""
}

@Suite("Sync: counters of models that leave and return, and of rows that nobody has tracked")
struct ReturningCounterTests {
  private let a: Replica
  private var b: Replica

  init() async throws {
    (a, b) = (try Replica([SharedTally.self]), try Replica([SharedTally.self]))
    try await a.store.insert(SharedTally(id: "x", count: 10))
    try await a.exchange(with: b)
    try await b.store.updateAll(SharedTally.all) { $0.count.increment(by: 1) }
    try await b.exchange(with: a)
    try await a.setClock(past: b)
  }

  private mutating func reopen(_ model: any Model.Type) async throws {
    b = try await b.reopened(model)
  }

  private func meet() async throws {
    for _ in 0..<2 {
      try await b.exchange(with: a)
      try await a.exchange(with: b)
    }
    try await expectEqual([a, b])
  }

  /// The counts of both replicas, which are the same.
  private func counts() async throws -> [String: Int] {
    try await meet()
    let rows = try await a.store.fetch(SharedTally.all)
    #expect(try await Set(b.store.fetch(SharedTally.all)) == Set(rows))
    return Dictionary(rows.map { ($0.id, $0.count) }) { $1 }
  }

  private func lostAdditions() async throws -> [Value] {
    try await a.store.sync.conflicts().filter(\.isAddition).map(\.lost)
  }

  @Test("what was added here and elsewhere meanwhile is added up, and again the next time")
  mutating func both() async throws {
    for round in 1...3 {
      try await reopen(LocalTally.self)
      try await a.store.updateAll(SharedTally.all) { $0.count.increment(by: 4) }
      try await b.store.updateAll(LocalTally.all) { $0.count.increment(by: -3) }
      try await b.exchange(with: a)
      try await b.exchange(with: a)
      try await reopen(SharedTally.self)
      #expect(try await b.store.find(SharedTally.self, "x")?.count == 11 + round)
      #expect(try await counts() == ["x": 11 + round])
      try await b.store.updateAll(SharedTally.all) { $0.count.increment(by: 100) }
      try await b.store.updateAll(SharedTally.all) { $0.count.increment(by: -100) }
    }
    #expect(try await lostAdditions().isEmpty)
  }

  @Test("a row that was inserted meanwhile brings its count, and so does one that was deleted elsewhere")
  mutating func insertions() async throws {
    try await reopen(LocalTally.self)
    try await b.store.insert(LocalTally(id: "y", count: 5))
    try await b.store.updateAll(LocalTally.where { $0.id == "x" }) { $0.count.increment(by: 1) }
    try await a.store.deleteAll(SharedTally.all)
    try await b.exchange(with: a)
    try await reopen(SharedTally.self)
    #expect(try await counts() == ["x": 12, "y": 5])
    try await a.store.updateAll(SharedTally.all) { $0.count.increment(by: 1) }
    #expect(try await counts() == ["x": 13, "y": 6])
  }

  @Test("what was added to a row that others have inserted again meanwhile is listed, and can be added")
  mutating func insertedAgain() async throws {
    try await reopen(LocalTally.self)
    try await b.store.updateAll(LocalTally.all) { $0.count.increment(by: 3) }
    try await a.store.deleteAll(SharedTally.all)
    try await a.store.insert(SharedTally(id: "x", count: 100))
    try await b.exchange(with: a)
    try await reopen(SharedTally.self)
    #expect(try await counts() == ["x": 100])
    #expect(try await lostAdditions() == [3])
    let conflict = try #require(try await a.store.sync.conflicts().first(where: \.isAddition))
    try await a.store.sync.restore(conflict)
    #expect(try await counts() == ["x": 103])
  }

  @Test("what a row has that was here before its model took part is listed, unless it is the same")
  mutating func neverShared() async throws {
    b = try Replica([LocalTally.self])
    try await b.store.insert([LocalTally(id: "x", count: 11), LocalTally(id: "z", count: 2)])
    try await a.store.insert(SharedTally(id: "z", count: 7))
    try await b.exchange(with: a)
    try await reopen(SharedTally.self)
    #expect(try await counts() == ["x": 11, "z": 7])
    #expect(try await lostAdditions() == [2])
  }

  @Test("a sum that is out of the type's range isn't taken for an addition")
  mutating func bounds() async throws {
    for replica in [a, b] { try await replica.store.updateAll(SharedTally.all) { $0.small.set(100) } }
    try await meet()
    try await reopen(LocalTally.self)
    #expect(try await b.store.find(LocalTally.self, "x")?.small == 127)
    try await reopen(SharedTally.self)
    try await a.store.updateAll(SharedTally.all) { $0.small.increment(by: -100) }
    try await meet()
    #expect(try await b.store.find(SharedTally.self, "x")?.small == 100)
  }

  @Test("what was written without triggers is counted once it is recorded")
  mutating func untracked() async throws {
    let triggers = try await b.store.sql(
      "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'Tally'")
    for name in triggers.compactMap({ $0["name"]?.text }) { try b.executeOutside("DROP TRIGGER \"\(name)\"") }
    try b.executeOutside(
      "UPDATE Tally SET count = count + 5; INSERT INTO Tally (id, count, small, note) VALUES ('y', 8, -1, '')")
    try await b.store.sync.recordUntrackedChanges()
    #expect(try await b.store.sync.untrackedChanges().isEmpty)
    #expect(try await counts() == ["x": 16, "y": 8])
    try await b.store.updateAll(SharedTally.all) { $0.count.increment(by: 1) }
    #expect(try await counts() == ["x": 17, "y": 9])
  }

  @Test("random additions, with and without the model, come to their sum", arguments: 1...8 as ClosedRange<UInt64>)
  mutating func rounds(seed: UInt64) async throws {
    var generator = SplitMix64(seed: seed)
    var expected = 11
    var isHere = true
    for _ in 0..<40 {
      let amount = Int.random(in: -5...5, using: &generator)
      switch Int.random(in: 0..<6, using: &generator) {
      case 0, 1:
        try await a.store.updateAll(SharedTally.all) { $0.count.increment(by: amount) }
        expected += amount
      case 2, 3:
        if isHere {
          try await b.store.updateAll(SharedTally.all) { $0.count.increment(by: amount) }
        } else {
          try await b.store.updateAll(LocalTally.all) { $0.count.increment(by: amount) }
        }
        expected += amount
      case 4:
        isHere.toggle()
        try await reopen(isHere ? SharedTally.self : LocalTally.self)
      default:
        if Bool.random(using: &generator) { try await b.exchange(with: a) } else { try await a.exchange(with: b) }
      }
    }
    try await reopen(SharedTally.self)
    #expect(try await counts() == ["x": expected], "seed \(seed)")
    #expect(try await lostAdditions().isEmpty)
  }
}
