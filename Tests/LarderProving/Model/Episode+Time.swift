import Foundation
import Larder
import LarderTestSupport

extension Episode {
  private static let year = 31_557_600.0
  /// Clocks that are set back by more than this were wrong before: the time goes back with them.
  private static let standstill = 300

  /// Lets a little time pass.
  func step(_ random: inout SplitMix64) {
    let duration = Double(Int.random(in: 0...15, using: &random))
    note("time", "\(duration) s pass")
    time.set(to: time.now + duration)
    world.expire(at: time.now)
  }

  /// Sets the clock ahead or back, for good or for a while.
  ///
  /// All stores read the clock before and after it, so that each knows the time that the world has.
  func leap(_ random: inout SplitMix64) async throws {
    try await verify()
    switch Int.random(in: 0..<5, using: &random) {
    case 0: try await leapAhead(by: Self.year, &random)
    case 1: try await leapBack(by: Double(Int.random(in: 400...60_000_000, using: &random)), &random)
    case 2: try await standStill(&random)
    default: try await excursion(&random)
    }
    try await verify()
  }

  private func leapAhead(by duration: Double, _ random: inout SplitMix64) async throws {
    // Dates stay within the same few years.
    guard time.now < 800_000_000 else { return try await leapBack(by: duration, &random) }
    note("leap", "the clock leaps ahead by \(duration) s")
    setAhead(by: duration)
  }

  private func setAhead(by duration: Double) {
    let start = time.now
    time.set(to: start + duration)
    world.expire(at: time.now, leapingFrom: start)
  }

  private func leapBack(by duration: Double, _ random: inout SplitMix64) async throws {
    guard time.now - duration > 600_000_000 else { return try await leapAhead(by: duration, &random) }
    note("leap", "the clock leaps back by \(duration) s")
    try await setBack(to: time.now - duration, &random)
  }

  private func setBack(to now: Double, _ random: inout SplitMix64) async throws {
    time.set(to: now)
    // What is being deleted by the time before is deleted when the next write has its turn.
    try await perform(.settle, &random)
    if let process { try await perform(.settle, in: process, seed: 0) }
    if world.hasHidden(after: now) {
      let version = version
      let seen = try await stores[0].read { try World(reading: $0, version) }
      let isProbation = ContinuousClock.now - beginning < .seconds(World.margin / 2)
      world.reappear(at: now, seen, isProbation: isProbation)
    }
  }

  /// A clock that is wrong for a while: no row is deleted by it, and what is saved meanwhile is there afterwards.
  private func excursion(_ random: inout SplitMix64) async throws {
    let start = time.now
    let duration = [Self.year, Double(Int.random(in: 400...60_000_000, using: &random))].randomElement(using: &random)
    note("leap", "the clock is \(duration ?? 0) s ahead for a while (")
    setAhead(by: duration ?? 0)
    try await verify()
    for _ in 0..<Int.random(in: 1...5, using: &random) { try await share(.change, &random) }
    if !isInMemory, Bool.random(using: &random) { try await open(&random) }
    try await verify()
    note("", ")")
    let passed = Double(Int.random(in: 0...3, using: &random))
    try await setBack(to: start + passed, &random)
    world.expire(at: time.now)
  }

  /// A store that is opened while the clock is wrong.
  private func open(_ random: inout SplitMix64) async throws {
    let store = try Store(at: path, for: version.models, configuration: configuration)
    var source = ChangeSource(random: SplitMix64(seed: random.next()), world: world, now: time.now)
    let change = source.otherChange()
    note("", " in a store that is opened now: \(change)")
    var after = world
    if (try? after.apply(change, now: time.now)) != nil {
      _ = try await change.apply(to: store)
      world = after
    }
    await store.close()
  }

  /// A clock that is corrected: what has expired stays hidden, and what is saved meanwhile is there.
  private func standStill(_ random: inout SplitMix64) async throws {
    let start = time.now
    let duration = Double(Int.random(in: 1...Self.standstill, using: &random))
    note("leap", "the clock is set back by \(duration) s for a while (")
    time.set(to: start - duration)
    try await verify()
    try await share(.temporary, &random)
    note("", ")")
    time.set(to: start)
    // Rows that the store showed meanwhile, by the time that it was set to, are hidden again.
    world.expire(at: start)
  }

  /// A row that expires after the clock's time, and perhaps before the time that was read last.
  func temporary(_ random: inout SplitMix64) async throws {
    let store = store(&random)
    let pass = LibraryPass(id: 1000, value: 1)
    let end = time.now + Double(Int.random(in: 1...Self.standstill, using: &random))
    note("", " a pass until \(end)")
    try await store.save(pass, expires: Date(timeIntervalSinceReferenceDate: end))
    try expect(try await store.find(LibraryPass.self, pass.id) == pass, "a pass is lost that was saved after a setback")
    try expect(
      try await store.delete(LibraryPass.self, pass.id), "a pass is not deleted that was saved after a setback")
  }
}
