import Foundation
import Larder

/// The tables of Microsoft's sample database as Larder adopts them: names of their own, dates and flags as text, prices
/// NUMERIC.
@Model("Orders")
struct NorthwindOrder: Hashable {
  @Attribute(.primaryKey, name: "OrderID") var orderID: Int
  @Attribute(name: "CustomerID") var customerID: String?
  @Attribute(name: "EmployeeID") var employeeID: Int?
  @Attribute(name: "OrderDate") var orderDate: Date?
  @Attribute(.iso8601, name: "RequiredDate") var requiredDate: Date?
  @Attribute(name: "ShippedDate") var shippedDate: Date?
  @Attribute(name: "ShipVia") var shipVia: Int?
  @Attribute(name: "Freight") var freight: Decimal?
  @Attribute(name: "ShipName") var shipName: String?
  @Attribute(name: "ShipAddress") var shipAddress: String?
  @Attribute(name: "ShipCity") var shipCity: String?
  @Attribute(name: "ShipRegion") var shipRegion: String?
  @Attribute(name: "ShipPostalCode") var shipPostalCode: String?
  @Attribute(name: "ShipCountry") var shipCountry: String?
}

@Model("Order Details")
struct NorthwindDetail: Hashable {
  @Attribute(.primaryKey, name: "OrderID") var orderID: Int
  @Attribute(.primaryKey, name: "ProductID") var productID: Int
  @Attribute(name: "UnitPrice") var unitPrice: Double
  @Attribute(name: "Quantity") var quantity: Int
  @Attribute(name: "Discount") var discount: Double
}

@Model("Customers")
struct NorthwindCustomer: Hashable {
  @Attribute(.primaryKey, name: "CustomerID") var customerID: String
  @Attribute(name: "CompanyName") var companyName: String?
  @Attribute(name: "ContactName") var contactName: String?
  @Attribute(name: "ContactTitle") var contactTitle: String?
  @Attribute(name: "City") var city: String?
  @Attribute(name: "Country") var country: String?
  @Attribute(name: "Fax") var fax: String?
}

@Model("Products")
struct NorthwindProduct: Hashable {
  @Attribute(.primaryKey, name: "ProductID") var productID: Int
  @Attribute(name: "ProductName") var name: String
  @Attribute(name: "SupplierID") var supplierID: Int?
  @Attribute(name: "CategoryID") var categoryID: Int?
  @Attribute(name: "UnitPrice") var unitPrice: Decimal
  @Attribute(name: "UnitsInStock") var unitsInStock: Int
  @Attribute(name: "UnitsOnOrder") var unitsOnOrder: Int
  @Attribute(name: "ReorderLevel") var reorderLevel: Int
  @Attribute(name: "Discontinued") var isDiscontinued: Bool
}
