import Foundation
import Larder
import LarderTestSupport
import Testing

@Model
struct Invoice: Hashable {
  var id: Int
  var amount: Decimal
  var discount: Decimal?
  var count: Int = 1
}

@Model("article")
private struct Article: Hashable {
  var id: Int
  var price: Decimal?
  var tax: Decimal?
  var weight: Decimal?
  var size: Decimal?
}

/// Decimals in SQL by hand compare as numbers, and are never computed with binary fractions.
@Suite("Decimals in SQL by hand")
struct SQLDecimalTests {
  private func withInvoices(_ body: (Store) async throws -> Void) async throws {
    try await withTemporaryStore(for: Invoice.self) { store in
      try await store.insert([
        Invoice(id: 1, amount: 9, discount: Decimal(string: "0.1")),
        Invoice(id: 2, amount: 10, discount: nil, count: 3),
        Invoice(id: 3, amount: 100, discount: Decimal(string: "0.2")), Invoice(id: 4, amount: -5),
      ])
      try await body(store)
    }
  }

  @Test("comparisons, sorts, extremes and groups are those of numbers")
  func order() async throws {
    try await withInvoices { store in
      func ids(_ rest: SQL) async throws -> [Int] {
        try await store.sql("select id from \(Invoice.self) \(rest)", as: Int.self)
      }
      #expect(try await ids("where amount < \(Decimal(50)) order by id") == [1, 2, 4])
      #expect(try await ids("where amount < 50 order by amount desc") == [2, 1, 4])
      #expect(try await ids("where amount between 9.5 and \(Decimal(100)) order by id") == [2, 3])
      #expect(try await ids("where \(Invoice.columns.amount) >= 10 order by \(Invoice.columns.amount)") == [2, 3])
      #expect(try await ids("where amount = '10.0' or amount in ('9.00', 100)  order by id") == [1, 2, 3])
      let extremes = try await store.sql(
        "select max(amount), min(amount), max(discount) from \(Invoice.self)", as: (Decimal, Decimal, Decimal).self)
      #expect(try #require(extremes.first) == (100, -5, #require(Decimal(string: "0.2"))))
      let ranks = try await store.sql(
        "select id, rank() over (order by amount desc) from \(Invoice.self) order by 2", as: (Int, Int).self)
      #expect(ranks.map(\.0) == [3, 2, 1, 4])
      try await store.sql("delete from \(Invoice.self) where amount < 9.5")
      #expect(try await ids("order by id") == [2, 3])
      let context = Context(store)
      context.insert(Invoice(id: 5, amount: 11))
      #expect(try context.fetch(Invoice.where { SQL("\($0.amount) > 10.5") }.sorted(by: \.id)).map(\.id) == [3, 5])
    }
  }

  /// A table as another program makes it, with prices as text, with and without an index, and as numbers.
  private func withForeign(_ body: (Store) async throws -> Void) async throws {
    let folder = try TemporaryFolder()
    let file = folder.file("foreign.db")
    let other = try Store(at: file)
    for statement in [
      "create table article (id integer primary key, price text, tax varchar(20), weight numeric, size real)",
      "create index article_tax on article (tax)",
      "insert into article values (1, '9', '9', 9, 9), (2, '10', '10', 10, 10), (3, '100', '100.0', 100, 100)",
    ] + ["models", "migrations", "info", "once"].map({ "drop table _larder_\($0)" }) {
      try await other.sql(SQL(raw: statement))
    }
    await other.close()
    try await body(try Store(at: file, for: Article.self, schema: .existing))
  }

  @Test("in a file of another program, columns are compared by value, and sums are exact")
  func adopted() async throws {
    try await withForeign { store in
      func ids(_ rest: SQL) async throws -> [Int] {
        try await store.sql("select id from article \(rest)", as: Int.self)
      }
      for column in [Article.columns.price, Article.columns.tax] {
        #expect(try await ids("where \(column) < \(Decimal(50)) order by \(column) desc") == [2, 1])
        #expect(try await ids("where \(column) = \(Decimal(100))") == [3])
        #expect(try await store.sql("select max(\(column)) from article", as: Decimal.self) == [100])
      }
      let ordered = try await ids(
        "where price collate larder_decimal > '9.5' order by price collate larder_decimal")
      #expect(ordered == [2, 3])
      let sum = try await store.sql("select larder_decimal_sum(tax) from article", as: Decimal.self)
      #expect(sum == [119])
      // Numbers compare as numbers.
      let numbers = try await ids("where weight < \(Decimal(50)) and size < 50 order by weight desc, size")
      #expect(numbers == [2, 1])
      let weights = try await store.sql("select sum(weight) from article", as: Double.self)
      #expect(weights == [119])
      let others = try await ids("where id > 1 and price is not null and tax like '1%' order by id")
      #expect(others == [2, 3])
    }
  }

  @Test(
    "there, what would be compared or computed as text is refused, with the remedy",
    arguments: [
      ("select id from article where price < '50'", "\\(Model.columns.price)"),
      ("select id from article where tax < '50'", "\\(Model.columns.tax)"),
      ("select id from article where tax = '100'", "\\(Model.columns.tax)"),
      ("select id from article order by price", "\\(Model.columns.price)"),
      ("select max(price) from article", "\\(Model.columns.price)"),
      ("delete from article where price > '50'", "\\(Model.columns.price)"),
      ("select sum(price) from article", "larder_decimal_sum(price)"),
      ("select tax + 1 from article", "\\(Model.columns.tax * 2)"),
    ])
  func adoptedRefusals(sql: String, remedy: String) async throws {
    try await withForeign { store in
      let error = await #expect(throws: StoreError.self) { try await store.sql(SQL(raw: sql)) }
      let message = error?.message ?? "none"
      #expect(error?.code == .unsupported && message.contains(remedy), "\(message)")
      let count = try await store.count(Article.all)
      #expect(count == 3)
    }
  }

  @Test("columns that were added to a table compare as numbers as well")
  func added() async throws {
    let folder = try TemporaryFolder()
    let file = folder.file("added.sqlite")
    let before = try Store(at: file, for: Added.Before.Bill.self)
    try await before.insert([Added.Before.Bill(id: 1), Added.Before.Bill(id: 2)])
    await before.close()
    let store = try Store(at: file, for: Added.After.Bill.self)
    try await store.save([Added.After.Bill(id: 1, sum: 9, tax: 100), Added.After.Bill(id: 2, sum: 10, tax: 20)])
    #expect(try await store.sql("select max(sum) from bill", as: Decimal.self) == [10])
    #expect(try await store.sql("select id from bill order by tax", as: Int.self) == [2, 1])
  }

  @Test("exact sums and expressions; what SQLite would compute with binary fractions is refused with the remedy")
  func arithmetic() async throws {
    try await withInvoices { store in
      #expect(
        try await store.sql("select larder_decimal_sum(discount) from \(Invoice.self)", as: Decimal.self)
          == [#require(Decimal(string: "0.3"))])
      let doubled = try await store.sql(
        "select \(Invoice.columns.amount * 2) from \(Invoice.self) where \(Invoice.columns.amount * 2 + 1) > 19 order by \(Invoice.columns.amount * 2)",
        as: Decimal.self)
      #expect(doubled == [20, 200])
      #expect(
        try await store.sql(
          "select sum(cast(discount as real)) < 1, sum(count * 2), count(amount) from invoice",
          as: (Bool, Int, Int).self
        ).map(\.1) == [12])
      let refused: [(SQL, String)] = [
        ("select sum(amount) from invoice", "larder_decimal_sum(amount)"),
        ("select avg(discount) from invoice group by count", "larder_decimal_average(discount)"),
        ("select amount + 1 from invoice", "Model.columns.amount"),
        ("select 2 * amount from invoice", "cast(amount as real)"),
        ("select -amount from invoice", "Interpolate"), ("select abs(i.amount) from invoice i", "abs in SQL"),
        ("select id from invoice where amount / 3 > 2", "/ in SQL"),
        ("select x * 2 from (select amount as x from invoice order by id limit 2)", "* in SQL"),
        ("with t as materialized (select id, amount from invoice) select sum(amount) from t", "sum in SQL"),
        ("select max(amount) + 1 from invoice", "+ in SQL"),
        ("update invoice set amount = amount + 1", "+ in SQL"),
        ("insert into invoice select id + 10, amount % 3, null, 1 from invoice", "% in SQL"),
        ("select total(amount) over (order by id) from invoice", "larder_decimal_sum"),
        ("select round(amount, 1) from invoice order by id", "round in SQL"),
      ]
      for (sql, remedy) in refused {
        let error = await #expect(throws: StoreError.self, "\(sql)") { try await store.sql(sql) }
        #expect(error?.code == .unsupported && error?.message.contains(remedy) == true, "\(error?.message ?? "none")")
      }
      let kept = try await store.fetch(Invoice.all.sorted(by: \.id)).map(\.amount)
      #expect(kept == [9, 10, 100, -5])
      // Refused again, from the cache of statements.
      await #expect(throws: StoreError.self) { try await store.sql("select sum(amount) from invoice") }
      let allowed: [SQL] = [
        "select count + 1, amount from invoice order by amount, count * 2",
        "select sum(count), amount from invoice group by amount having count(*) > 0 order by amount",
        "select id * 2 from invoice where amount > 9 and id + 1 > 2",
        "select coalesce(discount, 0), length(amount) * 2, id - 1 from invoice",
        "select i.id + j.id from invoice i join invoice j on i.amount < j.amount",
        "select case when amount > 5 then count else id end + 1 from invoice",
        "explain select sum(amount) from invoice",
        "select sum(count) over (partition by discount order by amount) from invoice",
        "select row_number() over (order by amount desc) * 2 from invoice",
      ]
      for sql in allowed { _ = try await store.sql(sql) }
    }
  }

  @Test("bytes that aren't text may stand beside decimals")
  func bytes() async throws {
    try await withInvoices { store in
      let found = try await store.sql(
        "SELECT id FROM Invoice WHERE amount > \(Decimal(9)) AND CAST(id AS BLOB) <> x'80ff' ORDER BY id", as: Int.self)
      #expect(found == [2, 3])
    }
  }

  @Test("the order is that of Swift, for any decimals")
  func random() async throws {
    var generator = SplitMix64(seed: TestSeed.value &* 193)
    let pool = (0..<60).map { _ in
      Decimal(
        sign: Bool.random(using: &generator) ? .minus : .plus, exponent: Int.random(in: -20...20, using: &generator),
        significand: Decimal(UInt64.random(in: 0...999_999, using: &generator)))
    }
    try await withTemporaryStore(for: Invoice.self) { store in
      let invoices = (0..<100).map {
        Invoice(id: $0, amount: generator.pick(pool), discount: generator.pickOrNil(pool), count: $0)
      }
      try await store.insert(invoices)
      for _ in 0..<30 {
        let bound = generator.pick(pool)
        let found = try await store.sql(
          "select * from invoice where amount < \(bound) or discount >= \(bound) order by amount desc, id",
          as: Invoice.self)
        let expected = invoices.filter { $0.amount < bound || $0.discount.map { $0 >= bound } == true }
          .sorted { ($1.amount, $0.id) < ($0.amount, $1.id) }
        #expect(found == expected, "\(TestSeed.value), \(bound)")
        #expect(
          try await store.sql("select max(discount) from invoice where amount <> \(bound)", as: Decimal?.self)
            == [invoices.filter { $0.amount != bound }.compactMap(\.discount).max()], "\(TestSeed.value), \(bound)")
      }
    }
    TestSeed.tried(60, .queries, "statements with decimals")
  }
}

private enum Added {
  enum Before {
    @Model
    struct Bill {
      var id: Int
    }
  }

  enum After {
    @Model
    struct Bill {
      var id: Int
      var sum: Decimal = 0
      var tax: Decimal?
    }
  }
}
