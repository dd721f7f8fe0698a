import Foundation
import Larder

/// Wallets with costs, categories and tags: each kind of relationship and of derived property once.
@Model
struct Wallet: Hashable {
  var id: Int
  var name: String
  var limit: Decimal = 1000
  var owner: ToOne<Person>?
  @Relationship(deleteRule: .cascade, inverse: \Cost.wallet) var costs: ToMany<Cost> = []
  @Derived(.sum(\Wallet.costs, \Cost.amount)) var balance: Decimal = 0
  @Derived(.count(\Wallet.costs)) var costCount: Int = 0
  @Derived(.min(\Wallet.costs, \Cost.amount)) var least: Decimal?
  @Attribute(.iso8601) @Derived(.max(\Wallet.costs, \Cost.day)) var lastDay: Date?
  @Derived(.sum(\Wallet.costs, \Cost.weight)) var weight: Double = 0
}

@Model
struct Cost: Hashable {
  var id: Int
  var amount: Decimal
  @Attribute(.iso8601) var day: Date = Date(timeIntervalSinceReferenceDate: 0)
  var weight: Double?
  var wallet: ToOne<Wallet>
  var category: ToOne<Category>?
  @Relationship(inverse: \Tag.costs, ordered: true) var tags: ToMany<Tag> = []
}

@Model
struct Category: Hashable {
  var id: UUID = .v7()
  @Attribute(.unique) var name: String
  @Relationship(inverse: \Cost.category) var costs: ToMany<Cost> = []
}

@Model
struct Tag: Hashable {
  var id: String
  var costs: ToMany<Cost> = []
  @Derived(.count(\Tag.costs)) var uses: Int = 0
  @Derived(.sum(\Tag.costs, \Cost.amount)) var total: Decimal = 0
}

@Model
struct Person: Hashable {
  var id: Int
  var name: String
  @Embedded var address: Address = Address()
  @Relationship(inverse: \Wallet.owner) var wallets: ToMany<Wallet> = []
}

@Embeddable
struct Address: Hashable {
  var city: String = "Graz"
}

/// A tree, whose children keep the order that the user gave.
@Model
struct Node: Hashable {
  var id: Int
  var size: Int = 1
  @Relationship(deleteRule: .cascade) var parent: ToOne<Node>?
  @Relationship(inverse: \Node.parent, ordered: true) var children: ToMany<Node> = []
  @Derived(.sum(\Node.children, \Node.size)) var childSize: Int = 0
}

extension Wallet {
  static let cash = Wallet(id: 1, name: "Cash", owner: ToOne(Person.ada.id))
  static let bank = Wallet(id: 2, name: "Bank", limit: 50, owner: ToOne(Person.ben.id))
  static let empty = Wallet(id: 3, name: "Empty")
}

extension Person {
  static let ada = Person(id: 1, name: "Ada", address: Address(city: "London"))
  static let ben = Person(id: 2, name: "Ben")
}

extension Category {
  static let food = Category(name: "Food")
  static let rent = Category(name: "Rent")
}

extension Cost {
  /// Six costs: three of cash, three of the bank, one of each without a category.
  static let samples = [
    Cost(
      id: 1, amount: Decimal(string: "10.50") ?? 0, day: day(1), weight: 1.5, wallet: ToOne(1),
      category: ToOne(Category.food.id)),
    Cost(id: 2, amount: -3, day: day(2), wallet: ToOne(1), category: ToOne(Category.rent.id)),
    Cost(id: 3, amount: 0, day: day(3), weight: 0.25, wallet: ToOne(1)),
    Cost(id: 4, amount: 100, day: day(4), wallet: ToOne(2), category: ToOne(Category.food.id)),
    Cost(id: 5, amount: 7, day: day(5), weight: 2, wallet: ToOne(2), category: ToOne(Category.food.id)),
    Cost(id: 6, amount: Decimal(string: "0.01") ?? 0, day: day(6), wallet: ToOne(2)),
  ]

  static func day(_ number: Int) -> Date { Date(timeIntervalSinceReferenceDate: Double(number) * 86_400) }
}

/// A store of the bookkeeping's models with the samples.
func makeBookkeeping() throws -> Store {
  let store = try Store(inMemoryFor: Wallet.self, Node.self)
  try store.blocking.write { db in
    // What is referred to may come later in the transaction.
    try db.insert(Cost.samples)
    try db.insert([Wallet.cash, .bank, .empty])
    try db.insert([Category.food, .rent])
    try db.insert([Person.ada, .ben])
    try db.insert([Tag(id: "a"), Tag(id: "b"), Tag(id: "c")])
  }
  return store
}
