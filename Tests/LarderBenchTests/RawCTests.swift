import Foundation
import Testing

@testable import LarderBench

@Suite("The yardstick")
struct RawCTests {
  private func withConnection(_ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "larder-bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder.appending(path: "orders.db").path)
  }

  /// Texts that Swift keeps inside of the value, on the heap and as nothing.
  private let samples: [String?] = [
    nil, "", "Reims", "12345678", "Vins et alcools Chevalier", "Münster", "Straße über vierundvierzig Brücken", "日本語",
  ]

  @Test("reads every text as it was bound")
  func texts() throws {
    try withConnection { path in
      let connection = try RawConnection(path: path, creating: true)
      try connection.execute(OrdersTable.create)
      let orders = samples.indices.map { key in
        let text = { (offset: Int) in samples[(key + offset) % samples.count] }
        return Order(
          orderID: key, customerID: text(0), employeeID: key.isMultiple(of: 2) ? nil : key, orderDate: nil,
          requiredDate: Date(timeIntervalSinceReferenceDate: 0.5), shippedDate: nil, shipVia: nil, freight: 1.25,
          shipName: text(1), shipAddress: text(2), shipCity: text(3), shipRegion: text(4), shipPostalCode: text(5),
          shipCountry: text(6))
      }
      let rawC = try RawC(connection)
      try rawC.insertAll(orders)
      #expect(try rawC.fetchAll() == orders)

      let changed = orders.map { order in
        var order = order
        order.shipName = order.shipCity
        return order
      }
      try rawC.updateAll(changed)
      #expect(try rawC.fetchAll() == changed)
    }
  }

  @Test("two halves by key, fetched at once, are all orders in their order")
  func halves() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "larder-bench-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let template = try OrdersTemplate(in: folder, generating: 100)
    let path = try template.copy(for: .fetchAll, .larder)
    let orders = try template.orders()
    let middle = try #require(orders.dropFirst(40).first).orderID

    #expect(try await CoresRawC(path: path).fetchHalves(by: middle) == orders)
    #expect(try await CoresLarder(path: path).fetchHalves(by: middle).map { Order($0) } == orders)
  }
}
