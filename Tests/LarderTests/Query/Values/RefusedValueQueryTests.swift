import Foundation
import Larder
import LarderTestSupport
import Testing

@Model
struct Shipload: Hashable {
  var id: Int
  var city: String
  var weight: Int
  var sentAt = Date(timeIntervalSince1970: 0)
}

/// Queries of values whose SQL can't give what they ask for say so.
@Suite("Value queries that are refused")
struct RefusedValueQueryTests {
  private func withShiploads(_ body: (Store) async throws -> Void) async throws {
    try await withTemporaryStore(for: Shipload.self) { store in
      try await store.insert((1...6).map { Shipload(id: $0, city: $0 % 2 == 0 ? "bern" : "Basel", weight: 7 - $0) })
      try await body(store)
    }
  }

  @Test("a closure that maps values is not left out of unions, isIn and SQL")
  func mapped() async throws {
    try await withShiploads { store in
      func refuse(_ body: () async throws -> Void) async {
        let error = await #expect(throws: StoreError.self) { try await body() }
        #expect(error?.code == .unsupported && error?.message.contains("map") == true, "\(error?.message ?? "none")")
      }
      let plain = Shipload.select(\.city)
      let mapped = plain.map { $0.uppercased() }
      await refuse { _ = try await store.fetch(Shipload.where { $0.city.isIn(mapped) }) }
      await refuse { _ = try await store.fetch(plain.union(mapped)) }
      await refuse { _ = try await store.fetch(mapped.unionAll(plain)) }
      await refuse { _ = try await store.fetch(plain.union(plain).union(mapped)) }
      await refuse { _ = try await store.sql("select id from shipload where city in (\(mapped))") }
      let united = try await store.fetch(plain.union(plain).map { $0.uppercased() })
      #expect(united == ["BASEL", "BERN"])
      let first = try await store.fetch(mapped.limit(1))
      #expect(first.count == 1)
    }
  }

  @Test("pages after a row need sorts whose SQL interpolates its columns")
  func pages() async throws {
    try await withShiploads { store in
      let last = Shipload(id: 3, city: "Basel", weight: 4)
      let sorts: [(Shipload.Columns) -> SQL] = [
        { _ in "length(city)" }, { "\($0.id) + weight" }, { _ in "(select count(*) from shipload)" },
      ]
      for sort in sorts {
        let query = Shipload.all.sorted { sort($0).as(Int.self) }.after(last)
        let error = await #expect(throws: StoreError.self) { try await store.fetch(query) }
        #expect(error?.code == .unsupported && error?.message.contains("interpolate") == true)
      }
      let rest = try await store.fetch(Shipload.all.sorted { SQL("-\($0.weight)").as(Int.self) }.after(last))
      #expect(rest.map(\.id) == [4, 5, 6])
    }
  }

  @Test("ranks on pages after a row are refused; with a limit they count all rows")
  func ranks() async throws {
    try await withShiploads { store in
      let page = Shipload.all.sorted(by: \.id).after(Shipload(id: 3, city: "Basel", weight: 4))
      let error = await #expect(throws: StoreError.self) {
        try await store.fetch(page.select { SQL("rank() over (order by \($0.id))").as(Int.self) })
      }
      #expect(error?.code == .unsupported && error?.message.contains("limit") == true)
      let rest = try await store.fetch(page.select(\.id))
      #expect(rest == [4, 5, 6])
    }
  }

  @Test("where clocks shift by half an hour, each moment is in one hour, in any order of questions")
  func hours() async throws {
    let zone = try #require(TimeZone(identifier: "Australia/Lord_Howe"))
    // 14:00 UTC of 5 April 2025: the clocks go back from 2:00 to 1:30 an hour later.
    let start = Date(timeIntervalSince1970: 1_743_861_600)
    let minutes = [45, 70, 61, 59, 95, 15, 120, -5]
    for order in [minutes, minutes.reversed()] {
      try await withTemporaryStore(for: Shipload.self) { store in
        for (id, minute) in order.enumerated() {
          let sentAt = start.addingTimeInterval(Double(minute) * 60)
          try await store.insert(Shipload(id: id, city: "", weight: minute, sentAt: sentAt))
        }
        let found = try await store.fetch(
          Shipload.all.sorted(by: \.id).select { ($0.weight, $0.sentAt.hour(in: zone)) })
        for (minute, hour) in found {
          let expected = minute < 0 ? -60 : minute < 60 ? 0 : minute < 90 ? 60 : minute < 150 ? 90 : 150
          #expect(hour.timeIntervalSince(start) == Double(expected) * 60, "\(minute)")
        }
      }
    }
  }

  @Test("the plan of a join warns of rows that are read or indexed each time")
  func plans() async throws {
    try await withTemporaryStore(for: Shipload.self) { store in
      try await store.insert((1...1200).map { Shipload(id: $0, city: "c\($0)", weight: 1) })
      let join = Shipload.where { $0.id == 1 }.join(Shipload.self) { $0.city == $1.city }
      let warnings = try await join.explain(in: store).warnings
      #expect(warnings.count == 1 && warnings.first?.contains("Shipload") == true)
      let counts = Shipload.where { $0.id == 1 }.select { one in Shipload.count { $0.city == one.city } }
      #expect(try await counts.explain(in: store).warnings.count == 1)
      let keys = Shipload.where { $0.id == 1 }.join(Shipload.self) { $0.weight == $1.id }
      #expect(try await keys.explain(in: store).warnings == [])
    }
  }
}
