import Foundation
import Larder
import Testing

enum SQLAccessArticle {
  @Model
  struct Account {
    var id: Int
    var name: String
    var balance: Double = 0
  }

  struct Summary: Decodable, Sendable, Equatable {
    var name: String
    var share: Double
  }
}

@Suite("Documentation: SQL")
struct SQLAccessArticleTests {
  private typealias Account = SQLAccessArticle.Account
  private typealias Summary = SQLAccessArticle.Summary

  @Test("SQL answers rows, tuples and values, and binds what is interpolated")
  func sql() async throws {
    let store = try Store(inMemoryFor: Account.self)
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
}
