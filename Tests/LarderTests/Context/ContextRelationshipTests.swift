import Foundation
import Larder
import Testing

@Suite("Context: relationships while they are pending", .timeLimit(.minutes(20)))
struct ContextRelationshipTests {
  private let store: Store

  init() throws {
    store = try Store(inMemoryFor: Bookcase.self, Volume.self, Author.self, Agency.self, Label.self)
    try store.blocking.write { db in
      try db.insert([Bookcase(id: 1, name: "left"), Bookcase(id: 2, name: "right")])
      try db.insert([Agency(id: 1, name: "agents"), Agency(id: 2, name: "nobody's")])
      try db.insert(Author(id: 1, name: "Ada", agency: ToOne(1)))
      try db.insert(
        (1...4).map {
          Volume(
            id: $0, title: "volume \($0)", pages: $0 * 10, price: Decimal($0), shelf: ToOne($0 < 4 ? 1 : 2),
            author: ToOne(1))
        })
      try db.insert((1...3).map { Label(id: $0, name: "label \($0)") })
    }
  }

  private func volume(_ id: Int, shelf: Int = 1) -> Volume {
    Volume(id: id, title: "v\(id)", pages: 7, price: 100, shelf: ToOne(shelf))
  }

  @Test("C3: a cascade takes pending and stored rows along, and undo brings all of them back")
  func cascade() throws {
    let context = Context(store)
    context.insert(volume(9))
    try context.link(volume(9), \.labels, Label(id: 1, name: ""))
    #expect(context.delete(Bookcase.self, 1))
    #expect(try context.fetch(Volume.all).map(\.id) == [4])
    #expect(try context.fetch(Label.all.sorted(by: \.id)).map(\.uses) == [0, 0, 0])
    #expect(context.deleted(Volume.self).count == 3)
    context.undo()
    #expect(try context.count(Volume.where { $0.shelf.name == "left" }) == 4)
    #expect(try context.find(Label.self, 1)?.uses == 1)
    context.redo()
    try context.save()
    #expect(try store.blocking.fetch(Volume.all).map(\.id) == [4])
    #expect(try store.blocking.verifyDerived().isEmpty)
  }

  @Test("C3: .nullify leaves the rows, and .deny is a refusal before save")
  func nullifyAndDeny() throws {
    let context = Context(store)
    context.delete(Agency.self, 1)
    let error = context.refusals.first as? StoreError
    #expect(error?.code == .referenced)
    #expect(error?.model == "Agency")
    #expect(error?.message.contains("Author.agency") == true)
    #expect(try context.count(Agency.all) == 2)
    context.undo()
    context.delete(Author.self, 1)
    #expect(try context.count(Volume.where { $0.author == nil }) == 4)
    context.delete(Agency.self, 1)
    #expect(context.refusals.isEmpty)
    try context.save()
    #expect(try store.blocking.count(Volume.where { $0.author == nil }) == 4)
    #expect(try store.blocking.count(Agency.all) == 1)
  }

  @Test("C3: a row that moved away from its owner is not deleted with it")
  func moved() throws {
    let context = Context(store)
    try context.link(Bookcase(id: 2, name: ""), \.volumes, volume(1))
    context.delete(Bookcase.self, 1)
    #expect(try context.fetch(Volume.all.sorted(by: \.id)).map(\.id) == [1, 4])
    try context.save()
    #expect(try store.blocking.fetch(Volume.all.sorted(by: \.id)).map(\.id) == [1, 4])
    #expect(try store.blocking.find(Bookcase.self, 2)?.worth == 5)
  }

  @Test("C3: derived properties follow what is pending")
  func derived() throws {
    let context = Context(store)
    context.insert(volume(9, shelf: 2))
    context.insert(Bookcase(id: 3, name: "new"))
    context.insert(volume(10, shelf: 3))
    try context.link(Bookcase(id: 3, name: ""), \.volumes, volume(1))
    let shelves = try context.fetch(Bookcase.all.sorted(by: \.worth))
    #expect(shelves.map(\.worth) == [5, 101, 104])
    #expect(shelves.map(\.count) == [2, 2, 2])
    #expect(try context.find(Bookcase.self, 2)?.longest == 40)
    #expect(try context.count(Bookcase.where { $0.worth > 100 }) == 2)
    #expect(context.inserted(Bookcase.self).map(\.worth) == [101])
    #expect(try context.child().find(Bookcase.self, 3)?.worth == 101)
    try context.save()
    #expect(try store.blocking.fetch(Bookcase.all.sorted(by: \.worth)).map(\.worth) == [5, 101, 104])
    #expect(try store.blocking.verifyDerived().isEmpty)
  }

  @Test("C3: queries across relationships and including see what is pending")
  func across() throws {
    let context = Context(store)
    context.update(Bookcase(id: 1, name: "renamed"))
    context.insert(volume(9, shelf: 2))
    context.delete(Volume.self, 2)
    try context.link(volume(9), \.labels, [Label(id: 3, name: ""), Label(id: 1, name: "")])
    #expect(try context.count(Volume.where { $0.shelf.name == "renamed" }) == 2)
    let shelves = try context.fetch(Bookcase.all.sorted(by: \.id).including(\.volumes, then: \.labels))
    #expect(shelves.map { Set($0.volumes.map(\.id)) } == [[1, 3], [4, 9]])
    #expect(try context.fetch(Volume.where { $0.id == 9 }.including(\.labels)).first?.labels.map(\.id) == [3, 1])
    try context.setLinks(volume(9), \.labels, [Label(id: 2, name: ""), Label(id: 1, name: ""), Label(id: 3, name: "")])
    #expect(try context.fetch(Volume.where { $0.id == 9 }.including(\.labels)).first?.labels.map(\.id) == [2, 1, 3])
    #expect(try context.fetch(Volume.where { $0.labels.contains { $0.name == "label 2" } }).map(\.id) == [9])
    #expect(try context.fetch(Volume.all.sorted(by: \.shelf.name).limit(1)).first?.shelf.id == 1)
    let groups = try context.fetch(Volume.all.grouped(by: \.shelf) { ($0.count, $0.sum(\.pages)) })
    #expect(groups.count == 2)
    try context.save()
    #expect(
      try store.blocking.fetch(Volume.where { $0.id == 9 }.including(\.labels)).first?.labels.map(\.id) == [2, 1, 3])
  }

  @Test("C3: a reference to a row that somebody else deleted fails the save, and the context keeps its changes")
  func danglingReference() throws {
    let context = Context(store)
    context.insert(volume(9, shelf: 2))
    try store.blocking.delete(Bookcase.self, 2)
    let error = #expect(throws: StoreError.self) { try context.save() }
    #expect(error?.code == .referenced)
    #expect(context.inserted(Volume.self).count == 1)
    context.insert(Bookcase(id: 2, name: "again"))
    try context.save()
    #expect(try store.blocking.find(Bookcase.self, 2)?.count == 1)
  }

  @Test("C3: a tree whose children keep their order is deleted, undone and saved")
  func tree() throws {
    let store = try Store(inMemoryFor: Node.self)
    let context = Context(store)
    context.insert(Node(id: 1))
    context.insert([Node(id: 3, parent: ToOne(1)), Node(id: 2, parent: ToOne(1)), Node(id: 4, parent: ToOne(3))])
    try context.setLinks(Node(id: 1), \.children, [Node(id: 2), Node(id: 3)])
    func children(_ db: some StoreReader) throws -> [[Int]] {
      try db.fetch(Node.all.sorted(by: \.id).including(\.children)).map { $0.children.map(\.id) }
    }
    let expected = [[2, 3], [], [4], []]
    #expect(try children(context) == expected)
    #expect(try context.find(Node.self, 1)?.childSize == 2)
    try context.save()
    #expect(try children(store.blocking) == expected)
    #expect(context.delete(Node.self, 1))
    #expect(try context.count(Node.all) == 0)
    context.undo()
    #expect(try children(context) == expected)
    context.redo()
    try context.save()
    #expect(try store.blocking.count(Node.all) == 0)
    context.undo()
    try context.save()
    #expect(try children(store.blocking) == expected)
  }
}
