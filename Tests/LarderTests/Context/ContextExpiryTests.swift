import Foundation
import Larder
import Testing

@Model(expires: true)
private struct DayTicket: Hashable {
  var id: Int
  @Attribute(.unique) var code: String?
}

/// The time of a pending row comes before it is saved.
@Suite("Context: rows that expire while they are pending", .timeLimit(.minutes(20)))
struct ContextExpiryTests {
  private let clock = TestClock()
  private let store: Store
  private let context: Context

  init() throws {
    store = try Store(inMemoryFor: DayTicket.self, configuration: Store.Configuration(now: { [clock] in clock.now }))
    context = Context(store)
  }

  private var later: Date { clock.now.addingTimeInterval(10) }

  private func rows(_ db: some StoreReader) throws -> [String] {
    try db.fetch(DayTicket.all.sorted(by: \.id)).map { "\($0.id)\($0.code ?? "")" }
  }

  @Test("a save while the clock is ahead deletes the rows whose unique values it needs, and no others")
  func leap() throws {
    for id in 1...3 {
      try store.blocking.save(DayTicket(id: id, code: "\(id)"), expires: clock.now.addingTimeInterval(1000))
    }
    clock.advance(by: 365 * 24 * 60 * 60)
    try context.save(DayTicket(id: 10, code: "1"))
    try context.save()
    clock.advance(by: -365 * 24 * 60 * 60)
    #expect(try rows(store.blocking) == ["22", "33", "101"])
  }

  @Test(
    "another row takes their keys and unique values, by each verb, in a context and in its child",
    arguments: [false, true])
  func places(isChild: Bool) throws {
    let db = isChild ? context.child() : context
    try db.save(
      [DayTicket(id: 1, code: "a"), DayTicket(id: 2, code: "b"), DayTicket(id: 3, code: "c")], expires: later)
    clock.advance(by: 10)
    #expect(try rows(db) == [] && db.inserted(DayTicket.self).isEmpty)
    try db.save(DayTicket(id: 1, code: "x"))
    db.insert(DayTicket(id: 2, code: "a"))
    try db.save(DayTicket(id: 4, code: "c"), expires: later)
    #expect(db.refusals.isEmpty)
    #expect(try rows(db) == ["1x", "2a", "4c"])
    try db.save()
    try context.save()
    #expect(try rows(store.blocking) == ["1x", "2a", "4c"])
  }

  @Test("a row of the store that was changed and expires is no conflict, and another takes its place")
  func stored() throws {
    try store.blocking.save([DayTicket(id: 1, code: "a"), DayTicket(id: 2, code: "b")], expires: later)
    context.update(DayTicket(id: 1, code: "x"))
    context.update(DayTicket(id: 2, code: "y"))
    clock.advance(by: 10)
    context.insert(DayTicket(id: 1, code: "y"))
    #expect(context.updated(DayTicket.self).isEmpty && context.inserted(DayTicket.self).map(\.id) == [1])
    try context.save()
    #expect(try rows(store.blocking) == ["1y"] && rows(context) == ["1y"])
    #expect(context.undo())
    try context.save()
    #expect(try rows(store.blocking) == [])
  }

  @Test(
    "a row whose time a context moved is saved after its former time, before and after it was swept",
    arguments: [false, true],
    [false, true])
  func extended(isChild: Bool, isSwept: Bool) throws {
    try store.blocking.save([DayTicket(id: 1, code: "a"), DayTicket(id: 2, code: "b")], expires: later)
    let db = isChild ? context.child() : context
    #expect(try db.setExpiry(of: DayTicket.self, 1, to: clock.now.addingTimeInterval(20)))
    try db.save(DayTicket(id: 2, code: "y"))
    clock.advance(by: 11)
    if isSwept { _ = try store.blocking.removeExpired() }
    #expect(try rows(db) == ["1a", "2y"])
    try db.save()
    try context.save()
    #expect(try rows(store.blocking) == ["1a", "2y"])
    clock.advance(by: 10)
    #expect(try rows(store.blocking) == ["2y"] && rows(context) == ["2y"])
  }
}
