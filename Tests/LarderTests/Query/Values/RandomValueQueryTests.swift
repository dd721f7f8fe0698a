import Foundation
import LarderTestSupport
import Testing

@testable import Larder

/// Selected values, groups, joins, subqueries and trees in a store, a context and its child, beside plain Swift: with
/// unsaved rows, with rows that have expired, with keys that Swift takes for the same.
@Suite("Random queries for values", .timeLimit(.minutes(20)))
struct RandomValueQueryTests {
  private let clock = TestClock()
  private let store: Store

  init() throws {
    store = try Store(
      inMemoryFor: Haul.self, Pier.self, configuration: Store.Configuration(now: { [clock] in clock.now }))
    store.sweeper.stop()
  }

  /// Makes changes until the rows are many enough to tell something.
  private func fill(_ terms: inout HaulTerms, _ place: String) throws -> HaulWorld {
    var world = HaulWorld()
    for _ in 0..<4 { try terms.savePier(store.blocking, &world, clock.now + 10) }
    for _ in 0..<200 where world.hauls.count < 9 {
      try terms.change(store.blocking, &world, expires: clock.now + 10, place)
    }
    return world
  }

  @Test("a store, a transaction, a context and its child return what plain Swift does", arguments: 0..<2)
  func places(_ number: Int) throws {
    let seed = TestSeed.value &+ UInt64(number)
    var terms = HaulTerms(SplitMix64(seed: seed &* 211))
    let place = "seed \(seed)"
    var world = try fill(&terms, "\(place), store")
    let context = Context(store)
    let child = context.child()
    var unsaved = world
    for _ in 0..<6 { try terms.change(context, &unsaved, expires: clock.now + 10, "\(place), context") }
    var above = unsaved
    for _ in 0..<6 { try terms.change(child, &above, expires: clock.now + 10, "\(place), child") }
    func ask(_ count: Int) throws {
      for _ in 0..<count {
        let question = terms.question()
        question.check(store.blocking, world, "\(place), store")
        try store.blocking.write { question.check($0, world, "\(place), transaction") }
        question.check(context, unsaved, "\(place), context")
        question.check(child, above, "\(place), child")
      }
    }
    try ask(8)
    clock.advance(by: 10)
    world.expire()
    unsaved.expire()
    above.expire()
    try ask(8)
    // What is saved from here on takes the keys of rows that have expired.
    for _ in 0..<3 { try terms.change(child, &above, expires: clock.now + 10, "\(place), child, later") }
    for question in (0..<8).map({ _ in terms.question() }) {
      question.check(child, above, "\(place), child, later")
      question.check(context, unsaved, "\(place), context, later")
    }
    TestSeed.tried(3 * (8 * 4 * 2 + 8 * 2), .queries, "queries for values")
  }

  @Test("a live result is told of every change that makes it another", arguments: 0..<4)
  func live(_ number: Int) throws {
    let seed = TestSeed.value &+ UInt64(number)
    var terms = HaulTerms(SplitMix64(seed: seed &* 223))
    var world = try fill(&terms, "seed \(seed)")
    let probes = try (0..<12).map { _ in
      let question = terms.question()
      return (question, try LiveProbe(question.text, store) { "\(try question.ask($0))" })
    }
    for step in 0..<15 {
      let place = "seed \(seed), step \(step)"
      try terms.change(store.blocking, &world, expires: clock.now + 10, place)
      for (question, probe) in probes {
        #expect(try !probe.look(), "\(place): \(probe.name) was told of no commit")
        #expect(probe.text == "\(question.answer(world))", "\(place): \(probe.name)")
      }
    }
    TestSeed.tried(12 * 15, .liveChecks, "of values")
  }
}
