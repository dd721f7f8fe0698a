import Foundation
import Larder
import LarderTestSupport
import Testing

@Suite struct DateTests {
  @Model struct Event: Hashable {
    var id: Int
    var at: Date
    @Attribute(.iso8601) var named: Date
    @Attribute(.iso8601) var ended: Date?
  }

  private func stored(_ date: Date) throws -> (text: String, date: Date) {
    let store = try Store(inMemoryFor: Event.self)
    try store.blocking.insert(Event(id: 1, at: date, named: date, ended: date))
    let row = try #require(try store.blocking.rows(Event.all).first)
    let event = try #require(try store.blocking.find(Event.self, 1))
    #expect(event.at == date)
    #expect(row["at"] == .real(date.timeIntervalSinceReferenceDate))
    #expect(row["named"] == row["ended"])
    #expect(event.ended == event.named)
    return (try row.get("named"), event.named)
  }

  private static let named: [(seconds: Double, text: String)] = [
    (0, "2001-01-01T00:00:00.000Z"), (-0.25, "2000-12-31T23:59:59.750Z"), (86_399.999, "2001-01-01T23:59:59.999Z"),
    (-978_307_200, "1970-01-01T00:00:00.000Z"), (5_097_600, "2001-03-01T00:00:00.000Z"),
    (-26_524_800, "2000-02-29T00:00:00.000Z"),
    (-63_113_904_000, "0001-01-01T00:00:00.000Z"), (252_423_993_599, "9999-12-31T23:59:59.000Z"),
    (0.25, "2001-01-01T00:00:00.250Z"),
    (820_454_400.123_456_7, "2027-01-01T00:00:00.123456717Z"),
  ]

  @Test(".iso8601 keeps a date as text in UTC", arguments: named)
  func text(seconds: Double, text: String) throws {
    let date = Date(timeIntervalSinceReferenceDate: seconds)
    let stored = try stored(date)
    #expect(stored.text == text)
    #expect(stored.date == date)
  }

  @Test(
    "dates of our time come back exactly from .iso8601, to the last bit of their fraction",
    arguments: RoundTripTests.seeds)
  func exact(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let store = try Store(inMemoryFor: Event.self)
    let written = (0..<1_000).map { id in
      let whole = Double(Int.random(in: 300_000_000...2_000_000_000, using: &random))
      let date = Date(
        timeIntervalSinceReferenceDate: whole
          + [0, Double(id) / 1000, Double.random(in: 0..<1, using: &random)][id % 3])
      return Event(id: id, at: date, named: date, ended: nil)
    }
    try store.blocking.insert(written)
    for event in try store.blocking.fetch(Event.all) {
      #expect(event == written[event.id], "seed \(seed)")
    }
  }

  @Test(".iso8601 text of every year's ends names the day that the calendar names") func calendar() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    let store = try Store(inMemoryFor: Event.self)
    // The civil calendar is proleptic Gregorian, and so is Foundation's from 1583 on.
    for year in stride(from: 1583, through: 9999, by: 37) {
      for (month, day) in [(1, 1), (2, 28), (3, 1), (12, 31)] {
        let date = try #require(calendar.date(from: DateComponents(year: year, month: month, day: day, hour: 12)))
        try store.blocking.save(Event(id: 1, at: date, named: date, ended: nil))
        let text = try #require(try store.blocking.rows(Event.all).first?["named"]?.text)
        let expected = String(format: "%04d-%02d-%02dT12:00:00.000Z", year, month, day)
        #expect(text == expected)
      }
    }
  }

  @Test("distant dates are kept, as numbers and as text") func distant() throws {
    for date in [Date.distantPast, .distantFuture] {
      #expect(try stored(date).date == date)
    }
  }

  @Test(
    "text that other programs wrote is read",
    arguments: [
      ("2016-07-04", 489_283_200.0), ("2016-07-04 10:15", 489_320_100), ("2016-07-04T10:15:30Z", 489_320_130),
      ("2016-07-04T10:15:30.5+02:00", 489_312_930.5),
      ("2016-07-04 10:15:30.123456789-0130", 489_325_530.123_456_789),
    ])
  func foreign(text: String, seconds: Double) throws {
    let store = try Store(inMemoryFor: Event.self)
    let now = Date(timeIntervalSinceReferenceDate: 0)
    try store.blocking.insert(Event(id: 1, at: now, named: now, ended: nil))
    try store.blocking.sql("update \(Event.self) set named = \(text)")
    #expect(try store.blocking.find(Event.self, 1)?.named == Date(timeIntervalSinceReferenceDate: seconds))
  }

  @Test(
    "text that is no date is an error with the property's name",
    arguments: [
      "", "yesterday", "2016-13-01", "2016-02-30", "2016-07-04T25:00", "2016-07-04x", "2016-07-04T10:15:30.Z",
    ])
  func noDate(text: String) throws {
    let store = try Store(inMemoryFor: Event.self)
    let now = Date(timeIntervalSinceReferenceDate: 0)
    try store.blocking.insert(Event(id: 1, at: now, named: now, ended: nil))
    try store.blocking.sql("update \(Event.self) set ended = \(text)")
    let error = #expect(throws: StoreError.self) { try store.blocking.find(Event.self, 1) }
    #expect(error?.code == .invalidValue)
    #expect(error?.property == "ended")
  }
}
