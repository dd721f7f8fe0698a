/// The table that every contender works on, and the statements that raw C and the harness run on it.
///
/// It is the table that Larder would create for the model: STRICT, dates as REAL seconds since 2001-01-01 UTC. Columns
/// are named like the properties, so that no contender translates names.
enum OrdersTable {
  static let create = """
    CREATE TABLE Orders (
      orderID INTEGER PRIMARY KEY NOT NULL,
      customerID TEXT,
      employeeID INTEGER,
      orderDate REAL,
      requiredDate REAL,
      shippedDate REAL,
      shipVia INTEGER,
      freight REAL NOT NULL,
      shipName TEXT,
      shipAddress TEXT,
      shipCity TEXT,
      shipRegion TEXT,
      shipPostalCode TEXT,
      shipCountry TEXT
    ) STRICT
    """

  /// Serves the filter and the sort of the indexed query at once, so that nothing but the look-ups is left to measure.
  static let createIndex = "CREATE INDEX Orders_customerID_orderDate ON Orders (customerID, orderDate)"

  static let columns = """
    orderID, customerID, employeeID, orderDate, requiredDate, shippedDate, shipVia, freight, \
    shipName, shipAddress, shipCity, shipRegion, shipPostalCode, shipCountry
    """

  static let selectAll = "SELECT \(columns) FROM Orders"

  static let selectByKey = "SELECT \(columns) FROM Orders WHERE orderID = ?"

  static let selectLatestOfCustomer =
    "SELECT \(columns) FROM Orders WHERE customerID = ? ORDER BY orderDate DESC LIMIT ?"

  static let insert = "INSERT INTO Orders (\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"

  /// Insert or update by key, in one statement.
  static let upsert = """
    \(insert) ON CONFLICT (orderID) DO UPDATE SET
      customerID = excluded.customerID, employeeID = excluded.employeeID, orderDate = excluded.orderDate,
      requiredDate = excluded.requiredDate, shippedDate = excluded.shippedDate, shipVia = excluded.shipVia,
      freight = excluded.freight, shipName = excluded.shipName, shipAddress = excluded.shipAddress, shipCity = excluded.shipCity,
      shipRegion = excluded.shipRegion, shipPostalCode = excluded.shipPostalCode, shipCountry = excluded.shipCountry
    """

  /// The parameters have the positions of the columns, so that one function binds an order to every statement.
  static let update = """
    UPDATE Orders SET
      customerID = ?2, employeeID = ?3, orderDate = ?4, requiredDate = ?5, shippedDate = ?6, shipVia = ?7, freight = ?8,
      shipName = ?9, shipAddress = ?10, shipCity = ?11, shipRegion = ?12, shipPostalCode = ?13, shipCountry = ?14
    WHERE orderID = ?1
    """
}
