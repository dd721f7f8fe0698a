import Foundation
import Larder

enum Currency: String, Codable, CaseIterable {
  case eur = "EUR", chf = "CHF"
}

enum Status: String, Codable, CaseIterable {
  case draft, sent, paid, cancelled
}

@Model
struct Customer: Codable, Hashable {
  var id: UUID = .v7()
  @Attribute(.unique) var email: String
  var name: String
  @Relationship(inverse: \Invoice.customer) var invoices: ToMany<Invoice> = []

  func validate() throws {
    if !email.contains("@") { throw InvoicingError.invalidEmail(email) }
  }
}

@Model
struct Invoice: Codable, Hashable {
  var id: UUID = .v7()
  @Attribute(.unique) var number: String
  var customer: ToOne<Customer>
  @Attribute(.indexed) var issuedAt: Date
  @Attribute(.indexed) var dueAt: Date
  var paidAt: Date?
  var currency: Currency
  var status: Status = .draft
  @Relationship(deleteRule: .cascade, inverse: \InvoiceLine.invoice, ordered: true) var lines: ToMany<InvoiceLine> = []
  @Relationship(inverse: \Tag.invoices) var tags: ToMany<Tag> = []
}

@Model
struct InvoiceLine: Codable, Hashable {
  var id: UUID = .v7()
  var invoice: ToOne<Invoice>
  @Attribute(.indexed) var text: String
  var quantity, unitPrice, taxRate: Decimal
}

@Model
struct Tag: Codable, Hashable {
  var id: UUID = .v7()
  @Attribute(.unique) var name: String
  var invoices: ToMany<Invoice> = []
}

// MARK: Computed in the database

extension InvoiceLine.Columns {
  var net: QueryExpression<Decimal> { (quantity * unitPrice).rounded(scale: 2) }
  var tax: QueryExpression<Decimal> { (net * taxRate).rounded(scale: 2) }
  var gross: QueryExpression<Decimal> { net + tax }
}

extension Invoice.Columns {
  var net: QueryExpression<Decimal> { lines.sum { $0.net } }
  var tax: QueryExpression<Decimal> { lines.sum { $0.tax } }
  var gross: QueryExpression<Decimal> { lines.sum { $0.gross } }
  var isBilled: QueryExpression<Bool> { status == .sent || status == .paid }
}
