public import Foundation

/// `Date`, or an optional one: a value whose calendar periods a query can ask for.
public protocol QueryDate: Sendable {
  /// `Int`, or an optional one.
  associatedtype Component: StoredValue
  /// `Double`, or an optional one.
  associatedtype Interval: StoredValue
}

extension Date: QueryDate {
  public typealias Component = Int
  public typealias Interval = Double
}

extension Optional: QueryDate where Wrapped == Date {
  public typealias Component = Int?
  public typealias Interval = Double?
}

extension QueryExpressible where Output: QueryDate & StoredValue {
  /// The beginning of the date's year in a time zone, in the Gregorian calendar.
  ///
  /// Group by it for yearly totals: `Cost.all.grouped(by: { $0.date.year(in: .gmt) }) { ($0.key, $0.sum(\.amount)) }`.
  ///
  /// - Parameter timeZone: The time zone.
  /// - Returns: An expression of the first moment of the year; nil for nil.
  public func year(in timeZone: TimeZone) -> QueryExpression<Output> { start(of: .year, timeZone) }

  /// The beginning of the date's month in a time zone, in the Gregorian calendar.
  ///
  /// - Parameter timeZone: The time zone.
  /// - Returns: An expression of the first moment of the month; nil for nil.
  public func month(in timeZone: TimeZone) -> QueryExpression<Output> { start(of: .month, timeZone) }

  /// The beginning of the date's week in a time zone, in the Gregorian calendar.
  ///
  /// - Parameters:
  ///   - timeZone: The time zone.
  ///   - firstWeekday: The first day of a week, from 1 for Sunday to 7; by default Monday. Another number is a
  ///     programming error and traps.
  /// - Returns: An expression of the first moment of the week; nil for nil.
  public func week(in timeZone: TimeZone, firstWeekday: Int = 2) -> QueryExpression<Output> {
    precondition((1...7).contains(firstWeekday), "the days of a week have the numbers 1 to 7")
    return start(of: .week(firstWeekday: firstWeekday), timeZone)
  }

  /// The beginning of the date's day in a time zone, in the Gregorian calendar.
  ///
  /// - Parameter timeZone: The time zone.
  /// - Returns: An expression of the first moment of the day, which isn't midnight where clocks are set forward then;
  ///   nil for nil.
  public func day(in timeZone: TimeZone) -> QueryExpression<Output> { start(of: .day, timeZone) }

  /// The beginning of the date's hour in a time zone.
  ///
  /// - Parameter timeZone: The time zone.
  /// - Returns: An expression of the first moment of the hour; nil for nil.
  public func hour(in timeZone: TimeZone) -> QueryExpression<Output> { start(of: .hour, timeZone) }

  /// A part of the date as a number, such as the weekday from 1 for Sunday to 7, in the Gregorian calendar.
  ///
  /// ```swift
  /// Visit.all.grouped(by: { $0.date.component(.weekday, in: .gmt) }) { ($0.key, $0.count) }
  /// ```
  ///
  /// - Parameters:
  ///   - component: The part, as `Calendar.component(_:from:)` returns it.
  ///   - timeZone: The time zone.
  /// - Returns: An expression of the number; nil for nil.
  public func component(_ component: CalendarPart, in timeZone: TimeZone) -> QueryExpression<Output.Component> {
    QueryExpression(node: calendar(.calendarPart, component.rawValue, timeZone), coding: .stored)
  }

  /// The time from a moment to this one: `$0.dueAt.timeIntervalSince(.now) < 7 * 86_400`.
  ///
  /// - Parameter date: The moment.
  /// - Returns: An expression of the seconds, negative if this moment is earlier; nil for nil.
  public func timeIntervalSince(_ date: Date) -> QueryExpression<Output.Interval> {
    let constant = QueryExpression<Date>(node: seconds, coding: .stored).node(for: date)
    return QueryExpression(node: .binary(.subtract, seconds, constant), coding: .stored)
  }

  /// The time from another date of the row to this one: `$0.paidAt.timeIntervalSince($0.issuedAt)`.
  ///
  /// - Parameter date: The other date.
  /// - Returns: An expression of the seconds, negative if this date is earlier; nil for nil.
  public func timeIntervalSince<Other: QueryExpressible>(_ date: Other) -> QueryExpression<Output.Interval>
  where Other.Output == Date {
    QueryExpression(node: .binary(.subtract, seconds, date.seconds), coding: .stored)
  }

  /// The time from another date of the row, which may be nil, to this one.
  ///
  /// - Parameter date: The other date.
  /// - Returns: An expression of the seconds, negative if this date is earlier; nil if one of the dates is.
  public func timeIntervalSince<Other: QueryExpressible>(_ date: Other) -> QueryExpression<Double?>
  where Other.Output == Date? {
    QueryExpression(node: .binary(.subtract, seconds, date.seconds), coding: .stored)
  }

  /// The date in seconds since 2001, whichever way the column stores it.
  private var seconds: SQLNode { node.order == .instant ? .function(.seconds, [node]) : node }

  private func start(of period: CalendarPeriod, _ timeZone: TimeZone) -> QueryExpression<Output> {
    QueryExpression(node: calendar(.periodStart, period.number, timeZone), coding: .stored)
  }

  private func calendar(_ function: SQLFunction, _ number: Int, _ timeZone: TimeZone) -> SQLNode {
    .function(function, [seconds, .value(.integer(Int64(number))), .value(.text(timeZone.identifier))])
  }
}

/// A part of a date as a number.
public enum CalendarPart: Int, Sendable, CaseIterable {
  /// The year.
  case year
  /// The quarter, from 1.
  case quarter
  /// The month, from 1 for January.
  case month
  /// The week of the year by ISO 8601, from 1.
  case week
  /// The day of the month, from 1.
  case day
  /// The weekday, from 1 for Sunday to 7.
  case weekday
  /// The hour, from 0 to 23.
  case hour
  /// The minute, from 0 to 59.
  case minute
}
