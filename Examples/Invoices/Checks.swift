import Foundation
import Larder

/// Compares each report with the same computed from arrays.
struct Checks {
  let samples: Samples
  let calendar: Calendar
  var failures: [String] = []
  var count = 0

  static let graph = Customer.all.sorted(by: \.email).including(\.invoices, then: \.lines).including(\.invoices) {
    $0.sorted(by: \.number).including(\.lines).including(\.tags) { $0.sorted(by: \.name) }
  }

  init(_ samples: Samples, _ zone: TimeZone) {
    self.samples = samples
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    self.calendar = calendar
  }

  mutating func fail(_ text: String) {
    failures.append(text)
  }

  mutating func equal<T: Equatable>(_ name: String, _ found: T, _ expected: T) {
    count += 1
    if found != expected { fail("\(name):\n  found    \(found)\n  expected \(expected)") }
  }

  func rounded(_ value: Decimal) -> Decimal {
    var value = value
    var result = Decimal()
    NSDecimalRound(&result, &value, 2, .plain)
    return result
  }

  func net(_ line: InvoiceLine) -> Decimal { rounded(line.quantity * line.unitPrice) }
  func tax(_ line: InvoiceLine) -> Decimal { rounded(net(line) * line.taxRate) }
  func net(_ invoice: Invoice) -> Decimal { invoice.lines.reduce(0) { $0 + net($1) } }
  func tax(_ invoice: Invoice) -> Decimal { invoice.lines.reduce(0) { $0 + tax($1) } }
  func gross(_ invoice: Invoice) -> Decimal { net(invoice) + tax(invoice) }

  func billed(_ currency: Currency) -> [Invoice] {
    samples.invoices.filter { ($0.status == .sent || $0.status == .paid) && $0.currency == currency }
  }

  mutating func totals(_ invoice: Invoice, _ found: Totals?) {
    equal(
      "totals of \(invoice.number)", found,
      Totals(net: net(invoice), tax: tax(invoice), gross: gross(invoice)))
  }

  mutating func months(_ found: [Month], _ currency: Currency, above minimum: Decimal) {
    let groups = Dictionary(grouping: billed(currency)) { calendar.dateComponents([.year, .month], from: $0.issuedAt) }
    let expected = groups.map { key, invoices in
      let sum = invoices.reduce(0) { $0 + net($1) }
      return Month(
        year: key.year ?? 0, month: key.month ?? 0, count: invoices.count, net: sum,
        gross: invoices.reduce(0) { $0 + gross($1) }, average: rounded(sum / Decimal(invoices.count)),
        largest: invoices.map { net($0) }.max() ?? 0)
    }.filter { $0.net > minimum }.sorted { ($0.year, $0.month) < ($1.year, $1.month) }
    equal("months", found, expected)
    equal("some months are left out", expected.count < groups.count && !expected.isEmpty, true)
  }

  mutating func customers(
    _ months: [CustomerMonth], _ ranking: [CustomerYear], in year: Range<Date>, _ currency: Currency
  ) {
    let invoices = billed(currency).filter { year.contains($0.issuedAt) }
    var expected: [CustomerMonth] = []
    var sums: [CustomerYear] = []
    for customer in samples.customers.sorted(by: { $0.email < $1.email }) {
      let own = invoices.filter { $0.customer.id == customer.id }
      if own.isEmpty { continue }
      var running: Decimal = 0
      let groups = Dictionary(grouping: own) {
        calendar.dateInterval(of: .month, for: $0.issuedAt)?.start ?? .distantPast
      }
      for (start, rows) in groups.sorted(by: { $0.key < $1.key }) {
        let sum = rows.reduce(0) { $0 + net($1) }
        running += sum
        expected.append(CustomerMonth(email: customer.email, start: start, net: sum, sinceJanuary: running))
      }
      sums.append(CustomerYear(rank: 0, name: customer.name, email: customer.email, count: own.count, net: running))
    }
    equal("months of customers", months, expected)
    sums.sort { $0.net > $1.net }
    for index in sums.indices { sums[index].rank = 1 + sums.filter { $0.net > sums[index].net }.count }
    equal("ranking", ranking, sums)
  }

  mutating func inactive(_ found: [Customer], in year: Range<Date>) {
    let active = Set(samples.invoices.filter { year.contains($0.issuedAt) }.map(\.customer.id))
    equal("inactive", found, samples.customers.filter { !active.contains($0.id) })
  }

  mutating func products(_ found: [Product], _ currency: Currency) {
    var nets: [String: Decimal] = [:]
    var customers: [String: Set<UUID>] = [:]
    for invoice in billed(currency) {
      for line in invoice.lines {
        nets[line.text, default: 0] += net(line)
        customers[line.text, default: []].insert(invoice.customer.id)
      }
    }
    let expected = nets.sorted { $0.value > $1.value }.prefix(5).map {
      Product(text: $0.key, net: $0.value, customers: customers[$0.key]?.count ?? 0)
    }
    equal("products", found, expected)
  }

  mutating func overdue(_ found: [Invoice], on date: Date) {
    let expected = samples.invoices.filter { $0.status == .sent && $0.paidAt == nil && $0.dueAt < date }
      .sorted { ($0.dueAt, $0.number) < ($1.dueAt, $1.number) }
    equal("overdue", found, expected)
    let names = Dictionary(uniqueKeysWithValues: samples.customers.map { ($0.id, $0.name) })
    equal("names of overdue", found.map(\.customer.name), expected.map { names[$0.customer.id] ?? "" })
    equal("several pages", found.count > 10, true)
  }

  mutating func tagged(_ found: [Invoice], _ names: Set<String>) {
    let expected = samples.invoices.filter { names.isSubset(of: $0.tags.map(\.name)) }
    equal("tagged", found, expected)
    equal("some are tagged", expected.isEmpty, false)
  }

  mutating func untagged(_ found: [Invoice]) {
    equal("untagged", found, samples.invoices.filter { $0.tags.isEmpty })
  }

  mutating func sorted(_ found: [Invoice], _ column: String, _ order: SortOrder) {
    let all = samples.invoices
    let sorted: [Invoice] =
      switch column {
      case "customer.name": all.sorted { ($0.customer.name, $0.number) < ($1.customer.name, $1.number) }
      case "issuedAt": all.sorted { $0.issuedAt > $1.issuedAt }
      default: all.sorted { (gross($1), $0.number) < (gross($0), $1.number) }
      }
    equal("sorted by \(column)", found, Array(sorted.prefix(found.count)))
    equal("length of the list", found.count, 20)
  }

  mutating func tags(_ found: [TagCount], renamed: [String: String] = [:], added: [String: Int] = [:]) {
    var counts = added
    for tag in samples.tags {
      counts[renamed[tag.name] ?? tag.name] = samples.invoices.count { $0.tags.contains(tag) }
    }
    equal("tags", found, counts.sorted { $0.key < $1.key }.map { TagCount(name: $0.key, count: $0.value) })
  }

  mutating func same(_ left: [Customer], _ right: [Customer]) {
    equal("customers", left, right)
    for (one, other) in zip(left, right) {
      equal("invoices of \(one.name)", Array(one.invoices), Array(other.invoices))
      for (mine, yours) in zip(one.invoices, other.invoices) {
        equal("lines of \(mine.number)", Array(mine.lines), Array(yours.lines))
        equal("tags of \(mine.number)", Array(mine.tags), Array(yours.tags))
        let sample = samples.invoices.first { $0.id == mine.id }
        equal("lines of \(mine.number) as they were", Array(mine.lines), sample.map { Array($0.lines) } ?? [])
      }
    }
    equal("all invoices are there", left.reduce(0) { $0 + $1.invoices.count }, 199)
  }

  mutating func response(_ json: Data, _ invoice: Invoice, renamed: [String: String]) throws {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    let found = try decoder.decode(InvoiceResponse.self, from: json)
    var expected = InvoiceResponse(invoice, Totals(net: net(invoice), tax: tax(invoice), gross: gross(invoice)))
    expected.tags = expected.tags.map { renamed[$0] ?? $0 }.sorted()
    equal("response", found, expected)
  }
}
