import Foundation
import Larder
import Testing

@Model
private struct Guest: Hashable {
  var id: Int
  @Attribute(.unique) var email: String?
  var name: String
  var visits = 0
  var house: ToOne<House>?

  static var indexes: [Index<Self>] { [Index(\.name, \.house, unique: true)] }

  func validate() throws {
    if name.isEmpty { throw Nameless() }
  }
}

private struct Nameless: Error {}

@Model
private struct Coat: Hashable {
  enum Hook: String, Codable { case left, right }

  var id: Hook
  @Attribute(.unique) var number: Int
  var note = ""
}

@Model
private struct House: Hashable {
  var id: Int
}

@Suite("Writes that name properties")
struct UpsertTests {
  private let store: Store
  private let context: Context

  init() throws {
    store = try Store(inMemoryFor: Guest.self, House.self)
    try store.blocking.insert(House(id: 1))
    try store.blocking.insert([
      Guest(id: 1, email: "ada@example.org", name: "Ada", visits: 3, house: ToOne(1)), Guest(id: 2, name: "Nobody"),
    ])
    context = Context(store)
  }

  /// The store, a context and its child: one law.
  private var places: [any StoreWriter] { [context.child(), context, store.blocking] }

  @Test("several values are saved by a unique property, all of them or none")
  func arrays() async throws {
    let guests = [
      Guest(id: 10, email: "ada@example.org", name: "Countess"), Guest(id: 11, email: "new@example.org", name: "New"),
      Guest(id: 12, email: "new@example.org", name: "Newer"),
    ]
    for db in places {
      let saved = try db.save(guests, onConflict: \.email)
      #expect(saved.map(\.id) == [1, 11, 11])
      #expect(saved.map(\.name) == ["Countess", "New", "Newer"])
      #expect(try db.find(Guest.self, 11)?.name == "Newer")
      let before = try db.fetch(Guest.all.sorted(by: \.id))
      #expect(throws: Nameless.self) {
        try db.save([Guest(id: 20, email: "b@example.org", name: "B"), Guest(id: 21, name: "")], onConflict: \.email)
      }
      #expect(try db.fetch(Guest.all.sorted(by: \.id)) == before)
    }
    #expect(try await store.save(guests, onConflict: \.email).map(\.id) == [1, 11, 11])
    #expect(try await store.save([Guest](), onConflict: \.email).isEmpty)
  }

  @Test("update writes the named properties, and no others")
  func partial() async throws {
    for db in places {
      let stale = Guest(id: 1, name: "Countess", visits: 99)
      try db.update(stale, only: \.name)
      let found = try #require(try db.find(Guest.self, 1))
      #expect(found == Guest(id: 1, email: "ada@example.org", name: "Countess", visits: 3, house: ToOne(1)))
      try db.update(stale, only: \.visits, \.house)
      #expect(try db.find(Guest.self, 1)?.visits == 99)
      #expect(try db.find(Guest.self, 1)?.house == nil)
      let missing = #expect(throws: StoreError.self) { try db.update(Guest(id: 9, name: "x"), only: \.name) }
      #expect(missing?.code == .notFound)
      #expect(throws: Nameless.self) { try db.update(Guest(id: 1, name: ""), only: \.visits) }
    }
    try await store.update(Guest(id: 1, name: "Ada", visits: 1), only: \.name)
    #expect(try await store.find(Guest.self, 1)?.visits == 99)
  }

  @Test("save by a unique property keeps the key of the row that is there")
  func unique() async throws {
    for db in places {
      let saved = try db.save(Guest(id: 50, email: "ada@example.org", name: "Lovelace"), onConflict: \.email)
      #expect(saved == Guest(id: 1, email: "ada@example.org", name: "Lovelace"))
      #expect(try db.find(Guest.self, 50) == nil)
      let new = try db.save(Guest(id: 60, email: "bob@example.org", name: "Bob"), onConflict: \.email)
      #expect(new.id == 60)
      // Nil equals nothing.
      #expect(try db.save(Guest(id: 61, name: "Other"), onConflict: \.email).id == 61)
      #expect(try db.find(Guest.self, 2)?.name == "Nobody")
      _ = try db.delete(Guest.self, 60)
      _ = try db.delete(Guest.self, 61)
    }
    let saved = try await store.save(Guest(id: 7, name: "Nobody", visits: 8, house: nil), onConflict: \.id)
    #expect(saved.visits == 8)
  }

  @Test("save by a unique index of several properties")
  func compound() async throws {
    try await store.save(Guest(id: 3, name: "Eve", house: ToOne(1)))
    let saved = try await store.save(
      Guest(id: 90, name: "Eve", visits: 5, house: ToOne(1)), onConflict: \.name, \.house)
    #expect(saved == Guest(id: 3, name: "Eve", visits: 5, house: ToOne(1)))
    let other = await #expect(throws: StoreError.self) {
      try await store.save(
        Guest(id: 91, email: "ada@example.org", name: "Eve", house: ToOne(1)), onConflict: \.name, \.house)
    }
    #expect(other?.code == .duplicate)
    let common = await #expect(throws: StoreError.self) {
      try await store.save(Guest(id: 92, name: "x"), onConflict: \.visits)
    }
    #expect(common?.code == .unsupported)
    #expect(common?.property == "visits")
    #expect(common?.message.contains("@Attribute(.unique)") == true)
  }

  @Test("the unique value decides, also if another row has the key; a transaction does as a store and a context do")
  func keyTaken() throws {
    let before = try store.blocking.fetch(Guest.all.sorted(by: \.id))
    func check(_ db: some StoreWriter) throws {
      let saved = try db.save(Guest(id: 2, email: "ada@example.org", name: "Ada II", visits: 1), onConflict: \.email)
      #expect(saved == Guest(id: 1, email: "ada@example.org", name: "Ada II", visits: 1))
      #expect(try db.find(Guest.self, 2)?.name == "Nobody")
      let taken = #expect(throws: StoreError.self) {
        try db.save(Guest(id: 2, email: "new@example.org", name: "New"), onConflict: \.email)
      }
      #expect(taken?.code == .duplicate && taken?.model == "Guest")
      #expect(throws: Nameless.self) {
        try db.save(Guest(id: 1, email: "ada@example.org", name: ""), onConflict: \.email)
      }
      #expect(try db.count(Guest.all) == 2)
    }
    // A reference is checked at the end of the transaction.
    let missing = #expect(throws: StoreError.self) {
      try store.blocking.write { db in
        try db.save(Guest(id: 3, email: "x", name: "x", house: ToOne(9)), onConflict: \.email)
      }
    }
    #expect(missing?.code == .referenced && missing?.property == "house")
    struct Back: Error {}
    #expect(throws: Back.self) {
      try store.blocking.write { db in
        try check(db)
        throw Back()
      }
    }
    #expect(try store.blocking.fetch(Guest.all.sorted(by: \.id)) == before)
    try check(context.child())
    try check(context)
    #expect(try store.blocking.fetch(Guest.all.sorted(by: \.id)) == before)
    try store.blocking.write(check)
    #expect(try store.blocking.find(Guest.self, 1)?.name == "Ada II")
  }

  @Test("what is returned is the row after all triggers, also those that came since")
  func triggers() async throws {
    let file = try StoreFile()
    let store = try file.open(Guest.self, House.self)
    let guest = Guest(id: 1, email: "a", name: "a")
    try await store.write { db throws in
      #expect(try db.save(guest, onConflict: \.email) == guest)
      #expect(try db.save(guest, onConflict: \.email) == guest)
    }
    try file.sql(
      """
      create trigger counted after update on Guest when new.visits = 0 begin \
      update Guest set visits = 7 where id = new.id; end
      """)
    for _ in 0..<2 {
      try await store.write { db throws in #expect(try db.save(guest, onConflict: \.email).visits == 7) }
    }
    // Of a row that is there, nothing is inserted, also to a trigger that another program has added since.
    let other = try StoreFile()
    let parties = try other.open(Guest.self, House.self)
    try await parties.write { db throws in #expect(try db.save(guest, onConflict: \.email) == guest) }
    try other.sql("create table Arrival (id integer)")
    try other.sql("create trigger arrived before insert on Guest begin insert into Arrival values (new.id); end")
    try await parties.write { db throws in #expect(try db.save(guest, onConflict: \.email) == guest) }
    #expect(try other.sql("select * from Arrival").isEmpty)
    try await store.write { db throws in
      try db.sql(
        "create trigger greeted after insert on Guest begin update Guest set visits = 8 where id = new.id; end")
      #expect(try db.save(Guest(id: 2, name: "nil equals nothing"), onConflict: \.email).visits == 8)
      #expect(try db.save(Guest(id: 3, email: "c", name: "c"), onConflict: \.email).visits == 8)
    }
    #expect(try await store.count(Guest.all) == 3)
  }

  @Test("a row that can't be read isn't changed")
  func unreadable() async throws {
    let store = try Store(inMemoryFor: Coat.self)
    try await store.save(Coat(id: .left, number: 1))
    try await store.sql("update Coat set id = 'gone'")
    await #expect(throws: StoreError.self) {
      try await store.write { db in try db.save(Coat(id: .right, number: 1, note: "changed"), onConflict: \.number) }
    }
    try await store.write { db in
      #expect(throws: StoreError.self) {
        try db.save(Coat(id: .right, number: 1, note: "changed"), onConflict: \.number)
      }
      // Nothing has been changed, so that the transaction goes on.
      try db.insert(Coat(id: .left, number: 2))
    }
    await #expect(throws: StoreError.self) {
      try await store.save(Coat(id: .right, number: 1, note: "changed"), onConflict: \.number)
    }
    #expect(try await store.sql("select note from Coat", as: String.self) == ["", ""])
  }

  @Test("insertIfAbsent changes nothing if the key or a unique value is there")
  func absent() async throws {
    for db in places {
      #expect(try !db.insertIfAbsent(Guest(id: 1, name: "Again")))
      #expect(try !db.insertIfAbsent(Guest(id: 70, email: "ada@example.org", name: "Again")))
      #expect(try db.insertIfAbsent(Guest(id: 71, email: "new@example.org", name: "New")))
      #expect(try db.count(Guest.all) == 3)
      _ = try db.delete(Guest.self, 71)
    }
    #expect(try await store.insertIfAbsent(Guest(id: 1, name: "Again")) == false)
    try await store.write { db in
      #expect(try !db.insertIfAbsent(Guest(id: 1, name: "Again")))
      try db.insert(Guest(id: 5, name: "Inside"))
    }
    #expect(try await store.find(Guest.self, 5)?.name == "Inside")
  }

  @Test("rows of many keys come in the order of the keys")
  func many() async throws {
    for db in places {
      #expect(try db.find(Guest.self, [2, 9, 1, 2]).map { $0?.name } == ["Nobody", nil, "Ada", "Nobody"])
    }
    try await store.insert((100..<2100).map { Guest(id: $0, name: "\($0)") })
    let keys = (100..<2100).shuffled()
    #expect(try await store.find(Guest.self, keys).map { $0?.id } == keys)
    #expect(try await store.find(Guest.self, []).isEmpty)
  }
}
