import Larder
import LarderTestSupport

extension Lane {
  /// The keys of the lane's items in order.
  private var keysInOrder: [Int] { state.items.keys.sorted() }

  mutating func read() async {
    let (store, lane, items) = (store, number, state.items)
    let query = CancelItem.where { $0.lane == lane }
    let sorted = query.sorted(by: \.id)
    switch Int.random(in: 0..<14, using: &random) {
    case 0:
      let id = key()
      await read("find", items[id]?.value) { _ in try await store.find(CancelItem.self, id)?.value }
    case 1: await read("fetch", keysInOrder) { _ in try await store.fetch(sorted).map(\.id) }
    case 2: await read("first", keysInOrder.first) { _ in try await store.first(sorted)?.id }
    case 3: await read("count", items.count) { _ in try await store.count(query) }
    case 4: await read("exists", !items.isEmpty) { _ in try await store.exists(query) }
    case 5: await read("sum", items.values.reduce(0) { $0 + $1.value }) { _ in try await store.sum(query, of: \.value) }
    case 6: await read("max", items.values.map(\.value).max()) { _ in try await store.max(query, of: \.value) }
    case 7: await read("rows", items.count) { _ in try await store.rows(sorted).count }
    case 8:
      let groups = Dictionary(grouping: items.values, by: \.text).map { "\($0.key): \($0.value.count)" }.sorted()
      await read("fetch groups", groups) { _ in
        try await store.fetch(query.grouped(by: \.text) { ($0.key, $0.count) }).map { "\($0.0): \($0.1)" }.sorted()
      }
    case 9:
      await read("sql", items.count) { _ in
        try await store.sql("select count(*) from \(CancelItem.self) where lane = \(lane)", as: (Int).self).first ?? -1
      }
    case 10: await readSnapshot(sorted)
    case 11:
      await read("stream", keysInOrder) { trigger in
        var keys: [Int] = []
        for try await item in store.stream(sorted) {
          trigger.reach()
          keys.append(item.id)
        }
        return keys
      }
    case 12: await read("results", keysInOrder) { _ in try await store.results(sorted).keys }
    default:
      let lanes = store
      await read("average", items.isEmpty) { _ in try await lanes.average(query, of: \.value) == nil }
    }
  }

  private mutating func readSnapshot(_ query: Query<CancelItem>) async {
    let (store, lane, expected) = (store, number, state)
    await read("read", true) { trigger in
      try await store.read { db in
        trigger.reach()
        let first = try LaneState(of: lane, in: db)
        trigger.reach()
        let keys = try db.fetch(query).map(\.id)
        trigger.reachEnd()
        return first == expected && keys == expected.items.keys.sorted()
      }
    }
  }

  /// Follows a query until it shows what the lane has written meanwhile.
  mutating func observe() async {
    let (store, lane) = (store, number)
    let id = key()
    let expected = keysInOrder
    var after = state
    after.items[id] = LaneState.Item(value: 77, text: "live", tags: state.items[id]?.tags ?? [])
    let later = after.items.mapValues(\.value)
    let name = chance(2) ? "live" : "changes"
    let query = CancelItem.where { $0.lane == lane }.sorted(by: \.id)
    let model = CancelItem(id: id, lane: lane, value: 77, text: "live")
    let saved = SavedFlag()
    let (outcome, trigger) = await attempt(name) { trigger -> Bool in
      var seen: [CancelItem] = []
      func follow(_ values: [CancelItem]) async throws -> Bool {
        trigger.reach()
        if seen.isEmpty, !saved.isSaved {
          guard values.map(\.id) == expected else { throw WrongResult() }
          // Where it is cancelled, whether it was saved is known by its end alone.
          try await store.save(model)
          saved.isSaved = true
        }
        seen = values
        return saved.isSaved && Dictionary(uniqueKeysWithValues: values.map { ($0.id, $0.value) }) == later
      }
      if name == "live" {
        for try await values in store.live(query) { if try await follow(values) { return true } }
      } else {
        for try await change in store.changes(query) { if try await follow(change.values) { return true } }
      }
      return false
    }
    if saved.isSaved { state = after }
    switch outcome {
    case .success(true): break
    // A cancelled sequence ends, with or without an error.
    case .success(false), .failure(is CancellationError):
      tally.check(trigger.isFired, "\(place(name)): it ended before it showed what was saved")
    case .failure(let error): tally.check(false, "\(place(name)): \(error)")
    }
  }

  private struct WrongResult: Error {}
}
