import Foundation
import Larder

/// An invoice as an API answers it: with its customer and its totals, and without keys.
struct InvoiceResponse: Codable, Hashable {
  struct Line: Codable, Hashable {
    var text: String
    var quantity, unitPrice, taxRate: Decimal
  }

  var number: String
  var customer: String
  var email: String
  var issuedAt, dueAt: Date
  var paidAt: Date?
  var currency: Currency
  var status: Status
  var lines: [Line]
  var tags: [String]
  var totals: Totals
}

extension InvoiceResponse {
  /// An invoice that was fetched with its customer, its lines and its tags.
  init(_ invoice: Invoice, _ totals: Totals) {
    self.init(
      number: invoice.number, customer: invoice.customer.name, email: invoice.customer.email,
      issuedAt: invoice.issuedAt,
      dueAt: invoice.dueAt, paidAt: invoice.paidAt, currency: invoice.currency, status: invoice.status,
      lines: invoice.lines.map {
        Line(text: $0.text, quantity: $0.quantity, unitPrice: $0.unitPrice, taxRate: $0.taxRate)
      }, tags: invoice.tags.map(\.name), totals: totals)
  }
}

extension Invoicing {
  func response(for number: String) async throws -> Data {
    let (invoice, totals) = try await store.read { db in
      let whole = Invoice.where { $0.number == number }.including(\.customer, \.lines).including(\.tags) {
        $0.sorted(by: \.name)
      }
      return (try db.first(whole), try db.first(Invoice.totals(of: number)))
    }
    guard let invoice, let totals else { throw InvoicingError.noInvoice(number) }
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    return try encoder.encode(InvoiceResponse(invoice, totals))
  }

  /// All customers with their invoices, and the lines and tags of these.
  func exportAll() async throws -> Data {
    try await store.export(
      Customer.all.sorted(by: \.email).including(\.invoices, then: \.lines).including(\.invoices, then: \.tags))
  }

  func importAll(_ json: Data) async throws {
    try await store.import(Customer.self, from: json)
  }
}
