import Foundation
import Synchronization

/// The functions that find calendar periods of dates.
enum CalendarFunctions {
  static let all = [
    ScalarFunction(
      SQLFunction.periodStart.rawValue, 3,
      reading: { call in
        guard let seconds = call.number(0), let number = call.integer(1) else { return call.value(0) }
        return .real(
          try call.kept(2) { PeriodFinder(zone: call.value(2).text ?? "") }.start(of: seconds, number, periods))
      }),
    ScalarFunction(
      SQLFunction.calendarPart.rawValue, 3,
      reading: { call in
        guard let seconds = call.number(0), let number = call.integer(1) else { return call.value(0) }
        let zone = try call.kept(2) { ZoneCalendar(try calendar(in: call.value(2).text ?? "")) }
        return .integer(Int64(try part(number, of: try date(seconds), zone.calendar)))
      }),
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

  private static func part(_ number: Int64, of date: Date, _ calendar: Calendar) throws -> Int {
    let component: Calendar.Component
    switch CalendarPart(rawValue: Int(number)) {
    case .year: component = .year
    // Foundation's quarter is the next one on the last day of some.
    case .quarter: return (calendar.component(.month, from: date) + 2) / 3
    case .month: component = .month
    case .week: component = .weekOfYear
    case .day: component = .day
    case .weekday: component = .weekday
    case .hour: component = .hour
    case .minute: component = .minute
    case nil: throw FunctionFailure(description: "there is no part \(number) of a date")
    }
    return calendar.component(component, from: date)
  }
}

/// A calendar that a statement keeps, because making one takes longer than using it.
private final class ZoneCalendar {
  let calendar: Calendar

  init(_ calendar: Calendar) { self.calendar = calendar }
}

/// The period that a statement has found last: neighbouring rows are mostly of one period.
private final class PeriodFinder {
  private let zone: String
  private var number: Int64?
  private var last = 0.0..<0.0

  init(zone: String) { self.zone = zone }

  func start(of seconds: Double, _ number: Int64, _ periods: PeriodCache) throws -> Double {
    if number != self.number || !last.contains(seconds) {
      last = try periods.period(of: seconds, PeriodKind(number: number, zone: zone))
      self.number = number
    }
    return last.lowerBound
  }
}

private struct PeriodKind: Hashable {
  let number: Int64
  let zone: String
}

/// The periods that were found, because Foundation's calendar takes a microsecond.
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

  func period(of seconds: Double, _ kind: PeriodKind) throws -> Range<Double> {
    try periods.withLock { periods in
      if let known = periods[kind] {
        let position = known.position(of: seconds)
        if position < known.list.count, known.list[position].contains(seconds) {
          return known.list[position]
        }
      }
      var found = try periods[kind] ?? Self.periods(of: kind)
      let range = try Self.range(of: found.period, around: seconds, found.calendar)
      if found.list.count >= Self.capacity { found.list.removeAll() }
      found.list.insert(range, at: found.position(of: seconds))
      periods[kind] = found
      return range
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
    let date = try CalendarFunctions.date(seconds)
    if period == .hour { return hour(around: seconds, calendar.timeZone) }
    let component: Calendar.Component =
      switch period {
      case .year: .year
      case .month: .month
      case .week: .weekOfYear
      case .day: .day
      case .hour: .hour
      }
    guard let interval = calendar.dateInterval(of: component, for: date) else {
      throw CalendarFunctions.outside(seconds)
    }
    let start = interval.start.timeIntervalSinceReferenceDate
    return start..<max(interval.end.timeIntervalSinceReferenceDate, start.nextUp)
  }

  /// Returns the hour on the clocks around the date. Where clocks change by less than an hour, as on Lord Howe Island, an
  /// hour ends at the change and another one begins, so that each date belongs to one.
  private static func hour(around seconds: Double, _ zone: TimeZone) -> Range<Double> {
    func offset(_ seconds: Double) -> Double {
      Double(zone.secondsFromGMT(for: Date(timeIntervalSinceReferenceDate: seconds)))
    }
    /// Returns the first second with the offset of the second date.
    func change(between before: Double, _ after: Double) -> Double {
      var (low, high) = (before, after)
      while high - low > 1 {
        let middle = ((low + high) / 2).rounded(.down)
        if offset(middle) == offset(after) { high = middle } else { low = middle }
      }
      return high
    }
    let present = offset(seconds)
    let second = seconds.rounded(.down)
    var start = ((second + present) / 3600).rounded(.down) * 3600 - present
    var end = start + 3600
    if offset(start) != present { start = change(between: start, second) }
    if offset(end - 1) != present { end = change(between: second, end - 1) }
    return start..<end
  }
}
