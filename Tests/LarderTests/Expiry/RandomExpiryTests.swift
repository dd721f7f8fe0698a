import Foundation
import LarderTestSupport
import Testing

@testable import Larder

/// Rows that expire beside plain Swift: changes of all kinds, leaps of the clock and sweeps, and after each of them
/// everything that reads.
@Suite("Rows that expire: random changes", .timeLimit(.minutes(20)))
struct RandomExpiryTests {
  @Test("no read, page or live result shows a row after its end, or misses one before it", arguments: 0..<2)
  func steps(_ number: Int) async throws {
    let seed = TestSeed.value &+ UInt64(number)
    let run = try ExpiryRun(seed: seed, isFile: number.isMultiple(of: 2))
    do {
      for _ in 0..<50 { try await run.step() }
      try await run.finish()
    } catch {
      Issue.record("seed \(seed): \(error)\nafter:\n\(run.story)")
    }
    TestSeed.tried(run.comparisons, .queries, "reads of rows that expire")
  }

  @Test(
    "an element of results is there until its end, in whatever order pages are read and clocks are set",
    arguments: 0..<3)
  func pages(_ number: Int) async throws {
    let seed = TestSeed.value &+ UInt64(number)
    var random = SplitMix64(seed: seed)
    let time = SteppedTime()
    let store = try Store(
      inMemoryFor: ExpiryPermit.self, ExpiryTicket.self, ExpiryGate.self, ExpiryStamp.self, ExpirySeal.self,
      configuration: time.configuration)
    store.sweeper.stop()
    var clock = ExpiryWorldClock(at: time.reading)
    var ends: [Int: Double?] = [:]
    for _ in 0..<12 {
      let end = random.once(in: 6) ? nil : time.reading + Double(Int.random(in: 1...3000, using: &random))
      let ids = ends.count..<ends.count + Int.random(in: 20...60, using: &random)
      try await store.insert(
        ids.map { ExpiryPermit(id: $0) }, expires: end.map { Date(timeIntervalSinceReferenceDate: $0) })
      for id in ids { ends[id] = end }
    }
    let results = try await store.results(ExpiryPermit.all.sorted(by: \.id))
    var compared = 0
    for step in 0..<200 {
      switch Int.random(in: 0..<6, using: &random) {
      case 0: time.leap(random.pick([-2000, -400, -200, 500, 1500]))
      case 1, 2: time.pass(random.pick([1, 30, 100]))
      case 3:
        let id = Int.random(in: 0..<ends.count, using: &random)
        let end = time.reading + Double(Int.random(in: 1...2000, using: &random))
        clock.show(time.reading)
        let isThere = ends[id].map { ($0 ?? .infinity) > clock.now } ?? false
        try await store.setExpiry(of: ExpiryPermit.self, id, to: Date(timeIntervalSinceReferenceDate: end))
        if isThere { ends[id] = end }
        clock.note(end, time.reading)
      default: break
      }
      clock.show(time.reading)
      let start = Int.random(in: 0..<ends.count, using: &random)
      let positions = [start, min(start + 1, ends.count - 1), random.pick([0, 100, 199, ends.count - 1]), start]
      for position in positions {
        let isThere = ends[position].map { ($0 ?? .infinity) > clock.now } ?? false
        compared += 1
        guard results[position]?.id == (isThere ? position : nil) else {
          Issue.record(
            "seed \(seed), step \(step): position \(position) ends at \(ends[position] as Any), now \(clock.now)")
          return
        }
      }
    }
    TestSeed.tried(compared, .liveChecks, "elements of results that expire")
  }

  /// Here the sweeper's own timer wakes them, by real time: it looks at the clock twice a second.
  @Test("live sequences follow the clock without a commit", .timeLimit(.minutes(20)), arguments: 0..<2)
  func sequences(_ number: Int) async throws {
    let seed = TestSeed.value &+ UInt64(number)
    var random = SplitMix64(seed: seed)
    let time = SteppedTime()
    let store = try Store(
      inMemoryFor: ExpiryPermit.self, ExpiryTicket.self, ExpiryGate.self, ExpiryStamp.self, ExpirySeal.self,
      configuration: time.configuration)
    var clock = ExpiryWorldClock(at: time.reading)
    var ends: [Int: Double] = [:]
    for id in 0..<12 {
      ends[id] = time.reading + Double(Int.random(in: 1...3000, using: &random))
      let end = ends[id].map { Date(timeIntervalSinceReferenceDate: $0) }
      try await store.insert(ExpiryPermit(id: id), expires: end)
      try await store.documents("papers").save("\(id)", ["n": .integer(Int64(id))], expires: end)
    }
    var rows = store.live(ExpiryPermit.all.sorted(by: \.id)).makeAsyncIterator()
    var changes = store.changes(ExpiryPermit.all.sorted(by: \.id)).makeAsyncIterator()
    var papers = store.live { try $0.documents("papers").count() }.makeAsyncIterator()
    var shown: [Int]? = []
    for move in 0..<5 {
      if move > 0 { time.leap(random.pick([-1500, -700, 400, 900, 2000])) }
      clock.show(time.reading)
      let expected = ends.keys.filter { ends[$0] ?? 0 > clock.now }.sorted()
      guard expected != shown else { continue }
      repeat { shown = try await rows.next()?.map(\.id) } while shown != nil && shown != expected
      var change = try await changes.next()
      while let values = change?.values, values.map(\.id) != expected { change = try await changes.next() }
      var count = try await papers.next()
      while let number = count, number != expected.count { count = try await papers.next() }
      guard shown == expected, change != nil, count == expected.count else {
        Issue.record("seed \(seed), move \(move): the sequences show \(shown ?? []) instead of \(expected)")
        return
      }
    }
    TestSeed.tried(5, .liveChecks, "moves of a clock that live sequences follow")
  }
}
