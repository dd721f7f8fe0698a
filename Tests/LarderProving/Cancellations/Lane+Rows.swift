import Foundation
import Larder
import LarderTestSupport

extension Lane {
  private mutating func randomItem(_ id: Int) -> LaneState.Item {
    let codes: [String?] = [nil, nil, "\(number)-a", "\(number)-b", "\(number)-\(id)"]
    return LaneState.Item(
      value: Int.random(in: -5...20, using: &random), text: "text \(Int.random(in: 0..<9, using: &random))",
      code: codes.randomElement(using: &random) ?? nil,
      group: chance(2) ? state.groups.sorted().randomElement(using: &random) : nil,
      tags: state.items[id]?.tags ?? [])
  }

  private func model(_ id: Int, _ item: LaneState.Item) -> CancelItem {
    CancelItem(
      id: id, lane: number, value: item.value, text: item.text, code: item.code, group: item.group.map { ToOne($0) })
  }

  private func isTaken(_ code: String?, except id: Int, in state: LaneState) -> Bool {
    code != nil && state.items.contains { $0.key != id && $0.value.code == code }
  }

  // MARK: One row

  mutating func writeRow() async {
    let store = store
    let id = key()
    let item = randomItem(id)
    let model = model(id, item)
    var after = state
    after.items[id] = item
    let isTaken = isTaken(item.code, except: id, in: state)
    switch Int.random(in: 0..<6, using: &random) {
    case 0:
      let expected: Result<Bool, Refusal> =
        state.items[id] != nil || isTaken ? .failure(.store(.duplicate)) : .success(true)
      await write("insert", expected, after) { _ in
        try await store.insert(model)
        return true
      }
    case 1, 2:
      await write("save", isTaken ? .failure(.store(.duplicate)) : .success(true), after) { _ in
        try await store.save(model)
        return true
      }
    case 3:
      let expected: Result<Bool, Refusal> =
        state.items[id] == nil ? .failure(.store(.notFound)) : isTaken ? .failure(.store(.duplicate)) : .success(true)
      await write("update", expected, after) { _ in
        try await store.update(model)
        return true
      }
    case 4:
      after.items[id] = nil
      await write("delete", .success(state.items[id] != nil), after) { _ in try await store.delete(CancelItem.self, id)
      }
    default: await writeGroup()
    }
  }

  private mutating func writeGroup() async {
    let store = store
    let group = number * 1000 + Int.random(in: 0..<3, using: &random)
    let model = CancelGroup(id: group, lane: number)
    var after = state
    if chance(3) {
      after.removeGroup(group)
      await write("delete (nullify)", .success(state.groups.contains(group)), after) { _ in
        try await store.delete(CancelGroup.self, group)
      }
    } else {
      after.groups.insert(group)
      await write("save", .success(true), after) { _ in
        try await store.save(model)
        return true
      }
    }
  }

  // MARK: Many rows

  mutating func writeRows() async {
    let (store, lane) = (store, number)
    let ids = Set((0..<4).map { _ in key() }).sorted()
    var after = state
    switch Int.random(in: 0..<5, using: &random) {
    case 0:
      let isInsert = chance(2)
      let hasDuplicate = isInsert && ids.contains { state.items[$0] != nil }
      var models: [CancelItem] = []
      for id in ids {
        var item = randomItem(id)
        item.code = nil
        after.items[id] = item
        models.append(model(id, item))
      }
      let values = models
      await write(
        isInsert ? "insert many" : "save many", hasDuplicate ? .failure(.store(.duplicate)) : .success(true), after
      ) { _ in
        if isInsert { try await store.insert(values) } else { try await store.save(values) }
        return true
      }
    case 1:
      let models = ids.map { CancelItem(id: $0, lane: lane, value: 0) }
      for id in ids { after.items[id] = nil }
      await write("delete many", .success(ids.filter { state.items[$0] != nil }.count), after) { _ in
        try await store.delete(models)
      }
    case 2:
      let limit = Int.random(in: 0...20, using: &random)
      let matching = state.items.filter { $0.value.value > limit }
      for id in matching.keys { after.items[id]?.value += 3 }
      await write("updateAll", .success(matching.count), after) { _ in
        try await store.updateAll(CancelItem.where { $0.lane == lane && $0.value > limit }) {
          $0.value.increment(by: 3)
        }
      }
    case 3:
      let text = "text \(Int.random(in: 0..<9, using: &random))"
      let matching = state.items.filter { $0.value.text == text }
      for id in matching.keys { after.items[id] = nil }
      await write("deleteAll", .success(matching.count), after) { _ in
        try await store.deleteAll(CancelItem.where { $0.lane == lane && $0.text == text })
      }
    default:
      for id in after.items.keys { after.items[id]?.value %= 7 }
      await write("sql that writes", .success(true), after) { _ in
        try await store.sql("update \(CancelItem.self) set value = value % 7 where lane = \(lane)")
        return true
      }
    }
  }

  // MARK: Transactions

  mutating func writeTransaction() async {
    let (store, lane) = (store, number)
    let ids = Set((0..<3).map { _ in key() }).sorted()
    var after = state
    var models: [CancelItem] = []
    for id in ids {
      var item = randomItem(id)
      item.code = nil
      after.items[id] = item
      models.append(model(id, item))
    }
    let values = models
    let fails = chance(2)
    let inner = key()
    for id in after.items.keys where id != inner { after.items[id]?.value += 1 }
    let name = fails ? "transaction that throws" : "transaction"
    let isOnce = chance(4)
    let once = "lane \(lane) \(random.next())"
    let body: @Sendable (Transaction, Trigger) throws -> Void = { db, trigger in
      trigger.reach()
      for value in values {
        try db.save(value)
        trigger.reach()
      }
      // What a savepoint undoes stays undone.
      do {
        try db.savepoint { db in
          try db.save(CancelItem(id: inner, lane: lane, value: 1000))
          trigger.reach()
          throw OwnError()
        }
      } catch is OwnError {}
      trigger.reach()
      try db.updateAll(CancelItem.where { $0.lane == lane && $0.id != inner }) { $0.value.increment(by: 1) }
      trigger.reachEnd()
      if fails { throw OwnError() }
    }
    await write(isOnce ? "once" : name, fails ? .failure(.own) : .success(true), after) { trigger in
      if isOnce { return try await store.once(once) { try body($0, trigger) } }
      try await store.write { try body($0, trigger) }
      return true
    }
  }

  // MARK: Links

  mutating func writeLinks() async {
    guard let (id, item) = state.items.sorted(by: { $0.key < $1.key }).randomElement(using: &random) else { return }
    let (store, model) = (store, model(id, item))
    let tags = Set((0..<3).map { _ in Int.random(in: 0..<6, using: &random) }).sorted()
    let values = tags.map { CancelTag(id: $0) }
    var after = state
    switch Int.random(in: 0..<3, using: &random) {
    case 0:
      after.items[id]?.tags.formUnion(tags)
      await write("link", .success(true), after) { _ in
        try await store.link(model, \.tags, values)
        return true
      }
    case 1:
      guard let tag = values.first else { return }
      after.items[id]?.tags.remove(tag.id)
      await write("unlink", .success(item.tags.contains(tag.id)), after) { _ in
        try await store.unlink(model, \.tags, tag)
      }
    default:
      after.items[id]?.tags = Set(tags)
      await write("setLinks", .success(true), after) { _ in
        try await store.setLinks(model, \.tags, values)
        return true
      }
    }
  }

  // MARK: Rows that expire

  mutating func writeTickets() async {
    let (store, id) = (store, key())
    let ticket = CancelTicket(id: id, lane: number)
    var after = state
    switch Int.random(in: 0..<4, using: &random) {
    case 0, 1:
      let isGone = chance(3)
      if isGone { after.tickets.remove(id) } else { after.tickets.insert(id) }
      let date = isGone ? Date(timeIntervalSinceReferenceDate: 1) : Date(timeIntervalSinceNow: 1_000_000)
      await write("save(expires:)", .success(true), after) { _ in
        try await store.save(ticket, expires: date)
        return true
      }
    case 2:
      await write("setExpiry", .success(state.tickets.contains(id)), after) { _ in
        try await store.setExpiry(of: CancelTicket.self, id, to: nil)
      }
    default:
      // How many there are to remove is the sweeper's as well to say.
      await write("removeExpired", .success(true), after) { _ in try await store.removeExpired() >= 0 }
    }
  }
}
