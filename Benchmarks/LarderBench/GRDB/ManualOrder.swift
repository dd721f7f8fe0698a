import Foundation
import GRDB

/// An order as a GRDB record with hand-written `init(row:)` and `encode(to:)`.
struct ManualOrder: OrderRecord {
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

extension ManualOrder: FetchableRecord, PersistableRecord {
  static let databaseTableName = "Orders"

  init(row: Row) {
    orderID = row["orderID"]
    customerID = row["customerID"]
    employeeID = row["employeeID"]
    orderDate = Self.date(row["orderDate"])
    requiredDate = Self.date(row["requiredDate"])
    shippedDate = Self.date(row["shippedDate"])
    shipVia = row["shipVia"]
    freight = row["freight"]
    shipName = row["shipName"]
    shipAddress = row["shipAddress"]
    shipCity = row["shipCity"]
    shipRegion = row["shipRegion"]
    shipPostalCode = row["shipPostalCode"]
    shipCountry = row["shipCountry"]
  }

  func encode(to container: inout PersistenceContainer) {
    container["orderID"] = orderID
    container["customerID"] = customerID
    container["employeeID"] = employeeID
    container["orderDate"] = orderDate?.timeIntervalSinceReferenceDate
    container["requiredDate"] = requiredDate?.timeIntervalSinceReferenceDate
    container["shippedDate"] = shippedDate?.timeIntervalSinceReferenceDate
    container["shipVia"] = shipVia
    container["freight"] = freight
    container["shipName"] = shipName
    container["shipAddress"] = shipAddress
    container["shipCity"] = shipCity
    container["shipRegion"] = shipRegion
    container["shipPostalCode"] = shipPostalCode
    container["shipCountry"] = shipCountry
  }

  private static func date(_ seconds: Double?) -> Date? {
    seconds.map(Date.init(timeIntervalSinceReferenceDate:))
  }
}
