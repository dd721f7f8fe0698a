import Foundation
import Larder
import Testing

enum StoringArticle {
  @Model
  struct Account: Hashable {
    var id: Int
    @Attribute(.unique) var name: String
    var balance: Decimal = 0
  }

  struct InsufficientFunds: Error {}
}

private typealias Account = StoringArticle.Account
private typealias InsufficientFunds = StoringArticle.InsufficientFunds

func transfer(_ amount: Decimal, from source: Int, to target: Int, in db: some StoreWriter) throws {
  guard var from = try db.find(Account.self, source), var to = try db.find(Account.self, target) else { return }
  if from.balance < amount { throw InsufficientFunds() }
  from.balance -= amount
  to.balance += amount
  try db.update([from, to])
}

func netWorth(in db: some StoreReader) throws -> Decimal {
  try db.sum(Account.all, of: \.balance)
}

@Suite("Documentation: Storing")
@MainActor
struct StoringArticleTests {
  private let folder: ArticleFolder
  private let url: URL

  init() throws {
    folder = try ArticleFolder()
    url = folder.file("accounts.larder")
  }

  @Test("the verbs do what their names say")
  func verbs() async throws {
    let account = Account(id: 1, name: "Cash")
    let others = [Account(id: 2, name: "Bank"), Account(id: 3, name: "Card")]

    let store = try Store(at: url, for: Account.self)

    try await store.insert(account)  // throws .duplicate if the key is taken
    try await store.save(account)  // inserts, or updates the row with the key
    try await store.update(account)  // throws .notFound if there is no such row
    try await store.save(others)  // all of them, or on an error none
    let found = try await store.find(Account.self, 1)  // Account?
    let existed = try await store.delete(account)  // whether there was a row

    #expect(found == account)
    #expect(existed)
    #expect(try await store.fetch(Account.all.sorted(by: \.id)) == others)
  }

  @Test("a write may leave rows or columns as they are, and be saved by a unique value")
  func conflicts() async throws {
    let store = try Store(at: url, for: Account.self)
    try await store.insert(Account(id: 1, name: "Cash", balance: 5))
    let purse = Account(id: 1, name: "Purse", balance: 20)
    let imported = Account(id: 9, name: "Cash", balance: 30)

    let isNew = try await store.insertIfAbsent(purse)  // false if the key or a unique value is taken
    let stored = try await store.save(imported, onConflict: \.name)  // with the key that the row had
    try await store.update(purse, only: \.balance)  // leaves the other columns; may throw .notFound
    let found = try await store.find(Account.self, [9, 1])  // [Account?], in the order of the keys

    #expect(!isNew)
    #expect(stored == Account(id: 1, name: "Cash", balance: 30))
    #expect(found == [nil, Account(id: 1, name: "Cash", balance: 20)])
    #expect(try await store.insertIfAbsent(Account(id: 2, name: "Cash")) == false)
    #expect(try await store.insertIfAbsent(Account(id: 2, name: "Bank")))
    let missing = await #expect(throws: StoreError.self) {
      try await store.update(Account(id: 3, name: "Card"), only: \.balance)
    }
    #expect(missing?.code == .notFound)
  }

  @Test("a transaction is kept whole or not at all, and a savepoint undoes its own part")
  func transactions() async throws {
    let store = try Store(at: url, for: Account.self)
    try await store.save([Account(id: 1, name: "Cash", balance: 100), Account(id: 2, name: "Bank")])

    try await store.write { db in
      try transfer(30, from: 1, to: 2, in: db)
      try transfer(20, from: 1, to: 2, in: db)
    }
    let (sum, count) = try await store.read { db in
      (try netWorth(in: db), try db.count(Account.all))
    }

    #expect(sum == 100)
    #expect(count == 2)
    await #expect(throws: InsufficientFunds.self) {
      try await store.write { db in
        try transfer(30, from: 1, to: 2, in: db)
        try transfer(30, from: 1, to: 2, in: db)
      }
    }
    #expect(try await store.find(Account.self, 1)?.balance == 50)

    let incoming = [Account(id: 2, name: "Bank again"), Account(id: 3, name: "Card")]
    let added = try await store.write { db in
      var added = 0
      for account in incoming {
        do {
          try db.savepoint { try $0.insert(account) }
          added += 1
        } catch let error as StoreError where error.code == .duplicate {
          continue
        }
      }
      return added
    }

    #expect(added == 1)
    #expect(try await store.find(Account.self, 2)?.name == "Bank")
  }

  @Test("synchronous code uses the same verbs")
  func blocking() throws {
    let store = try Store(at: url, for: Account.self)

    let db = store.blocking
    try db.save(Account(id: 1, name: "Cash", balance: 10))
    try db.write { try transfer(0, from: 1, to: 1, in: $0) }
    let sum = try netWorth(in: db)

    #expect(sum == 10)
  }

  @Test("a stream, a first launch and a backup")
  func streamOnceBackup() async throws {
    let backup = folder.file("copy.larder")
    var exported: [Account] = []
    func export(_ account: Account) { exported.append(account) }

    let store = try Store(at: url, for: Account.self)
    try await store.once("default accounts") { db in
      try db.insert([Account(id: 1, name: "Cash"), Account(id: 2, name: "Bank")])
    }
    for try await account in store.stream(Account.all.sorted(by: \.id)) {
      export(account)
    }
    try await store.backup(to: backup)

    #expect(exported.map(\.name) == ["Cash", "Bank"])
    #expect(try await store.once("default accounts") { _ in } == false)
    #expect(try Store(at: backup, for: Account.self).blocking.count(Account.all) == 2)
  }

  @Test("a configuration says what a write survives and how long a call waits")
  func configuration() async throws {
    let store = try Store(
      at: url, for: Account.self,
      configuration: .init(durability: .full, readers: 8, busyTimeout: .seconds(10)))

    try await store.insert(Account(id: 1, name: "Cash"))
    #expect(try await store.count(Account.all) == 1)
  }
}
