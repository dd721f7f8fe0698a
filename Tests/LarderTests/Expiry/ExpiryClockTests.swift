import Foundation
import LarderTestSupport
import Testing

@testable import Larder

@Model(expires: true)
private struct Pass: Hashable {
  var id: Int
  @Attribute(.unique) var code: String
  var owner: ToOne<Holder>?

  init(id: Int, code: String? = nil, owner: ToOne<Holder>? = nil) {
    self.id = id
    self.code = code ?? "\(id)"
    self.owner = owner
  }
}

@Model
private struct Holder: Hashable {
  var id: Int
  @Relationship(inverse: \Pass.owner) var passes: ToMany<Pass> = []
}

private let year = 365.0 * 86_400

/// Clocks that leap, return, and run backwards.
@Suite("Rows that expire: the clock")
struct ExpiryClockTests {
  private let file: StoreFile
  private let time = SteppedTime()
  private let store: Store
  private let db: BlockingStore

  init() throws {
    file = try StoreFile()
    store = try Store(at: file.path, for: Pass.self, Holder.self, configuration: time.configuration)
    store.sweeper.stop()
    db = store.blocking
  }

  private func stored(_ table: String = "Pass") throws -> Int {
    try store.withReader {
      try $0.query("SELECT count(*) AS n FROM main.\"\(table)\"").first?["n"]?.integer.map(Int.init) ?? -1
    }
  }

  @Test(
    "a clock that is a year ahead for a moment deletes nothing, and what is saved before, meanwhile and afterwards is there when it returns"
  )
  func leap() async throws {
    let codes = db.documents("codes")
    time.pass(600)
    try db.save(Pass(id: 1), expires: time.now + 3600)
    try codes.save("before", ["n": 1], expires: time.now + 3600)
    time.leap(year)
    #expect(try db.count(Pass.all) == 0)
    #expect(try codes.keys().isEmpty)
    for _ in 0..<20 {
      try store.sweep()
      time.pass(2)
    }
    try await store.write { _ = try $0.sql("update Pass set code = code") }
    #expect(try stored() == 1)
    #expect(try stored("codes") == 1)
    time.leap(-year)
    try db.save(Pass(id: 2), expires: time.now + 60)
    try codes.save("after", ["n": 1], expires: time.now + 60)
    #expect(try db.fetch(Pass.all.sorted(by: \.id)).map(\.id) == [1, 2])
    #expect(try codes.keys().sorted() == ["after", "before"])
    try store.sweep()
    #expect(try db.removeExpired() == 0)
    #expect(try db.count(Pass.all) == 2)
    time.pass(61)
    try store.sweep()
    #expect(try stored() == 1)
    #expect(try stored("codes") == 1)
    #expect(try db.fetch(Pass.all).map(\.id) == [1])
  }

  @Test("a clock that was set forward rightly is believed once it has run on for a minute")
  func correction() throws {
    time.pass(600)
    try db.save(Pass(id: 1), expires: time.now + 3600)
    time.leap(year)
    try store.sweep()
    time.pass(59)
    try store.sweep()
    #expect(try stored() == 1)
    time.pass(2)
    try store.sweep()
    #expect(try stored() == 0)
  }

  @Test(
    "what had ended before the store was opened is hidden at once, and deleted after a minute; what ends later is deleted at once"
  )
  func opening() throws {
    try db.save(Pass(id: 1), expires: time.now + 10)
    time.pass(3600)
    let other = try Store(at: file.path, for: Pass.self, Holder.self, configuration: time.configuration)
    other.sweeper.stop()
    try other.blocking.save(Pass(id: 2), expires: time.now + 10)
    time.pass(11)
    try other.sweep()
    #expect(try other.blocking.count(Pass.all) == 0)
    #expect(try stored() == 1)
    time.pass(60)
    try other.sweep()
    #expect(try stored() == 0)
  }

  @Test(
    "two stores with different clocks on a file: each hides by its own, and the one that is ahead does not delete what it finds"
  )
  func twoClocks() throws {
    let ahead = SteppedTime()
    ahead.leap(year)
    let other = try Store(at: file.path, for: Pass.self, Holder.self, configuration: ahead.configuration)
    other.sweeper.stop()
    try db.save(Pass(id: 1), expires: time.now + 3600)
    try db.documents("codes").save("a", ["n": 1], expires: time.now + 3600)
    #expect(try other.blocking.count(Pass.all) == 0)
    try other.blocking.save(Pass(id: 2), expires: ahead.now + 10)
    for _ in 0..<5 {
      ahead.pass(10)
      time.pass(10)
      try other.sweep()
      try store.sweep()
    }
    #expect(
      try db.fetch(Pass.all).map(\.id) == [1], "the other store has deleted what ended by its clock while it watched")
    #expect(try db.documents("codes").keys() == ["a"])
  }

  @Test("a clock that runs backwards for long stands still for five minutes at most, and shows what it is said to show")
  func backwards() throws {
    time.pass(600)
    let start = time.now
    try db.save(Pass(id: 1), expires: start + 10)
    time.pass(20)
    #expect(try db.count(Pass.all) == 0)
    var shown = 0
    for step in 0..<100 {
      time.leap(-60)
      time.pass(1)
      let id = 100 + step
      try db.save(Pass(id: id), expires: time.now + 1)
      #expect(try db.find(Pass.self, id) != nil, "what is saved now is there until its end")
      try store.sweep()
      if try db.find(Pass.self, 1) != nil { shown += 1 }
    }
    #expect(shown > 90)
    #expect(try stored() > 100 - 2, "nothing has ended by this clock")
  }

  @Test("a unique value of a row that is only hidden is free, and its taking deletes no other row")
  func uniqueValues() throws {
    time.pass(600)
    try db.save([Pass(id: 1, code: "a"), Pass(id: 2, code: "b"), Pass(id: 3, code: "c")], expires: time.now + 3600)
    time.leap(year)
    try db.insert([Pass(id: 7), Pass(id: 8, code: "b")])
    try db.insert(Pass(id: 3, code: "d"))
    time.leap(-year)
    #expect(try db.fetch(Pass.all.sorted(by: \.id)).map(\.code) == ["a", "d", "7", "b"])
    let error = #expect(throws: StoreError.self) { try db.insert(Pass(id: 9, code: "a")) }
    #expect(error?.code == .duplicate)
  }

  @Test(
    "a clock that is wrong for less than a minute at a time never lets anything go before its end", arguments: 0..<40)
  func trust(seed: Int) {
    var random = SplitMix64(seed: UInt64(seed))
    var (time, error, wrongUntil) = (Double.random(in: -1e9...1e9, using: &random), 0.0, 0.0)
    let start = time
    var trust = ClockTrust(reading: time, elapsed: 0)
    for _ in 0..<300 {
      time += Double.random(in: 0.1...20, using: &random)
      if time >= wrongUntil { error = 0 }
      if Int.random(in: 0..<10, using: &random) == 0 {
        error = Double.random(in: 100...1e8, using: &random) * (Bool.random(using: &random) ? 1 : -1)
        wrongUntil = time + Double.random(in: 1..<ClockTrust.probation, using: &random)
      }
      let span = trust.observe(reading: time + error, elapsed: time - start)
      #expect(span.until <= min(time, time + error) + 1e-6)
      if time - start < ClockTrust.probation { #expect(span.after > -.infinity) }
    }
  }
}

/// What hears of rows that expire by an injected clock, while the sweeper is at work.
@Suite("Rows that expire: who hears of it", .timeLimit(.minutes(20)))
struct ExpiryNoticeTests {
  private let file: StoreFile
  private let time = SteppedTime()
  private let store: Store

  init() throws {
    file = try StoreFile()
    store = try Store(at: file.path, for: Pass.self, Holder.self, configuration: time.configuration)
  }

  @Test("live results update when rows expire by an injected clock, and when it goes back")
  func live() async throws {
    try await store.save(Pass(id: 1), expires: time.now + 3600)
    try await store.documents("codes").save("a", ["n": 1], expires: time.now + 3600)
    var passes = store.live(Pass.all).makeAsyncIterator()
    var codes = store.live { try $0.documents("codes").keys() }.makeAsyncIterator()
    #expect(try await passes.next()?.count == 1)
    #expect(try await codes.next() == ["a"])
    time.leap(7200)
    #expect(try await passes.next()?.count == 0)
    #expect(try await codes.next() == [])
    time.leap(-7200)
    #expect(try await passes.next()?.count == 1)
    #expect(try await codes.next() == ["a"])
  }

  @Test("while somebody watches, a leap of the clock is noticed within half a second, and nobody looks otherwise")
  func patience() async throws {
    #expect(Sweeper.look == 0.5)
    try await store.save(Pass(id: 1), expires: time.now + 3600)
    // Until the sweeper has looked for what the file has, it is in a hurry.
    while try #require(store.sweeper.delay) == 0 { await Task.yield() }
    #expect(try #require(store.sweeper.delay) > 30)
    var passes = store.live(Pass.all).makeAsyncIterator()
    #expect(try await passes.next()?.count == 1)
    // The timer was set when the first observer came, and is set again each time that it fires.
    #expect(try #require(store.sweeper.delay) <= 0.5)
    time.leap(7200)
    #expect(try await passes.next()?.count == 0)
    time.leap(-7200)
    #expect(try await passes.next()?.count == 1)
    #expect(try #require(store.sweeper.delay) <= 0.5)
  }

  @Test(
    "live results that were read while the clock was wrong are read anew, though it had returned before the sweeper looked"
  )
  func unseenLeap() async throws {
    store.sweeper.stop()
    try await store.save(Pass(id: 1), expires: time.now + 3600)
    var passes = store.live(Pass.all.sorted(by: \.id)).makeAsyncIterator()
    func next() async throws -> [Int]? { try await passes.next()?.map(\.id) }
    #expect(try await next() == [1])
    try store.sweep()
    time.leap(7200)
    // Something else makes them read.
    try await store.insert(Pass(id: 2))
    #expect(try await next() == [2])
    time.leap(-7200)
    try store.sweep()
    #expect(try await next() == [1, 2])
  }

  @Test(
    "a row whose end was set in a context is announced by its end, though the sweeper had looked before it was saved")
  func contexts() async throws {
    try await store.insert(Holder(id: 1))
    let context = Context(store)
    try context.save(Pass(id: 1), expires: time.now + 60)
    // The sweeper looks, and finds nothing in the file.
    try store.sweep()
    try context.save()
    var passes = store.live(Pass.all).makeAsyncIterator()
    #expect(try await passes.next()?.count == 1)
    time.leap(60)
    #expect(try await passes.next()?.count == 0)
  }

  @Test("live results update for rows that an earlier store or another connection has saved")
  func others() async throws {
    try await store.save(Pass(id: 1), expires: time.now + 3600)
    let other = try Store(at: file.path, for: Pass.self, Holder.self, configuration: time.configuration)
    var passes = other.live(Pass.all).makeAsyncIterator()
    #expect(try await passes.next()?.count == 1)
    try await store.save(Pass(id: 2), expires: time.now + 60)
    while try await passes.next()?.count != 2 {}
    time.leap(60)
    while try await passes.next()?.count != 1 {}
    time.leap(3600)
    while try await passes.next()?.count != 0 {}
  }

  @Test("a loaded page of results shows no row after its end, nor rows that were included")
  func pages() async throws {
    try await store.insert(Holder(id: 1))
    try await store.save((0..<10).map { Pass(id: $0, owner: ToOne(1)) }, expires: time.now + 100)
    try await store.save(Pass(id: 10, owner: ToOne(1)), expires: time.now + 200)
    store.sweeper.stop()
    let passes = try await store.results(Pass.all.sorted(by: \.id))
    let holders = try await store.results(Holder.all.including(\.passes))
    #expect(passes.compactMap { $0?.id } == Array(0...10))
    #expect(holders.first??.passes.count == 11)
    time.leap(100)
    #expect(passes.compactMap { $0?.id } == [10])
    #expect(holders.first??.passes.map(\.id) == [10])
    time.leap(100)
    #expect(passes.allSatisfy { $0 == nil })
    #expect(holders.first??.passes.isEmpty == true)
  }

  @Test("a loaded page shows the rows that have not expired any more as soon as the clock goes back")
  func pagesAfterReturn() async throws {
    store.sweeper.stop()
    let codes = store.documents("codes")
    try await store.insert(Holder(id: 1))
    try await store.save(Pass(id: 1, owner: ToOne(1)), expires: time.now + 3600)
    try await codes.save("a", ["n": 1], expires: time.now + 3600)
    let passes = try await store.results(Pass.all)
    let holders = try await store.results(Holder.all.including(\.passes))
    let documents = try await codes.results()
    time.leap(7200)
    #expect(passes.map { $0?.id } == [nil] && holders.first??.passes.isEmpty == true && documents.map { $0 } == [nil])
    time.leap(-7200)
    #expect(
      passes.map { $0?.id } == [1] && holders.first??.passes.map(\.id) == [1] && documents.map { $0 } == [["n": 1]])
  }
}
