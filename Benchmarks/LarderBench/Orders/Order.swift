import Foundation

/// An order as a plain Swift value: what raw C reads into, and what the workload is written in.
struct Order: OrderRecord, Equatable {
  var orderID: Int
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
