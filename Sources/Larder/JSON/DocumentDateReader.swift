import Foundation

/// Parses the forms of ISO 8601: days by month, week or day of the year, in basic and extended format, times to any
/// precision with a point or comma, time zones, midnight as 24:00, leap seconds, and signed years of more than four
/// digits.
struct DocumentDateReader {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
  }

  mutating func date() -> Date? {
    guard let day = calendarDay() else { return nil }
    var seconds = day * 86_400 - DocumentDate.reference
    guard !isAtEnd else { return Date(timeIntervalSinceReferenceDate: Double(seconds)) }
    guard take("T") || take("t") || take(" "), let time = time(), let offset = zone(), isAtEnd else { return nil }
    seconds += time.seconds - offset
    return Date(timeIntervalSinceReferenceDate: Double(seconds) + time.fraction)
  }

  // MARK: Days

  /// The number of the day, 0 for 1970-01-01.
  private mutating func calendarDay() -> Int? {
    guard let year = year() else { return nil }
    let first = CivilDate.firstDay(of: year.number)
    let isExtended = take("-")
    if take("W") { return week(of: year.number, first, isExtended: isExtended) }
    switch digitCount {
    case 0 where !isExtended: return first
    case 2 where isExtended:
      guard let month = number(2), (1...12).contains(month) else { return nil }
      guard take("-") else { return self.day(1, month, year.number, first) }
      return number(2).flatMap { self.day($0, month, year.number, first) }
    case 4 where !isExtended && !year.isExpanded:
      guard let month = number(2), (1...12).contains(month), let day = number(2) else { return nil }
      return self.day(day, month, year.number, first)
    case 3:
      guard let day = number(3), (1...(CivilDate.isLeap(year.number) ? 366 : 365)).contains(day) else { return nil }
      return first + day - 1
    default: return nil
    }
  }

  private mutating func year() -> (number: Int, isExpanded: Bool)? {
    let isNegative = bytes.first == UInt8(ascii: "-")
    guard take("+") || take("-") else { return number(4).map { ($0, false) } }
    let count = digitCount
    guard (4...7).contains(count), let year = number(count) else { return nil }
    return (isNegative ? -year : year, true)
  }

  private func day(_ day: Int, _ month: Int, _ year: Int, _ first: Int) -> Int? {
    guard (1...CivilDate.days(in: month, of: year)).contains(day) else { return nil }
    return first + (1..<month).reduce(0) { $0 + CivilDate.days(in: $1, of: year) } + day - 1
  }

  /// A week begins on Monday, and the first one of a year is that of January 4th.
  private mutating func week(of year: Int, _ first: Int, isExtended: Bool) -> Int? {
    guard let week = number(2), week >= 1 else { return nil }
    func monday(_ january4th: Int) -> Int { january4th - DocumentDate.dividing(january4th + 3, by: 7).remainder }
    let start = monday(first + 3) + (week - 1) * 7
    guard start < monday(CivilDate.firstDay(of: year + 1) + 3) else { return nil }
    if isExtended ? !take("-") : digitCount == 0 { return start }
    guard let weekday = number(1), (1...7).contains(weekday) else { return nil }
    return start + weekday - 1
  }

  // MARK: Times

  private mutating func time() -> (seconds: Int, fraction: Double)? {
    guard let hour = number(2), hour <= 24 else { return nil }
    var (minute, second) = (0, 0)
    // The unit of the last number, to which a fraction applies.
    var unit = 3600
    let isExtended = take(":")
    if isExtended || digitCount > 0 {
      guard let number = number(2), number < 60 else { return nil }
      minute = number
      unit = 60
      if isExtended ? take(":") : digitCount > 0 {
        guard let number = self.number(2), number < 60 || (number == 60 && minute == 59) else { return nil }
        second = number
        unit = 1
      }
    }
    var fraction = 0.0
    if take(".") || take(",") {
      guard let part = self.fraction() else { return nil }
      fraction = part * Double(unit)
    }
    guard hour < 24 || (minute == 0 && second == 0 && fraction == 0) else { return nil }
    return (hour * 3600 + minute * 60 + second, fraction)
  }

  /// Fifteen digits are significant in a double.
  private mutating func fraction() -> Double? {
    guard digitCount > 0 else { return nil }
    var (number, scale) = (0.0, 1.0)
    while let digit = digit() {
      guard scale < 1e15 else { continue }
      number = number * 10 + Double(digit)
      scale *= 10
    }
    return number / scale
  }

  private mutating func zone() -> Int? {
    if isAtEnd || take("Z") || take("z") { return 0 }
    let isWest = bytes[position] == UInt8(ascii: "-")
    guard take("+") || take("-"), let hour = number(2), hour < 24 else { return nil }
    let minute = take(":") || !isAtEnd ? number(2) : 0
    guard let minute, minute < 60 else { return nil }
    return (isWest ? -1 : 1) * (hour * 3600 + minute * 60)
  }

  // MARK: Characters

  private var isAtEnd: Bool { position == bytes.count }

  /// Returns the number of digits at this position.
  private var digitCount: Int { bytes[position...].prefix { $0 &- UInt8(ascii: "0") < 10 }.count }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private mutating func digit() -> Int? {
    guard position < bytes.count, bytes[position] &- UInt8(ascii: "0") < 10 else { return nil }
    position += 1
    return Int(bytes[position - 1] - UInt8(ascii: "0"))
  }

  private mutating func number(_ count: Int) -> Int? {
    var number = 0
    for _ in 0..<count {
      guard let digit = digit() else { return nil }
      number = number * 10 + digit
    }
    return number
  }
}
