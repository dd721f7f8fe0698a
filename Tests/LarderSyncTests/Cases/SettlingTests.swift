import Foundation
import Larder
import LarderRandom
import LarderTestSupport
import Testing

@testable import LarderSync

@Model("Part")
private struct FirstPart: Hashable {
  var id: String
  var name: String
}

@Model("Part")
private struct SecondPart: Hashable {
  var id: String
  var name: String
  @Attribute(.unique) var code: String?
}

@Suite("Sync: what programs have written is computed some rows at a time")
struct SettlingTests {
  private struct Failure: Error {}

  /// Computes changed rows, each part in a transaction of its own, and returns whether there were more after each.
  private func advance(_ replica: Replica, times count: Int) async throws -> [Bool] {
    try await replica.store.writingModule { connection in
      var settling = Settling()
      var results: [Bool] = []
      for _ in 0..<count {
        results.append(try connection.transaction { try settling.computeNext(try ReplicaFile(connection)) })
      }
      return results
    }
  }

  private func clock(_ replica: Replica) async throws -> (settled: Int64, now: Int64) {
    try await replica.store.readingModule { connection in
      let clock = try ReplicaFile(connection).clock()
      return (settled: clock.settled, now: clock.now)
    }
  }

  @Test("S19: each part is committed, and what is interrupted goes on where it was")
  func interruption() async throws {
    let (a, b) = (try Replica(), try Replica())
    try await a.store.insert(SharedTag(name: "x"))
    try await b.setClock(past: a)
    try await b.store.insert(SharedTag(name: "x"))
    try await a.exchange(with: b)
    #expect(try await a.store.sync.setAside().count == 1)
    let start = try await clock(a)
    // The name is free, and nobody knows any longer whose it was.
    try await a.store.updateAll(SharedTag.all) { $0.name.set("y") }
    try await a.store.insert((0..<1200).map { SharedKind(id: "\($0)", title: "t") })
    #expect(try await advance(a, times: 1) == [true])
    let first = try await clock(a)
    #expect(first.settled > start.settled && first.settled < first.now)
    await #expect(throws: Failure.self) {
      try await a.store.writingModule { connection in
        try connection.transaction { () throws -> Void in
          var settling = Settling()
          _ = try settling.computeNext(try ReplicaFile(connection))
          throw Failure()
        }
      }
    }
    #expect(try await clock(a).settled == first.settled)
    #expect(try await advance(a, times: 2) == [true, false])
    // The row that isn't visible has had no turn.
    let last = try await clock(a)
    #expect(last.settled > first.settled && last.settled < last.now)
    #expect(try await a.store.count(SharedTag.all) == 1)
    try await a.exchange(with: b)
    try await b.exchange(with: a)
    #expect(Set(try await a.store.fetch(SharedTag.all).map(\.name)) == ["x", "y"])
    try await expectEqual([a, b])
  }

  @Test("S16: with new models all rows are computed, also if the file is closed in the middle")
  func newModels() async throws {
    let new = try Replica([SecondPart.self])
    let old = try Replica([FirstPart.self])
    try await new.store.insert((0..<1200).map { SecondPart(id: "\($0)", name: "n", code: "c\($0)") })
    try await old.exchange(with: new)
    await old.store.close()
    func codes(_ replica: Replica) async throws -> Int {
      try await replica.store.fetch(SecondPart.all).filter { $0.code != nil }.count
    }
    let updated = try Replica(folder: old.folder, [SecondPart.self])
    #expect(try await clock(updated).settled == 0)
    #expect(try await advance(updated, times: 1) == [true])
    #expect(try await codes(updated) == Settling.standardSize)
    await updated.store.close()
    let again = try Replica(folder: old.folder, [SecondPart.self])
    #expect(try await clock(again).settled < 0)
    // Nothing comes, and the rest is computed nevertheless.
    try await again.exchange(with: new)
    #expect(try await codes(again) == 1200)
    #expect(try await clock(again).settled > 0)
    try await new.exchange(with: again)
    try await expectEqual([again, new])
  }

  @Test("S10: rows that are connected are computed together, whatever their number")
  func connectedRows() async throws {
    let (a, b) = (try Replica(), try Replica())
    let root = SharedCategory(name: "root")
    let child = SharedCategory(name: "child", parent: ToOne(root))
    try await b.store.insert(root)
    let early = try await b.store.sync.export(to: b.folder.file("early"))
    try await b.store.insert(child)
    try await b.store.insert((0..<700).map { SharedCategory(name: "\($0)", parent: ToOne(child)) })
    let late = try await b.store.sync.export(to: b.folder.file("late"), since: early.upTo)
    try await a.store.sync.import(from: late.url)
    #expect(try await a.store.sync.setAside().count == 701)
    try await a.store.insert((0..<1200).map { SharedKind(id: "\($0)", title: "t") })
    try await a.store.sync.import(from: early.url)
    #expect(try await a.store.count(SharedCategory.all) == 702)
    #expect(try await a.store.sync.setAside().isEmpty)
    try await a.exchange(with: b)
    try await b.exchange(with: a)
    try await expectEqual([a, b])
  }

  @Test("rows that aren't visible are read in the order of an index")
  func plans() async throws {
    let a = try Replica()
    for query in Settling.Part.allCases.map(\.query) {
      let plan = try await a.store.writingModule { connection in
        try connection.rows("EXPLAIN QUERY PLAN \(query)") { $0.text(3) }.joined(separator: "; ")
      }
      #expect(plan.contains("INDEX _larder_sync_") && !plan.contains("TEMP B-TREE"), "\(query): \(plan)")
    }
  }

  // MARK: At random

  /// Writes once. What a rule refuses isn't done.
  private func write(_ store: Store, _ random: inout SplitMix64) async throws {
    func key() -> UUID {
      UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8.random(in: 0..<3, using: &random)))
    }
    func name() -> String { "\(Int.random(in: 0..<3, using: &random))" }
    do {
      switch Int.random(in: 0..<12, using: &random) {
      case 0: try await store.save(SharedAccount(id: key(), name: name()))
      case 1:
        let id = key()
        try await store.deleteAll(SharedAccount.where { $0.id == id })
      case 2:
        var cost = SharedCost(id: key(), amount: 1, account: ToOne(key()))
        if Bool.random(using: &random) { cost.category = ToOne(key()) }
        if Bool.random(using: &random) { cost.kind = ToOne(name()) }
        try await store.save(cost)
      case 3:
        let id = key()
        try await store.deleteAll(SharedCost.where { $0.id == id })
      case 4:
        var category = SharedCategory(id: key(), name: name())
        if Bool.random(using: &random) { category.parent = ToOne(key()) }
        try await store.save(category)
      case 5:
        let id = key()
        try await store.deleteAll(SharedCategory.where { $0.id == id })
      case 6: try await store.save(SharedKind(id: name(), title: name()))
      case 7:
        let id = name()
        try await store.deleteAll(SharedKind.where { $0.id == id })
      case 8, 9: try await store.save(SharedTag(id: key(), name: name()))
      case 10:
        let (id, new) = (key(), name())
        try await store.updateAll(SharedTag.where { $0.id == id }) { $0.name.set(new) }
      default:
        let id = key()
        try await store.deleteAll(SharedTag.where { $0.id == id })
      }
    } catch let error as StoreError where [.referenced, .duplicate, .notFound, .constraint].contains(error.code) {}
  }

  @Test(
    "the outcome is that of a computation from scratch, however few rows are computed at a time",
    arguments: 0..<6 as Range<UInt64>, [1, Settling.standardSize])
  func oracle(seed: UInt64, chunkSize: Int) async throws {
    var random = SplitMix64(seed: seed)
    let replicas = (try Replica(), try Replica())
    for _ in 0..<12 {
      for _ in 0..<6 {
        try await write(replicas.0.store, &random)
        try await write(replicas.1.store, &random)
      }
      try await replicas.0.exchange(with: replicas.1)
    }
    for _ in 0..<12 { try await write(replicas.0.store, &random) }
    try await replicas.0.store.writingModule { connection in
      var hasMore = true
      while hasMore {
        hasMore = try connection.transaction {
          // As if another process went on.
          var settling = Settling(by: chunkSize)
          return try settling.computeNext(try ReplicaFile(connection))
        }
      }
      try connection.transaction {
        var settling = Settling(by: chunkSize)
        try settling.finish(try ReplicaFile(connection))
      }
    }
    let (expected, shown) = (try await replicas.0.expectedRows(), try await replicas.0.shownRows())
    #expect(shown == expected, "seed \(seed), \(chunkSize)")
    #expect(try await replicas.0.store.check().isHealthy, "seed \(seed), \(chunkSize)")
  }
}
