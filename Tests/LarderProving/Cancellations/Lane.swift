import Foundation
import Larder
import LarderTestSupport

/// One of the tasks that use a store side by side, each with rows of its own, so that each knows what the store must
/// say.
struct Lane: Sendable {
  let number: Int
  let store: Store
  /// The kind of the store, for findings.
  let kind: String
  let folder: URL
  let tally: CancellationTally
  let marksman: Marksman
  let step: @Sendable () -> Void
  var random: SplitMix64
  var state = LaneState()
  private var operations = 0

  static let keys = 12

  init(
    _ number: Int, store: Store, kind: String, folder: URL, seed: UInt64, tally: CancellationTally, marksman: Marksman,
    step: @escaping @Sendable () -> Void
  ) {
    self.number = number
    self.store = store
    self.kind = kind
    self.folder = folder
    self.tally = tally
    self.marksman = marksman
    self.step = step
    random = SplitMix64(seed: seed &+ UInt64(number) &* 7919)
  }

  /// Operates until the number is reached or something was found.
  mutating func run(operations limit: Int) async {
    while operations < limit, tally.goesOn {
      operations += 1
      await operate()
      if chance(4) { await verify() }
      step()
    }
    await verify()
  }

  private mutating func operate() async {
    switch Int.random(in: 0..<40, using: &random) {
    case 0..<10: await writeRow()
    case 10..<14: await writeRows()
    case 14..<20: await writeTransaction()
    case 20..<23: await writeLinks()
    case 23..<27: await writeDocuments()
    case 27..<29: await writeTickets()
    case 29: chance(3) ? await backUp() : await attach()
    case 30: await observe()
    default: await read()
    }
  }

  mutating func chance(_ number: Int) -> Bool { Int.random(in: 0..<number, using: &random) == 0 }

  mutating func key() -> Int { number * 1000 + Int.random(in: 0..<Self.keys, using: &random) }

  // MARK: Trying

  /// An error that an operation is to end in.
  enum Refusal: Error, Equatable {
    case store(StoreError.Code)
    case own
  }

  /// What the closures of transactions throw.
  struct OwnError: Error {}

  /// Performs a write that may be cancelled: where it succeeds the lane's state is the new one, otherwise the old.
  mutating func write<Value: Sendable & Equatable>(
    _ name: String, _ expected: Result<Value, Refusal>, _ after: LaneState? = nil,
    _ body: @escaping @Sendable (Trigger) async throws -> Value
  ) async {
    let (outcome, trigger) = await attempt(name, body)
    let isRight: Bool
    switch (outcome, expected) {
    case (.success(let value), .success(let wanted)):
      isRight = value == wanted
      if let after { state = after }
    case (.failure(is CancellationError), _): isRight = trigger.isFired
    case (.failure(let error as StoreError), .failure(.store(let code))): isRight = error.code == code
    case (.failure(is OwnError), .failure(.own)): isRight = true
    default: isRight = false
    }
    tally.check(
      isRight, "\(place(name)): \(outcome) instead of \(expected), \(trigger.isFired ? "cancelled" : "not cancelled")")
  }

  /// Performs a read that may be cancelled.
  mutating func read<Value: Sendable & Equatable>(
    _ name: String, _ expected: Value, _ body: @escaping @Sendable (Trigger) async throws -> Value
  ) async {
    await write(name, .success(expected), nil, body)
  }

  mutating func attempt<Value: Sendable>(
    _ name: String, _ body: @escaping @Sendable (Trigger) async throws -> Value
  ) async -> (Result<Value, any Error>, Trigger) {
    let trigger = Trigger(.random(using: &random))
    if case .before = trigger.moment { trigger.fire() }
    marksman.aim(at: trigger)
    defer { trigger.end() }
    let task = Task {
      trigger.reach()
      return try await body(trigger)
    }
    trigger.arm { task.cancel() }
    switch trigger.moment {
    case .afterSpin(let count):
      Moment.spin(count)
      trigger.fire()
    case .afterYields(let count):
      for _ in 0..<count { await Task.yield() }
      trigger.fire()
    default: break
    }
    let outcome = await task.result
    var hasLanded = false
    if case .failure(is CancellationError) = outcome { hasLanded = true }
    tally.note(name, isCancelled: trigger.isFired, hasLanded: hasLanded)
    return (outcome, trigger)
  }

  /// A name that no other file of the lane has.
  var fileName: String { "copy-\(number)-\(operations).larder" }

  func place(_ name: String) -> String { "\(name) in \(kind), lane \(number), operation \(operations)" }

  // MARK: Checking

  /// Compares everything that the lane has in the store, without being cancelled.
  mutating func verify() async {
    let number = number
    do {
      let seen = try await store.read { try LaneState(of: number, in: $0) }
      tally.check(seen == state, "\(place("verifying")): \(state.difference(to: seen))")
      let items = try await store.count(CancelItem.where { $0.lane == number })
      tally.check(
        items == state.items.count,
        "\(place("verifying")): \(items) items are counted, \(state.items.count) were written")
    } catch {
      tally.check(false, "\(place("verifying")): \(error)")
    }
  }
}

extension LaneState {
  /// What the store says.
  init(of lane: Int, in db: some StoreReader) throws {
    for item in try db.fetch(CancelItem.where { $0.lane == lane }.including(\.tags)) {
      items[item.id] = Item(
        value: item.value, text: item.text, code: item.code, group: item.group?.id,
        tags: Set((item.tags.loaded ?? []).map(\.id)))
    }
    let found = try db.fetch(CancelGroup.where { $0.lane == lane })
    groups = Set(found.map(\.id))
    for group in found where group.total != total(of: group.id) {
      // A derived value that is wrong shows as a group that nobody wrote.
      groups.insert(-group.id)
    }
    tickets = Set(try db.fetch(CancelTicket.where { $0.lane == lane }).map(\.id))
    for document in try db.documents("lane\(lane)").fetch() {
      documents[document.key] = document.value["value"]?.integer.map { Int($0) } ?? -1
    }
  }

  func difference(to seen: LaneState) -> String {
    var parts: [String] = []
    for id in Set(items.keys).union(seen.items.keys).sorted() where items[id] != seen.items[id] {
      parts.append(
        "item \(id) is \(seen.items[id].map { "\($0)" } ?? "gone") instead of \(items[id].map { "\($0)" } ?? "gone")")
    }
    if groups != seen.groups { parts.append("groups are \(seen.groups.sorted()) instead of \(groups.sorted())") }
    if tickets != seen.tickets { parts.append("tickets are \(seen.tickets.sorted()) instead of \(tickets.sorted())") }
    if documents != seen.documents { parts.append("documents are \(seen.documents) instead of \(documents)") }
    return parts.joined(separator: "; ")
  }
}
