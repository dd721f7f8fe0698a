import Foundation
import LarderRandom

/// Where the orders come from: Northwind's own table, or a generated one of the same shape and size.
enum Northwind {
  /// The number of orders in Northwind, and so in the generated table.
  static let orderCount = 16_671

  /// Fills an empty `Orders` table from a Northwind database. Its TEXT dates, taken as UTC, become seconds since
  /// 2001-01-01.
  static func copyOrders(from source: URL, into connection: RawConnection) throws {
    func seconds(_ column: String) -> String {
      "CAST(strftime('%s', \(column)) AS REAL) - \(Int(Date.timeIntervalBetween1970AndReferenceDate))"
    }
    let path = source.path.replacing("'", with: "''")
    try connection.execute("ATTACH '\(path)' AS northwind")
    try connection.execute(
      """
      INSERT INTO main.Orders
      SELECT OrderID, CustomerID, EmployeeID, \(seconds("OrderDate")), \(seconds("RequiredDate")), \(seconds("ShippedDate")), ShipVia,
        CAST(Freight AS REAL), ShipName, ShipAddress, ShipCity, ShipRegion, ShipPostalCode, ShipCountry
      FROM northwind.Orders ORDER BY OrderID
      """)
    try connection.execute("DETACH northwind")
  }

  /// Orders with as many rows, customers and characters as Northwind's, and as few missing values; the same ones in
  /// every run.
  static func generatedOrders(_ count: Int = orderCount) -> [Order] {
    var generator = SplitMix64(seed: 0x0bde_c0de)
    let customers = (0..<93).map { _ in Customer(using: &generator) }
    let firstDay = 363_000_000  // July 2012, in seconds since 2001
    return (0..<count).map { index in
      let customer = customers[Int.random(in: customers.indices, using: &generator)]
      let ordered = Double(firstDay + Int.random(in: 0..<355_000_000, using: &generator))
      let isShipped = Int.random(in: 0..<800, using: &generator) > 0
      return Order(
        orderID: 10_248 + index,
        customerID: customer.id,
        employeeID: Int.random(in: 1...9, using: &generator),
        orderDate: Date(timeIntervalSinceReferenceDate: ordered),
        requiredDate: Date(
          timeIntervalSinceReferenceDate: ordered + Double(Int.random(in: 1...3_600_000, using: &generator))),
        shippedDate: isShipped
          ? Date(timeIntervalSinceReferenceDate: ordered + Double(Int.random(in: 1...2_600_000, using: &generator)))
          : nil,
        shipVia: Int.random(in: 1...3, using: &generator),
        freight: Double(Int.random(in: 0..<2_000, using: &generator)) / 4,
        shipName: customer.name,
        shipAddress: customer.address,
        shipCity: customer.city,
        shipRegion: customer.region,
        shipPostalCode: index % 90 == 0 ? nil : customer.postalCode,
        shipCountry: customer.country
      )
    }
  }

  private struct Customer {
    let id, name, address, city, region, postalCode, country: String

    init(using generator: inout SplitMix64) {
      id = Self.word(of: 5...5, using: &generator).uppercased()
      name = Self.word(of: 12...25, using: &generator)
      address = Self.word(of: 12...25, using: &generator)
      city = Self.word(of: 5...12, using: &generator)
      region = Self.word(of: 10...15, using: &generator)
      postalCode = String(Int.random(in: 10_000...99_999, using: &generator))
      country = Self.word(of: 3...9, using: &generator)
    }

    /// Letters, one in fifteen of which is not ASCII, as in Northwind's addresses.
    private static func word(of lengths: ClosedRange<Int>, using generator: inout SplitMix64) -> String {
      let letters = Array("abcdefghijklmnopqrstuvwxyzäé")
      return String(
        (0..<Int.random(in: lengths, using: &generator)).map { _ in
          letters[Int.random(in: letters.indices, using: &generator)]
        })
    }
  }
}
