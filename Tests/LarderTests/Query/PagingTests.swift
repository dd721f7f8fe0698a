import Foundation
import Larder
import LarderTestSupport
import Testing

/// Pages that are asked for with `after` are, put together, the whole list.
@Suite struct PagingTests {
  let db: BlockingStore
  let rows: [PagedItem]
  let seed: UInt64

  init() throws {
    seed = TestSeed.value
    var generator = SplitMix64(seed: seed)
    rows = (0..<120).map { _ in PagedItem(using: &generator) }
    db = try Store(inMemoryFor: PagedItem.self, PagedPair.self).blocking
    try db.insert(rows)
  }

  static let sorts: [(name: String, query: Query<PagedItem>)] = [
    ("key", PagedItem.all.sorted(by: \.id)),
    ("key, reversed", PagedItem.all.sorted(by: \.id, order: .reverse)),
    ("ties", PagedItem.all.sorted(by: \.group)),
    ("ties, reversed", PagedItem.all.sorted(by: \.group, order: .reverse)),
    ("nil first", PagedItem.all.sorted(by: \.rank)),
    ("nil last", PagedItem.all.sorted(by: \.rank, order: .reverse)),
    ("decimals", PagedItem.all.sorted(by: \.price)),
    ("optional decimals", PagedItem.all.sorted(by: \.fee, order: .reverse)),
    ("dates", PagedItem.all.sorted(by: \.at)),
    ("dates as text", PagedItem.all.sorted(by: \.day, order: .reverse)),
    ("enums", PagedItem.all.sorted(by: \.level)),
    ("text", PagedItem.all.sorted(by: \.label)),
    ("folded text", PagedItem.all.sorted(by: \.label.caseInsensitive)),
    ("folded text, reversed", PagedItem.all.sorted(by: \.label.caseInsensitive, order: .reverse)),
    ("localized text", PagedItem.all.sorted(by: \.label.localized)),
    ("localized text, reversed", PagedItem.all.sorted(by: \.label.localized, order: .reverse)),
    ("required folded text", PagedItem.all.sorted(by: \.word.caseInsensitive, order: .reverse)),
    ("computed", PagedItem.all.sorted { $0.rank * $0.group }),
    ("computed, reversed", PagedItem.all.sorted(order: .reverse) { $0.rank * $0.group }),
    ("computed decimals", PagedItem.all.sorted(order: .reverse) { $0.fee * $0.price }),
    ("a condition", PagedItem.all.sorted { $0.rank > 1 }),
    ("JSON", PagedItem.all.sorted { $0.scores["a"] }),
    ("JSON, reversed", PagedItem.all.sorted(order: .reverse) { $0.scores["a"] }),
    ("two terms", PagedItem.all.sorted(by: \.group).sorted(by: \.rank, order: .reverse)),
    (
      "three terms",
      PagedItem.all.sorted(by: \.rank, order: .reverse).sorted(by: \.label.caseInsensitive).sorted(
        by: \.price, order: .reverse)
    ),
    ("a condition on top", PagedItem.where { $0.group > 0 && $0.rank != 2 }.sorted(by: \.fee).sorted(by: \.word)),
    ("reversed()", PagedItem.all.sorted(by: \.rank).sorted(by: \.group, order: .reverse).reversed()),
    ("reversed key", PagedItem.all.reversed()),
    ("descriptors", PagedItem.all.sorted(using: SortDescriptor(\.group, order: .reverse), SortDescriptor(\.price))),
  ]

  @Test("pages of random sizes are the whole list, on every sort", arguments: sorts.indices)
  func walk(_ index: Int) throws {
    let (name, query) = Self.sorts[index]
    var generator = SplitMix64(seed: seed)
    let whole = try db.fetch(query)
    var tried = 0
    for _ in 0..<3 {
      var found: [PagedItem] = []
      while found.count <= whole.count {
        var page = query.limit(Int.random(in: 1...17, using: &generator))
        if let last = found.last { page = page.after(last) }
        let rest = try found.last.map { try db.count(query.after($0)) } ?? whole.count
        #expect(rest == whole.count - found.count, "\(name), seed \(seed)")
        let rows = try db.fetch(page)
        tried += 1
        if rows.isEmpty { break }
        found += rows
      }
      #expect(found.map(\.id) == whole.map(\.id), "\(name), seed \(seed)")
    }
    TestSeed.tried(tried, .queries, "pages")
  }

  @Test("the opposite order is the list backwards", arguments: sorts.indices)
  func backwards(_ index: Int) throws {
    let (name, query) = Self.sorts[index]
    #expect(
      try db.fetch(query.reversed().limit(1000)).map(\.id) == db.fetch(query.limit(1000)).map(\.id).reversed(),
      "\(name), seed \(seed)")
  }

  @Test("nil comes first in forward order, ties are in the order of their keys")
  func order() throws {
    func keyed(_ row: PagedItem) -> String { row.id.uuidString }
    let forward = rows.sorted { left, right in (left.rank ?? 0, keyed(left)) < (right.rank ?? 0, keyed(right)) }
    #expect(try db.fetch(PagedItem.all.sorted(by: \.rank)).map(\.id) == forward.map(\.id), "seed \(seed)")
    #expect(
      try db.fetch(PagedItem.all.sorted(by: \.rank, order: .reverse)).map(\.id) == forward.reversed().map(\.id),
      "seed \(seed)")
    let prices = rows.sorted { left, right in (left.price, keyed(left)) < (right.price, keyed(right)) }
    #expect(try db.fetch(PagedItem.all.sorted(by: \.price)).map(\.id) == prices.map(\.id), "seed \(seed)")
    let days = rows.sorted { left, right in
      (left.day ?? .distantPast, keyed(left)) < (right.day ?? .distantPast, keyed(right))
    }
    #expect(try db.fetch(PagedItem.all.sorted(by: \.day)).map(\.id) == days.map(\.id), "seed \(seed)")
  }

  @Test("a page starts after a row that is no longer there")
  func deleted() throws {
    let query = PagedItem.all.sorted(by: \.rank).sorted(by: \.label)
    let whole = try db.fetch(query)
    for position in [0, 40, 118, 119] {
      try db.delete(whole[position])
      #expect(
        try db.fetch(query.after(whole[position]).limit(5)).map(\.id) == whole[(position + 1)...].prefix(5).map(\.id),
        "seed \(seed)")
      try db.insert(whole[position])
    }
  }

  @Test("rows that are added before the page do not move it")
  func added() throws {
    let query = PagedItem.all.sorted(by: \.group)
    let whole = try db.fetch(query)
    var first = whole[0]
    first.id = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    try db.insert(first)
    #expect(try db.fetch(query.after(whole[9]).limit(3)).map(\.id) == whole[10..<13].map(\.id))
  }

  @Test("a composite key makes an order, alone and below a sort")
  func composite() throws {
    var generator = SplitMix64(seed: seed)
    let pairs = ["a", "A", "b\"c", ""].flatMap { house in
      (-3...3).map { PagedPair(house: house, number: $0, rank: generator.pickOrNil([1, 2])) }
    }
    try db.insert(pairs.shuffled(using: &generator))
    let queries = [
      PagedPair.all, PagedPair.all.sorted(by: \.rank, order: .reverse),
      PagedPair.all.sorted(by: \.number, order: .reverse), PagedPair.all.reversed(),
    ]
    for query in queries {
      let whole = try db.fetch(query.limit(1000))
      #expect(whole.count == pairs.count)
      var found: [PagedPair] = []
      while found.count <= whole.count, let last = found.last ?? whole.first {
        if found.isEmpty { found.append(last) }
        let page = try db.fetch(query.after(found[found.count - 1]).limit(4))
        if page.isEmpty { break }
        found += page
      }
      #expect(found == whole, "seed \(seed)")
    }
    #expect(try db.fetch(PagedPair.all.limit(1000)) == pairs.sorted { ($0.house, $0.number) < ($1.house, $1.number) })
  }

  @Test("limit and offset cut the list, and an offset beyond the end leaves nothing")
  func limits() throws {
    let query = PagedItem.all.sorted(by: \.price).sorted(by: \.rank)
    let whole = try db.fetch(query).map(\.id)
    #expect(try db.fetch(query.limit(0)) == [])
    #expect(try db.count(query.limit(0)) == 0)
    #expect(try !db.exists(query.limit(0)))
    #expect(try db.first(query.limit(0)) == nil)
    #expect(try db.fetch(query.limit(7, offset: 5)).map(\.id) == Array(whole[5..<12]))
    #expect(try db.count(query.limit(7, offset: 118)) == 2)
    #expect(try db.fetch(query.limit(7, offset: 120)) == [])
    #expect(try db.fetch(query.limit(.max, offset: 119)).map(\.id) == [whole[119]])
    #expect(try db.first(query)?.id == whole[0])
    #expect(try db.first(query.limit(3, offset: 2))?.id == whole[2])
    #expect(try db.first(query.reversed())?.id == whole[119])
    #expect(try db.exists(query.limit(1, offset: 119)))
    #expect(try !db.exists(query.limit(1, offset: 120)))
    #expect(try db.first(PagedItem.where { $0.group == 99 }) == nil)
  }

  @Test("aggregates after a row count what comes after it in the query's order")
  func aggregates() throws {
    let query = PagedItem.all.sorted(by: \.price, order: .reverse).sorted(by: \.group)
    let whole = try db.fetch(query)
    let rest = whole[31...]
    #expect(try db.count(query.after(whole[30])) == rest.count)
    #expect(try db.sum(query.after(whole[30]), of: \.group) == rest.map(\.group).reduce(0, +))
    #expect(try db.count(query.after(whole[30]).limit(10)) == 10)
    #expect(try db.exists(query.after(whole[118])))
    #expect(try !db.exists(query.after(whole[119])))
  }
}
