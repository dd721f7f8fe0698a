/// A period of the calendar to whose beginning a query moves dates.
enum CalendarPeriod: Sendable, Hashable {
  case year, month, day, hour
  /// The days of a week have the numbers 1, for Sunday, to 7.
  case week(firstWeekday: Int)

  /// The period as an argument of an SQL function.
  var number: Int {
    switch self {
    case .week(let firstWeekday): firstWeekday
    case .hour: 8
    case .day: 9
    case .month: 10
    case .year: 11
    }
  }

  init?(number: Int64) {
    switch number {
    case 1...7: self = .week(firstWeekday: Int(number))
    case 8: self = .hour
    case 9: self = .day
    case 10: self = .month
    case 11: self = .year
    default: return nil
    }
  }
}
