public import Foundation

extension Date: StoredValue {
  @inlinable public static var storageClass: StorageClass { .real }

  /// Reads seconds since 2001-01-01 00:00 UTC, or ISO 8601 text that an existing column stores instead.
  public init(storedValue: Value) throws {
    switch storedValue {
    case .real(let seconds): self = Date(timeIntervalSinceReferenceDate: seconds)
    case .integer: self = Date(timeIntervalSinceReferenceDate: try Double(storedValue: storedValue))
    case .text(let text):
      guard let date = ISO8601.date(from: text) else {
        throw ValueFailure.unexpected(storedValue, expected: "an ISO 8601 date")
      }
      self = date
    case .null, .blob: throw ValueFailure.unexpected(storedValue, expected: "a date")
    }
  }

  public func storedValue() throws -> Value {
    try timeIntervalSinceReferenceDate.storedValue()
  }

  @inlinable @inline(__always) public init(from column: StoredColumn) throws {
    if let seconds = column.exactReal {
      self = Date(timeIntervalSinceReferenceDate: seconds)
    } else {
      self = try Self.converted(column)
    }
  }

  @_documentation(visibility: internal)
  @inlinable @inline(__always)
  public static func _readStrict(_ statement: OpaquePointer, _ index: Int32, isNull: inout Bool) -> Date? {
    RowReader.real(statement, index, isNull: &isNull).map { Date(timeIntervalSinceReferenceDate: $0) }
  }

  @inlinable @inline(__always) public func bind(to parameter: inout StatementParameter) throws {
    try timeIntervalSinceReferenceDate.bind(to: &parameter)
  }
}

/// The text format of a date that isn't stored as a number of seconds.
@_documentation(visibility: internal)
public struct DateFormat: Sendable, Hashable {
  private enum Kind { case iso8601 }
  private let kind = Kind.iso8601

  /// ISO 8601 text in UTC, such as `2026-11-21T08:15:00.000Z`.
  public static let iso8601 = DateFormat()

  @usableFromInline
  func encode(_ date: Date) throws -> Value {
    if date.timeIntervalSinceReferenceDate.isNaN { throw ValueFailure.notANumber }
    guard let text = ISO8601.text(from: date) else {
      throw ValueFailure(
        problem: "is a date outside the years 0 to 9999, which ISO 8601 text cannot hold",
        remedy: "leave .iso8601 away: the number of seconds holds any date")
    }
    return .text(text)
  }
}

/// Reads and writes the forms of ISO 8601 dates that databases contain: `2016-07-04`, `2016-07-04 10:15`,
/// `2016-07-04T10:15:00.250Z`, `…+02:00`.
///
/// Days are counted with the civil calendar algorithms of Howard Hinnant,
/// <https://howardhinnant.github.io/date_algorithms.html>.
enum ISO8601 {
  /// Days from 1970-01-01 to 2001-01-01.
  private static let referenceDay = 11_323

  /// Returns the date in the text, in UTC if it has no time zone; nil if it isn't a date.
  static func date(from text: String) -> Date? {
    var parser = Parser(text.utf8)
    return parser.date()
  }

  /// Returns the text of the date: with milliseconds if they are exact, otherwise with nine digits of a second; nil
  /// outside the years 0 to 9999.
  static func text(from date: Date) -> String? {
    let seconds = date.timeIntervalSinceReferenceDate
    guard seconds.isFinite, abs(seconds) < 1e12 else { return nil }
    var whole = Int(seconds.rounded(.down))
    let fraction = seconds - Double(whole)
    var digits = 3
    var part = Int((fraction * 1e3).rounded())
    if Double(whole) + Double(part) / 1e3 != seconds {
      digits = 9
      part = Int((fraction * 1e9).rounded())
    }
    let scale = digits == 3 ? 1_000 : 1_000_000_000
    if part >= scale {
      whole += 1
      part -= scale
    }
    let days = whole >= 0 ? whole / 86_400 : -((86_399 - whole) / 86_400)
    let (year, month, day) = civil(fromDay: days + referenceDay)
    guard (0...9999).contains(year) else { return nil }
    let time = whole - days * 86_400
    var text = ""
    text.reserveCapacity(30)
    append(year, 4, to: &text)
    text += "-"
    append(month, 2, to: &text)
    text += "-"
    append(day, 2, to: &text)
    text += "T"
    append(time / 3600, 2, to: &text)
    text += ":"
    append(time / 60 % 60, 2, to: &text)
    text += ":"
    append(time % 60, 2, to: &text)
    text += "."
    append(part, digits, to: &text)
    text += "Z"
    return text
  }

  private static func append(_ number: Int, _ width: Int, to text: inout String) {
    let digits = String(number)
    for _ in digits.utf8.count..<max(width, digits.utf8.count) { text += "0" }
    text += digits
  }

  private static func civil(fromDay day: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = day + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }

  private static func day(year: Int, month: Int, day: Int) -> Int {
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
    let yearOfEra = shiftedYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  private struct Parser {
    private var rest: Substring.UTF8View

    init(_ utf8: String.UTF8View) {
      rest = utf8[...]
    }

    mutating func date() -> Date? {
      guard let year = digits(4), take("-"), let month = digits(2), take("-"), let day = digits(2) else { return nil }
      guard (1...12).contains(month), (1...ISO8601.days(in: month, of: year)).contains(day) else { return nil }
      var seconds = (ISO8601.day(year: year, month: month, day: day) - ISO8601.referenceDay) * 86_400
      var fraction = 0.0
      if take("T") || take("t") || take(" ") {
        guard let hour = digits(2), take(":"), let minute = digits(2), hour < 24, minute < 60 else { return nil }
        seconds += hour * 3600 + minute * 60
        if take(":") {
          guard let second = digits(2), second < 61 else { return nil }
          seconds += second
          if take(".") {
            guard let part = decimals() else { return nil }
            fraction = part
          }
        }
        guard let offset = zone() else { return nil }
        seconds -= offset
      }
      return rest.isEmpty ? Date(timeIntervalSinceReferenceDate: Double(seconds) + fraction) : nil
    }

    private mutating func zone() -> Int? {
      if rest.isEmpty || take("Z") || take("z") { return 0 }
      let sign = take("+") ? 1 : take("-") ? -1 : 0
      guard sign != 0, let hour = digits(2), hour < 24 else { return nil }
      _ = take(":")
      guard let minute = rest.isEmpty ? 0 : digits(2), minute < 60 else { return nil }
      return sign * (hour * 3600 + minute * 60)
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
      guard rest.first == UInt8(ascii: character) else { return false }
      rest.removeFirst()
      return true
    }

    private mutating func digit() -> Int? {
      guard let byte = rest.first, (48...57).contains(byte) else { return nil }
      rest.removeFirst()
      return Int(byte) - 48
    }

    private mutating func digits(_ count: Int) -> Int? {
      var number = 0
      for _ in 0..<count {
        guard let digit = digit() else { return nil }
        number = number * 10 + digit
      }
      return number
    }

    /// One to nine digits are used; further ones are finer than the resolution of `Date`.
    private mutating func decimals() -> Double? {
      guard let first = digit() else { return nil }
      var number = first
      var scale = 10.0
      while let next = digit() {
        guard scale < 1e9 else { continue }
        number = number * 10 + next
        scale *= 10
      }
      return Double(number) / scale
    }
  }

  private static func days(in month: Int, of year: Int) -> Int {
    switch month {
    case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}
