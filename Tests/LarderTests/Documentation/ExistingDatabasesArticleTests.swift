import Foundation
import Larder
import Testing

enum ExistingDatabasesArticle {
  @Model("Orders")
  struct Order: Hashable {
    @Attribute(.primaryKey, name: "OrderID") var orderID: Int
    @Attribute(name: "OrderDate") var orderedAt: Date
    @Attribute(name: "Ship City") var city: String?
    @Attribute(name: "Freight") var freight: Decimal = 0
  }
}

@Suite("Documentation: Existing databases")
@MainActor
struct ExistingDatabasesArticleTests {
  private typealias Order = ExistingDatabasesArticle.Order

  @Test("a file that Larder did not make is read and written as it is")
  func existing() async throws {
    let folder = try ArticleFolder()
    let url = folder.file("northwind.db")
    #expect(FileManager.default.createFile(atPath: url.path, contents: nil))
    let maker = try Store(at: url, for: [], configuration: .init(schema: .existing))
    try await maker.sql(
      "create table Orders (OrderID integer primary key, OrderDate text, \"Ship City\" text, Freight real, Notes text)")
    try await maker.sql(
      "insert into Orders values (10248, '2016-07-04', 'Reims', 32.38, 'fragile'), (10249, '2016-07-05 10:30', null, 11, '')"
    )

    let store = try Store(at: url, for: Order.self, schema: .existing)
    let july = Order.where { $0.orderedAt >= Date(timeIntervalSince1970: 1_467_676_800) }
    let orders = try await store.fetch(july)

    #expect(orders.map(\.orderID) == [10249])
    #expect(try await store.find(Order.self, 10248)?.freight == Decimal(string: "32.38"))
    var order = try #require(orders.first)
    order.city = "Lyon"
    try await store.save(order)
    let row = try #require(try await store.sql("select * from Orders where OrderID = 10249").first)
    #expect(row["OrderDate"] == "2016-07-05 10:30")
    #expect(row["Notes"] == "")
    order.orderedAt += 60
    try await store.save(order)
    #expect(
      try await store.sql("select OrderDate from Orders where OrderID = 10249").first?["OrderDate"]
        == "2016-07-05T10:31:00.000Z")
  }
}
