import Foundation
import Larder

struct Totals: Hashable, Codable {
  var net, tax, gross: Decimal
}

struct Month: Hashable {
  var year, month, count: Int
  var net, gross, average, largest: Decimal
}

struct CustomerMonth: Hashable {
  var email: String
  var start: Date
  var net, sinceJanuary: Decimal
}

struct CustomerYear: Hashable {
  var rank: Int
  var name, email: String
  var count: Int
  var net: Decimal
}

struct Product: Hashable {
  var text: String
  var net: Decimal
  var customers: Int
}

struct TagCount: Hashable {
  var name: String
  var count: Int
}

extension Invoice {
  static func totals(of number: String) -> some ValueQuery<Totals> {
    Invoice.where { $0.number == number }.select(\.net, \.tax, \.gross).map(Totals.init)
  }

  static func billed(in currency: Currency) -> Query<Invoice> {
    Invoice.where { $0.isBilled && $0.currency == currency }
  }

  static func overdue(on date: Date) -> Query<Invoice> {
    Invoice.where { $0.status == .sent && $0.paidAt == nil && $0.dueAt < date }
      .sorted(by: \.dueAt).sorted(by: \.number)
  }

  /// Invoices that have each of the tags.
  static func tagged(_ names: [String]) -> Query<Invoice> {
    names.reduce(Invoice.all) { query, name in query.where { $0.tags.contains { $0.name == name } } }.sorted(
      by: \.number)
  }

  static var untagged: Query<Invoice> {
    Invoice.where { $0.tags.isEmpty }.sorted(by: \.number)
  }

  /// The months of a time zone in which more than an amount was billed.
  static func months(in currency: Currency, _ zone: TimeZone, above minimum: Decimal) -> some ValueQuery<Month> {
    billed(in: currency)
      .grouped(by: { ($0.issuedAt.component(.year, in: zone), $0.issuedAt.component(.month, in: zone)) }) { month in
        let net = month.sum { $0.net }
        return (
          month.key.0, month.key.1, month.count, net, month.sum { $0.gross },
          (net / month.count.decimal).or(0).rounded(scale: 2), month.max { $0.net }.or(0)
        )
      }
      .having { $0.sum { $0.net } > minimum }
      .map(Month.init)
  }

  /// Each customer's months of a year, with what was billed since its beginning.
  static func customerMonths(
    of year: Range<Date>, in currency: Currency, _ zone: TimeZone
  ) -> some ValueQuery<CustomerMonth> {
    billed(in: currency).where { $0.issuedAt.isBetween(year) }
      .grouped(by: { ($0.customer.email, $0.issuedAt.month(in: zone)) }) { group in
        let net = group.sum { $0.net }
        return (group.key.0, group.key.1, net, net.runningSum(by: group.key.1, within: group.key.0))
      }
      .map(CustomerMonth.init)
  }

  /// The customers of a year by turnover.
  static func ranking(of year: Range<Date>, in currency: Currency) -> some ValueQuery<CustomerYear> {
    billed(in: currency).where { $0.issuedAt.isBetween(year) }
      .grouped(by: { ($0.customer.name, $0.customer.email) }) { group in
        let net = group.sum { $0.net }
        return (net.rank(.reverse), group.key.0, group.key.1, group.count, net)
      }
      .sorted(order: .reverse) { $0.sum { $0.net } }
      .map(CustomerYear.init)
  }
}

extension Customer {
  static func inactive(in year: Range<Date>) -> Query<Customer> {
    Customer.where { !$0.invoices.contains { $0.issuedAt.isBetween(year) } }.sorted(by: \.email)
  }
}

extension InvoiceLine {
  /// The texts with the largest turnover.
  static func topProducts(_ limit: Int, in currency: Currency) -> some ValueQuery<Product> {
    InvoiceLine.where { $0.invoice.isBilled && $0.invoice.currency == currency }
      .grouped(by: \.text) { ($0.key, $0.sum { $0.net }, $0.count(distinct: \.invoice.customer)) }
      .sorted(order: .reverse) { $0.sum { $0.net } }
      .limit(limit)
      .map(Product.init)
  }
}

extension Tag {
  static var counts: some ValueQuery<TagCount> {
    Tag.select { ($0.name, $0.invoices.count) }.sorted(by: \.name).map(TagCount.init)
  }
}
