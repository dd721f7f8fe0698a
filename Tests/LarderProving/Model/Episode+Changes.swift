import Larder
import LarderTestSupport

extension Episode {
  /// What the world says of a change, with what is only known when it is committed.
  private static func expected(_ change: Change, _ world: inout World, now: Double) -> Result<Int, World.Refusal> {
    let before = world
    do {
      let value = try world.apply(change, now: now)
      if world.isDangling { throw World.Refusal(code: .referenced) }
      return .success(value)
    } catch {
      world = before
      return .failure(error as? World.Refusal ?? World.Refusal(code: .corrupt))
    }
  }

  private static func isSame(_ actual: Result<Int, any Error>, _ expected: Result<Int, World.Refusal>) -> Bool {
    switch (actual, expected) {
    case (.success(let value), .success(let wanted)): value == wanted
    case (.failure(let error as StoreError), .failure(let refusal)): error.code == refusal.code
    default: false
    }
  }

  // MARK: One change

  func change(_ random: inout SplitMix64) async throws {
    let path = Int.random(in: 0..<3, using: &random)
    let store = store(&random)
    var source = ChangeSource(random: random, world: world, now: time.now)
    let change = Int.random(in: 0..<4, using: &random) == 0 ? source.otherChange() : source.libraryChange()
    note("change", "\(path == 0 ? "async" : "blocking") \(change)")
    var after = world
    let expected = Self.expected(change, &after, now: time.now)
    let actual: Result<Int, any Error>
    if path == 0 {
      do { actual = .success(try await change.apply(to: store)) } catch { actual = .failure(error) }
    } else {
      actual = Result { try change.apply(to: store.blocking) }
    }
    try expect(Self.isSame(actual, expected), "\(change): \(actual) instead of \(expected)")
    if case .success = expected { world = after }
  }

  // MARK: Several

  private struct Step: Sendable {
    let changes: [Change]
    /// What each of the changes is to give.
    let expected: [Result<Int, World.Refusal>]
    let isSavepoint: Bool
    let fails: Bool

    var text: String { "\(isSavepoint ? "savepoint " : "")\(fails ? "that throws " : "")\(changes)" }
  }

  private struct OwnError: Error {}

  func transaction(_ random: inout SplitMix64) async throws {
    let store = store(&random)
    let isAsynchronous = Bool.random(using: &random)
    var after = world
    let steps = (0..<Int.random(in: 1...4, using: &random)).map { _ in step(&random, &after) }
    let fails = Int.random(in: 0..<5, using: &random) == 0
    note(
      "transaction",
      "transaction\(fails ? " that throws" : ""): \(steps.map(\.text).joined(separator: "; "))"
    )
    outcome.operations += steps.reduce(-1) { $0 + $1.changes.count }
    let (version, expected) = (version, after.readable(version))
    let body: @Sendable (Transaction) throws -> String? = { db in
      for step in steps {
        if let difference = try Self.perform(step, db) { return difference }
      }
      let seen = try World(reading: db, version)
      if seen != expected { return "inside of a transaction: \(expected.difference(to: seen))" }
      if fails { throw OwnError() }
      return nil
    }
    do {
      let difference = isAsynchronous ? try await store.write(body) : try store.blocking.write(body)
      try expect(difference == nil, difference ?? "")
      try expect(!after.isDangling, "a transaction was committed whose rows refer to nothing")
      world = after
    } catch is OwnError {
      try expect(fails, "nobody threw")
    } catch let error as StoreError {
      try expect(error.code == .referenced && after.isDangling && !fails, "a transaction ended in \(error)")
    }
  }

  private func step(_ random: inout SplitMix64, _ world: inout World) -> Step {
    let isSavepoint = Int.random(in: 0..<3, using: &random) == 0
    let fails = isSavepoint && Bool.random(using: &random)
    let before = world
    var changes: [Change] = []
    var expected: [Result<Int, World.Refusal>] = []
    for _ in 0..<(isSavepoint ? Int.random(in: 1...3, using: &random) : 1) {
      var source = ChangeSource(random: SplitMix64(seed: random.next()), world: world, now: time.now)
      let change = Int.random(in: 0..<4, using: &random) == 0 ? source.otherChange() : source.libraryChange()
      let unchanged = world
      do {
        expected.append(.success(try world.apply(change, now: time.now)))
      } catch {
        world = unchanged
        expected.append(.failure(error as? World.Refusal ?? World.Refusal(code: .corrupt)))
      }
      changes.append(change)
    }
    if fails { world = before }
    return Step(changes: changes, expected: expected, isSavepoint: isSavepoint, fails: fails)
  }

  /// Performs the step; what it gave otherwise than expected, or nil.
  private static func perform(_ step: Step, _ db: Transaction) throws -> String? {
    var difference: String?
    func perform() {
      for (change, expected) in zip(step.changes, step.expected) {
        let actual = Result { try change.apply(to: db) }
        if difference == nil, !isSame(actual, expected) {
          difference = "\(change) in a transaction: \(actual) instead of \(expected)"
        }
      }
    }
    guard step.isSavepoint else {
      perform()
      return difference
    }
    do {
      try db.savepoint { _ in
        perform()
        if step.fails { throw OwnError() }
      }
    } catch is OwnError {}
    return difference
  }

  // MARK: Once, and other versions

  func once(_ random: inout SplitMix64) async throws {
    let name = "once \(Int.random(in: 0..<6, using: &random))"
    let store = store(&random)
    let fails = Int.random(in: 0..<3, using: &random) == 0
    let id = 100 + Int.random(in: 0..<4, using: &random)
    note("once", "\(name)\(fails ? " that throws" : "")")
    do {
      let wasCalled = try await store.once(name) { db in
        try db.save(LibraryAgency(id: id, name: name))
        if fails { throw OwnError() }
      }
      try expect(wasCalled == !world.once.contains(name), "once was \(wasCalled ? "" : "not ")called")
      if wasCalled {
        world.once.insert(name)
        world.agencies[id] = LibraryAgency(id: id, name: name)
      }
    } catch is OwnError {
      try expect(fails && !world.once.contains(name), "once was called again")
    }
  }

  func gadget(_ random: inout SplitMix64) throws {
    let id = Int.random(in: 0..<6, using: &random)
    let row = GadgetRow(
      name: Library.words.randomElement(using: &random) ?? "red", size: Int.random(in: 0..<4, using: &random),
      color: Bool.random(using: &random) ? "green" : "blue", remark: Bool.random(using: &random) ? "new" : nil)
    note("gadget", "save gadget \(id)")
    try version.save(id, row, in: store(&random).blocking)
    world.gadgets[id] = version.stored(row, over: world.gadgets[id])
  }
}
