import Foundation
import Larder
import Testing

enum SQLAccessArticle {
  @Model
  struct Account {
    var id: Int
    var name: String
    var balance: Double = 0
    var owner: ToOne<Owner>?
  }

  @Model
  struct Owner {
    var id: Int
    var name: String
    @Relationship(inverse: \SQLAccessArticle.Account.owner) var accounts: ToMany<Account> = []
  }

  @Model
  struct Item {
    var id: Int
    var price: Decimal
    var quantity: Int
  }

  struct Summary: Decodable, Sendable, Equatable {
    var name: String
    var share: Double
  }
}

@Suite("Documentation: SQL")
@MainActor
struct SQLAccessArticleTests {
  private typealias Account = SQLAccessArticle.Account
  private typealias Owner = SQLAccessArticle.Owner
  private typealias Item = SQLAccessArticle.Item
  private typealias Summary = SQLAccessArticle.Summary

  @Test("SQL answers rows, tuples and values, and binds what is interpolated")
  func sql() async throws {
    let store = try Store(inMemoryFor: Account.self, Owner.self)
    try await store.save([
      Account(id: 1, name: "x' or 1 = 1 --", balance: 25), Account(id: 2, name: "Bank", balance: 75),
    ])
    let input = "x' or 1 = 1 --"
    let ids = [1, 2]
    let column = "balance"

    let rows = try await store.sql("select * from \(Account.self) where name = \(input)")  // [Row]
    let pairs = try await store.sql("select id, name from \(Account.self) where id in (\(ids))", as: (Int, String).self)
    let counts = try await store.sql("select count(*) from \(Account.self)", as: Int.self)  // [Int]
    let sums = try await store.sql("select sum(\(name: column)) from \(Account.self)", as: Double.self)

    #expect(rows.count == 1)
    #expect(pairs.map(\.0) == [1, 2])
    #expect(counts == [2])
    #expect(sums == [100])

    let shares = try await store.sql(
      """
      select name, \(Account.columns.balance) / sum(\(Account.columns.balance)) over () as share
      from \(Account.self)
      order by share desc
      """, as: Summary.self)

    #expect(shares == [Summary(name: "Bank", share: 0.75), Summary(name: "x' or 1 = 1 --", share: 0.25)])

    try await store.write { db in
      try db.sql("update \(Account.self) set balance = balance * 2 where id = \(1)")
      try db.sql("create index if not exists account_name on \(Account.self) (name)")
    }

    #expect(try await store.find(Account.self, 1)?.balance == 50)
  }

  @Test("SQL answers models, also beside each other, and is part of typed queries")
  func models() async throws {
    let store = try Store(inMemoryFor: Account.self, Owner.self)
    try await store.save(Owner(id: 7, name: "Ida"))
    try await store.save([
      Account(id: 1, name: "Till", balance: 25, owner: ToOne(7)), Account(id: 2, name: "Bank", balance: 75),
      Account(id: 3, name: "Old"),
    ])

    let accounts = try await store.sql("select * from \(Account.self) where balance > 0", as: Account.self)
    let owned = try await store.sql(
      """
      select \(Account.columns), \(Owner.columns, of: "o"), rank() over (order by balance desc)
      from \(Account.self) left join \(Owner.self) o on o.\(Owner.columns.id) = \(Account.columns.owner)
      """, as: (Account, Owner?, Int).self)

    #expect(accounts.map(\.id) == [1, 2])
    #expect(owned.map(\.0.id) == [2, 1, 3])
    #expect(owned.map { $0.1?.name } == [nil, "Ida", nil])
    #expect(owned.map(\.2) == [1, 2, 3])

    let odd = Account.where { SQL("\($0.id) % 2 = 1") }.sorted { SQL("length(\($0.name))").as(Int.self) }
    let initials = Account.select { ($0.id, SQL("substr(\($0.name), 1, 1)").as(String.self)) }

    #expect(try await store.fetch(odd).map(\.id) == [3, 1])
    #expect(try await store.fetch(initials.sorted(by: \.id)).map(\.1) == ["T", "B", "O"])
  }

  @Test("decimals in SQL are exact")
  func decimals() async throws {
    let store = try Store(inMemoryFor: Item.self)
    try await store.save([Item(id: 1, price: 9, quantity: 2), Item(id: 2, price: 10, quantity: 3)])

    let total = try await store.sql("select larder_decimal_sum(price) from \(Item.self)", as: Decimal?.self)
    let doubled = try await store.sql("select \(Item.columns.price * 2) from \(Item.self)", as: Decimal.self)

    let large = try await store.sql(
      """
      select quantity from \(Item.self)
      group by quantity
      having larder_decimal_sum(price) collate larder_decimal > \(Decimal(50))
      order by max(price) collate larder_decimal
      """, as: Int.self)

    #expect(total == [19])
    #expect(doubled == [18, 20])
    #expect(large == [])
  }
}
