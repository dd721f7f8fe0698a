import Foundation
import Larder
import Testing

enum UnitOfWorkArticle {
  @Model
  struct Account {
    var id: UUID = .v7()
    var name: String
  }

  @Model
  struct Category {
    var id: UUID = .v7()
    @Attribute(.unique) var name: String
  }

  @Model
  struct Cost {
    var id: UUID = .v7()
    var amount: Decimal
    var account: ToOne<Account>
    var category: ToOne<Category>?
    @Relationship(inverse: \Tag.costs) var tags: ToMany<Tag> = []
  }

  @Model
  struct Tag {
    var id: UUID = .v7()
    var name: String
    var costs: ToMany<Cost> = []
  }
}

@Suite("Documentation: The unit of work")
struct UnitOfWorkArticleTests {
  private typealias Account = UnitOfWorkArticle.Account
  private typealias Category = UnitOfWorkArticle.Category
  private typealias Cost = UnitOfWorkArticle.Cost
  private typealias Tag = UnitOfWorkArticle.Tag

  private let store: Store
  private let account = Account(name: "Cash")
  private let category = Category(name: "Rent")
  private let tag = Tag(name: "May")

  init() throws {
    store = try Store(inMemoryFor: Account.self, Category.self, Cost.self, Tag.self)
  }

  private func makeCost() throws -> Cost {
    let other = Account(name: "Bank")
    let cost = Cost(amount: 5, account: ToOne(other), category: ToOne(category))
    try store.blocking.write { db in
      try db.insert(other)
      try db.insert([category, Category(name: "Food")])
      try db.insert(tag)
      try db.insert(cost)
    }
    return cost
  }

  @Test("changes are seen before they are saved")
  func saving() throws {
    var cost = try makeCost()
    cost.account = ToOne(account)
    let context = Context(store)
    context.insert(account)
    context.update(cost)
    context.delete(category)

    let costs = try context.fetch(Cost.where { $0.account == account })

    #expect(costs.count == 1)
    #expect(costs.first?.category == nil)
    #expect(try store.blocking.count(Account.all) == 1)

    try context.save()

    #expect(try store.blocking.count(Cost.where { $0.account == account && $0.category == nil }) == 1)
  }

  @Test("what cannot be kept is a refusal")
  func refusals() throws {
    _ = try makeCost()
    let context = Context(store)

    context.insert(Category(name: "Food"))  // the name is unique, and taken
    let problems = context.refusals.map { "\($0)" }
    context.undo()  // takes the step back, and the refusal with it

    #expect(problems.count == 1)
    #expect(context.refusals.isEmpty)
  }

  @Test("what is pending can be listed and given up")
  func changes() throws {
    let cost = try makeCost()
    let context = Context(store)
    context.delete(cost)
    var shown = 0
    func show(_ inserted: [Cost], _ updated: [Cost], _ deleted: [Cost]) { shown = inserted.count + updated.count + deleted.count }

    if context.hasChanges {
      show(context.inserted(Cost.self), context.updated(Cost.self), context.deleted(Cost.self))
    }
    context.rollback()

    #expect(shown == 1)
    #expect(!context.hasChanges)
  }

  @Test("several verbs are one step")
  func steps() throws {
    var cost = try makeCost()
    cost.id = .v7()
    let context = Context(store)

    try context.step {
      context.insert(cost)
      try context.link(cost, \.tags, tag)
    }
    context.undo()
    context.redo()

    #expect(try context.count(Cost.where { $0.tags.contains { $0.name == "May" } }) == 1)
  }

  @Test("a policy merges what somebody else changed")
  func merging() throws {
    var cost = try makeCost()

    let context = Context(store, mergePolicy: .preferContext)

    _ = try context.fetch(Cost.all)
    try store.blocking.updateAll(Cost.all) { $0.amount.set(7) }
    cost.category = nil
    context.update(cost)
    try context.save()
    #expect(try store.blocking.first(Cost.all)?.amount == 7)
  }

  @Test("a child saves into its parent")
  func children() throws {
    var cost = try makeCost()
    cost.amount = 9
    let context = Context(store)

    let child = context.child()
    child.update(cost)
    try child.save()  // into the context, as one step
    try context.save()  // into the store

    #expect(try store.blocking.first(Cost.all)?.amount == 9)
  }
}
