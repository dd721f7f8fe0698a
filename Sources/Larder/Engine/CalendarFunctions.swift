import Foundation
import Synchronization

/// The functions that find calendar periods of dates.
enum CalendarFunctions {
  static let all = [
    ScalarFunction(.periodStart, 3) { values in
      guard let seconds = values[0].real, case .integer(let number) = values[1], case .text(let zone) = values[2] else {
        return values[0]
      }
      return .real(try periods.start(of: seconds, PeriodKind(number: number, zone: zone)))
    },
    ScalarFunction(.calendarPart, 3) { values in
      guard let seconds = values[0].real, case .integer(let number) = values[1], case .text(let zone) = values[2] else {
        return values[0]
      }
      let calendar = try calendar(in: zone)
      let date = try date(seconds)
      return .integer(Int64(calendar.component(try component(number), from: date)))
    },
  ]

  private static let periods = PeriodCache()

  /// Some 10,000 years: dates far from today keep Foundation's calendar busy, or overflow in it.
  private static let limit = 3.2e11

  fileprivate static func date(_ seconds: Double) throws -> Date {
    guard abs(seconds) < limit else { throw outside(seconds) }
    return Date(timeIntervalSinceReferenceDate: seconds)
  }

  fileprivate static func outside(_ seconds: Double) -> FunctionFailure {
    FunctionFailure(
      description:
        "a date of \(seconds) seconds since 2001 is outside of the calendar; leave such rows out with a condition")
  }

  fileprivate static func calendar(in zone: String) throws -> Calendar {
    guard let zone = TimeZone(identifier: zone) else {
      throw FunctionFailure(description: "there is no time zone \"\(zone)\"")
    }
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    // The first week of a year by ISO 8601.
    calendar.firstWeekday = 2
    calendar.minimumDaysInFirstWeek = 4
    return calendar
  }

  private static func component(_ number: Int64) throws -> Calendar.Component {
    switch CalendarPart(rawValue: Int(number)) {
    case .year: .year
    case .quarter: .quarter
    case .month: .month
    case .week: .weekOfYear
    case .day: .day
    case .weekday: .weekday
    case .hour: .hour
    case .minute: .minute
    case nil: throw FunctionFailure(description: "there is no part \(number) of a date")
    }
  }
}

private struct PeriodKind: Hashable {
  let number: Int64
  let zone: String
}

/// The periods that were found, because Foundation's calendar takes a microsecond and neighbouring rows are mostly of
/// one period.
private final class PeriodCache: Sendable {
  /// The periods of one kind, in their order.
  private struct Periods {
    let calendar: Calendar
    let period: CalendarPeriod
    var list: [Range<Double>] = []

    /// Returns the position of the first period that ends after the date.
    func position(of seconds: Double) -> Int {
      var (low, high) = (0, list.count)
      while low < high {
        let middle = (low + high) / 2
        if list[middle].upperBound <= seconds { low = middle + 1 } else { high = middle }
      }
      return low
    }
  }

  /// More periods than these are forgotten: two centuries of days.
  private static let capacity = 73_000

  private let periods = Mutex<[PeriodKind: Periods]>([:])

  func start(of seconds: Double, _ kind: PeriodKind) throws -> Double {
    try periods.withLock { periods in
      if let known = periods[kind] {
        let position = known.position(of: seconds)
        if position < known.list.count, known.list[position].contains(seconds) {
          return known.list[position].lowerBound
        }
      }
      var found = try periods[kind] ?? Self.periods(of: kind)
      let range = try Self.range(of: found.period, around: seconds, found.calendar)
      if found.list.count >= Self.capacity { found.list.removeAll() }
      found.list.insert(range, at: found.position(of: seconds))
      periods[kind] = found
      return range.lowerBound
    }
  }

  private static func periods(of kind: PeriodKind) throws -> Periods {
    guard let period = CalendarPeriod(number: kind.number) else {
      throw FunctionFailure(description: "there is no period \(kind.number)")
    }
    var calendar = try CalendarFunctions.calendar(in: kind.zone)
    if case .week(let firstWeekday) = period { calendar.firstWeekday = firstWeekday }
    return Periods(calendar: calendar, period: period)
  }

  private static func range(
    of period: CalendarPeriod, around seconds: Double, _ calendar: Calendar
  ) throws -> Range<Double> {
    let component: Calendar.Component =
      switch period {
      case .year: .year
      case .month: .month
      case .week: .weekOfYear
      case .day: .day
      case .hour: .hour
      }
    guard let interval = calendar.dateInterval(of: component, for: try CalendarFunctions.date(seconds)) else {
      throw CalendarFunctions.outside(seconds)
    }
    let start = interval.start.timeIntervalSinceReferenceDate
    return start..<max(interval.end.timeIntervalSinceReferenceDate, start.nextUp)
  }
}
