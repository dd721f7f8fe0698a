import Foundation
import Synchronization
import Testing

@testable import Larder

/// A row of a long chain, with everything that a deletion can lead to.
@Model
private struct Deed: Hashable {
  @Attribute(.primaryKey) var code: String
  @Attribute(.searchable) var text: String = ""
  var amount: Int = 0
  var weight: Decimal = 0
  @Relationship(deleteRule: .cascade) var earlier: ToOne<Deed>?
  @Relationship(deleteRule: .nullify) var ledger: ToOne<Register>?
  @Relationship(inverse: \DeedTag.deeds) var tags: ToMany<DeedTag> = []
}

@Model
private struct Register: Hashable {
  var id: Int
  @Relationship(inverse: \Deed.ledger, ordered: true) var deeds: ToMany<Deed> = []
  @Derived(.count(\Register.deeds)) var count: Int = 0
  @Derived(.sum(\Register.deeds, \Deed.amount)) var amount: Int = 0
  @Derived(.sum(\Register.deeds, \Deed.weight)) var weight: Decimal = 0
  @Derived(.max(\Register.deeds, \Deed.amount)) var greatest: Int?
}

@Model
private struct DeedTag: Hashable {
  var id: Int
  var deeds: ToMany<Deed> = []
  @Derived(.count(\DeedTag.deeds)) var uses: Int = 0
}

@Model
private struct Ring: Hashable {
  var id: Int
  @Relationship(deleteRule: .cascade) var earlier: ToOne<Ring>?
}

/// What the writer's connection executes.
private final class StatementLog: Sendable {
  private let statements = Mutex<[String]>([])

  var configuration: Store.Configuration {
    Store.Configuration(trace: { [self] event in statements.withLock { $0.append(event.sql) } })
  }

  func take(_ body: () throws -> Bool) throws -> [String] {
    statements.withLock { $0 = [] }
    #expect(try body())
    return statements.withLock { $0 }
  }
}

@Suite("Deletions that lead through thousands of rows", .timeLimit(.minutes(20)))
struct DeepDeletionTests {
  private static func fill(_ store: Store, _ count: Int) throws {
    try store.blocking.write { db in
      try db.insert([Register(id: 1), Register(id: 2)])
      try db.insert([DeedTag(id: 1)])
      let deeds = (1...count).map { number in
        Deed(
          code: "d\(number)", text: "deed number\(number)", amount: number, weight: Decimal(number) / 4,
          earlier: number == 1 ? nil : ToOne("d\(number - 1)"), ledger: ToOne(number % 2 + 1))
      }
      try db.insert(deeds)
      for deed in deeds where deed.amount % 500 == 1 { try db.link(deed, \.tags, DeedTag(id: 1)) }
    }
  }

  private static func store(_ count: Int, _ configuration: Store.Configuration = Store.Configuration()) throws -> Store
  {
    let store = try Store(inMemoryFor: Deed.self, Register.self, DeedTag.self, configuration: configuration)
    try fill(store, count)
    return store
  }

  @Test("derived values, orders, pairs and full text are as after a short one", arguments: [false, true])
  func consequences(isContext: Bool) async throws {
    let store = try Self.store(3_000)
    var counts = store.live { try $0.count(Deed.all) }.makeAsyncIterator()
    #expect(try await counts.next() == 3_000)
    if isContext {
      let context = Context(store)
      #expect(context.delete(Deed.self, "d1001"))
      try context.save()
    } else {
      #expect(try await store.delete(Deed.self, "d1001"))
    }
    #expect(try await counts.next() == 1_000)
    let db = store.blocking
    let registers = try db.fetch(Register.all.sorted(by: \.id).including(\.deeds))
    #expect(registers.map(\.count) == [500, 500])
    #expect(registers.map(\.amount) == [250_500, 250_000])
    #expect(registers.map(\.greatest) == [1_000, 999])
    #expect(registers[0].deeds.map(\.amount) == Array(stride(from: 2, through: 1_000, by: 2)))
    #expect(try db.find(DeedTag.self, 1)?.uses == 2)
    #expect(try db.count(Deed.search("number1000")) == 1 && db.count(Deed.search("number1001")) == 0)
    #expect(try db.verifyDerived() == [])
    #expect(try db.check().isHealthy)
  }

  @Test("a deletion is one statement as long as SQLite follows it, and then a fixed number for each row")
  func cost() throws {
    func statements(_ count: Int) throws -> Int {
      let log = StatementLog()
      let db = try Store(inMemoryFor: Ring.self, configuration: log.configuration).blocking
      try db.insert((1...count).map { Ring(id: $0, earlier: $0 == 1 ? nil : ToOne($0 - 1)) })
      let statements = try log.take { try db.delete(Ring.self, 1) }
      #expect(try db.count(Ring.all) == 0)
      try db.insert([Ring(id: 1), Ring(id: 2)])
      // The first one is compiled again, because triggers came and went.
      try db.delete(Ring.self, 1)
      #expect(try log.take { try db.delete(Ring.self, 2) }.count == 1)
      return statements.count { $0.lowercased().replacing("main.", with: "").hasPrefix("delete from \"ring\"") }
    }
    let (few, many) = (try statements(2_000), try statements(4_000))
    // Each row's own; besides, what SQLite can't follow is tried twice.
    #expect(many - few == 2_000 && few < 2_010, "\(few), \(many)")
    #expect(try statements(900) == 1)
  }

  @Test("a deletion that is cancelled, after whichever of its statements, leaves the store as it was")
  func cancellation() async throws {
    let cancellation = CountedCancellation()
    let store = try Self.store(1_500, Store.Configuration(trace: { _ in cancellation.count() }))
    let before = try Set(store.blocking.fetch(Deed.all))
    for number in [0, 1, 2, 3, 4, 5, 8, 12, 500, 1_501, 2_900, 3_000, 3_005] {
      let isReached = await cancellation.run(after: number) {
        _ = try await store.deleteAll(Deed.where { $0.code == "d2" })
      }
      #expect(isReached, "\(number)")
      guard try store.blocking.count(Deed.all) == 1_500 else {
        // A cancellation while the transaction ends is too late.
        #expect(number > 3_000, "\(number)")
        break
      }
      #expect(try Set(store.blocking.fetch(Deed.all)) == before, "\(number)")
      #expect(try store.blocking.check().isHealthy, "\(number)")
    }
    _ = try await store.delete(Deed.self, "d2")
    #expect(try store.blocking.count(Deed.all) == 1)
  }

  @Test("tables of other programs, with rules that act at once and keys of texts")
  func adopted() throws {
    let file = try StoreFile()
    try file.sql(
      "create table Part (code text primary key collate nocase not null, whole text references Part (code) on delete cascade) without rowid",
      creating: true)
    try file.sql("create index wholes on Part (whole)")
    try file.sql("create table Note (id integer primary key, part text references Part (code) on delete set null)")
    try file.sql("create index parts on Note (part)")
    let db = try Store(at: file.path, for: Part.self, PartNote.self, schema: .existing).blocking
    try db.insert((1...3_000).map { Part(code: "Part\($0)", whole: $0 == 1 ? nil : "part\($0 - 1)") })
    try db.insert((1...3_000).map { PartNote(id: $0, part: "PART\($0)") })
    try db.write { db in
      let isDeleted = try db.delete(Part.self, "Part11")
      let count = try db.count(Part.all)
      #expect(isDeleted && count == 10)
    }
    #expect(try db.count(PartNote.where { $0.part == nil }) == 2_990)
    #expect(try db.check().isHealthy)
  }
}

@Model("Part")
private struct Part: Hashable {
  @Attribute(.primaryKey) var code: String
  var whole: String?
}

@Model("Note")
private struct PartNote: Hashable {
  var id: Int
  var part: String?
}
