import Foundation
import Larder

enum Currency: String, Codable, CaseIterable { case euro = "EUR", dollar = "USD", yen = "JPY" }

struct Address: Codable, Hashable {
  var city: String
  var lines: [String]
}

@Model
struct Account {
  var id: UUID = .v7()
  @Attribute(.unique) var name: String
  var currency: Currency = .euro
  var isOpen: Bool = true
  var address: Address?
  @Relationship(deleteRule: .cascade, inverse: \Cost.account) var costs: ToMany<Cost> = []
  @Derived(.sum(\Account.costs, \Cost.amount)) var balance: Decimal = 0
}

@Model
struct Category {
  var id: UUID = .v7()
  @Attribute(.unique) var name: String
}

@Model
struct Cost {
  var id: UUID = .v7()
  @Attribute(.searchable) var note: String = ""
  var amount: Decimal
  @Attribute(.indexed) var date: Date
  var account: ToOne<Account>
  var category: ToOne<Category>?
  @Relationship(inverse: \Tag.costs) var tags: ToMany<Tag> = []
}

@Model
struct Tag {
  var id: Int
  var name: String
  var costs: ToMany<Cost> = []
}

@Model
struct Guard {
  var id: Int
  @Relationship(deleteRule: .deny) var category: ToOne<Category>
}

@Model(expires: true)
struct Ticket {
  var id: UUID = .v7()
  var title: String
  var count: Int16 = 1
  var weight: Double?
  var secret: Data?
  var picture: Attachment?
}

/// What the program's next version makes of its categories.
@Model("Category")
struct NextCategory {
  var id: UUID = .v7()
  @Attribute(.unique) var name: String
  var color: String = "grey"
}

@Model
struct Entry {
  var id: UUID = .v7()
  var text: String
  var number: Int
  @Attribute(.indexed) var date: Date
}
