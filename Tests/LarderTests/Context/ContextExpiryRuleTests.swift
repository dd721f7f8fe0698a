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
@Suite("Context: delete rules of rows that expire", .timeLimit(.minutes(20)))
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

  /// How a row takes a unique value.
  enum Taking: CaseIterable, Sendable { case insert, save, update, updateAll, sql }

  /// Gives the row 3 a code, by default that of the row 1, which has expired.
  private func takeCode(_ taking: Taking, _ db: some StoreWriter, _ code: String = "a") throws {
    let row = SeasonTicket(id: 3, code: code, text: "new")
    switch taking {
    case .insert: try db.insert(row)
    case .save: try db.save([row])
    case .update: try db.update(row)
    case .updateAll:
      try db.updateAll(SeasonTicket.where { $0.code == "c" }) {
        $0.code.set(code)
        $0.text.set("new")
      }
    case .sql: try db.sql("update SeasonTicket set code = \(code), text = 'new' where id = 3")
    }
  }

  @Test(
    "a row that takes the unique value of one whose time has come deletes it with what its delete rules say, at once",
    arguments: Place.allCases, Taking.allCases)
  func taken(_ place: Place, _ taking: Taking) throws {
    try fill(db)
    // Its time does not come here.
    try db.setExpiry(of: SeasonTicket.self, 2, to: clock.now.addingTimeInterval(1000))
    if taking != .insert { try db.insert(SeasonTicket(id: 3, code: "c")) }
    clock.advance(by: 10)
    let writer = writer(place)
    // What has changed before stays so, except for what the rules change.
    try writer.save(TicketHolder(id: 1, name: "x", ticket: ToOne(1)))
    try writer.save(TicketVisit(id: 1, text: "moved", ticket: ToOne(2)))
    try writer.save(TicketVisit(id: 3, ticket: ToOne(1)))
    try takeCode(taking, writer)
    let expected = [
      "2:2", "3new:0", "visit 1moved of 2", "visit 2 of 2", "purchase 1", "purchase 2", "holder 1x of 0",
      "holder 2 of 2",
    ]
    #expect(try rows(writer) == expected)
    #expect(context.deleted(SeasonTicket.self) == [] && child.deleted(SeasonTicket.self) == [])
    try save()
    #expect(try rows(db) == expected && rows(context) == expected)
    #expect(try db.sql("select id from main.SeasonTicket order by id").map { $0["id"] } == [2, 3])
    #expect(try db.verifyDerived() == [] && db.check().isHealthy)
  }

  @Test("undo brings back what went with a row whose unique value was taken")
  func undoTaken() throws {
    try fill(db)
    clock.advance(by: 10)
    try context.save(SeasonTicket(id: 3, code: "a"))
    let after = ["3:0", "visit 2 of 2", "purchase 2", "holder 1 of 0", "holder 2 of 2"]
    #expect(try rows(context) == after)
    #expect(context.undo())
    #expect(try rows(context) == rows(db) && !context.hasChanges)
    #expect(context.redo())
    #expect(try rows(context) == after)
    try context.save()
    #expect(try rows(db) == after)
  }

  @Test("a row that a context inserts by SQL gets no key that an expired one has", arguments: Place.allCases)
  func generatedKey(_ place: Place) throws {
    try fill(db)
    clock.advance(by: 10)
    let writer = writer(place)
    try writer.sql("insert into SeasonTicket (text, code) values ('new', 'z')")
    try save()
    #expect(try db.fetch(SeasonTicket.all).map(\.visitCount) == [0])
    #expect(try db.fetch(SeasonTicket.all).allSatisfy { $0.id > 2 || place == .store })
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
    let taken = #expect(throws: StoreError.self) { try writer.save(SeasonTicket(id: 3, code: "a")) }
    #expect(taken?.code == .referenced && taken?.model == "SeasonTicket", "\(taken as Any)")
    #expect(try rows(writer) == before)
    try writer.delete(TicketClaim.self, 1)
    try writer.save(SeasonTicket(id: 1))
    try save()
    #expect(try rows(db).first == "1:0")
  }

  @Test(
    "whatever takes the unique value of a row that a reference keeps is refused like its deletion",
    arguments: Place.allCases, Taking.allCases)
  func keptValue(_ place: Place, _ taking: Taking) throws {
    try fill(db)
    try db.setExpiry(of: SeasonTicket.self, 2, to: clock.now.addingTimeInterval(1000))
    if taking != .insert { try db.insert(SeasonTicket(id: 3, code: "c")) }
    try db.insert(SeasonTicket(id: 4, code: "d"))
    try db.insert(TicketClaim(id: 1, ticket: ToOne(1)))
    clock.advance(by: 10)
    let writer = writer(place)
    let before = try rows(writer)
    let error = #expect(throws: StoreError.self) { try takeCode(taking, writer) }
    #expect(error?.code == .referenced && error?.model == "SeasonTicket", "\(error as Any)")
    #expect(try rows(writer) == before)
    // A row that is there has its value although others have expired.
    let duplicate = #expect(throws: StoreError.self) { try takeCode(taking, writer, "d") }
    #expect(duplicate?.code == .duplicate, "\(duplicate as Any)")
    #expect(try rows(writer) == before)
    try writer.delete(TicketClaim.self, 1)
    try takeCode(taking, writer)
    try save()
    #expect(try rows(db).contains("3new:0") && db.check().isHealthy)
    #expect(try db.sql("select id from main.SeasonTicket where code = 'a'").map { $0["id"] } == [3])
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
