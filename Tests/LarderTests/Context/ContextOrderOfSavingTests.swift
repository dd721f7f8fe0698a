import Foundation
import Larder
import Testing

/// What a context writes, and in which order, when it is saved: rows that move, rows that go, and values that change
/// places.
@Model
private struct Inventory: Hashable {
  var id: Int
  var number = 0
  var counts: [String: Int] = [:]
}

@Model
private struct Rack: Hashable {
  var id: String
  @Relationship(deleteRule: .nullify, inverse: \RackItem.rack, ordered: true) var items: ToMany<RackItem> = []
}

@Model
private struct RackItem: Hashable {
  var id: Int
  var rack: ToOne<Rack>?
}

@Suite("Context: the order of saving") struct ContextOrderOfSavingTests {
  @Test("C3: a row that is moved to a deleted one refuses the save, and is not deleted with it")
  func movedToDeleted() throws {
    let store = try Store(inMemoryFor: Bookcase.self, Volume.self, Author.self, Agency.self, Label.self)
    try store.blocking.insert([Bookcase(id: 1, name: "a"), Bookcase(id: 2, name: "b")])
    var volume = Volume(id: 1, title: "x", shelf: ToOne(2))
    try store.blocking.insert(volume)
    let context = Context(store)
    context.delete(Bookcase.self, 1)
    volume.shelf = ToOne(1)
    context.update(volume)
    let error = #expect(throws: StoreError.self) { try context.save() }
    #expect(error?.code == .referenced)
    #expect(error?.model == "Volume")
    #expect(error?.property == "shelf")
    #expect(try store.blocking.count(Volume.all) == 1)
    #expect(context.hasChanges)
  }

  @Test("C3: a reference to a deleted row, taken away by its delete rule before, refuses the save")
  func nullified() throws {
    let store = try Store(inMemoryFor: Bookcase.self, Volume.self, Author.self, Agency.self, Label.self)
    try store.blocking.insert(Bookcase(id: 1, name: "a"))
    try store.blocking.insert([Author(id: 1, name: "n"), Author(id: 2, name: "m")])
    var volume = Volume(id: 1, title: "x", shelf: ToOne(1), author: ToOne(2))
    try store.blocking.insert(volume)
    let context = Context(store)
    context.delete(Author.self, 1)
    volume.author = ToOne(1)
    context.update(volume)
    let error = #expect(throws: StoreError.self) { try context.save() }
    #expect(error?.code == .referenced)
    #expect(try store.blocking.find(Volume.self, 1)?.author == ToOne(2))
  }

  @Test("C3: rows that a deletion leaves, and that return to the same row, are in the order in which they returned")
  func returning() throws {
    let store = try Store(inMemoryFor: Rack.self)
    let rack = Rack(id: "s")
    let items = (1...3).map { RackItem(id: $0, rack: ToOne(rack)) }
    try store.blocking.insert(rack)
    try store.blocking.insert(items)
    let context = Context(store)
    context.delete(rack)
    context.insert(rack)
    for item in items.reversed() { context.update(item) }
    #expect(try context.fetch(rack.items.all).map(\.id) == [3, 2, 1])
    try context.save()
    #expect(try store.blocking.fetch(rack.items.all).map(\.id) == [3, 2, 1])
  }

  @Test("C3: saving a row in a context keeps the place that the user gave it")
  func places() throws {
    let store = try makeBookkeeping()
    let db = store.blocking
    try db.insert(Node(id: 1))
    let children = (2...5).map { Node(id: $0, parent: ToOne(1)) }
    try db.insert(children)
    let order = [4, 2, 5, 3]
    try db.setLinks(Node(id: 1), \.children, order.map { id in children[id - 2] })
    let context = Context(store)
    var child = try #require(try context.find(Node.self, 5))
    child.size = 7
    try context.save(child)
    func ids(_ db: some StoreReader) throws -> [Int] {
      try db.fetch(Node.where { $0.id == 1 }.including(\.children)).flatMap { $0.children.map(\.id) }
    }
    #expect(try ids(context) == order)
    try context.save()
    #expect(try ids(db) == order)
    #expect(try db.find(Node.self, 5)?.size == 7)
    try db.insert(Node(id: 6, parent: ToOne(1)))
    #expect(try ids(db) == order + [6])
  }

  @Test("C3: equal rows that were inserted here and there are no conflict, and differing ones are")
  func equalInserts() throws {
    let store = try makeBookkeeping()
    let context = Context(store)
    let row = Cost(id: 50, amount: 12, wallet: ToOne(1))
    context.insert(row)
    context.insert(Cost(id: 51, amount: 1, wallet: ToOne(1)))
    try store.blocking.insert(row)
    try context.save()
    #expect(try store.blocking.count(Cost.where { $0.id.isIn([50, 51]) }) == 2)
    context.insert(Cost(id: 52, amount: 1, wallet: ToOne(1)))
    try store.blocking.insert(Cost(id: 52, amount: 2, wallet: ToOne(1)))
    let error = #expect(throws: StoreError.self) { try context.save() }
    #expect(error?.code == .conflict)
  }

  @Test("C3: values that the file holds in another form are no conflict where nobody changed them")
  func forms() throws {
    let store = try Store(inMemoryFor: Page.self)
    let page = Page(title: "x", price: 1, tags: ["a", "b"])
    try store.blocking.insert(page)
    try store.blocking.sql("update Page set price = '1.50', tags = '[ \"a\",  \"b\" ]'")
    let context = Context(store)
    var mine = try #require(try context.find(Page.self, page.id))
    mine.number = 3
    context.update(mine)
    try context.save()
    mine.number = 4
    context.update(mine)
    try store.blocking.updateAll(Page.all) { $0.title.set("theirs") }
    try store.blocking.sql("update Page set price = '1.500', title = 'x'")
    try context.save()
    let found = try #require(try store.blocking.find(Page.self, page.id))
    #expect(found.number == 4 && found.price == Decimal(string: "1.5") && found.tags == ["a", "b"])
  }

  @Test("C3: JSON that was encoded anew, with its keys in another order, is no conflict")
  func otherOrder() throws {
    let store = try Store(inMemoryFor: Inventory.self)
    try store.blocking.insert(Inventory(id: 1, counts: ["a": 1, "b": 2, "c": 3]))
    let context = Context(store)
    var mine = try #require(try context.find(Inventory.self, 1))
    mine.number = 3
    context.update(mine)
    try store.blocking.sql(
      #"update Inventory set counts = '{"c":3,"a":1,"b":2}'"#)
    try context.save()
    let found = try #require(try store.blocking.find(Inventory.self, 1))
    #expect(found.number == 3 && found.counts == ["a": 1, "b": 2, "c": 3])
  }

  @Test("C3: what is read after a save is what the next change is compared with")
  func readAnew() throws {
    let store = try makeBookkeeping()
    let context = Context(store)
    #expect(try context.fetch(Person.all).count == 2)
    context.insert(Person(id: 9, name: "new"))
    try context.save()
    try store.blocking.updateAll(Person.where { $0.id == 1 }) { $0.name.set("theirs") }
    var mine = try #require(try context.find(Person.self, 1))
    #expect(mine.name == "theirs")
    mine.address.city = "Linz"
    context.update(mine)
    try context.save()
    #expect(try store.blocking.find(Person.self, 1)?.address.city == "Linz")
    // What was read before and not anew is what counts still.
    var other = try #require(try context.find(Person.self, 2))
    context.insert(Person(id: 10, name: "new"))
    try context.save()
    try store.blocking.updateAll(Person.where { $0.id == 2 }) { $0.name.set("theirs") }
    other.name = "mine"
    context.update(other)
    let error = #expect(throws: StoreError.self) { try context.save() }
    #expect(error?.code == .conflict)
  }

  @Test("C3: a group by a property of a row that is not there yet is refused with the reference that leads nowhere")
  func danglingGroup() throws {
    let store = try Store(inMemoryFor: Bookcase.self, Volume.self, Author.self, Agency.self, Label.self)
    let context = Context(store)
    context.insert(Volume(id: 1, title: "x", shelf: ToOne(9)))
    let query = Volume.all.grouped(by: \.shelf.name) { ($0.key, $0.count) }
    let error = #expect(throws: StoreError.self) { try context.fetch(query) }
    #expect(error?.code == .referenced)
    #expect(error?.property == "shelf")
    context.insert(Bookcase(id: 9, name: "late"))
    #expect(try context.fetch(query).map(\.1) == [1])
  }
}
