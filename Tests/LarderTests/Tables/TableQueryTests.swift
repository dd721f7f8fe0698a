import Foundation
import Larder
import Testing

@Suite("Queries without the Swift type")
struct TableQueryTests {
  private func ids(_ store: Store, _ table: String, _ condition: String) async throws -> [Int] {
    try await store.rows(TableQuery(table).where(condition)).map { try $0.get("id", as: Int.self) }
  }

  @Test(
    "a condition as a text reaches the properties of the other model, to any depth",
    arguments: [
      ("wallet.name == 'Cash'", [1, 2, 3]), ("wallet.name != \"Cash\"", [4, 5, 6]),
      ("wallet.owner.name = 'Ben'", [4, 5, 6]), ("wallet.owner.name hasPrefix 'A'", [1, 2, 3]),
      ("wallet.owner.address.city == 'London'", [1, 2, 3]), ("wallet.limit < 100 and amount > 1", [4, 5]),
      ("amount > wallet.limit", [4]), ("wallet.name in ('Bank', 'Empty')", [4, 5, 6]),
      ("wallet.limit between 10 and 60", [4, 5, 6]), ("wallet.id == 1", [1, 2, 3]), ("wallet == 2", [4, 5, 6]),
      ("category is nil", [3, 6]), ("category is not null", [1, 2, 4, 5]), ("category.name == 'Food'", [1, 4, 5]),
      ("category.name <> 'Food'", [2, 3, 6]), ("not (category.name == 'Food')", [2, 3, 6]),
      ("wallet.name == 'Cash' || category == nil", [1, 2, 3, 6]), ("amount == 10.5", [1]), ("amount = -3", [2]),
      ("day >= 2001-01-05", [4, 5, 6]), ("day < 2001-01-03T00:00:00Z", [1]), ("weight + 1 > 2", [1, 5]),
      ("tags.isEmpty", [1, 2, 3, 4, 5, 6]), ("amount * 2 - 1 == 20", [1]), ("-amount == 3", [2]),
    ])
  func references(_ condition: String, _ expected: [Int]) async throws {
    #expect(try await ids(try makeBookkeeping(), "Cost", condition) == expected)
  }

  @Test(
    "a condition as a text asks of the rows on the other side",
    arguments: [
      ("costs contains (amount > 50)", [2]), ("costs contains (category.name == 'Rent')", [1]),
      ("not costs contains (amount < 0)", [2, 3]), ("costs.isEmpty", [3]), ("costs.count > 2", [1, 2]),
      ("costs.sum(amount) > 100", [2]), ("costs.min(amount) == -3", [1]), ("costs.max(amount) > 50", [2]),
      ("costs.average(amount) < 3", [1]), ("costs.sum(amount * 2) > 200", [2]), ("balance == 7.5", [1]),
      ("costs contains (wallet.owner.name == 'Ada')", [1]), ("owner.wallets.count == 1", [1, 2]),
    ])
  func rows(_ condition: String, _ expected: [Int]) async throws {
    #expect(try await ids(try makeBookkeeping(), "Wallet", condition) == expected)
  }

  @Test("rows are sorted by several values, related ones too, and paged by key")
  func pages() async throws {
    let store = try makeBookkeeping()
    let query = TableQuery("Cost").sorted(by: "-wallet.name, amount desc")
    #expect(try await store.rows(query).map { try $0.get("id", as: Int.self) } == [1, 3, 2, 4, 5, 6])
    let byDay = TableQuery("Cost").sorted(by: "-day").limit(4)
    var pages: [[Int]] = []
    var page = try await store.rows(byDay)
    while let last = page.last {
      pages.append(try page.map { try $0.get("id") })
      page = try await store.rows(byDay.after(last))
    }
    #expect(pages == [[6, 5, 4, 3], [2, 1]])
    #expect(try await store.rows(byDay.reversed()).map { try $0.get("id", as: Int.self) } == [1, 2, 3, 4])
    #expect(try await store.rows(TableQuery("Cost").limit(2, offset: 3)).count == 2)
    #expect(try await store.count(TableQuery("Cost").where("amount > 0").limit(2)) == 2)
    #expect(try await store.count(TableQuery("Cost").where("amount > 0")) == 4)
  }

  @Test("the rows of a relationship are found from either side, in the order that the user gave them")
  func related() async throws {
    let store = try makeBookkeeping()
    try await store.setLinks(Cost.samples[0], \.tags, [Tag(id: "c"), Tag(id: "a")])
    func keys(_ query: TableQuery) async throws -> [Value] { try await store.rows(query).compactMap { $0["id"] } }
    #expect(try await keys(.related("tags", of: [1], in: "Cost", to: "Tag")) == ["c", "a"])
    #expect(try await keys(.related("costs", of: ["a"], in: "Tag", to: "Cost")) == [1])
    #expect(try await keys(.related("costs", of: [2], in: "Wallet", to: "Cost")) == [4, 5, 6])
    #expect(try await keys(.related("wallet", of: [4], in: "Cost", to: "Wallet")) == [2])
    #expect(try await keys(.related("category", of: [3], in: "Cost", to: "Category")) == [])
    try await store.insert([Node(id: 1), Node(id: 2, parent: ToOne(1)), Node(id: 3, parent: ToOne(1))])
    try await store.setLinks(Node(id: 1), \.children, [Node(id: 3), Node(id: 2)])
    #expect(try await keys(.related("children", of: [1], in: "Node", to: "Node")) == [3, 2])
    #expect(try await keys(.related("parent", of: [3], in: "Node", to: "Node")) == [1])
  }

  @Test(
    "what is wrong with a condition is said with its place",
    arguments: [
      ("amuont > 3", 0, "Did you mean amount?"), ("amount >", 8, "ends too early"), ("amount > 'x'", 9, "is a text"),
      ("amount > 3 )", 11, "not expected"), ("wallet.nme == 'a'", 7, "Did you mean name?"),
      ("day > 2026-13-01", 6, "no date"),
      ("'open", 0, "never closed"), ("amount", 0, "no condition"), ("amount contains 'a'", 0, "contains nothing"),
      ("tags == 'a'", 0, "several rows"), ("tags.siez > 1", 5, "several rows"),
      ("amount > 3 and", 14, "ends too early"),
      ("category == 'no uuid'", 12, "UUID"), ("id # 3", 3, "no meaning"), ("\u{65}\u{301}1 == 1", 0, "no property"),
      ("amount in 3", 10, "Write ("), ("", 0, "ends too early"),
    ])
  func errors(_ condition: String, _ position: Int, _ words: String) async throws {
    let store = try makeBookkeeping()
    let error = await #expect(throws: StoreError.self) { try await store.rows(TableQuery("Cost").where(condition)) }
    #expect(error?.code == .invalidValue)
    #expect(error?.position == position, "\(error?.message ?? "")")
    #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
  }

  @Test("ten thousand conditions work, and levels without end are refused")
  func size() async throws {
    let store = try makeBookkeeping()
    let many = (0..<10_000).map { "id == \($0)" }.joined(separator: " or ")
    #expect(try await ids(store, "Cost", many) == [1, 2, 3, 4, 5, 6])
    for condition in [
      String(repeating: "(", count: 100_000) + "id == 1" + String(repeating: ")", count: 100_000),
      String(repeating: "not ", count: 100_000) + "id == 1", "id == " + String(repeating: "-", count: 100_000) + "1",
      String(repeating: "wallet.costs contains (", count: 200) + "id == 1" + String(repeating: ")", count: 200),
    ] {
      await #expect(throws: StoreError.self) { try await ids(store, "Cost", condition) }
    }
  }

  @Test("a table that is not there is answered with the most similar one")
  func missing() async throws {
    let store = try makeBookkeeping()
    let error = await #expect(throws: StoreError.self) { try await store.rows(TableQuery("Wallets")) }
    #expect(error?.code == .notFound)
    #expect(error?.message.contains("Did you mean Wallet?") == true)
  }
}
