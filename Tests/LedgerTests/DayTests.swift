import Foundation
import Testing

@testable import Ledger

@Suite("Days")
struct DayTests {
  @Test(
    "a day is typed with the year first, or with points and the year last",
    arguments: [
      ("2026-11-21", "2026-11-21"), ("2026/11/21", "2026-11-21"), ("21.11.2026", "2026-11-21"),
      ("1.2.2026", "2026-02-01"),
      ("2026-1-2", "2026-01-02"),
      (" 2024-02-29 ", "2024-02-29"), ("2000-02-29", "2000-02-29"), ("1900-01-01", "1900-01-01"),
      ("9999-12-31", "9999-12-31"),
    ]
  )
  func typed(text: String, expected: String) throws {
    #expect(try Day(typed: text).rawValue == expected)
  }

  @Test(
    "what is no day, or could be two, is refused",
    arguments: [
      "", "today", "2026", "2026-11", "2026-13-01", "2026-00-10", "2026-02-29", "1900-02-29", "2026-04-31",
      "2026-11-00", "03/04/2026", "3-4-2026",
      "21.11.26", "2026.11.21", "2026-11/21", "2026-11-21T10:00", "-2026-11-21", "1899-12-31", "20261121", "２０２６-11-21",
      "2026--11", "2026-11-021",
    ]
  )
  func refused(text: String) {
    #expect(throws: InvalidText.self) { try Day(typed: text) }
  }

  @Test(
    "only the form that is kept is a raw value",
    arguments: ["2026-1-2", "2026-11-21 ", "21.11.2026", "2026-02-30", "20261121", ""])
  func rawValues(text: String) {
    #expect(Day(rawValue: text) == nil)
  }

  @Test("days sort as their texts do")
  func order() throws {
    let days = try ["1999-12-31", "2000-01-01", "2026-09-30", "2026-10-01"].map { try Day(typed: $0) }
    #expect(days.reversed().sorted() == days)
  }

  @Test("a moment's day is that of the calendar here")
  func here() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: "Asia/Shanghai"))
    let moment = try Date("2026-11-20T17:30:00Z", strategy: .iso8601)
    #expect(Day(moment, calendar: calendar).rawValue == "2026-11-21")
    calendar.timeZone = .gmt
    #expect(Day(moment, calendar: calendar).rawValue == "2026-11-20")
  }
}
