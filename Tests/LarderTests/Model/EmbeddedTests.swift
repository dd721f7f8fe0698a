import Foundation
import Larder
import LarderTestSupport
import Testing

@Suite struct EmbeddedTests {
  @Embeddable struct Position: Hashable, Codable {
    var latitude: Double
    var longitude: Double
    @Attribute(.iso8601) var seenAt: Date = Date(timeIntervalSinceReferenceDate: 0)
  }

  @Embeddable struct Address: Hashable {
    var street: String
    @Attribute(.indexed, name: "town") var city: String
    @Embedded var position: EmbeddedTests.Position
    var notes: [String] = []
    @Attribute(.iso8601) var since: Date?
    @Transient var isShown = false
  }

  @Model struct Customer: Hashable {
    var id: Int
    @Embedded var home: EmbeddedTests.Address
    @Embedded var office: EmbeddedTests.Address
    /// Without `@Embedded` an embeddable struct that is Codable is one column of JSON.
    var last: Position
    var earlier: Position?
  }

  private static let home = Address(
    street: "Rue \"A\"", city: "Paris",
    position: Position(latitude: 48.85, longitude: 2.35, seenAt: Date(timeIntervalSinceReferenceDate: 12.5)),
    notes: ["x"],
    since: Date(timeIntervalSinceReferenceDate: 1))
  private static let office = Address(street: "", city: "Lyon", position: Position(latitude: -1, longitude: 0))
  private static let customer = Customer(
    id: 1, home: home, office: office, last: Position(latitude: 1, longitude: 2), earlier: nil)

  @Test("an embedded struct comes back equal, and so does one that is embedded in it") func roundTrip() throws {
    let store = try Store(inMemoryFor: Customer.self)
    try store.blocking.insert(Self.customer)
    #expect(try store.blocking.find(Customer.self, 1) == Self.customer)
    var moved = Self.customer
    moved.office.position.latitude = 5
    moved.earlier = Position(latitude: 3, longitude: 4)
    try store.blocking.save(moved)
    #expect(try store.blocking.fetch(Customer.all) == [moved])
  }

  @Test("the columns are called after the properties, outermost first") func columns() throws {
    let store = try Store(inMemoryFor: Customer.self)
    try store.blocking.insert(Self.customer)
    let row = try #require(try store.blocking.rows(Customer.all).first)
    let address = ["street", "town", "position_latitude", "position_longitude", "position_seenAt", "notes", "since"]
    #expect(row.names == ["id"] + address.map { "home_\($0)" } + address.map { "office_\($0)" } + ["last", "earlier"])
    #expect(row["home_position_seenAt"] == "2001-01-01T00:00:12.500Z")
    #expect(row["home_since"] == "2001-01-01T00:00:01.000Z")
    #expect(row["office_since"] == .null)
    #expect(row["home_notes"] == #"["x"]"#)
  }

  @Test("queries, updates and indexes reach the embedded properties") func queries() throws {
    let store = try Store(inMemoryFor: Customer.self)
    try store.blocking.insert(Self.customer)
    #expect(try store.blocking.count(Customer.where { $0.home.city == "Paris" && $0.home.position.latitude > 48 }) == 1)
    #expect(try store.blocking.count(Customer.where { $0.office.city == "Paris" }) == 0)
    #expect(try store.blocking.updateAll(Customer.all) { $0.office.position.longitude.set(9) } == 1)
    #expect(try store.blocking.find(Customer.self, 1)?.office.position.longitude == 9)
    let indexed = try store.blocking.sql(
      "select name from sqlite_master where type = 'index' and tbl_name = 'Customer' order by name", as: String.self)
    #expect(indexed == ["Customer_home_town_0.1_index", "Customer_office_town_0.1_index"])
  }

  @Test("an error names the way to the embedded property") func errors() throws {
    let store = try Store(inMemoryFor: Customer.self)
    var customer = Self.customer
    customer.office.position.latitude = .nan
    let error = #expect(throws: StoreError.self) { try store.blocking.insert(customer) }
    #expect(error?.property == "office.position.latitude")
    try store.blocking.insert(Self.customer)
    try store.blocking.sql("update \(Customer.self) set home_notes = 'x'")
    let readError = #expect(throws: StoreError.self) { try store.blocking.find(Customer.self, 1) }
    #expect(readError?.property == "home.notes")
  }
}
