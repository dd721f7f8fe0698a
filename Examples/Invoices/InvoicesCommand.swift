import Foundation
import Larder

/// Stores two years of invoices, prints reports of them, changes them, and copies them to another store as JSON.
///
/// It was written from the documentation alone, without SQL. Each report is compared with one that Swift computes from arrays.
@main
struct InvoicesCommand {
  static func main() async throws {
    let checks = try await runInTemporaryFolder()
    print(checks.failures.isEmpty ? "all checks passed (\(checks.count))" : checks.failures.joined(separator: "\n"))
    if !checks.failures.isEmpty { exit(1) }
  }

  static func runInTemporaryFolder() async throws -> Checks {
    let folder = FileManager.default.temporaryDirectory.appending(path: "invoices-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let command = InvoicesCommand(
      invoicing: Invoicing(store: try Store(at: folder.appending(path: "invoices.larder"), for: Customer.self)),
      copy: Invoicing(store: try Store(at: folder.appending(path: "copy.larder"), for: Customer.self)))
    return try await command.run()
  }

  let invoicing: Invoicing
  let copy: Invoicing
  let zone = TimeZone(identifier: "Europe/Zurich") ?? .gmt
  let samples = Samples()
  var store: Store { invoicing.store }

  func run() async throws -> Checks {
    var checks = Checks(samples, zone)
    _ = try await invoicing.upsert(samples.customers)
    try await invoicing.save(samples.invoices)
    try await reports(&checks)
    try await lists(&checks)
    try await changes(&checks)
    try await exchange(&checks)
    return checks
  }

  func year(_ year: Int) throws -> Range<Date> {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    guard let start = calendar.date(from: DateComponents(year: year, month: 1, day: 1)),
      let end = calendar.date(byAdding: .year, value: 1, to: start)
    else { throw CocoaError(.formatting) }
    return start..<end
  }

  func reports(_ checks: inout Checks) async throws {
    for invoice in samples.invoices {
      checks.totals(invoice, try await store.first(Invoice.totals(of: invoice.number)))
    }
    let months = try await store.fetch(Invoice.months(in: .chf, zone, above: 6_000))
    show("Months above 6000", months) {
      "\($0.year)-\($0.month): \($0.count), net \($0.net), gross \($0.gross), average \($0.average), largest \($0.largest)"
    }
    checks.months(months, .chf, above: 6_000)
    for number in [2024, 2025] {
      let year = try year(number)
      let (customerMonths, ranking) = try await store.read { db in
        (
          try db.fetch(Invoice.customerMonths(of: year, in: .chf, zone)),
          try db.fetch(Invoice.ranking(of: year, in: .chf))
        )
      }
      show("Customers of \(number) by turnover", ranking) { "\($0.rank). \($0.name): \($0.net) (\($0.count))" }
      show("Their months", customerMonths.prefix(5)) { "\($0.email) \($0.start): \($0.net), \($0.sinceJanuary)" }
      checks.customers(customerMonths, ranking, in: year, .chf)
      let inactive = try await store.fetch(Customer.inactive(in: year))
      show("Without invoices in \(number)", inactive, \.name)
      checks.inactive(inactive, in: year)
    }
    let products = try await store.fetch(InvoiceLine.topProducts(5, in: .chf))
    show("Top products", products) { "\($0.text): \($0.net), \($0.customers) customers" }
    checks.products(products, .chf)
  }

  func lists(_ checks: inout Checks) async throws {
    let date = Samples.start + 600 * 86_400
    var page = try await invoicing.overdue(on: date, limit: 10)
    var overdue: [Invoice] = []
    while let last = page.last {
      overdue += page
      page = try await invoicing.overdue(on: date, after: last, limit: 10)
    }
    show("Overdue", overdue.prefix(5)) { "\($0.number) \($0.customer.name) \($0.dueAt)" }
    checks.overdue(overdue, on: date)
    checks.tagged(try await store.fetch(Invoice.tagged(["export", "vip"])), ["export", "vip"])
    checks.untagged(try await store.fetch(Invoice.untagged))
    for (column, order) in [("customer.name", SortOrder.forward), ("issuedAt", .reverse), ("gross", .reverse)] {
      let list = try await invoicing.list(sortedBy: column, order, limit: 20)
      show("By \(column)", list.prefix(3)) { "\($0.number) \($0.customer.name) \($0.issuedAt)" }
      checks.sorted(list, column, order)
    }
  }

  func changes(_ checks: inout Checks) async throws {
    checks.tags(try await store.fetch(Tag.counts))
    let untagged = try await store.fetch(Invoice.untagged.limit(2)).map(\.number)
    try await invoicing.tag(untagged[0], "vip")
    try await invoicing.tag(untagged[1], "new")
    try await invoicing.untag(untagged[0], "vip")
    try await invoicing.renameTag("late", to: "reminded")
    let counts = try await store.fetch(Tag.counts)
    show("Tags", counts) { "\($0.name): \($0.count)" }
    checks.tags(counts, renamed: ["late": "reminded"], added: ["new": 1])

    let overdue = Invoice.overdue(on: Samples.start + 600 * 86_400).select(\.number)
    var updates = store.live(overdue).makeAsyncIterator()
    guard let before = try await updates.next(), let first = before.first else {
      return checks.fail("no overdue invoices")
    }
    try await invoicing.markPaid(first, at: Samples.start + 600 * 86_400)
    let after = try await updates.next() ?? []
    print("Overdue: \(before.count), and \(after.count) after \(first) was paid")
    checks.equal("live result", Array(before.dropFirst()), after)

    let invoice = samples.invoices[7]
    let lines = try await store.count(InvoiceLine.all)
    checks.equal("customer with invoices stays", try await invoicing.delete(samples.customers[0]), false)
    try await invoicing.delete(invoice.number)
    checks.equal("lines go with their invoice", try await store.count(InvoiceLine.all), lines - invoice.lines.count)
    let renamed = try await invoicing.upsert([Customer(email: "bo@example.org", name: "Bo and Sons")])
    checks.equal("upsert keeps the key", renamed.map(\.id), [samples.customers[1].id])
  }

  func exchange(_ checks: inout Checks) async throws {
    let json = try await invoicing.exportAll()
    try await copy.importAll(json)
    checks.equal("exported again", try await copy.exportAll(), json)
    checks.same(try await store.fetch(Checks.graph), try await copy.store.fetch(Checks.graph))
    let response = try await invoicing.response(for: "R-1003")
    print(String(decoding: response, as: UTF8.self))
    try checks.response(response, samples.invoices[2], renamed: ["late": "reminded"])
  }

  func show<Row>(_ title: String, _ rows: some Collection<Row>, _ line: (Row) -> String) {
    print("\n\(title)")
    for row in rows { print(" ", line(row)) }
  }
}
