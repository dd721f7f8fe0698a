import Foundation

/// The fields of one row of Northwind's `Orders`, whichever library reads and writes it.
///
/// Every contender has a struct of its own with the same stored properties in the same order, so that all of them move
/// the same bytes. The memberwise initialiser is the requirement.
protocol OrderRecord: Sendable {
  var orderID: Int { get }
  var customerID: String? { get }
  var employeeID: Int? { get }
  var orderDate: Date? { get }
  var requiredDate: Date? { get }
  var shippedDate: Date? { get }
  var shipVia: Int? { get }
  var freight: Double { get }
  var shipName: String? { get }
  var shipAddress: String? { get }
  var shipCity: String? { get }
  var shipRegion: String? { get }
  var shipPostalCode: String? { get }
  var shipCountry: String? { get }

  init(
    orderID: Int,
    customerID: String?,
    employeeID: Int?,
    orderDate: Date?,
    requiredDate: Date?,
    shippedDate: Date?,
    shipVia: Int?,
    freight: Double,
    shipName: String?,
    shipAddress: String?,
    shipCity: String?,
    shipRegion: String?,
    shipPostalCode: String?,
    shipCountry: String?
  )
}

extension OrderRecord {
  /// The same order as a value of another contender's type.
  init(_ other: some OrderRecord) {
    self.init(
      orderID: other.orderID,
      customerID: other.customerID,
      employeeID: other.employeeID,
      orderDate: other.orderDate,
      requiredDate: other.requiredDate,
      shippedDate: other.shippedDate,
      shipVia: other.shipVia,
      freight: other.freight,
      shipName: other.shipName,
      shipAddress: other.shipAddress,
      shipCity: other.shipCity,
      shipRegion: other.shipRegion,
      shipPostalCode: other.shipPostalCode,
      shipCountry: other.shipCountry
    )
  }
}
