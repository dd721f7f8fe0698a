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
