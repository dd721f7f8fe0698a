import Foundation
import LarderTestSupport
import Testing

@testable import Larder

@Model(expires: true)
private struct ChainLink: Hashable {
  var id: Int
  @Relationship(deleteRule: .deny) var next: ToOne<ChainLink>?
  @Relationship(deleteRule: .deny) var knot: ToOne<ChainKnot>?
}

@Model(expires: true)
private struct ChainKnot: Hashable {
  var id: Int
  @Relationship(deleteRule: .deny) var link: ToOne<ChainLink>?
}

/// Goes with one link, and keeps another.
@Model
private struct ChainTie: Hashable {
  var id: Int
  @Relationship(deleteRule: .cascade) var link: ToOne<ChainLink>?
  @Relationship(deleteRule: .deny) var other: ToOne<ChainLink>?
}

/// Keeps what it refers to.
@Model
private struct ChainNail: Hashable {
  var id: Int
  @Relationship(deleteRule: .deny) var tie: ToOne<ChainTie>?
  @Relationship(deleteRule: .deny) var knot: ToOne<ChainKnot>?
}

/// Expired rows that keep each other.
@Suite("Rows that expire: circles of references", .timeLimit(.minutes(20)))
struct ExpiredGroupTests {
  private let time = SteppedTime()
  private let store: Store
  private let db: BlockingStore

  init() throws {
    store = try Self.open(time)
    db = store.blocking
  }

  private static func open(_ time: SteppedTime) throws -> Store {
    let store = try Store(
      inMemoryFor: ChainLink.self, ChainKnot.self, ChainTie.self, ChainNail.self, configuration: time.configuration)
    store.sweeper.stop()
    return store
  }

  private func stored(_ table: String) throws -> [Int] {
    try store.withReader {
      try $0.query("SELECT id FROM main.\"\(table)\" ORDER BY id").compactMap { $0["id"]?.integer.map(Int.init) }
    }
  }

  private func saveCircle(_ count: Int) throws {
    try db.write { db in
      try db.save(
        (0..<count).map { ChainLink(id: $0, next: ToOne(($0 + 1) % count)) }, expires: time.now + 10)
    }
  }

  @Test("a circle goes, however many batches it spans", arguments: [1, 2, 500, 501, 1234])
  func length(_ count: Int) throws {
    try saveCircle(count)
    time.pass(11)
    for _ in 0..<(count / 500 + 1) { try store.sweep() }
    #expect(try stored("ChainLink") == [])
    try saveCircle(count)
    time.pass(11)
    #expect(try db.removeExpired() == count)
    #expect(try stored("ChainLink") == [])
  }

  @Test("a circle that something keeps stays as a whole, and goes when that has gone")
  func kept() throws {
    try saveCircle(1100)
    try db.insert(ChainTie(id: 1, other: ToOne(700)))
    time.pass(11)
    for _ in 0..<4 { try store.sweep() }
    #expect(try stored("ChainLink").count == 1100 && db.count(ChainLink.all) == 0)
    try db.delete(ChainTie.self, 1)
    try store.sweep()
    #expect(try stored("ChainLink") == [])
  }

  @Test("a circle through two tables goes, also if it is closed by the row that expires last")
  func tables() throws {
    try db.write { db in
      try db.save(ChainLink(id: 1, knot: ToOne(1)), expires: time.now + 10)
      try db.save(ChainKnot(id: 1, link: ToOne(2)), expires: time.now + 30)
      try db.save(ChainLink(id: 2, next: ToOne(1)), expires: time.now + 20)
    }
    time.pass(11)
    try store.sweep()
    time.pass(10)
    try store.sweep()
    #expect(try stored("ChainLink") == [1, 2] && stored("ChainKnot") == [1])
    time.pass(10)
    try store.sweep()
    #expect(try stored("ChainLink") == [] && stored("ChainKnot") == [])
  }

  @Test("a row that goes with one link does not keep the others of a circle")
  func members() throws {
    try db.save([ChainLink(id: 1), ChainLink(id: 2, next: ToOne(1))], expires: time.now + 10)
    // The first tie goes with a link and keeps the other; the second stays.
    try db.insert(ChainTie(id: 1, link: ToOne(1), other: ToOne(2)))
    time.pass(11)
    try store.sweep()
    #expect(try stored("ChainLink") == [] && stored("ChainTie") == [])
    try db.save([ChainLink(id: 1), ChainLink(id: 2, next: ToOne(1))], expires: time.now + 10)
    try db.insert(ChainTie(id: 1, link: ToOne(1), other: ToOne(2)))
    try db.insert(ChainNail(id: 1, tie: ToOne(1)))
    time.pass(11)
    try store.sweep()
    #expect(try stored("ChainLink") == [1, 2] && stored("ChainTie") == [1])
    try db.delete(ChainNail.self, 1)
    try store.sweep()
    #expect(try stored("ChainLink") == [] && stored("ChainTie") == [])
  }

  @Test("a circle goes that is closed by a row which goes with one of its rows")
  func closedByMember() throws {
    try db.write { db in
      // The tie goes with the first link, and keeps the second, which keeps the first by a knot.
      try db.save([ChainLink(id: 1), ChainLink(id: 2, knot: ToOne(1))], expires: time.now + 10)
      try db.save(ChainKnot(id: 1, link: ToOne(1)), expires: time.now + 20)
      try db.insert(ChainTie(id: 1, link: ToOne(1), other: ToOne(2)))
    }
    time.pass(11)
    try store.sweep()
    #expect(try stored("ChainLink") == [1, 2])
    time.pass(10)
    try store.sweep()
    #expect(try stored("ChainLink") == [] && stored("ChainKnot") == [] && stored("ChainTie") == [])
  }

  @Test("of random rows those go, and only those, that nothing keeps which stays", arguments: 0..<4)
  func random(_ number: Int) throws {
    let seed = TestSeed.value &+ UInt64(number)
    var random = SplitMix64(seed: seed &* 173)
    for round in 0..<12 {
      let time = SteppedTime()
      let store = try Self.open(time)
      var world = ChainWorld(&random)
      try store.blocking.write { try world.save(to: $0, now: time.now) }
      let first = world
      for step in 0..<6 {
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
          if let id = world.nails.keys.sorted().randomElement(using: &random) {
            world.nails[id] = nil
            try store.blocking.delete(ChainNail.self, id)
          }
        case 1:
          if let id = world.ties.keys.sorted().randomElement(using: &random),
            !world.nails.values.contains(where: { $0.tie?.id == id })
          {
            world.ties[id] = nil
            try store.blocking.delete(ChainTie.self, id)
          }
        default:
          time.pass(11)
          world.pass()
        }
        for _ in 0..<3 { try store.sweep() }
        world.sweep()
        let found = try store.withReader { connection in
          try ["ChainLink", "ChainKnot", "ChainTie"].map { table in
            try connection.query("SELECT id FROM main.\"\(table)\" ORDER BY id").compactMap { $0["id"]?.integer }
          }
        }
        guard found == world.stored else {
          Issue.record(
            "seed \(seed), round \(round), step \(step): \(found) instead of \(world.stored), of \(world), which was \(first)"
          )
          return
        }
      }
    }
    TestSeed.tried(72, .operations, "sweeps of rows that keep each other")
  }
}

/// Links, knots, ties and nails in plain Swift.
private struct ChainWorld {
  struct Expiring<Row> {
    let row: Row
    /// The number of steps of time after which the row has expired; nil if it stays.
    let end: Int?
  }

  var links: [Int: Expiring<ChainLink>] = [:]
  var knots: [Int: Expiring<ChainKnot>] = [:]
  var ties: [Int: ChainTie] = [:]
  var nails: [Int: ChainNail] = [:]
  private var now = 0

  init(_ random: inout SplitMix64) {
    func reference<M: Model>(_ count: Int, _ random: inout SplitMix64) -> ToOne<M>? where M.ID == Int {
      random.once(in: 2) ? ToOne(Int.random(in: 0..<count, using: &random)) : nil
    }
    for id in 0..<7 {
      let link = ChainLink(id: id, next: reference(7, &random), knot: reference(3, &random))
      links[id] = Expiring(row: link, end: random.pick([0, 0, 0, 1, 2, nil]))
    }
    for id in 0..<3 {
      knots[id] = Expiring(row: ChainKnot(id: id, link: reference(7, &random)), end: random.pick([0, 1, 2]))
    }
    for id in 0..<Int.random(in: 0...3, using: &random) {
      ties[id] = ChainTie(id: id, link: reference(7, &random), other: reference(7, &random))
    }
    for id in 0..<Int.random(in: 0...2, using: &random) {
      nails[id] = ChainNail(
        id: id, tie: ties.isEmpty ? nil : reference(ties.count, &random), knot: reference(3, &random))
    }
  }

  func save(to db: some StoreWriter, now: Date) throws {
    func date(_ end: Int?) -> Date? { end.map { now + 10 + 11 * Double($0) } }
    for (_, link) in links { try db.save(link.row, expires: date(link.end)) }
    for (_, knot) in knots { try db.save(knot.row, expires: date(knot.end)) }
    for (_, tie) in ties { try db.save(tie) }
    for (_, nail) in nails { try db.save(nail) }
  }

  mutating func pass() { now += 1 }

  var stored: [[Int64]] {
    [Array(links.keys), Array(knots.keys), Array(ties.keys)].map { $0.sorted().map(Int64.init) }
  }

  /// Deletes the largest set of expired rows, with the ties that go with them, to which no other row refers.
  mutating func sweep() {
    func isOver(_ end: Int?) -> Bool { end.map { $0 < now } ?? false }
    var goneLinks = Set(links.filter { isOver($0.value.end) }.keys)
    var goneKnots = Set(knots.filter { isOver($0.value.end) }.keys)
    while true {
      let goneTies = Set(ties.filter { $0.value.link.map { goneLinks.contains($0.id) } ?? false }.keys)
      var keptLinks: Set<Int> = []
      var keptKnots: Set<Int> = []
      for (id, link) in links where !goneLinks.contains(id) {
        if let next = link.row.next { keptLinks.insert(next.id) }
        if let knot = link.row.knot { keptKnots.insert(knot.id) }
      }
      for (id, knot) in knots where !goneKnots.contains(id) {
        if let link = knot.row.link { keptLinks.insert(link.id) }
      }
      for (id, tie) in ties {
        if !goneTies.contains(id), let other = tie.other { keptLinks.insert(other.id) }
        if nails.values.contains(where: { $0.tie?.id == id }), let link = tie.link { keptLinks.insert(link.id) }
      }
      for nail in nails.values { if let knot = nail.knot { keptKnots.insert(knot.id) } }
      guard !goneLinks.isDisjoint(with: keptLinks) || !goneKnots.isDisjoint(with: keptKnots) else {
        links = links.filter { !goneLinks.contains($0.key) }
        knots = knots.filter { !goneKnots.contains($0.key) }
        ties = ties.filter { !goneTies.contains($0.key) }
        return
      }
      goneLinks.subtract(keptLinks)
      goneKnots.subtract(keptKnots)
    }
  }
}
