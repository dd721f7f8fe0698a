import Foundation
import Larder
import Testing

/// The answers to queries on real data are those of the sqlite3 command line to the SQL that a person would write.
@Suite(.enabled(if: Northwind.canAsk, "needs northwind.db (LARDER_TEST_DATA) and the sqlite3 command line"))
struct NorthwindQueryTests {
  let db: BlockingStore

  init() throws { db = try Northwind.store().blocking }

  private func orders(
    _ query: Query<NorthwindOrder>, are sql: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let found = try db.fetch(query).map { ["OrderID": Answer($0.orderID)] }
    let expected = try Northwind.ask("select OrderID from Orders \(sql)")
    #expect(found == expected, sourceLocation: sourceLocation)
    #expect(!expected.isEmpty, "the SQL finds nothing", sourceLocation: sourceLocation)
  }

  private func products(
    _ query: Query<NorthwindProduct>, are sql: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let found = try db.fetch(query).map { ["ProductID": Answer($0.productID)] }
    let expected = try Northwind.ask("select ProductID from Products \(sql)")
    #expect(found == expected, sourceLocation: sourceLocation)
    #expect(!expected.isEmpty, "the SQL finds nothing", sourceLocation: sourceLocation)
  }

  private func details(
    _ query: Query<NorthwindDetail>, are sql: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let found = try db.fetch(query).map { ["OrderID": Answer($0.orderID), "ProductID": Answer($0.productID)] }
    let expected = try Northwind.ask("select OrderID, ProductID from [Order Details] \(sql)")
    #expect(found == expected, sourceLocation: sourceLocation)
    #expect(!expected.isEmpty, "the SQL finds nothing", sourceLocation: sourceLocation)
  }

  private func customers(
    _ query: Query<NorthwindCustomer>, are sql: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let found = try db.fetch(query).map { ["CustomerID": Answer($0.customerID)] }
    let expected = try Northwind.ask("select CustomerID from Customers \(sql)")
    #expect(found == expected, sourceLocation: sourceLocation)
    #expect(!expected.isEmpty, "the SQL finds nothing", sourceLocation: sourceLocation)
  }

  // MARK: Whole rows

  @Test("every value of every order is read")
  func allOrders() throws {
    let found = try db.fetch(NorthwindOrder.all.sorted(by: \.orderID)).map { order in
      [
        "OrderID": Answer(order.orderID), "CustomerID": Answer(order.customerID),
        "EmployeeID": Answer(order.employeeID),
        "OrderDate": Answer(order.orderDate), "RequiredDate": Answer(order.requiredDate),
        "ShippedDate": Answer(order.shippedDate),
        "ShipVia": Answer(order.shipVia), "Freight": Answer(order.freight), "ShipName": Answer(order.shipName),
        "ShipAddress": Answer(order.shipAddress),
        "ShipCity": Answer(order.shipCity), "ShipRegion": Answer(order.shipRegion),
        "ShipPostalCode": Answer(order.shipPostalCode),
        "ShipCountry": Answer(order.shipCountry),
      ]
    }
    #expect(try found == Northwind.ask("select * from Orders order by OrderID"))
    #expect(found.count == 830)
  }

  @Test("every value of every line, customer and product is read")
  func allOthers() throws {
    let lines = try db.fetch(NorthwindDetail.all.sorted(by: \.orderID).sorted(by: \.productID)).map {
      [
        "OrderID": Answer($0.orderID), "ProductID": Answer($0.productID), "UnitPrice": Answer($0.unitPrice),
        "Quantity": Answer($0.quantity),
        "Discount": Answer($0.discount),
      ]
    }
    #expect(try lines == Northwind.ask("select * from [Order Details] order by OrderID, ProductID"))
    let customers = try db.fetch(NorthwindCustomer.all.sorted(by: \.customerID)).map {
      [
        "CustomerID": Answer($0.customerID), "CompanyName": Answer($0.companyName), "City": Answer($0.city),
        "Fax": Answer($0.fax),
      ]
    }
    #expect(
      try customers == Northwind.ask("select CustomerID, CompanyName, City, Fax from Customers order by CustomerID"))
    let products = try db.fetch(NorthwindProduct.all.sorted(by: \.productID)).map {
      [
        "ProductID": Answer($0.productID), "ProductName": Answer($0.name), "UnitPrice": Answer($0.unitPrice),
        "Discontinued": Answer($0.isDiscontinued ? "1" : "0"),
      ]
    }
    #expect(
      try products
        == Northwind.ask("select ProductID, ProductName, UnitPrice, Discontinued from Products order by ProductID"))
  }

  @Test("a row is found by its key, by a composite one too")
  func find() throws {
    let order = try #require(try db.find(NorthwindOrder.self, 10_248))
    let expected = try Northwind.ask("select ShipName, OrderDate from Orders where OrderID = 10248")
    #expect(expected == [["ShipName": Answer(order.shipName), "OrderDate": Answer(order.orderDate)]])
    let line = try #require(try db.find(NorthwindDetail.self, .init(orderID: 10_248, productID: 42)))
    #expect(
      try Northwind.ask("select Quantity from [Order Details] where OrderID = 10248 and ProductID = 42") == [
        ["Quantity": Answer(line.quantity)]
      ])
    #expect(try db.find(NorthwindCustomer.self, "ALFKI")?.city == "Berlin")
    #expect(try db.find(NorthwindOrder.self, 1) == nil)
  }

  // MARK: Conditions

  @Test("numbers: equal, different, less, greater, between, in a list")
  func numbers() throws {
    try orders(
      NorthwindOrder.where { $0.employeeID == 5 }.sorted(by: \.orderID), are: "where EmployeeID = 5 order by OrderID")
    try orders(
      NorthwindOrder.where { $0.shipVia != 3 && $0.employeeID < 4 }.sorted(by: \.orderID),
      are: "where ShipVia <> 3 and EmployeeID < 4 order by OrderID")
    try orders(
      NorthwindOrder.where { $0.freight > 500 }.sorted(by: \.orderID), are: "where Freight > 500 order by OrderID")
    try orders(
      NorthwindOrder.where { $0.freight <= 1 }.sorted(by: \.orderID), are: "where Freight <= 1 order by OrderID")
    try products(
      NorthwindProduct.where { $0.unitPrice.isBetween(10, 20) }.sorted(by: \.productID),
      are: "where UnitPrice between 10 and 20 order by ProductID")
    try products(NorthwindProduct.where { $0.unitPrice == Decimal(string: "18.4") ?? 0 }, are: "where UnitPrice = 18.4")
    try products(
      NorthwindProduct.where { $0.categoryID.isIn([1, 8]) }.sorted(by: \.productID),
      are: "where CategoryID in (1, 8) order by ProductID")
    try products(
      NorthwindProduct.where { !$0.categoryID.isIn([1, 8]) }.sorted(by: \.productID),
      are: "where CategoryID not in (1, 8) order by ProductID")
    try products(
      NorthwindProduct.where { $0.unitsInStock + $0.unitsOnOrder <= $0.reorderLevel }.sorted(by: \.productID),
      are: "where UnitsInStock + UnitsOnOrder <= ReorderLevel order by ProductID")
  }

  @Test("decimals in a NUMERIC column: in a short and in a long list")
  func decimals() throws {
    let prices = ["18", "9.8", "34.8", "263.5"].compactMap { Decimal(string: $0) }
    try products(
      NorthwindProduct.where { $0.unitPrice.isIn(prices) }.sorted(by: \.productID),
      are: "where UnitPrice in (18, 9.8, 34.8, 263.5) order by ProductID")
    let many = prices + (1000..<1100).map { Decimal($0) }
    try products(
      NorthwindProduct.where { $0.unitPrice.isIn(many) }.sorted(by: \.productID),
      are: "where UnitPrice in (18, 9.8, 34.8, 263.5) order by ProductID")
    try products(
      NorthwindProduct.where { $0.unitPrice * 2 >= 100 }.sorted(by: \.unitPrice, order: .reverse),
      are: "where UnitPrice * 2 >= 100 order by UnitPrice desc, ProductID desc")
  }

  @Test("dates kept as text compare with dates, as numbers of seconds and as ISO 8601")
  func dates() throws {
    let (from, to) = (try day(2016, 12, 24), try day(2017, 1, 6))
    try orders(
      NorthwindOrder.where { $0.orderDate == from }.sorted(by: \.orderID),
      are: "where OrderDate = '2016-12-24' order by OrderID")
    try orders(
      NorthwindOrder.where { $0.orderDate >= from && $0.orderDate < to }.sorted(by: \.orderID),
      are: "where OrderDate >= '2016-12-24' and OrderDate < '2017-01-06' order by OrderID")
    try orders(
      NorthwindOrder.where { $0.requiredDate.isBetween(from...to) }.sorted(by: \.orderID),
      are: "where RequiredDate between '2016-12-24' and '2017-01-06' order by OrderID")
    try orders(
      NorthwindOrder.where { $0.requiredDate == to }.sorted(by: \.orderID),
      are: "where RequiredDate = '2017-01-06' order by OrderID")
    try orders(
      NorthwindOrder.where { $0.shippedDate > $0.requiredDate }.sorted(by: \.orderID),
      are: "where ShippedDate > RequiredDate order by OrderID")
    try orders(
      NorthwindOrder.where { $0.orderDate.isIn([from, to]) || $0.shippedDate == to }.sorted(by: \.orderID),
      are: "where OrderDate in ('2016-12-24', '2017-01-06') or ShippedDate = '2017-01-06' order by OrderID")
  }

  @Test("nil")
  func none() throws {
    try orders(
      NorthwindOrder.where { $0.shippedDate == nil }.sorted(by: \.orderID),
      are: "where ShippedDate is null order by OrderID")
    try orders(
      NorthwindOrder.where { $0.shipPostalCode == nil && $0.shippedDate != nil }.sorted(by: \.orderID),
      are: "where ShipPostalCode is null and ShippedDate is not null order by OrderID")
    try customers(
      NorthwindCustomer.where { $0.fax == nil }.sorted(by: \.customerID), are: "where Fax is null order by CustomerID")
    try customers(
      NorthwindCustomer.where { $0.country != "USA" }.sorted(by: \.customerID),
      are: "where Country is null or Country <> 'USA' order by CustomerID")
  }

  @Test("text: like, contains, prefixes, suffixes, quotes, letters beyond ASCII")
  func text() throws {
    try customers(
      NorthwindCustomer.where { $0.companyName.like("%market%") }.sorted(by: \.customerID),
      are: "where CompanyName like '%market%' order by CustomerID")
    try customers(
      NorthwindCustomer.where { $0.companyName.notLike("%a%") }.sorted(by: \.customerID),
      are: "where CompanyName not like '%a%' order by CustomerID")
    try customers(
      NorthwindCustomer.where { $0.companyName.contains("'") }.sorted(by: \.customerID),
      are: "where CompanyName like '%''%' order by CustomerID")
    try customers(
      NorthwindCustomer.where { $0.contactTitle.hasPrefix("Sales") }.sorted(by: \.customerID),
      are: "where ContactTitle glob 'Sales*' order by CustomerID")
    try customers(
      NorthwindCustomer.where { $0.contactTitle.hasSuffix("Manager") }.sorted(by: \.customerID),
      are: "where ContactTitle glob '*Manager' order by CustomerID")
    try customers(
      NorthwindCustomer.where { $0.city == "México D.F." || $0.city == "São Paulo" }.sorted(by: \.customerID),
      are: "where City in ('México D.F.', 'São Paulo') order by CustomerID")
    try products(
      NorthwindProduct.where { $0.name.glob("[A-C]*") }.sorted(by: \.name),
      are: "where ProductName glob '[A-C]*' order by ProductName")
    try products(
      NorthwindProduct.where { $0.name.length > 30 }.sorted(by: \.productID),
      are: "where length(ProductName) > 30 order by ProductID")
  }

  @Test("flags kept as text are Booleans")
  func flags() throws {
    try products(
      NorthwindProduct.where { $0.isDiscontinued }.sorted(by: \.productID),
      are: "where Discontinued = '1' order by ProductID")
    try products(
      NorthwindProduct.where { !$0.isDiscontinued && $0.unitsInStock == 0 }.sorted(by: \.productID),
      are: "where Discontinued = '0' and UnitsInStock = 0 order by ProductID")
    try products(
      NorthwindProduct.where { $0.isDiscontinued == false && $0.unitPrice > 50 }.sorted(by: \.productID),
      are: "where Discontinued = '0' and UnitPrice > 50 order by ProductID")
  }

  @Test("predicates")
  func predicates() throws {
    let (country, date) = ("Germany", try day(2017, 1, 9))
    try orders(
      NorthwindOrder.where(#Predicate { $0.shipCountry == country && ($0.freight ?? 0) > 100 }).sorted(by: \.orderID),
      are: "where ShipCountry = 'Germany' and ifnull(Freight, 0) > 100 order by OrderID")
    try orders(
      NorthwindOrder.where(#Predicate { if let shipped = $0.shippedDate { shipped > date } else { false } }).sorted(
        by: \.orderID),
      are: "where ShippedDate > '2017-01-09' order by OrderID")
    try orders(
      NorthwindOrder.where(#Predicate { $0.requiredDate == date }).sorted(by: \.orderID),
      are: "where RequiredDate = '2017-01-09' order by OrderID")
    try products(
      NorthwindProduct.where(#Predicate { $0.isDiscontinued && $0.name.contains("er") }).sorted(by: \.productID),
      are: "where Discontinued = '1' and ProductName glob '*er*' order by ProductID")
  }

  // MARK: Order and pages

  @Test("sorts with ties, limits and offsets")
  func sorts() throws {
    try orders(
      NorthwindOrder.all.sorted(by: \.shipCountry).sorted(by: \.freight, order: .reverse).limit(20),
      are: "order by ShipCountry, Freight desc, OrderID desc limit 20")
    try orders(NorthwindOrder.all.sorted(by: \.shippedDate).limit(30), are: "order by ShippedDate, OrderID limit 30")
    try orders(
      NorthwindOrder.all.sorted(by: \.requiredDate, order: .reverse).limit(10, offset: 5),
      are: "order by RequiredDate desc, OrderID desc limit 10 offset 5")
    try orders(
      NorthwindOrder.all.sorted(by: \.orderDate, order: .reverse).limit(25, offset: 800),
      are: "order by OrderDate desc, OrderID desc limit 25 offset 800")
    try products(
      NorthwindProduct.all.sorted(by: \.unitPrice, order: .reverse).limit(10),
      are: "order by UnitPrice desc, ProductID desc limit 10")
    try details(
      NorthwindDetail.all.sorted(order: .reverse) { $0.unitPrice * $0.quantity.double }.limit(10),
      are: "order by UnitPrice * Quantity desc, OrderID desc, ProductID desc limit 10")
    try customers(
      NorthwindCustomer.all.sorted(by: \.country).sorted(by: \.city, order: .reverse),
      are: "order by Country, City desc, CustomerID desc")
  }

  @Test("pages put together are the whole list", arguments: [7, 100])
  func pages(_ size: Int) throws {
    func walk<M: Model>(_ query: Query<M>, _ count: Int) throws -> [M] {
      var rows: [M] = []
      while rows.count <= count {
        let page = try db.fetch((rows.last.map { query.after($0) } ?? query).limit(size))
        if page.isEmpty { break }
        rows += page
      }
      return rows
    }
    let byDate = NorthwindOrder.all.sorted(by: \.shippedDate, order: .reverse).sorted(by: \.shipCountry)
    let ids = try Northwind.ask("select OrderID from Orders order by ShippedDate desc, ShipCountry, OrderID")
    #expect(try walk(byDate, 830).map { ["OrderID": Answer($0.orderID)] } == ids)
    let required = NorthwindOrder.all.sorted(by: \.requiredDate)
    #expect(
      try walk(required, 830).map { ["OrderID": Answer($0.orderID)] }
        == Northwind.ask("select OrderID from Orders order by RequiredDate, OrderID"))
    let lines = NorthwindDetail.all.sorted(by: \.discount, order: .reverse).sorted(by: \.quantity)
    let keys = try Northwind.ask(
      "select OrderID, ProductID from [Order Details] order by Discount desc, Quantity, OrderID, ProductID")
    #expect(try walk(lines, 2155).map { ["OrderID": Answer($0.orderID), "ProductID": Answer($0.productID)] } == keys)
    let prices = NorthwindProduct.all.sorted(by: \.unitPrice)
    #expect(
      try walk(prices, 77).map { ["ProductID": Answer($0.productID)] }
        == Northwind.ask("select ProductID from Products order by UnitPrice, ProductID"))
  }

  // MARK: Aggregates

  @Test("count, sum, average, least, greatest, exists")
  func aggregates() throws {
    let german = NorthwindOrder.where { $0.shipCountry == "Germany" }
    #expect(
      try [["n": Answer(db.count(german))]]
        == Northwind.ask("select count(*) as n from Orders where ShipCountry = 'Germany'"))
    #expect(
      try [["s": Answer(db.sum(german, of: \.freight))]]
        == Northwind.ask("select sum(Freight) as s from Orders where ShipCountry = 'Germany'"))
    #expect(
      try [["a": Answer(db.average(german, of: \.freight))]]
        == Northwind.ask("select avg(Freight) as a from Orders where ShipCountry = 'Germany'"))
    let ends = try [
      "first": Answer(db.min(german, of: \.orderDate) ?? nil),
      "last": Answer(db.max(german, of: \.requiredDate) ?? nil),
    ]
    #expect(
      try [ends]
        == Northwind.ask(
          "select min(OrderDate) as first, max(RequiredDate) as last from Orders where ShipCountry = 'Germany'"))
    #expect(
      try [["m": Answer(db.max(NorthwindProduct.all, of: \.unitPrice))]]
        == Northwind.ask("select max(UnitPrice) as m from Products"))
    #expect(
      try [["q": Answer(db.sum(NorthwindDetail.all, of: \.quantity))]]
        == Northwind.ask("select sum(Quantity) as q from [Order Details]"))
    #expect(
      try [["n": Answer(db.count(NorthwindOrder.where { $0.shippedDate != nil }))]]
        == Northwind.ask("select count(ShippedDate) as n from Orders"))
    #expect(try db.exists(NorthwindOrder.where { $0.freight > 1000 }))
    #expect(
      try [["e": Answer(db.exists(NorthwindOrder.where { $0.shipCountry == "Atlantis" }) ? 1 : 0)]]
        == Northwind.ask("select exists (select 1 from Orders where ShipCountry = 'Atlantis') as e"))
  }

  @Test("groups, with having and an order")
  func groups() throws {
    let countries = try db.fetch(
      NorthwindOrder.all.grouped(by: \.shipCountry) { ($0.key, $0.count, $0.sum(\.freight), $0.max(\.orderDate)) }
        .having { $0.count > 40 }.sorted(order: .reverse) { $0.count })
    let expected = try Northwind.ask(
      "select ShipCountry, count(*) as n, sum(Freight) as f, max(OrderDate) as d from Orders group by ShipCountry having n > 40 order by n desc, ShipCountry"
    )
    #expect(
      countries.map { ["ShipCountry": Answer($0.0), "n": Answer($0.1), "f": Answer($0.2), "d": Answer($0.3 ?? nil)] }
        == expected)
    #expect(expected.count > 3)
    let lines = try db.fetch(
      NorthwindDetail.all.grouped(by: \.orderID) {
        ($0.key, $0.sum { $0.unitPrice * $0.quantity.double * (1 - $0.discount) })
      }
      .sorted(order: .reverse) { $0.sum { $0.unitPrice * $0.quantity.double * (1 - $0.discount) } }.limit(10))
    let totals = try Northwind.ask(
      "select OrderID, sum(UnitPrice * Quantity * (1 - Discount)) as total from [Order Details] group by OrderID order by total desc limit 10"
    )
    #expect(lines.map { ["OrderID": Answer($0.0), "total": Answer($0.1)] } == totals)
    let categories = try db.fetch(
      NorthwindProduct.where { !$0.isDiscontinued }.grouped(by: \.categoryID) {
        ($0.key, $0.average(\.unitPrice), $0.min(\.unitPrice), $0.sum(\.unitsInStock))
      }
      .having { $0.average(\.unitPrice) > 20 })
    let prices = try Northwind.ask(
      "select CategoryID, avg(UnitPrice) as a, min(UnitPrice) as m, sum(UnitsInStock) as s from Products where Discontinued = '0' group by CategoryID having a > 20 order by CategoryID"
    )
    #expect(
      categories.map { ["CategoryID": Answer($0.0), "a": Answer($0.1), "m": Answer($0.2), "s": Answer($0.3)] } == prices
    )
    #expect(!prices.isEmpty)
  }

  @Test("the different values of a column are the keys of its groups")
  func distinct() throws {
    let countries = try db.fetch(NorthwindOrder.all.grouped(by: \.shipCountry) { $0.key })
    #expect(
      try countries.map { ["ShipCountry": Answer($0)] }
        == Northwind.ask("select distinct ShipCountry from Orders order by ShipCountry"))
    let days = try db.fetch(NorthwindOrder.all.grouped(by: \.shippedDate) { ($0.key, $0.count) })
    #expect(
      try days.map { ["ShippedDate": Answer($0.0), "n": Answer($0.1)] }
        == Northwind.ask("select ShippedDate, count(*) as n from Orders group by 1 order by 1"))
    let prices = try db.fetch(NorthwindProduct.all.grouped(by: \.unitPrice) { ($0.key, $0.count) })
    #expect(
      try prices.map { ["UnitPrice": Answer($0.0), "n": Answer($0.1)] }
        == Northwind.ask("select UnitPrice, count(*) as n from Products group by 1 order by 1"))
  }

  @Test("conditions compute across columns")
  func computed() throws {
    try details(
      NorthwindDetail.where { $0.unitPrice * $0.quantity.double > 5000 && $0.discount == 0 }.sorted(by: \.orderID),
      are: "where UnitPrice * Quantity > 5000 and Discount = 0 order by OrderID, ProductID")
    try details(
      NorthwindDetail.where { $0.quantity % 10 == 7 }.sorted(by: \.orderID).sorted(by: \.productID),
      are: "where Quantity % 10 = 7 order by OrderID, ProductID")
    try details(
      NorthwindDetail.where { $0.quantity / 25 >= 4 }.sorted(by: \.orderID).sorted(by: \.productID),
      are: "where Quantity / 25 >= 4 order by OrderID, ProductID")
  }

  // MARK: SQL

  private struct Sale: Decodable, Sendable {
    var company: String
    var orders: Int
    var total: Double
  }

  @Test("SQL with joins over models and columns")
  func joins() throws {
    let (order, detail, customer) = (NorthwindOrder.columns, NorthwindDetail.columns, NorthwindCustomer.columns)
    let (country, least) = ("Germany", 1000.0)
    let sales = try db.sql(
      """
      select \(customer.companyName) as company, count(distinct \(NorthwindOrder.self).\(order.orderID)) as orders,
        sum(\(detail.unitPrice) * \(detail.quantity)) as total
      from \(NorthwindCustomer.self)
      join \(NorthwindOrder.self) using (\(name: order.customerID))
      join \(NorthwindDetail.self) on \(NorthwindDetail.self).\(detail.orderID) = \(NorthwindOrder.self).\(order.orderID)
      where \(customer.country) = \(country)
      group by 1 having total > \(least) order by total desc, company
      """, as: Sale.self)
    let expected = try Northwind.ask(
      """
      select CompanyName as company, count(distinct o.OrderID) as orders, sum(d.UnitPrice * d.Quantity) as total
      from Customers c join Orders o on o.CustomerID = c.CustomerID join [Order Details] d on d.OrderID = o.OrderID
      where c.Country = 'Germany' group by company having total > 1000 order by total desc, company
      """)
    #expect(
      sales.map { ["company": Answer($0.company), "orders": Answer($0.orders), "total": Answer($0.total)] } == expected)
    #expect(expected.count > 3)
    let names = ["Chai", "Chang"]
    let sold = try db.sql(
      """
      select \(NorthwindProduct.columns.name), sum(\(detail.quantity)) from \(NorthwindProduct.self)
      join \(NorthwindDetail.self) using (\(name: detail.productID)) where \(NorthwindProduct.columns.name) in (\(names)) group by 1 order by 1
      """, as: (String, Int).self)
    let quantities = try Northwind.ask(
      "select ProductName, sum(Quantity) as q from Products join [Order Details] using (ProductID) where ProductName in ('Chai', 'Chang') group by 1 order by 1"
    )
    #expect(sold.map { ["ProductName": Answer($0.0), "q": Answer($0.1)] } == quantities)
  }
}
