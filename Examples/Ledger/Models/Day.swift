import Foundation

/// A day of the calendar, the same in every time zone: a bill of the 21st stays one of the 21st wherever it is read.
///
/// Kept as text like "2026-11-21", which sorts as the days do.
struct Day: RawRepresentable, Codable, Hashable, Comparable, Sendable {
  let rawValue: String

  /// Nil unless the text is exactly a day as it is kept, from 1900-01-01 to 9999-12-31.
  init?(rawValue: String) {
    let digits = Array(rawValue.utf8)
    guard digits.count == 10, digits[4] == UInt8(ascii: "-"), digits[7] == UInt8(ascii: "-") else { return nil }
    guard
      let year = Self.number(digits[0..<4]), let month = Self.number(digits[5..<7]),
      let day = Self.number(digits[8..<10]),
      year >= 1900, (1...12).contains(month), day >= 1, day <= Self.days(in: month, of: year)
    else { return nil }
    self.rawValue = rawValue
  }

  /// The day that it is for a clock here.
  init(_ date: Date, calendar: Calendar = .current) {
    let parts = calendar.dateComponents([.year, .month, .day], from: date)
    rawValue = Self.text(parts.year ?? 1900, parts.month ?? 1, parts.day ?? 1)
  }

  /// A day as people and programs write it: 2026-11-21, 2026/11/21 or 21.11.2026.
  ///
  /// Throws `InvalidText` for anything else, and for 03/04/2026, which is in March for some and in April for others.
  init(typed text: String) throws {
    let text = text.trimmingCharacters(in: .whitespaces)
    guard !text.isEmpty else { throw InvalidText("A date is missing.") }
    if let day = Day(rawValue: text) {
      self = day
      return
    }
    let parts = text.split(omittingEmptySubsequences: false) { "-./".contains($0) }
    let separators = Set(text.filter { "-./".contains($0) })
    let numbers = parts.compactMap { Self.number(Array($0.utf8)[...]) }
    let isYearFirst = parts.first?.utf8.count == 4
    if parts.count == 3, numbers.count == 3, separators.count == 1, let separator = separators.first {
      if separator == "/", !isYearFirst {
        throw InvalidText("The date “\(text.excerpt)” can be read in two ways. Write year, month, day: 2026-11-21.")
      }
      if isYearFirst != (separator == "."), (isYearFirst ? parts[0] : parts[2]).utf8.count == 4,
        parts.filter({ $0.utf8.count <= 2 }).count == 2
      {
        let ordered = isYearFirst ? numbers : numbers.reversed()
        if let day = Day(rawValue: Self.text(ordered[0], ordered[1], ordered[2])) {
          self = day
          return
        }
        throw InvalidText("There is no day “\(text.excerpt)” in the calendar from 1900 on.")
      }
    }
    throw InvalidText("“\(text.excerpt)” is not a date. Write year, month, day: 2026-11-21.")
  }

  static var today: Day { Day(.now) }

  static func < (left: Day, right: Day) -> Bool { left.rawValue < right.rawValue }

  private static func text(_ year: Int, _ month: Int, _ day: Int) -> String {
    func padded(_ number: Int, _ length: Int) -> String {
      let digits = String(number)
      return String(repeating: "0", count: max(0, length - digits.count)) + digits
    }
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    guard !digits.isEmpty, digits.count <= 4,
      digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return nil }
    return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
  }

  private static func days(in month: Int, of year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}
