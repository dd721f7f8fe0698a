import Foundation
import Larder
import Testing

/// A file that Larder did not make is read where it lies and changed in its own forms.
@Suite(.enabled(if: Northwind.canAsk, "needs northwind.db (LARDER_TEST_DATA) and the sqlite3 command line"))
struct NorthwindAdoptionTests {
  @Test("a file that cannot be written is read where it lies, and stays as it was")
  func readOnlyFile() async throws {
    let before = try Data(contentsOf: Northwind.file)
    let names = try FileManager.default.contentsOfDirectory(atPath: Northwind.folder.path).sorted()
    let store = try Northwind.store()
    #expect(try await store.count(NorthwindOrder.all) == 830)
    #expect(try await store.fetch(NorthwindDetail.where { $0.orderID == 10_248 }).count == 3)
    var streamed = 0
    for try await _ in store.stream(NorthwindCustomer.all) { streamed += 1 }
    #expect(streamed == 93)
    #expect(try Data(contentsOf: Northwind.file) == before)
    #expect(try FileManager.default.contentsOfDirectory(atPath: Northwind.folder.path).sorted() == names)
  }

  @Test("a file under the protection of its file system refuses writes and answers reads")
  func protectedFile() async throws {
    try await Northwind.withCopy { copy in
      try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: copy.path)
      let store = try Northwind.store(at: copy)
      #expect(try await store.count(NorthwindOrder.all) == 830)
      // The superuser may write to any file.
      guard !FileManager.default.isWritableFile(atPath: copy.path) else { return }
      let error = try await #require(throws: StoreError.self) { try await store.deleteAll(NorthwindOrder.all) }
      #expect(error.code == .readOnly)
      #expect(try await store.count(NorthwindOrder.all) == 830)
    }
  }

  @Test("updateAll writes what the SQL of a person writes, dates in the file's own form")
  func updateAll() async throws {
    try await Northwind.withCopy { copy in
      let store = try Northwind.store(at: copy)
      let date = try day(2016, 12, 24)
      #expect(
        try await store.updateAll(NorthwindOrder.where { $0.shipCountry == "Norway" }) { order in
          order.freight.increment(by: 10)
          order.shipRegion.set("Norden")
          order.shippedDate.set(date)
          order.requiredDate.set { $0.orderDate }
        } == 6)
      let types = try Northwind.ask(
        "select distinct typeof(ShippedDate) as s, typeof(RequiredDate) as r from Orders where ShipCountry = 'Norway'",
        of: copy)
      #expect(types == [["s": .text("text"), "r": .text("text")]])
      let rows = try await store.fetch(
        NorthwindOrder.where { $0.shippedDate == date && $0.shipRegion == "Norden" }.sorted(by: \.orderID))
      #expect(rows.count == 6)
      #expect(rows.allSatisfy { $0.requiredDate == $0.orderDate })
      let before = try Northwind.ask(
        "select OrderID, Freight + 10 as f from Orders where ShipCountry = 'Norway' order by OrderID")
      #expect(rows.map { ["OrderID": Answer($0.orderID), "f": Answer($0.freight)] } == before)
      let shown = try Northwind.ask(
        "select date(ShippedDate) as s, count(*) as n from Orders where ShipCountry = 'Norway' group by 1", of: copy)
      #expect(shown == [["s": .text("2016-12-24"), "n": .number(6)]])
    }
  }

  @Test("updateAll and deleteAll answer how many rows, on whole tables and with a limit")
  func counts() async throws {
    try await Northwind.withCopy { copy in
      let store = try Northwind.store(at: copy)
      #expect(
        try await store.updateAll(NorthwindProduct.where { !$0.isDiscontinued && $0.unitsInStock < 10 }) {
          $0.unitsOnOrder.set(100)
        }
          == Northwind.ask("select ProductID from Products where Discontinued = '0' and UnitsInStock < 10").count)
      #expect(
        try Northwind.ask("select count(*) as n from Products where UnitsOnOrder = 100", of: copy)
          == Northwind.ask(
            "select count(*) as n from Products where UnitsOnOrder = 100 or (Discontinued = '0' and UnitsInStock < 10)")
      )
      #expect(
        try await store.deleteAll(NorthwindDetail.where { $0.discount > 0.2 })
          == Northwind.ask("select OrderID from [Order Details] where Discount > 0.2").count)
      let most = try Northwind.ask(
        "select OrderID, ProductID from [Order Details] order by Quantity desc, OrderID desc, ProductID desc limit 5",
        of: copy)
      #expect(try await store.deleteAll(NorthwindDetail.all.sorted(by: \.quantity, order: .reverse).limit(5)) == 5)
      let left = try Northwind.ask("select OrderID, ProductID from [Order Details]", of: copy)
      #expect(most.allSatisfy { !left.contains($0) })
      #expect(try await store.count(NorthwindDetail.all) == left.count)
    }
  }

  @Test("rows are inserted, saved, updated and deleted in the file's own forms")
  func verbs() async throws {
    try await Northwind.withCopy { copy in
      let store = try Northwind.store(at: copy)
      var order = try #require(try await store.find(NorthwindOrder.self, 10_250))
      order.shippedDate = try day(2020, 2, 29)
      order.freight = Decimal(string: "12.34")
      try await store.update(order)
      #expect(try await store.find(NorthwindOrder.self, 10_250) == order)
      order.orderID = 20_000
      try await store.insert(order)
      order.shipName = "it's new"
      try await store.save(order)
      let shown = try Northwind.ask(
        "select ShipName, typeof(ShippedDate) as t, date(ShippedDate) as d, Freight from Orders where OrderID = 20000",
        of: copy)
      #expect(
        shown == [
          ["ShipName": .text("it's new"), "t": .text("text"), "d": .text("2020-02-29"), "Freight": .number(12.34)]
        ])
      #expect(try await store.delete(order))
      #expect(try await store.count(NorthwindOrder.all) == 830)
      var product = try #require(try await store.find(NorthwindProduct.self, 1))
      product.isDiscontinued = true
      try await store.save(product)
      #expect(
        try Northwind.ask("select Discontinued from Products where ProductID = 1", of: copy) == [
          ["Discontinued": .text("1")]
        ])
    }
  }
}
