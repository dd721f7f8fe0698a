import Foundation
import Larder
import Testing

enum QueriesArticle {
  struct Maker: Codable, Hashable, Sendable {
    var city: String
    var ratings: [Int] = []
  }

  @Model
  struct Product: Hashable {
    var id: Int
    var name: String
    @Attribute(.indexed) var category: String?
    var price: Decimal
    var stock = 0
    var tags: Set<String> = []
    var maker: Maker
    var addedAt: Date = .now
  }

  @Model
  struct Shop: Hashable {
    var id: Int
    var name: String
    @Attribute(.indexed) var sells: String?
    var isOpen = true
  }

  @Model
  struct Folder: Hashable {
    var id: Int
    var name: String
    var parent: ToOne<Folder>?
  }

  struct Offer {
    var name: String
    var price: Decimal
  }
}

private typealias Product = QueriesArticle.Product

extension Product.Columns {
  var isSoldOut: QueryExpression<Bool> { stock == 0 }
}

@Suite("Documentation: Queries")
@MainActor
struct QueriesArticleTests {
  private typealias Shop = QueriesArticle.Shop
  private typealias Folder = QueriesArticle.Folder
  private typealias Offer = QueriesArticle.Offer
  private let store: Store

  init() throws {
    store = try Store(inMemoryFor: Product.self, Shop.self, Folder.self)
    try store.blocking.save([
      Product(
        id: 1, name: "Tea", category: "drinks", price: 4, stock: 39, tags: ["hot"],
        maker: .init(city: "London", ratings: [5, 4])),
      Product(
        id: 2, name: "100 % juice", category: "drinks", price: 19, stock: 17, tags: ["cold"],
        maker: .init(city: "Paris", ratings: [3])),
      Product(id: 3, name: "TEAPOT", category: "kitchen", price: 10, stock: 0, maker: .init(city: "Paris")),
      Product(id: 4, name: "file 9", category: nil, price: 10, stock: 5, maker: .init(city: "Rome")),
      Product(id: 5, name: "file 10", category: nil, price: 22, stock: 1, maker: .init(city: "Rome")),
    ])
  }

  private func ids(_ query: Query<Product>) async throws -> [Int] {
    try await store.fetch(query.sorted(by: \.id)).map(\.id)
  }

  @Test("a query is a value that a store answers")
  func composing() async throws {
    let available = Product.where { $0.stock > 0 && $0.price <= 20 }
    let drinks = available.where { $0.category == "drinks" }.sorted(by: \.price).limit(10)

    let products = try await store.fetch(drinks)  // [Product]
    let first = try await store.first(drinks)  // Product?
    let count = try await store.count(available)  // Int
    let exists = try await store.exists(available)  // Bool

    #expect(products.map(\.id) == [1, 2])
    #expect(first?.id == 1)
    #expect(count == 3)
    #expect(exists)
  }

  @Test("the operators")
  func operators() async throws {
    let cheap = Product.where { $0.price * 2 < 30 || $0.stock == 0 }
    let some = Product.where { $0.id.isIn([1, 2, 3]) && !$0.name.hasPrefix("T") }
    let middle = Product.where { $0.price.isBetween(5...20) }

    #expect(try await ids(cheap) == [1, 3, 4])
    #expect(try await ids(some) == [2])
    #expect(try await ids(middle) == [2, 3, 4])
  }

  @Test("nil is a value, as in Swift")
  func nilSemantics() async throws {
    let without = Product.where { $0.category == nil }
    let others = Product.where { $0.category != "drinks" }
    let named = Product.where { $0.category.or("none") < "e" }

    #expect(try await ids(without) == [4, 5])
    #expect(try await ids(others) == [3, 4, 5])
    #expect(try await ids(named) == [1, 2])
  }

  @Test("text is compared exactly, unless a query asks for something else")
  func text() async throws {
    let exact = Product.where { $0.name.contains("100 %") }
    let pattern = Product.where { $0.name.like("tea%") }
    let folded = Product.where { $0.name.caseInsensitive.hasPrefix("tea") }
    let regex = Product.where { $0.name.matches(/file \d\d/) }
    let sorted = Product.where { $0.name.hasPrefix("file") }.sorted(by: \.name.localized)

    #expect(try await ids(exact) == [2])
    #expect(try await ids(pattern) == [1, 3])
    #expect(try await ids(folded) == [1, 3])
    #expect(try await ids(regex) == [5])
    #expect(try await store.fetch(sorted).map(\.id) == [4, 5])
  }

  @Test("#Predicate and SortDescriptor")
  func predicate() async throws {
    let limit = 20
    let query = Product.where(#Predicate<Product> { $0.stock < limit && $0.name.contains("e") })
      .sorted(using: SortDescriptor(\.price, order: .reverse))

    #expect(try await store.fetch(query).map(\.id) == [5, 2, 4])
  }

  @Test("a page begins after the last row of the page before")
  func paging() async throws {
    var pages: [[Int]] = []
    func show(_ page: [Product]) { pages.append(page.map(\.id)) }

    let byPrice = Product.all.sorted(by: \.price)
    var page = try await store.fetch(byPrice.limit(2))
    while let last = page.last {
      show(page)
      page = try await store.fetch(byPrice.after(last).limit(2))
    }

    #expect(pages == [[1, 3], [4, 2], [5]])
  }

  @Test("aggregates and groups")
  func aggregates() async throws {
    let stock = try await store.sum(Product.all, of: \.stock)  // Int, 0 without rows
    let mean = try await store.average(Product.all, of: \.price)  // Double?, nil without rows
    let cheapest = try await store.min(Product.where { $0.stock > 0 }, of: \.price)  // Decimal?
    let value = try await store.sum(Product.all) { $0.stock.decimal * $0.price }  // Decimal

    let groups = try await store.fetch(
      Product.where { $0.stock > 0 }
        .grouped(by: \.category) { ($0.key, $0.count, $0.sum(\.stock)) }
        .having { $0.count > 1 })
    for (category, count, stock) in groups {
      print(category ?? "none", count, stock)
    }

    #expect(stock == 62)
    #expect(mean == 13)
    #expect(cheapest == 4)
    #expect(try await value == store.fetch(Product.all).reduce(0) { $0 + Decimal($1.stock) * $1.price })
    #expect(groups.map(\.0) == [nil, "drinks"])
    #expect(groups.map(\.2) == [6, 56])
  }

  @Test("groups by computed values and calendar periods")
  func computedGroups() async throws {
    let shelves = try await store.fetch(
      Product.all.grouped(by: \.category) { group in
        let soldOut = group.where { $0.stock == 0 }
        return (group.key, soldOut.count, soldOut.sum(\.price), group.count { $0.price > 100 })
      })
    let all = Dictionary(grouping: try await store.fetch(Product.all), by: \.category)
    #expect(shelves.count == all.count)
    for (category, count, sum, dear) in shelves {
      let soldOut = (all[category] ?? []).filter { $0.stock == 0 }
      #expect(count == soldOut.count && sum == soldOut.map(\.price).reduce(0, +))
      #expect(dear == (all[category] ?? []).filter { $0.price > 100 }.count)
    }

    let months = try await store.fetch(
      Product.all.grouped(by: { $0.addedAt.month(in: .gmt) }) { ($0.key, $0.count, $0.sum { $0.price * 2 }) })
    let kinds = try await store.fetch(
      Product.all.grouped(by: { ($0.category, $0.stock == 0) }) { ($0.key.0, $0.key.1, $0.count(distinct: \.name)) })

    #expect(months.map(\.1).reduce(0, +) == 5)
    #expect(months.map(\.2).reduce(0, +) == 130)
    #expect(kinds.map(\.0) == [nil, "drinks", "kitchen"])
    #expect(kinds.map(\.1) == [false, false, true])
    #expect(kinds.map(\.2) == [2, 2, 1])
  }

  @Test("some values of each row")
  func selections() async throws {
    struct Label: Equatable {
      let text: String
    }
    let names = try await store.fetch(Product.select(\.name, \.price).sorted(by: \.price))  // [(String, Decimal)]
    let values = try await store.fetch(Product.select { ($0.name, $0.price * 2, $0.tags.count) })
    let labels = try await store.fetch(Product.select(\.name, \.price).map { Label(text: "\($0): \($1)") })  // [Label]
    let categories = try await store.fetch(Product.select(\.category).distinct())  // [String?]

    #expect(names.map(\.0) == ["Tea", "TEAPOT", "file 9", "100 % juice", "file 10"])
    #expect(values.map(\.2) == [1, 1, 0, 0, 0])
    #expect(labels.first == Label(text: "Tea: 4"))
    #expect(categories == [nil, "drinks", "kitchen"])
  }

  @Test("a selection makes values of a program's own, and so does SQL")
  func mapping() async throws {
    struct Bargain: Decodable, Sendable {
      var name: String
      var price: Decimal
    }

    let offers = try await store.fetch(Product.select(\.name, \.price).map(Offer.init))  // [Offer]

    #expect(offers.map(\.name) == ["Tea", "100 % juice", "TEAPOT", "file 9", "file 10"])
    #expect(offers.map(\.price) == [4, 19, 10, 10, 22])
    let bargains = try await store.sql(
      "select price, name from \(Product.self) where id = \(1)", as: Bargain.self)
    #expect(bargains.map(\.name) == ["Tea"] && bargains.map(\.price) == [4])
  }

  @Test("the rows below and above a row of a tree")
  func trees() async throws {
    try await store.insert([
      Folder(id: 1, name: "Home"), Folder(id: 2, name: "Trash", parent: ToOne(1)),
      Folder(id: 3, name: "Letters", parent: ToOne(2)), Folder(id: 4, name: "Drafts", parent: ToOne(3)),
      Folder(id: 5, name: "Photos", parent: ToOne(1)),
    ])
    let id = 3

    let below = try await store.fetch(Folder.descendants(of: id, through: \.parent).sorted(by: \.name))
    let isDeleted = try await store.exists(Folder.ancestors(of: id, through: \.parent).where { $0.name == "Trash" })

    #expect(below.map(\.name) == ["Drafts"])
    #expect(isDeleted)
    let all = try await store.fetch(Folder.descendants(of: 1, through: \.parent).sorted(by: \.name))
    #expect(all.map(\.name) == ["Drafts", "Letters", "Photos", "Trash"])
    #expect(try await !store.exists(Folder.ancestors(of: 5, through: \.parent).where { $0.name == "Trash" }))
  }

  @Test("joins and subqueries")
  func joins() async throws {
    try await store.insert([Shop(id: 1, name: "Corner", sells: "drinks"), Shop(id: 2, name: "Closed", isOpen: false)])
    let offers = try await store.fetch(
      Product.join(Shop.self) { product, shop in shop.sells == product.category }
        .where { product, shop in product.stock > 0 && shop.isOpen }
        .select { product, shop in (product.name, shop.name) })  // [(String, String)]
    let all = try await store.fetch(
      Product.leftJoin(Shop.self) { product, shop in shop.sells == product.category })  // [(Product, Shop?)]
    let perShop = Product.join(Shop.self) { product, shop in shop.sells == product.category }
      .grouped(by: { _, shop in shop.name }) { ($0.key, $0.count, $0.sum { product, _ in product.stock }) }

    let sold = Product.where { $0.category.isIn(Shop.where { $0.isOpen }.select(\.sells)) }
    let offered = Product.where { product in Shop.exists { $0.sells == product.category && $0.isOpen } }
    let shops = Product.select { product in (product.name, Shop.count { $0.sells == product.category }) }

    #expect(Set(offers.map(\.0)) == ["Tea", "100 % juice"])
    #expect(offers.map(\.1) == ["Corner", "Corner"])
    // Two columns that are both nil are equal, as in Swift.
    #expect(all.filter { $0.1 == nil }.map(\.0.id) == [3])
    #expect(try await store.fetch(perShop).map(\.1) == [2, 2])
    #expect(try await ids(sold) == [1, 2])
    #expect(try await ids(offered) == [1, 2])
    #expect(try await store.fetch(shops.sorted(by: \.id)).map(\.1) == [1, 1, 0, 1, 1])
  }

  @Test("one statement changes or deletes every row of a query")
  func bulk() async throws {
    let changed = try await store.updateAll(Product.where { $0.category == "drinks" }) {
      $0.price.multiply(by: 2)
      $0.stock.set { $0.stock + 1 }
      $0.category.set("beverages")
    }
    let deleted = try await store.deleteAll(Product.where { $0.stock == 0 })

    #expect(changed == 2)
    #expect(deleted == 1)
    #expect(try await store.find(Product.self, 1)?.price == 8)
    #expect(try await store.find(Product.self, 1)?.stock == 40)
  }

  @Test("paths into JSON")
  func json() async throws {
    let parisian = Product.where { $0.maker["city"] == "Paris" }
    let rated = Product.where { $0.maker["ratings"][0] >= 4 }
    let hot = Product.where { $0.tags.contains("hot") }
    let byCity = Product.all.sorted { $0.maker["city"].as(String.self) }

    #expect(try await ids(parisian) == [2, 3])
    #expect(try await ids(rated) == [1])
    #expect(try await ids(hot) == [1])
    #expect(try await store.fetch(byCity).first?.id == 1)
  }

  @Test("rows are what the database holds")
  func rows() async throws {
    for row in try await store.rows(Product.where { $0.stock == 0 }) {
      let name: String = try row.get("name")
      print(name, row["price"] ?? .null)
    }

    #expect(try await store.rows(Product.where { $0.stock == 0 }).first?["price"] == "10")
  }

  @Test("sorts are chosen at run time, and queries say what they are")
  func looking() async throws {
    let drinks = Product.where { $0.stock > 0 && $0.price <= 20 && $0.category == "drinks" }.sorted(by: \.price).limit(
      10)
    #expect(
      "\(drinks)"
        == #"Product.where { $0.stock > 0 && $0.price <= 20 && $0.category == "drinks" }.sorted(by: \.price).limit(10)"#
    )

    print(drinks)
    print(try await drinks.explain(in: store))

    let clicked = try SortTerm<Product>(property: "price", order: .reverse)
    let chosen = Product.all.sorted(using: [clicked, SortTerm(\.name)])

    let prices = try await store.fetch(chosen).map(\.price)
    #expect(prices == prices.sorted(by: >))
    #expect(Product.where { ["tea", "milk"].contains($0.name) } == Product.where { $0.name.isIn(["tea", "milk"]) })
  }

  @Test("values of several models are one query")
  func unions() async throws {
    let words = try await store.fetch(Product.select(\.name).union(Shop.where { $0.isOpen }.select(\.name)))

    let names = Set(try await store.fetch(Product.all).map(\.name))
      .union(try await store.fetch(Shop.where { $0.isOpen }).map(\.name))
    #expect(words == names.sorted())
  }

  @Test("a computed value has a name")
  func computed() async throws {
    let available = try await store.count(Product.where { !$0.isSoldOut })
    let numbers = try await store.fetch(Product.all.grouped(by: \.isSoldOut) { ($0.key, $0.count) })  // [(Bool, Int)]

    #expect(available == 4)
    #expect(numbers.map(\.0) == [false, true] && numbers.map(\.1) == [4, 1])
  }

  @Test("ranks and running sums")
  func windows() async throws {
    let ranks = try await store.fetch(
      Product.select { ($0.name, $0.price.rank(.reverse), $0.price.rank(.reverse, within: $0.category)) })
    let totals = try await store.fetch(Product.select { ($0.name, $0.stock.runningSum(by: $0.id)) }.sorted(by: \.id))
    let growth = try await store.fetch(
      Product.all.grouped(by: { $0.addedAt.month(in: .gmt) }) { ($0.key, $0.sum(\.stock).runningSum(by: $0.key)) })

    let years = try await store.fetch(
      Product.select { $0.stock.runningSum(by: $0.addedAt, within: $0.addedAt.year(in: .gmt)) })

    #expect(years.count == ranks.count)
    #expect(ranks.map(\.1).min() == 1)
    let stocks = try await store.sum(Product.all, of: \.stock)
    #expect(totals.last?.1 == stocks)
    #expect(growth.last?.1 == stocks)
  }
}
