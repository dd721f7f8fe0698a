import Foundation
import Larder
import LarderTestSupport
import Testing

@Suite("Groups by expressions, several keys and calendar periods")
struct GroupedKeyTests {
  private static let zones = ["GMT", "Europe/Zurich", "America/Los_Angeles", "Asia/Kathmandu", "Pacific/Apia"]

  @Test("groups by several keys, with counts of different values and aggregates of expressions")
  func several() async throws {
    var generator = SplitMix64(seed: TestSeed.value &* 7)
    let tours = (1...80).map { Excursion.random($0, &generator) }
    let store = try Store(inMemoryFor: Excursion.self, Stopover.self)
    try store.blocking.insert(tours)
    struct Key: Hashable {
      let country: String?
      let isFull: Bool
    }
    let groups = Dictionary(grouping: tours) { Key(country: $0.country, isFull: $0.seats == 0) }
    let found = try await store.fetch(
      Excursion.all.grouped(by: { ($0.country, $0.seats == 0) }) {
        ($0.key.0, $0.key.1, $0.count, $0.count(distinct: \.price), $0.sum { $0.price * 2 }, $0.max { $0.seats + 1 })
      })
    #expect(found.count == groups.count)
    for (country, isFull, count, prices, sum, seats) in found {
      let group = groups[Key(country: country, isFull: isFull)] ?? []
      #expect(group.count == count)
      #expect(Set(group.map(\.price)).count == prices)
      #expect(group.map { $0.price * 2 }.reduce(0, +) == sum)
      #expect(group.map { $0.seats + 1 }.max() == seats)
    }
    let lengths = try await store.fetch(
      Excursion.all.grouped(by: \.seats) { ($0.min { $0.country + "!" }, $0.max { $0.country + "!" }) })
    let bySeats = Dictionary(grouping: tours, by: \.seats).sorted { $0.key < $1.key }
    #expect(lengths.map { $0.0 } == bySeats.map { $0.value.compactMap(\.country).min().map { $0 + "!" } })
    #expect(lengths.map { $0.1 } == bySeats.map { $0.value.compactMap(\.country).max().map { $0 + "!" } })
    // In the order of the keys: nil first.
    #expect(found.first?.0 == nil)
    let page = try await store.fetch(
      Excursion.all.grouped(by: { ($0.country, $0.seats == 0) }) { ($0.key.0, $0.key.1) }.limit(2, offset: 1))
    #expect(page.map(\.0) == found[1...2].map(\.0))
  }

  @Test("periods and parts of dates are those of Foundation's calendar, in every time zone", arguments: zones)
  func calendar(zone: String) async throws {
    let timeZone = try #require(TimeZone(identifier: zone))
    var calendar = Calendar(identifier: .gregorian)
    (calendar.timeZone, calendar.firstWeekday, calendar.minimumDaysInFirstWeek) = (timeZone, 2, 4)
    var generator = SplitMix64(seed: TestSeed.value &* 11)
    let tours = (1...200).map { Excursion.random($0, &generator) }
    let store = try Store(inMemoryFor: Excursion.self, Stopover.self)
    try store.blocking.insert(tours)
    let starts = try await store.fetch(
      Excursion.select {
        (
          $0.startsAt.year(in: timeZone), $0.startsAt.month(in: timeZone), $0.startsAt.week(in: timeZone),
          $0.startsAt.day(in: timeZone), $0.startsAt.hour(in: timeZone), $0.endsAt.day(in: timeZone)
        )
      }.sorted(by: \.id))
    for (tour, found) in zip(tours, starts) {
      func start(_ component: Calendar.Component, _ date: Date) -> Date? {
        calendar.dateInterval(of: component, for: date)?.start
      }
      #expect(found.0 == start(.year, tour.startsAt))
      #expect(found.1 == start(.month, tour.startsAt))
      #expect(found.2 == start(.weekOfYear, tour.startsAt))
      #expect(found.3 == start(.day, tour.startsAt))
      #expect(found.4 == start(.hour, tour.startsAt))
      #expect(found.5 == tour.endsAt.flatMap { start(.day, $0) })
    }
    let parts: [(CalendarPart, Calendar.Component)] = [
      (.year, .year), (.quarter, .quarter), (.month, .month), (.week, .weekOfYear), (.day, .day), (.weekday, .weekday),
      (.hour, .hour), (.minute, .minute),
    ]
    #expect(parts.count == CalendarPart.allCases.count)
    for (part, component) in parts {
      let found = try await store.fetch(
        Excursion.select { ($0.startsAt.component(part, in: timeZone), $0.endsAt.component(part, in: timeZone)) }
          .sorted(by: \.id))
      #expect(found.map(\.0) == tours.map { calendar.value(of: component, $0.startsAt) }, "\(part)")
      #expect(found.map(\.1) == tours.map { $0.endsAt.map { calendar.value(of: component, $0) } }, "\(part)")
    }
    let months = try await store.fetch(
      Excursion.all.grouped(by: { $0.startsAt.month(in: timeZone) }) { ($0.key, $0.sum(\.price)) })
    var expected: [Date: Decimal] = [:]
    for tour in tours {
      let month = try #require(calendar.dateInterval(of: .month, for: tour.startsAt)?.start)
      expected[month, default: 0] += tour.price
    }
    #expect(months.map(\.0) == expected.keys.sorted())
    #expect(months.map(\.1) == months.map { expected[$0.0] })
  }

  @Test("the first day of a week can be chosen; a date outside of the calendar is an error")
  func edges() async throws {
    let store = try Store(inMemoryFor: Excursion.self, Stopover.self)
    // Wednesday.
    let date = Date(timeIntervalSince1970: 1_764_158_400)
    try await store.insert(Excursion(id: 1, name: "", price: 1, seats: 1, startsAt: date))
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    for day in 1...7 {
      calendar.firstWeekday = day
      let found = try await store.first(Excursion.select { $0.startsAt.week(in: .gmt, firstWeekday: day) })
      #expect(found == calendar.dateInterval(of: .weekOfYear, for: date)?.start)
    }
    try await store.updateAll(Excursion.all) { $0.startsAt.set(Date(timeIntervalSinceReferenceDate: 1e300)) }
    let error = await #expect(throws: StoreError.self) {
      try await store.fetch(Excursion.select { $0.startsAt.month(in: .gmt) })
    }
    #expect(error?.message.contains("outside of the calendar") == true)
    let part = await #expect(throws: StoreError.self) {
      try await store.fetch(Excursion.select { $0.startsAt.component(.year, in: .gmt) })
    }
    #expect(part?.message.contains("outside of the calendar") == true)
  }
  @Test("each day of eight years is in the quarter of its month")
  func quarters() async throws {
    let store = try Store(inMemoryFor: Excursion.self, Stopover.self)
    for identifier in ["GMT", "America/New_York", "Pacific/Auckland"] {
      let zone = try #require(TimeZone(identifier: identifier))
      var calendar = Calendar(identifier: .gregorian)
      calendar.timeZone = zone
      let first = try #require(calendar.date(from: DateComponents(year: 2019, month: 1, day: 1, hour: 23)))
      let dates = (0..<2922).map { calendar.date(byAdding: .day, value: $0, to: first) ?? first }
      try await store.deleteAll(Excursion.all)
      try await store.insert(
        dates.enumerated().map { Excursion(id: $0.offset, name: "", price: 1, seats: 1, startsAt: $0.element) })
      let found = try await store.fetch(
        Excursion.all.sorted(by: \.id).select { $0.startsAt.component(.quarter, in: zone) })
      #expect(found == dates.map { (calendar.component(.month, from: $0) - 1) / 3 + 1 })
    }
  }
}

extension Calendar {
  /// Returns what `component(_:from:)` should: Foundation on Linux takes the last day of some quarters for one of the next.
  func value(of component: Component, _ date: Date) -> Int {
    component == .quarter ? (self.component(.month, from: date) - 1) / 3 + 1 : self.component(component, from: date)
  }
}
