import Foundation
import Larder

// Models of all kinds of properties and relationships, whose file is described again.

enum ZooMood: String, CaseIterable, Codable {
  case happy
  case soSo = "so so"
  case quoted = "a\"b\\\n"
  case `default`
  case one = "1"
  case all = "allCases"
}

enum ZooLevel: Int, CaseIterable, Codable {
  case low = -1
  case middle = 0
  case high = 1
}

/// An enum that lists no cases.
enum ZooOpen: String, Codable { case first, second }

struct ZooColor: Codable, Hashable {
  var red = 1.0
}

/// A value that the program stores in its own way.
struct ZooVersion: StoredValue {
  let number: Int
  static var storageClass: StorageClass { .text }

  init(_ number: Int) { self.number = number }

  init(storedValue: Value) throws { number = storedValue.text.flatMap { Int($0) } ?? 0 }

  func storedValue() throws -> Value { .text("\(number)") }
}

@Embeddable
struct ZooPlace {
  var latitude: Double = 1
  @Attribute(name: "long") var longitude: Double?
}

@Embeddable
struct ZooAddress {
  var street: String = "Main Street"
  @Attribute(.indexed) var city: String?
  @Attribute(name: "zip") var postalCode: String = "0"
  @Embedded var place: ZooPlace = ZooPlace()
  var mood: ZooMood = .happy
}

@Model
struct ZooAccount {
  var id: UUID = .v7()
  @Attribute(.unique) var number: String
  @Attribute(.searchable) var title: String = "title"
  @Embedded var address: ZooAddress = ZooAddress()
  var owner: ToOne<ZooPerson>?
  @Relationship(inverse: \ZooPerson.favourites, ordered: true) var fans: ToMany<ZooPerson> = []
}

@Model
struct ZooCost {
  var id: UUID = .v7()
  var amount: Decimal
  @Relationship(deleteRule: .cascade) var account: ToOne<ZooAccount>
  @Relationship(deleteRule: .noAction) var other: ToOne<ZooAccount>?

  static var indexes: [Index<Self>] {
    [Index(\.amount, \.account), Index(\.account, \.other, unique: true)]
  }
}

@Model("People", expires: true)
struct ZooPerson {
  @Attribute(.primaryKey) var email: String
  var favourites: ToMany<ZooAccount> = []
  @Relationship(ordered: true) var friendsOf: ToMany<ZooPerson> = []
  @Relationship(inverse: \ZooPerson.friendsOf) var friends: ToMany<ZooPerson> = []
  @Relationship(inverse: \ZooPerson.parent, ordered: true) var children: ToMany<ZooPerson> = []
  var parent: ToOne<ZooPerson>?
}

@Model
struct ZooEverything {
  @Attribute(.primaryKey) var year: Int
  @Attribute(.primaryKey) var person: ToOne<ZooPerson>
  var flag: Bool = true
  var int8: Int8 = -8
  var uint8: UInt8?
  var int16: Int16 = 1
  var uint16: UInt16 = 1
  var int32: Int32 = 1
  var uint32: UInt32?
  var int64: Int64 = 1
  var uint64: UInt64 = 1
  var uint: UInt = 1
  var float: Float = 1.5
  var double: Double?
  var decimal: Decimal = 1
  var text: String?
  var data: Data = Data([1])
  var date: Date = Date(timeIntervalSinceReferenceDate: 5)
  @Attribute(.indexed) var otherDate: Date?
  @Attribute(.iso8601) var textDate: Date?
  var uuid: UUID = .v7()
  var url: URL?
  var mood: ZooMood = .soSo
  var optionalMood: ZooMood?
  var level: ZooLevel = .high
  var open: ZooOpen = .second
  var color: ZooColor = ZooColor()
  var optionalColor: ZooColor?
  var colors: [ZooColor] = [ZooColor()]
  var tags: [String] = ["a"]
  var numbers: Set<Int> = [1]
  var lists: [String: [Int?]] = ["a": [1, nil]]
  var dates: [Date]?
  var version: ZooVersion = ZooVersion(3)
  var document: DocumentValue = .text("x")
  var attachment: Attachment?
  var `default`: Int = 1
  var `class`: String?
}

/// A model with values that triggers derive.
@Model
struct ZooShelf {
  var id: Int
  @Derived(.count(\ZooShelf.books)) var bookCount: Int = 0
  @Attribute(.indexed) @Derived(.sum(\ZooShelf.books, \ZooBook.price)) var worth: Decimal = 0
  @Attribute(.iso8601) @Derived(.max(\ZooShelf.books, \ZooBook.boughtAt)) var lastBoughtAt: Date?
  var name: String = "shelf"
  var books: ToMany<ZooBook> = []
  /// Two references lead to the same model.
  @Relationship(inverse: \ZooBook.former, ordered: true) var formerBooks: ToMany<ZooBook> = []
  @Relationship(inverse: \ZooPlate.shelves) var plates: ToMany<ZooPlate> = []
  @Derived(.count(\ZooShelf.plates)) var plateCount: Int = 0
}

@Model(syncs: false)
struct ZooBook {
  var id: Int
  var price: Decimal = 1
  @Attribute(.iso8601) var boughtAt: Date = Date(timeIntervalSinceReferenceDate: 5)
  @Relationship(inverse: \ZooShelf.books) var shelf: ToOne<ZooShelf>
  var former: ToOne<ZooShelf>?
}

/// A model with two relationships to the same model, each with a table of its own.
@Model
struct ZooPlate {
  var id: Int
  var shelves: ToMany<ZooShelf> = []
  @Relationship(inverse: \ZooPlate.copies) var originals: ToMany<ZooPlate> = []
  var copies: ToMany<ZooPlate> = []
  @Relationship(inverse: \ZooPlate.parts, ordered: true) var wholes: ToMany<ZooPlate> = []
  var parts: ToMany<ZooPlate> = []
}

/// A file of these models.
enum ModelSourceZoo {
  static let models: [any Model.Type] = [
    ZooAccount.self, ZooCost.self, ZooPerson.self, ZooEverything.self,
  ]

  /// Creates a file with one row of each model.
  static func makeFile(_ path: String) async throws {
    let store = try Store(at: path, for: models)
    let person = ZooPerson(email: "a@b.c")
    let account = ZooAccount(number: "1", owner: ToOne(person))
    try store.blocking.write { db in
      try db.insert(person)
      try db.insert(account)
      try db.insert(ZooCost(amount: 3, account: ToOne(account)))
      try db.insert(ZooEverything(year: 1, person: ToOne(person)))
    }
    await store.close()
  }
}
