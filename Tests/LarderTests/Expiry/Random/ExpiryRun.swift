import Foundation
import LarderTestSupport

@testable import Larder

/// A store with rows that expire beside plain Swift, through random changes and leaps of the clock.
final class ExpiryRun {
  /// What a store says and plain Swift does not.
  struct Difference: Error, CustomStringConvertible {
    let description: String
  }

  private struct Stop: Error {}

  /// A store of the file, and the time by which it hides rows.
  struct Place {
    let name: String
    let store: Store
    var clock: ExpiryWorldClock
  }

  private let file: StoreFile?
  private let time = SteppedTime()
  var random: SplitMix64
  var world = ExpiryWorld()
  /// The store that is watched, and perhaps another one of the same file.
  var places: [Place] = []
  private var probes: [(question: ExpiryQuestion, probe: LiveProbe)] = []
  private var watches: [ExpiryWatch] = []
  private var pages: [ExpiryPages] = []
  /// Whether rows have expired or reappeared without a commit.
  private var isSweepDue = false
  /// Whether all rows that have expired by the clock were just deleted.
  private var isCleared = false
  /// The permits that the file had when the context at work began.
  var stored: Set<Int> = []
  private var history: [String] = []
  private(set) var comparisons = 0

  /// - Parameter isFile: Whether the store has a file, which a second store opens too.
  init(seed: UInt64, isFile: Bool) throws {
    random = SplitMix64(seed: seed)
    let clock = ExpiryWorldClock(at: time.reading)
    if isFile {
      let file = try StoreFile()
      self.file = file
      for name in ["the store", "another store"] {
        let store = try Store(
          at: file.path, for: ExpiryPermit.self, ExpiryTicket.self, ExpiryGate.self, ExpiryStamp.self, ExpirySeal.self,
          configuration: time.configuration)
        places.append(Place(name: name, store: store, clock: clock))
      }
    } else {
      file = nil
      let store = try Store(
        inMemoryFor: ExpiryPermit.self, ExpiryTicket.self, ExpiryGate.self, ExpiryStamp.self, ExpirySeal.self,
        configuration: time.configuration)
      places.append(Place(name: "the store", store: store, clock: clock))
    }
    // What it does when it is due is done by the steps, at the same moment in every run.
    for place in places { place.store.sweeper.stop() }
    // A collection begins with its first document.
    try places[0].store.blocking.documents("papers").save("a", ["n": 1])
    world.papers["a"] = ExpiryWorld.Entry(row: 1, end: nil)
    let store = places[0].store
    probes = try ExpiryQuestion.allCases.map { question in
      (question, try LiveProbe("live \(question)", store) { try question.answer($0) })
    }
    watches = try ExpiryWatch.all(store)
  }

  /// What happened lately, and the rows that expire, before the last change or as far as it came.
  var story: String {
    func number(_ value: (any CustomStringConvertible)?) -> String { value?.description ?? "none" }
    let permits: [String] = world.permits.sorted { $0.key < $1.key }.map { id, permit in
      "permit \(id), code \(number(permit.row.code)), parent \(number(permit.row.parent?.id)), until \(number(permit.end))"
    }
    let tickets: [String] = world.tickets.sorted { $0.key < $1.key }.map { id, ticket in
      "ticket \(id), permit \(number(ticket.row.permit?.id)), until \(number(ticket.end))"
    }
    let seals: [String] = world.seals.values.map { "seal of \(number($0.permit?.id))" }
    let clocks: [String] = places.map { "\($0.name) has \($0.clock.now), the clock \(time.reading)" }
    var lines: [String] = Array(history.suffix(30))
    lines += ["", "the world:"]
    lines += permits
    lines += tickets
    lines += seals
    lines += clocks
    return lines.joined(separator: "\n")
  }

  /// Makes some changes, lets the sweeper do what is due, and compares everything that is shown.
  func step() async throws {
    for _ in 0..<random.pick([1, 1, 2, 3]) {
      switch Int.random(in: 0..<12, using: &random) {
      case 0..<4: moveClock()
      case 4..<6: try changeInContext()
      default: try change()
      }
      try compareAnswers()
      if random.once(in: 4) { try glance() }
      if random.once(in: 12) { pages = try await pages.suffix(2) + [ExpiryPages(places[0].store)] }
    }
    if isSweepDue || random.once(in: 3) { try sweep() }
    try await compareLive()
  }

  /// Lets the clock run steadily, so that the sweepers believe it, and compares once more.
  func finish() async throws {
    note("a minute and a half passes, with sweeps")
    for _ in 0..<30 {
      time.pass(3)
      for index in places.indices { places[index].clock.show(time.reading) }
      for place in places { try place.store.sweep() }
    }
    isCleared = true
    try reconcile(places[0])
    noteForeignCommits()
    try compareAnswers()
    try await compareLive()
  }

  // MARK: The clock

  func moveClock() {
    let seconds = random.pick([0.001, 1, 1, 2, 10, 59, 61, 200, 1000, 7000])
    switch random.pick([0, 0, 1, 2, 2]) {
    case 0:
      note("\(seconds) s pass")
      time.pass(seconds)
    case 1:
      note("the clock leaps ahead by \(seconds) s")
      time.leap(seconds)
    default:
      note("the clock is set back by \(seconds) s")
      time.leap(-seconds)
    }
    for index in places.indices { changeClock(index) { $0.show(self.time.reading) } }
  }

  private func changeClock(_ index: Int, _ body: (inout ExpiryWorldClock) -> Void) {
    let now = places[index].clock.now
    body(&places[index].clock)
    if places[index].clock.now != now { isSweepDue = true }
  }

  private func sweep() throws {
    for place in places.shuffled(using: &random) {
      note("\(place.name) sweeps")
      try place.store.sweep()
      try reconcile(place)
    }
    noteForeignCommits()
    isSweepDue = false
    try compareAnswers()
  }

  // MARK: Changes

  private func change() throws {
    let index = random.once(in: 4) ? places.count - 1 : 0
    let db = places[index].store.blocking
    if random.once(in: 5) {
      try makeTransaction(index)
    } else {
      let before = world
      do {
        try make(index, db)
        if world.hasDanglingReferences { throw Difference(description: "a reference to no row was saved") }
      } catch is ExpiryWorld.Refusal {
        world = before
      }
    }
    try reconcile(places[index])
    if index > 0 { noteForeignCommits() }
  }

  /// Makes a change by the verbs of a store or transaction. Throws a refusal if both refuse it.
  ///
  /// - Parameter isLast: Whether references must be there at its end.
  func make(_ index: Int, _ db: some StoreWriter, isLast: Bool = true) throws {
    var change = ExpiryChange.random(world, reading: time.reading, &random)
    // Of a row that expires before it was ever saved, a context saves nothing, and keeps its unique value until then.
    // Rows that reappear while a context replaces them are as if somebody else had inserted them.
    while db is Context,
      !change.isForContexts || (change.hides(at: time.reading) && !isHidden(change))
        || change.turnsBack(from: places[index].clock.now, to: time.reading)
    {
      change = .random(world, reading: time.reading, &random)
    }
    note("\(places[index].name): \(change)")
    var expected = Result { () throws -> String in
      var text = ""
      var failure: (any Error)?
      changeClock(index) { clock in
        do { text = try world.make(change, &clock, reading: time.reading) } catch { failure = error }
      }
      if let failure { throw failure }
      return text
    }
    if isLast, world.hasDanglingReferences { expected = .failure(ExpiryWorld.Refusal()) }
    let made = Result { try change.make(db) }
    if case .removeExpired = change { isCleared = true }
    switch (expected, made) {
    case (.success(let expected), .success(let made)):
      // A context counts the changes of its triggers too.
      guard expected == made || (db is Context && Bool(expected) == nil) else {
        throw Difference(description: "\(change) returns \(made) instead of \(expected)")
      }
    case (.failure, .failure(let error)) where error is StoreError: throw ExpiryWorld.Refusal()
    case (.success, .failure(let error)): throw Difference(description: "\(change) throws \(error)")
    default: throw Difference(description: "\(change) is not refused, or with \(made)")
    }
  }

  /// Whether the change only hides a row of the file that has no unique value.
  private func isHidden(_ change: ExpiryChange) -> Bool {
    guard case .setPermitEnd(let id, _) = change, let permit = world.permits[id] else { return false }
    return permit.row.code == nil && stored.contains(id)
  }

  private func makeTransaction(_ index: Int) throws {
    note("\(places[index].name) begins a transaction")
    let before = world
    let isUndone = random.once(in: 3)
    do {
      try places[index].store.blocking.write { transaction in
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          try make(index, transaction, isLast: false)
          try reconcile(places[index], transaction)
        }
        try compareAnswers(places[index], transaction, some: true)
        if isUndone { throw Stop() }
      }
      if world.hasDanglingReferences { throw Difference(description: "a reference to no row was committed") }
    } catch is Stop {
      world = before
    } catch is ExpiryWorld.Refusal {
      world = before
    } catch let error as StoreError {
      guard world.hasDanglingReferences else { throw Difference(description: "the transaction throws \(error)") }
      world = before
    }
    note("the transaction has ended")
  }

  // MARK: What the file has

  /// - Parameter before: The world before a context that was saved began.
  func reconcile(_ place: Place, contextFrom before: ExpiryWorld? = nil) throws {
    try reconcile(place, place.store.blocking, before)
  }

  /// Applies to the world what was deleted because it had expired, which is the store's choice.
  private func reconcile(_ place: Place, _ db: some StoreReader, _ before: ExpiryWorld? = nil) throws {
    let now = places.map(\.clock.now).max() ?? place.clock.now
    func ends(_ table: String, _ key: String, _ column: String) throws -> [(key: Value, end: Double?)] {
      try db.sql(SQL(raw: "select \(key) as key, \(column) as e from main.\(table)")).map { row in
        (row["key"] ?? .null, row["e"]?.real)
      }
    }
    let permits = Dictionary(
      uniqueKeysWithValues: try ends("ExpiryPermit", "id", "_expires").map { (Int($0.key.integer ?? -1), $0.end) })
    let tickets = Dictionary(
      uniqueKeysWithValues: try ends("ExpiryTicket", "id", "_expires").map { (Int($0.key.integer ?? -1), $0.end) })
    let papers = Dictionary(
      uniqueKeysWithValues: try ends("papers", "key", "expires").map { ($0.key.text ?? "", $0.end) })
    if let before { world.keepHidden(from: before, permits: Set(permits.keys), tickets: Set(tickets.keys), at: now) }
    try world.reconcile(permits: permits, tickets: tickets, papers: papers, at: now)
    guard isCleared else { return }
    isCleared = false
    guard !world.hasRemovable(at: time.reading) else { throw Difference(description: "expired rows were not deleted") }
  }

  /// What a timer finds ten times a second.
  private func noteForeignCommits() {
    if places.count > 1 { places[0].store.live.wakeAll() }
  }

  // MARK: Comparing

  private func compareAnswers() throws {
    for place in places { try compareAnswers(place, place.store.blocking, some: place.name != places[0].name) }
    for page in pages {
      comparisons += 1
      if let difference = page.check(world, at: places[0].clock.now) { throw Difference(description: difference) }
    }
  }

  func compareAnswers(_ place: Place, _ db: some StoreReader, some: Bool) throws {
    for question in ExpiryQuestion.allCases where !some || random.once(in: 4) {
      let (answer, expected) = (try question.answer(db), question.answer(world, at: place.clock.now))
      comparisons += 1
      guard answer == expected else {
        throw Difference(description: "\(place.name) answers \(question) with \(answer) instead of \(expected)")
      }
    }
  }

  /// Some readers look before they are told.
  private func glance() throws {
    for (_, probe) in probes where random.once(in: 3) { _ = try probe.look() }
  }

  private func compareLive() async throws {
    let now = places[0].clock.now
    for (question, probe) in probes {
      comparisons += 1
      if try probe.look() { throw Difference(description: "\(probe.name) was not told that it is \(probe.text)") }
      let expected = question.answer(world, at: now)
      guard probe.text == expected else {
        throw Difference(description: "\(probe.name) is \(probe.text) instead of \(expected)")
      }
    }
    for watch in watches {
      comparisons += 1
      if let difference = try await watch.check(world, at: now) { throw Difference(description: difference) }
    }
  }

  func note(_ text: String) { history.append(text) }
}
