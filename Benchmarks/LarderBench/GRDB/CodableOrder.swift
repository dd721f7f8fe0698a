import Foundation
import GRDB

/// An order as a GRDB record that leaves reading and writing to its `Codable` conformance.
struct CodableOrder: OrderRecord, Codable {
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

extension CodableOrder: FetchableRecord, PersistableRecord {
  static let databaseTableName = "Orders"

  static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
    .timeIntervalSinceReferenceDate
  }

  static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
    .timeIntervalSinceReferenceDate
  }
}
