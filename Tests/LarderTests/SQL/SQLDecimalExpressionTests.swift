import Foundation
import Larder
import LarderTestSupport
import Testing

/// What SQL by hand computes from decimals is either what Swift would compute, or refused.
@Suite("Expressions of decimals in SQL by hand")
struct SQLDecimalExpressionTests {
  private func withInvoices(_ body: (Store) async throws -> Void) async throws {
    try await withTemporaryStore(for: Invoice.self) { store in
      try await store.insert([
        Invoice(id: 1, amount: 9, discount: Decimal(string: "0.1")),
        Invoice(id: 2, amount: 10, discount: nil, count: 3),
        Invoice(id: 3, amount: 100, discount: Decimal(string: "0.2"), count: 2), Invoice(id: 4, amount: -5, count: 4),
      ])
      try await body(store)
    }
  }

  @Test(
    "arithmetic with what any branch makes a decimal is refused",
    arguments: [
      "select sum(coalesce(discount, 0)) from invoice", "select sum(ifnull(discount, 0)) from invoice",
      "select sum(case when count > 1 then amount else 0 end) from invoice",
      "select sum(iif(count > 1, amount, 0)) from invoice", "select max('0', amount) + 0.2 from invoice",
      "select sum(case count when 1 then 0 when 2 then amount else 1 end) from invoice",
      "update invoice set discount = coalesce(discount, 0) + 0.1", "select larder_decimal_sum(amount) + 1 from invoice",
      "select sum(x) from (select coalesce(discount, 0) as x from invoice limit 3)",
      "select (select max(amount) from invoice) * 2", "select cast(amount as text) + 1 from invoice",
    ])
  func branches(_ sql: String) async throws {
    try await withInvoices { store in
      let error = await #expect(throws: StoreError.self) { try await store.sql(SQL(raw: sql)) }
      let message = error?.message ?? "none"
      #expect(error?.code == .unsupported && message.contains("binary fractions"), "\(message)")
      let unchanged = try await store.count(Invoice.where { $0.discount == nil })
      #expect(unchanged == 2)
    }
  }

  @Test(
    "comparisons and sorts of computed decimals without their order are refused, with the remedy",
    arguments: [
      "select count from invoice group by count having max(amount) > 50",
      "select count from invoice group by count order by max(amount)",
      "select count from invoice group by count order by max(amount) desc limit 2",
      "select count from invoice group by count order by larder_decimal_sum(amount)",
      "select count from invoice group by count having larder_decimal_sum(amount) > 50",
      "select id from invoice where coalesce(discount, 0) > 5",
      "select id from invoice where (select max(amount) from invoice) < 500",
      "select id from invoice where case when count > 1 then amount else discount end < 50",
      "select id from invoice where 50 < +amount", "select max(iif(count > 0, amount, '0')) from invoice",
      "select max(0, amount) from invoice", "select nullif(amount, 9) from invoice",
    ])
  func comparisons(_ sql: String) async throws {
    try await withInvoices { store in
      let error = await #expect(throws: StoreError.self) { try await store.sql(SQL(raw: sql)) }
      let message = error?.message ?? "none"
      #expect(error?.code == .unsupported && message.contains("collate larder_decimal"), "\(message)")
    }
  }

  @Test("with the order of decimals, what is computed compares and sorts as numbers")
  func remedies() async throws {
    try await withInvoices { store in
      let large = try await store.sql(
        "select count from invoice group by count having larder_decimal_sum(amount) collate larder_decimal > \(Decimal(50))",
        as: Int.self)
      #expect(large == [2])
      let sorted = try await store.sql(
        "select count from invoice group by count order by max(amount) collate larder_decimal", as: Int.self)
      #expect(sorted == [4, 1, 3, 2])
      let reduced = try await store.sql(
        "select id from invoice where coalesce(discount, '0') collate larder_decimal < \(Decimal(string: "0.15")) order by id",
        as: Int.self)
      #expect(reduced == [1, 2, 4])
    }
  }

  @Test("SQL within typed queries is checked as well, also from the cache of statements")
  func typed() async throws {
    try await withInvoices { store in
      for _ in 0..<2 {
        await #expect(throws: StoreError.self) {
          try await store.fetch(Invoice.select { SQL("\($0.amount) * 3").as(Decimal.self) })
        }
        await #expect(throws: StoreError.self) {
          try await store.fetch(Invoice.where { SQL("coalesce(\($0.discount), 0) + 1 > \($0.count)") })
        }
      }
      await #expect(throws: StoreError.self) {
        try await store.write { db in try db.deleteAll(Invoice.where { SQL("\($0.amount) / 3 > 2") }) }
      }
      await #expect(throws: StoreError.self) {
        for try await _ in store.stream(Invoice.where { SQL("\($0.amount) / 3 > 2") }) {}
      }
      let doubled = try await store.fetch(
        Invoice.all.sorted(by: \.id).select { SQL("\($0.amount * 2)").as(Decimal.self) })
      #expect(doubled == [18, 20, 200, -10])
    }
  }

  @Test("statements with thousands of values and branches are checked like small ones", arguments: 0..<5)
  func large(shape: Int) async throws {
    let numbers = (1...10_000).map(String.init).joined(separator: ", ")
    let branches = (1...900).map { "when \($0) then \($0)" }.joined(separator: " ")
    let sums = (1...200).map { "count + \($0)" }.joined(separator: " + ")
    let rows = (10...5000).map { "(\($0), '\($0).5', \($0))" }.joined(separator: ", ")
    let sql = [
      "select id from invoice where amount > '9' collate larder_decimal and id in (\(numbers))",
      "select id from invoice where amount > '9' collate larder_decimal and case id \(branches) else 0 end > 0",
      "select id from invoice where amount > '9' collate larder_decimal and \(sums) > 0",
      "insert into invoice (id, amount, count) values \(rows)",
      (0..<400).map { "select id from invoice where amount > '9' collate larder_decimal and id <> \(-1 - $0)" }
        .joined(separator: " union "),
    ][shape]
    try await withInvoices { store in
      let found = try await store.sql(SQL(raw: sql)).compactMap { $0["id"]?.integer }
      #expect(found.sorted() == (shape == 3 ? [] : [2, 3]))
      let all = try await store.count(Invoice.all)
      #expect(all == (shape == 3 ? 4995 : 4))
      let error = await #expect(throws: StoreError.self) {
        try await store.sql(SQL(raw: sql.replacing("amount > '9' collate larder_decimal", with: "amount + 1 > 0")))
      }
      #expect(error?.code == (shape == 3 ? .duplicate : .unsupported), "\(error?.message.prefix(200) ?? "none")")
    }
  }

  @Test("the answer is that of Swift or a refusal, for any expression")
  func random() async throws {
    var generator = SplitMix64(seed: TestSeed.value &* 389)
    let pool = (0..<40).map { _ in
      Decimal(
        sign: Bool.random(using: &generator) ? .minus : .plus, exponent: Int.random(in: -6...6, using: &generator),
        significand: Decimal(UInt64.random(in: 0...999_999, using: &generator)))
    }
    try await withTemporaryStore(for: Invoice.self) { store in
      let invoices = (0..<60).map {
        Invoice(
          id: $0, amount: generator.pick(pool), discount: generator.pickOrNil(pool),
          count: Int.random(in: 0...5, using: &generator))
      }
      try await store.insert(invoices)
      var answers = 0
      for _ in 0..<120 {
        let term = Term.random(&generator, invoices)
        let order = Bool.random(using: &generator) ? " collate larder_decimal" : ""
        let bound = generator.pick(pool)
        let (sql, expected) = question(term, order, bound, invoices, &generator)
        do {
          #expect(try await store.sql(sql, as: Int.self) == expected, "\(TestSeed.value), \(sql), \(bound)")
          answers += 1
        } catch let error as StoreError where error.code == .unsupported {}
      }
      #expect(answers > 0)
    }
    TestSeed.tried(120, .queries, "expressions of decimals in SQL")
  }

  private func question(
    _ term: Term, _ order: String, _ bound: Decimal, _ invoices: [Invoice], _ generator: inout SplitMix64
  ) -> (SQL, [Int]) {
    let text = SQL(raw: term.sql + order)
    let rows = SQL(raw: "(select *, first_value(amount) over (order by id) as first from invoice)")
    func value(_ invoice: Invoice) -> Decimal? { term.value(invoice) }
    switch Int.random(in: 0...3, using: &generator) {
    case 0:
      return (
        "select id from \(rows) where \(text) < \(bound) order by id",
        invoices.filter { value($0).map { $0 < bound } ?? false }.map(\.id)
      )
    case 1:
      let sorted = invoices.sorted { left, right in
        switch (value(left), value(right)) {
        case (let first?, let second?) where first != second: first < second
        case (nil, .some): true
        case (.some, nil): false
        default: left.id < right.id
        }
      }
      return ("select id from \(rows) order by \(text), id", sorted.map(\.id))
    case 2:
      let groups = Dictionary(grouping: invoices, by: \.count).filter { group in
        group.value.compactMap(value).max().map { $0 > bound } ?? false
      }
      return (
        "select count from \(rows) group by count having max(\(text)) \(SQL(raw: order)) > \(bound) order by count",
        groups.keys.sorted()
      )
    default:
      let sum = invoices.compactMap(value).reduce(0, +)
      return ("select sum(\(text)) = \(sum) from \(rows)", [1])
    }
  }
}

/// An expression of decimals, in SQL and in Swift.
private struct Term {
  let sql: String
  let value: (Invoice) -> Decimal?

  static func random(_ generator: inout SplitMix64, _ invoices: [Invoice]) -> Term {
    let number = Int.random(in: 0...5, using: &generator)
    let terms = [
      Term(sql: "amount") { $0.amount }, Term(sql: "coalesce(discount, '0')") { $0.discount ?? 0 },
      Term(sql: "coalesce(discount, 0)") { $0.discount ?? 0 },
      Term(sql: "ifnull(discount, amount)") { $0.discount ?? $0.amount },
      Term(sql: "case when count > \(number) then amount else discount end") {
        $0.count > number ? $0.amount : $0.discount
      },
      Term(sql: "case count when \(number) then 0 else amount end") { $0.count == number ? 0 : $0.amount },
      Term(sql: "iif(count > \(number), amount, 0)") { $0.count > number ? $0.amount : 0 },
      Term(sql: "iif(count > \(number), '0', discount)") { $0.count > number ? 0 : $0.discount },
      Term(sql: "(select max(amount) from invoice)") { _ in invoices.map(\.amount).max() },
      Term(sql: "max(amount, discount)") { invoice in invoice.discount.map { max($0, invoice.amount) } },
      Term(sql: "first") { _ in invoices.first?.amount }, Term(sql: "+amount") { $0.amount },
    ]
    return generator.pick(terms)
  }
}
