import Foundation
import GRDBSQLite
import Synchronization
import Testing

@testable import Larder

@Suite struct IncludingTests {
  /// How many statements the connection that reads executed.
  private func statementCount(_ store: Store, _ body: () throws -> Void) throws -> Int {
    let counter = Counter()
    _ = try store.withReader { connection in
      sqlite3_trace_v2(
        connection.handle, UInt32(SQLITE_TRACE_STMT),
        { _, context, _, text in
          guard let context, let text else { return 0 }
          let sql = String(cString: text.assumingMemoryBound(to: CChar.self))
          // Triggers and the like are reported as comments, and once for each model the schema is asked about its columns.
          if !sql.hasPrefix("-"), !sql.hasPrefix("PRAGMA"), !sql.contains("sqlite_master") {
            Unmanaged<Counter>.fromOpaque(context).takeUnretainedValue().count += 1
          }
          return 0
        }, Unmanaged.passUnretained(counter).toOpaque())
    }
    try body()
    _ = try store.withReader { sqlite3_trace_v2($0.handle, 0, nil, nil) }
    return counter.count
  }

  private final class Counter { var count = 0 }

  @Test("C1: including loads the rows of a to-many relationship, of a to-one, and of one behind the other")
  func loading() async throws {
    let store = try makeBookkeeping()
    let wallets = try await store.fetch(Wallet.all.including(\.costs).sorted(by: \.id))
    #expect(wallets.map { $0.costs.loaded?.map(\.id) } == [[1, 2, 3], [4, 5, 6], []])
    let costs = try await store.fetch(
      Cost.all.including(\.wallet, then: \.owner).including(\.category).sorted(by: \.id))
    #expect(costs.map(\.wallet.name) == ["Cash", "Cash", "Cash", "Bank", "Bank", "Bank"])
    #expect(costs.map(\.wallet.owner?.loaded?.name) == ["Ada", "Ada", "Ada", "Ben", "Ben", "Ben"])
    #expect(costs.map { $0.category?.loaded?.name } == ["Food", "Rent", nil, "Food", "Food", nil])
    let nested = try await store.fetch(
      Wallet.where { $0.id == 1 }.including(\.costs, then: \.category).including(\.costs, then: \.tags))
    let loaded = try #require(nested.first?.costs.loaded)
    #expect(loaded.map { $0.category?.loaded?.name } == ["Food", "Rent", nil])
    #expect(loaded.allSatisfy { $0.tags.loaded?.isEmpty == true })
  }

  @Test("C1: the rows that are loaded can have a condition and an order")
  func conditions() async throws {
    let store = try makeBookkeeping()
    let query = Wallet.all.including(\.costs) { $0.where { $0.amount > 0 }.sorted(by: \.amount, order: .reverse) }
      .sorted(by: \.id)
    #expect(try await store.fetch(query).map { $0.costs.map(\.id) } == [[1], [4, 5, 6], []])
    let error = await #expect(throws: StoreError.self) {
      try await store.fetch(Wallet.all.including(\.costs) { $0.limit(1) })
    }
    #expect(error?.code == .unsupported)
    #expect(query == query)
    #expect(query != Wallet.all.including(\.costs).sorted(by: \.id))
  }

  @Test(
    "C1: rows find their owners by keys that lie close together, far apart, and at the ends of the numbers",
    arguments: [
      [1, 2, 3], [-2, -1, 0, 1], [7], [Int.min, -1, 0, Int.max], [Int.max - 1, Int.max], [Int.min, Int.min + 1],
      [0, 1_000_000],
    ])
  func keys(_ keys: [Int]) async throws {
    let store = try makeBookkeeping()
    try await store.deleteAll(Wallet.all)
    try await store.insert(keys.map { Wallet(id: $0, name: "\($0)") })
    let wanted = keys.dropLast()
    try await store.insert(keys.enumerated().map { Cost(id: $0, amount: Decimal($0), wallet: ToOne($1)) })
    let all = try await store.fetch(Wallet.all.including(\.costs))
    #expect(
      Dictionary(uniqueKeysWithValues: all.map { ($0.id, $0.costs.map(\.wallet.id)) })
        == Dictionary(uniqueKeysWithValues: keys.map { ($0, [$0]) }))
    let some = try await store.fetch(Wallet.where { $0.id.isIn(Array(wanted)) }.including(\.costs))
    #expect(
      Dictionary(uniqueKeysWithValues: some.map { ($0.id, $0.costs.count) })
        == Dictionary(uniqueKeysWithValues: wanted.map { ($0, 1) }))
  }

  @Test("C1: pairs are loaded from both sides")
  func pairs() async throws {
    let store = try makeBookkeeping()
    try await store.setLinks(Cost.samples[0], \.tags, [Tag(id: "c"), Tag(id: "a")])
    try await store.setLinks(Cost.samples[1], \.tags, [Tag(id: "a")])
    let costs = try await store.fetch(Cost.where { $0.id < 4 }.including(\.tags).sorted(by: \.id))
    #expect(costs.map { $0.tags.map(\.id) } == [["c", "a"], ["a"], []])
    let tags = try await store.fetch(
      Tag.all.including(\.costs) { $0.sorted(by: \.id, order: .reverse) }.sorted(by: \.id))
    #expect(tags.map { $0.costs.map(\.id) } == [[2, 1], [], [1]])
  }

  @Test("C1: the number of statements does not depend on the number of rows")
  func statements() throws {
    let folder = try StoreFile()
    let store = try Store(at: folder.path, for: Wallet.self, configuration: .init(readers: 1))
    let db = store.blocking
    var counts: [Int] = []
    for size in [1, 10, 100] {
      try db.save((1...size).map { Wallet(id: $0, name: "\($0)") })
      try db.save((1...size * 5).map { Cost(id: $0, amount: 1, wallet: ToOne($0 % size + 1)) })
      counts.append(
        try statementCount(store) { _ = try db.fetch(Wallet.all.including(\.costs, then: \.tags).including(\.owner)) })
    }
    // BEGIN, wallets, costs, pairs, tags, owners, ROLLBACK
    #expect(counts == [7, 7, 7])
  }

  @Test("C1: first, forEach, a stream and live results load as fetch does")
  func verbs() async throws {
    let store = try makeBookkeeping()
    let query = Wallet.all.including(\.costs).sorted(by: \.id)
    #expect(try await store.first(query)?.costs.count == 3)
    var counts: [Int] = []
    try store.blocking.forEach(query) { counts.append($0.costs.count) }
    for try await wallet in store.stream(query) { counts.append(wallet.costs.count) }
    #expect(counts == [3, 3, 0, 3, 3, 0])
    var results = store.live(query).makeAsyncIterator()
    #expect(try await results.next()?.map(\.costs.count) == [3, 3, 0])
    try await store.insert(Cost(id: 7, amount: 1, wallet: ToOne(3)))
    #expect(try await results.next()?.map(\.costs.count) == [3, 3, 1])
  }

  @Test("C1: a fresh value knows its rows, and what is not loaded is nil")
  func freshValues() async throws {
    let store = try makeBookkeeping()
    let fresh = Wallet(id: 2, name: "only the key counts")
    #expect(try await store.fetch(fresh.costs.where { $0.amount < 50 }.sorted(by: \.id)).map(\.id) == [5, 6])
    #expect(fresh.costs.loaded == nil)
    #expect(ToOne<Wallet>(3).loaded == nil)
    #expect(ToOne(Wallet.cash).name == "Cash")
    #expect(fresh == Wallet(id: 2, name: "only the key counts", costs: ToMany([])))
  }

  @Test("a property of a row that was not loaded traps")
  func unloadedReference() async {
    await #expect(processExitsWith: .failure) { _ = ToOne<Wallet>(3).name }
  }

  @Test("walking through rows that were not loaded traps")
  func unloadedRows() async {
    await #expect(processExitsWith: .failure) { _ = Wallet(id: 1, name: "").costs.first }
  }
}
