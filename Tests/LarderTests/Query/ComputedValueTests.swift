import Foundation
import Larder
import LarderTestSupport
import Testing

@Suite("Values computed over related rows, selections and periods: edges")
struct ComputedValueTests {
  private func filled() throws -> Store {
    let store = try Store(inMemoryFor: EdgeOrder.self, EdgeLine.self, EdgePart.self, EdgeDay.self)
    try store.blocking.insert([1, 2, 3].map { EdgeOrder(id: $0, factor: $0 * 10) })
    for (id, order, price) in [(1, 1, 9), (2, 1, 10), (3, 2, -4)] {
      try store.blocking.insert(
        EdgeLine(id: id, price: Decimal(price), quantity: 1.5, order: ToOne(order)))
      try store.blocking.insert(EdgePart(id: id, weight: id, line: ToOne(id)))
      try store.blocking.insert(EdgePart(id: id + 10, weight: 100, line: ToOne(id)))
    }
    return store
  }

  @Test("an aggregate that uses nothing of the rows is refused, because SQLite would compute it over their owners")
  func outer() async throws {
    let store = try filled()
    let selected = await #expect(throws: StoreError.self) {
      try await store.fetch(EdgeOrder.select { order in order.lines.sum { _ in order.factor * 1 } })
    }
    #expect(selected?.code == .unsupported && selected?.property == "lines")
    let found = await #expect(throws: StoreError.self) {
      try await store.fetch(EdgeOrder.where { order in order.lines.max { _ in order.factor + 1 } == 21 })
    }
    #expect(found?.message.contains("lines.count") == true)
    let both = try await store.fetch(
      EdgeOrder.all.sorted(by: \.id).select { order in order.lines.sum { $0.id * 0 + order.factor } })
    #expect(both == [20, 20, 0])
  }

  @Test("computed values over rows, over rows of rows, and over some rows")
  func computed() async throws {
    let store = try filled()
    let values = try await store.fetch(
      EdgeOrder.all.sorted(by: \.id).select {
        (
          $0.lines.sum { $0.price * $0.quantity }, $0.lines.max { $0.price * 1 },
          $0.lines.where { $0.price > 9 }.sum { $0.price * 2 },
          $0.lines.sum { $0.parts.sum { $0.weight * 2 } }
        )
      })
    #expect(values.map(\.0) == [Decimal(string: "28.5")!, -6, 0])
    #expect(values.map(\.1) == [10, -4, nil])
    #expect(values.map(\.2) == [20, 0, 0])
    #expect(values.map(\.3) == [406, 206, 0])
    #expect(try await store.count(EdgeOrder.where { $0.lines.sum { $0.parts.sum { $0.weight * 2 } } > 300 }) == 1)
  }

  @Test("sums take computed values that have a name by their key path, in a store, a group and over related rows")
  func named() async throws {
    let store = try filled()
    #expect(try await store.sum(EdgeLine.all, of: \.cost) == 22.5)
    #expect(try await store.sum(EdgeLine.all, of: \.size) == 4.5)
    #expect(try await store.read { try $0.sum(EdgeLine.all, of: \.cost) } == 22.5)
    let groups = EdgeLine.all.grouped(by: \.order) {
      ($0.sum(\.cost), $0.sum(\.size), $0.average(\.cost), $0.max(\.cost), $0.min(\.size))
    }
    let grouped = try await store.fetch(groups.sorted { $0.key })
    #expect(grouped.map(\.0) == [28.5, -6])
    #expect(grouped.map(\.1) == [3, 1.5])
    #expect(grouped.map(\.3) == [15, -6])
    let sums = EdgeOrder.all.sorted(by: \.id).select {
      ($0.lines.sum(\.cost), $0.lines.average(\.size), $0.lines.max(\.cost))
    }
    let related = try await store.fetch(sums)
    #expect(related.map(\.0) == [28.5, -6, 0])
    #expect(related.map(\.1) == [1.5, 1.5, nil])
    #expect(related.map(\.2) == [15, -6, nil])
  }

  @Test("references are compared with the keys of joined rows")
  func joinedKeys() async throws {
    let store = try filled()
    let pairs = EdgeLine.join(EdgeOrder.self) { $0.order == $1.id }.sorted { line, _ in line.id }
    #expect(try await store.fetch(pairs.select { ($0.id, $1.id) }).map(\.1) == [1, 1, 2])
    let reversed = EdgeOrder.join(EdgeLine.self) { $0.id == $1.order }.sorted { _, line in line.id }
    #expect(try await store.fetch(reversed.select { ($0.id, $1.id) }).map(\.0) == [1, 1, 2])
    #expect(try await store.count(EdgeLine.join(EdgeOrder.self) { $0.order != $1.id }) == 6)
    #expect(try await store.count(EdgeOrder.join(EdgeLine.self) { $0.id != $1.order }) == 6)
    let tree = try Store(inMemoryFor: EdgeNode.self)
    try await tree.insert([EdgeNode(id: 1), EdgeNode(id: 2, above: ToOne(1)), EdgeNode(id: 3, above: ToOne(1))])
    #expect(
      try await tree.fetch(EdgeNode.join(EdgeNode.self) { $0.above == $1.id }.select { ($0.id, $1.id) }).count == 2)
    // A nil reference is to none of three rows.
    #expect(try await tree.count(EdgeNode.join(EdgeNode.self) { $1.id != $0.above }) == 7)
  }

  @Test("a closure without values is refused, and the message says what to return")
  func empty() async throws {
    let store = try filled()
    let queries: [@Sendable () async throws -> Void] = [
      { _ = try await store.fetch(EdgeLine.select { _ in }) },
      { _ = try await store.fetch(EdgeLine.select { _ in }.distinct()) },
      { _ = try await store.fetch(EdgeLine.all.grouped(by: \.order) { _ in }) },
      { _ = try await store.fetch(EdgeLine.all.join(EdgePart.self) { $0.id == $1.id }.select { _, _ in }) },
    ]
    for query in queries {
      let error = await #expect(throws: StoreError.self) { try await query() }
      #expect(error?.code == .unsupported && error?.message.contains("$0.stops.count") == true)
    }
  }

  @Test("errors of selections name the property, however it is selected")
  func selectionErrors() async throws {
    let store = try filled()
    try await store.insert([EdgeDay(id: 1, name: "x"), EdgeDay(id: 2)])
    #expect(try await store.fetch(EdgeDay.select(\.name)).compactMap(\.self) == ["x"])
    #expect(try await store.fetch(EdgeDay.select(\.id, \.at).map { $0.1 }).count == 2)
    try await store.sql("update EdgeDay set noted = 'some day' where id = 2")
    func property<Result: Sendable>(_ query: SelectedQuery<EdgeDay, Result>) async -> String? {
      await #expect(throws: StoreError.self) { _ = try await store.fetch(query) }?.property
    }
    #expect(await property(EdgeDay.select(\.noted)) == "noted")
    #expect(await property(EdgeDay.select(\.id, \.noted)) == "noted")
    #expect(await property(EdgeDay.select(\.noted, \.id, \.name)) == "noted")
    #expect(await property(EdgeDay.all.select(\.id, \.name, \.noted, \.at)) == "noted")
    #expect(await property(EdgeDay.all.select(\.id, \.noted).map { "\($0)" }.map { $0.count }) == "noted")
    #expect(await property(EdgeDay.all.select { ($0.name, $0.noted, $0.id) }) == "noted")
  }

  @Test("periods in several zones in one statement, with nil")
  func calendar() async throws {
    let store = try filled()
    let tokyo = try #require(TimeZone(identifier: "Asia/Tokyo"))
    let new = try #require(TimeZone(identifier: "America/New_York"))
    let dates: [Date?] =
      [nil] + (0..<60).map { Date(timeIntervalSinceReferenceDate: Double($0 % 7) * 40_000_000 + 3) } + [nil]
    try await store.insert(dates.enumerated().map { EdgeDay(id: $0, at: $1) })
    let found = try await store.fetch(
      EdgeDay.all.sorted(by: \.id).select {
        (
          $0.at.month(in: tokyo), $0.at.month(in: new), $0.at.day(in: tokyo), $0.at.component(.hour, in: tokyo),
          $0.at.component(.hour, in: new)
        )
      })
    for (date, row) in zip(dates, found) {
      var (east, west) = (Calendar(identifier: .gregorian), Calendar(identifier: .gregorian))
      (east.timeZone, west.timeZone) = (tokyo, new)
      #expect(row.0 == date.flatMap { east.dateInterval(of: .month, for: $0)?.start })
      #expect(row.1 == date.flatMap { west.dateInterval(of: .month, for: $0)?.start })
      #expect(row.2 == date.flatMap { east.dateInterval(of: .day, for: $0)?.start })
      #expect(row.3 == date.map { east.component(.hour, from: $0) })
      #expect(row.4 == date.map { west.component(.hour, from: $0) })
    }
  }
}

extension EdgeLine.Columns {
  fileprivate var cost: QueryExpression<Decimal> { price * quantity }
  fileprivate var size: QueryExpression<Decimal> { quantity + 0 }
}

@Model
private struct EdgeNode: Hashable {
  var id: Int
  var above: ToOne<EdgeNode>?
}
