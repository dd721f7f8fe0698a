import Foundation
import Larder

/// An order as it takes part in sync: 14 columns, with a key that is unique everywhere.
@Model("SyncOrders")
struct SyncOrder {
  var id: UUID
  var customerID: String?
  var employeeID: Int?
  var orderDate: Date?
  var requiredDate: Date?
  var shippedDate: Date?
  var shipVia: Int?
  var freight: Double
  var shipName: String?
  var shipAddress: String?
  var shipCity: String?
  var shipRegion: String?
  var shipPostalCode: String?
  var shipCountry: String?

  /// - Parameter number: What makes the key, so that each run has the same ones.
  init(_ order: Order, number: Int) {
    var bytes = UUID().uuid
    withUnsafeMutableBytes(of: &bytes) { bytes in
      // As `UUID.v7()`: keys grow with time.
      bytes.storeBytes(of: UInt64(number).bigEndian, as: UInt64.self)
    }
    id = UUID(uuid: bytes)
    customerID = order.customerID
    employeeID = order.employeeID
    orderDate = order.orderDate
    requiredDate = order.requiredDate
    shippedDate = order.shippedDate
    shipVia = order.shipVia
    freight = order.freight
    shipName = order.shipName
    shipAddress = order.shipAddress
    shipCity = order.shipCity
    shipRegion = order.shipRegion
    shipPostalCode = order.shipPostalCode
    shipCountry = order.shipCountry
  }

  /// As many orders as wanted, those of Northwind over and over.
  static func orders(_ count: Int) -> [SyncOrder] {
    let orders = Northwind.generatedOrders()
    return (0..<count).map { SyncOrder(orders[$0 % orders.count], number: $0) }
  }
}
