import Foundation
import Testing

@testable import Larder

@Model(expires: true)
private struct SeasonTicket: Hashable {
  var id: Int
  @Attribute(.unique) var code: String?
  @Attribute(.searchable) var text: String = ""
  @Relationship(inverse: \TicketVisit.ticket) var visits: ToMany<TicketVisit> = []
  @Derived(.count(\SeasonTicket.visits)) var visitCount: Int = 0

  init(id: Int, code: String? = nil, text: String = "") {
    self.id = id
    self.code = code
    self.text = text
  }
}

/// Goes with its ticket, and what was bought there goes with it.
@Model
private struct TicketVisit: Hashable {
  var id: Int
  var text: String = ""
  @Relationship(deleteRule: .cascade) var ticket: ToOne<SeasonTicket>?
}

@Model
private struct VisitPurchase: Hashable {
  var id: Int
  @Relationship(deleteRule: .cascade) var visit: ToOne<TicketVisit>
}

@Model
private struct TicketHolder: Hashable {
  var id: Int
  var name: String = ""
  var ticket: ToOne<SeasonTicket>?
}

@Model
private struct TicketClaim: Hashable {
  var id: Int
  @Relationship(deleteRule: .deny) var ticket: ToOne<SeasonTicket>?
}

/// A row that takes the key of one whose time has come is a new one, in a context as in a store.
@Suite("Context: delete rules of rows that expire", .timeLimit(.minutes(5)))
struct ContextExpiryRuleTests {
  /// Who makes the change.
  enum Place: CaseIterable, Sendable { case store, context, child }

  private let clock = TestClock()
  private let store: Store
  private let db: BlockingStore
  private let context: Context
  private let child: Context

  init() throws {
    store = try Store(
      inMemoryFor: SeasonTicket.self, TicketVisit.self, VisitPurchase.self, TicketHolder.self, TicketClaim.self,
      configuration: Store.Configuration(now: { [clock] in clock.now }))
    store.sweeper.stop()
    db = store.blocking
    context = Context(store)
    child = context.child()
  }

  private var later: Date { clock.now.addingTimeInterval(10) }

  private func writer(_ place: Place) -> any StoreWriter {
    switch place {
    case .store: db
    case .context: context
    case .child: child
    }
  }

  private func save() throws {
    try child.save()
    try context.save()
  }

  private func rows(_ db: some StoreReader) throws -> [String] {
    try db.fetch(SeasonTicket.all.sorted(by: \.id)).map { "\($0.id)\($0.text):\($0.visitCount)" }
      + db.fetch(TicketVisit.all.sorted(by: \.id)).map { "visit \($0.id)\($0.text) of \($0.ticket?.id ?? 0)" }
      + db.fetch(VisitPurchase.all.sorted(by: \.id)).map { "purchase \($0.id)" }
      + db.fetch(TicketHolder.all.sorted(by: \.id)).map { "holder \($0.id)\($0.name) of \($0.ticket?.id ?? 0)" }
  }

  private func fill(_ db: some StoreWriter) throws {
    try db.save([SeasonTicket(id: 1, code: "a"), SeasonTicket(id: 2, code: "b")], expires: later)
    try db.insert([TicketVisit(id: 1, ticket: ToOne(1)), TicketVisit(id: 2, ticket: ToOne(2))])
    try db.insert([VisitPurchase(id: 1, visit: ToOne(1)), VisitPurchase(id: 2, visit: ToOne(2))])
    try db.insert([TicketHolder(id: 1, ticket: ToOne(1)), TicketHolder(id: 2, ticket: ToOne(2))])
  }

  @Test(
    "what referred to the former row has gone or is nil, wherever that row and the new one are",
    arguments: Place.allCases,
    Place.allCases)
  func replaced(_ place: Place, _ former: Place) throws {
    guard former == .store || former == place || (former, place) == (.context, .child) else { return }
    try fill(writer(former))
    clock.advance(by: 10)
    let db = writer(place)
    try db.save(SeasonTicket(id: 1, code: "a", text: "new"))
    let expected = ["1new:0", "visit 2 of 2", "purchase 2", "holder 1 of 0", "holder 2 of 2"]
    #expect(try rows(db) == expected)
    // What refers to the new row stays.
    try db.insert(TicketVisit(id: 1, text: "again", ticket: ToOne(1)))
    try db.save(TicketHolder(id: 1, name: "x", ticket: ToOne(1)))
    let after = [
      "1new:1", "visit 1again of 1", "visit 2 of 2", "purchase 2", "holder 1x of 1", "holder 2 of 2",
    ]
    #expect(try rows(db) == after)
    // References to a row that expired before it was saved dangle.
    if former != .store {
      try db.delete(TicketVisit.self, 2)
      try db.delete(TicketHolder.self, 2)
    }
    try save()
    let saved = former == .store ? after : ["1new:1", "visit 1again of 1", "holder 1x of 1"]
    #expect(try rows(self.db) == saved && rows(context) == saved)
    #expect(try self.db.verifyDerived() == [])
    #expect(try self.db.fetch(SeasonTicket.search("new")).map(\.id) == [1])
    #expect(try self.db.check().isHealthy)
  }

  @Test("undo brings back what went with the former row")
  func undo() throws {
    try fill(db)
    clock.advance(by: 10)
    try context.save(SeasonTicket(id: 1))
    #expect(context.undo())
    #expect(try rows(context) == rows(db) && !context.hasChanges)
    #expect(context.redo())
    try context.save()
    #expect(try rows(db) == ["1:0", "visit 2 of 2", "purchase 2", "holder 1 of 0", "holder 2 of 2"])
  }

  @Test("a reference that denies it refuses the new row, and nothing has changed", arguments: Place.allCases)
  func denied(_ place: Place) throws {
    try fill(db)
    try db.insert(TicketClaim(id: 1, ticket: ToOne(1)))
    clock.advance(by: 10)
    let writer = writer(place)
    let before = try rows(writer)
    let error = #expect(throws: StoreError.self) { try writer.save(SeasonTicket(id: 1)) }
    #expect(error?.code == .referenced && error?.model == "SeasonTicket", "\(error as Any)")
    #expect(place == .store || error?.message.contains("TicketClaim.ticket") == true)
    #expect(try rows(writer) == before)
    try writer.delete(TicketClaim.self, 1)
    try writer.save(SeasonTicket(id: 1))
    try save()
    #expect(try rows(db).first == "1:0")
  }

  @Test("what refers to a row that got a later date stays, though the former date has come", arguments: Place.allCases)
  func extended(_ place: Place) throws {
    try fill(db)
    let writer = writer(place)
    #expect(try writer.setExpiry(of: SeasonTicket.self, 1, to: clock.now.addingTimeInterval(100)))
    clock.advance(by: 10)
    let expected = [
      "1:1", "visit 1 of 1", "visit 2 of 2", "purchase 1", "purchase 2", "holder 1 of 1", "holder 2 of 2",
    ]
    #expect(try rows(writer) == expected)
    try save()
    #expect(try rows(db) == expected && rows(context) == expected)
    #expect(try db.verifyDerived() == [])
  }
}
