import Foundation
import Larder
import LarderSync

/// The stores that tests look at.
enum Samples {
  static let models: [any Model.Type] = [
    Account.self, Category.self, Cost.self, Tag.self, Guard.self, Ticket.self,
  ]
  static let configuration = Store.Configuration(migrations: [Migration("2026-10 first categories") { _ in }])

  /// A store with each kind of table, relationship and property.
  static func make(at path: String) throws {
    let store = try Store(at: path, for: models, configuration: configuration)
    let picture = try store.blocking.attach(pixel, name: "pixel.png", mediaType: "image/png")
    try store.blocking.write { db in
      let food = Category(name: "Food")
      let travel = Category(name: "Travel")
      try db.insert([food, travel])
      try db.insert(Guard(id: 1, category: ToOne(travel.id)))
      let tags = [Tag(id: 1, name: "cash"), Tag(id: 2, name: "late")]
      try db.insert(tags)
      let wallet = Account(name: "Wallet", address: Address(city: "Graz", lines: ["Annenstraße 1"]))
      let bank = Account(name: "Bank", currency: .dollar, isOpen: false)
      try db.insert([wallet, bank])
      let start = Date(timeIntervalSinceReferenceDate: 800_000_000)
      for number in 0..<40 {
        let cost = Cost(
          note: number == 7 ? "milk and bread" : "Cost \(number)", amount: Decimal(number) / 4,
          date: start + Double(number) * 86_400, account: ToOne(number < 30 ? wallet.id : bank.id),
          category: number % 3 == 0 ? nil : ToOne(number % 3 == 1 ? food.id : travel.id))
        try db.insert(cost)
        if number == 2 { try db.link(cost, \.tags, tags) }
        if number == 3 { try db.link(cost, \.tags, tags[0]) }
      }
      try db.save(
        Ticket(title: "Opera", weight: 1.5, secret: Data([0, 1, 255]), picture: picture),
        expires: Date(timeIntervalSinceReferenceDate: 4_000_000_000))
      try db.save(Ticket(title: "Gone"), expires: Date(timeIntervalSinceReferenceDate: 1))
      try db.insert(Ticket(title: "Stays"))
      let people = db.documents("people")
      try people.save("ada", json: #"{"name":"Ada","age":36,"address":{"city":"London"},"tags":["x","y"]}"#)
      try people.save("bob", json: #"{"name":"Bob"}"#, expires: Date(timeIntervalSinceReferenceDate: 4_000_000_000))
    }
    try store.blocking.close()
  }

  /// The smallest picture: one transparent pixel.
  static let pixel =
    Data(
      base64Encoded:
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==") ?? Data()
}

extension Samples {
  /// A store whose category was named on two replicas at the same time, and whose document too: what was written here
  /// lost.
  static func share(at path: String) async throws {
    let configuration = Store.Configuration(sync: .on)
    let here = try Store(at: path, for: Category.self, configuration: configuration)
    let there = try Store(inMemoryFor: Category.self, configuration: configuration)
    try await here.sync.setName("Laptop")
    try await there.sync.setName("Ada's phone")
    let food = Category(name: "Food")
    try await here.save(food)
    try await here.documents("papers").save("plan", ["title": "Draft"])
    try await here.sync.exchange(with: there.sync)
    // The last of several writes is later than one of the other replica within the same millisecond.
    let writes = [(here, "Groceries"), (there, "Lunch"), (there, "Dinner"), (there, "Meals")]
    for (store, name) in writes {
      try await store.updateAll(Category.all) { $0.name.set(name) }
      try await store.documents("papers").save("plan", ["title": .text(name)])
    }
    try await here.sync.exchange(with: there.sync)
    await there.close()
    await here.close()
  }
}

extension Samples {
  /// What the program's next version would do to a sample store when it opens it.
  static func nextPlan(of path: String) throws -> MigrationPlan {
    let migrations = configuration.migrations + [Migration("2026-12 colors of categories") { _ in }]
    return try Store.plan(
      at: path, for: NextCategory.self, configuration: Store.Configuration(migrations: migrations))
  }

  /// A store with a million rows.
  static func makeMany(at path: String) throws {
    let store = try Store(at: path, for: Entry.self)
    // Each key is greater than the one before, as those are that a program makes.
    try store.blocking.sql(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000)
      INSERT INTO Entry (id, text, number, date)
      SELECT CAST(printf('%016d', i) AS BLOB), 'Entry ' || i, i * 7919 % 1000003, 700000000 + i * 60 FROM n
      """)
    try store.blocking.close()
  }
}
