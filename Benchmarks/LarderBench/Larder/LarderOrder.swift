import Foundation
import Larder

/// An order as a Larder model.
@Model("Orders")
struct LarderOrder: OrderRecord {
  @Attribute(.primaryKey) var orderID: Int
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
}
