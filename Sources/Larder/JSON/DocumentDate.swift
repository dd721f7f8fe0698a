import Foundation

/// Dates in documents: text of fixed width in UTC, `2026-11-21T08:15:00.000000000Z`, whose text order is chronological.
enum DocumentDate {
  /// Seconds from 1970-01-01 to 2001-01-01.
  static let reference = 978_307_200
  private static let day = 86_400

  /// Returns the date as text, to the nanosecond; nil outside the years 0 to 9999, which this fixed width can't
  /// represent.
  static func text(_ date: Date) -> String? {
    let seconds = date.timeIntervalSinceReferenceDate
    guard seconds.isFinite, abs(seconds) < 1e12 else { return nil }
    var whole = Int(seconds.rounded(.down))
    var nanoseconds = Self.nanoseconds(of: seconds, beyond: whole)
    if nanoseconds == 1_000_000_000 {
      whole += 1
      nanoseconds = 0
    }
    let (days, time) = dividing(whole + reference, by: day)
    let date = CivilDate(day: days)
    guard (0...9999).contains(date.year) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(30)
    append(date.year, 4, "-", to: &bytes)
    append(date.month, 2, "-", to: &bytes)
    append(date.day, 2, "T", to: &bytes)
    append(time / 3600, 2, ":", to: &bytes)
    append(time / 60 % 60, 2, ":", to: &bytes)
    append(time % 60, 2, ".", to: &bytes)
    append(nanoseconds, 9, "Z", to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the fraction of the seconds, with the fewest digits that read back as the same time: 0.434, not
  /// 0.434000015, which is closer to the double.
  private static func nanoseconds(of seconds: Double, beyond whole: Int) -> Int {
    let fraction = seconds - Double(whole)
    for (scale, unit) in [(1e3, 1_000_000), (1e6, 1000)] {
      let part = (fraction * scale).rounded()
      if Double(whole) + part / scale == seconds { return Int(part) * unit }
    }
    return Int((fraction * 1e9).rounded())
  }

  private static func append(_ number: Int, _ width: Int, _ separator: Unicode.Scalar, to bytes: inout [UInt8]) {
    var scale = 1
    for _ in 1..<width { scale *= 10 }
    while scale > 0 {
      bytes.append(UInt8(ascii: "0") + UInt8(number / scale % 10))
      scale /= 10
    }
    bytes.append(UInt8(ascii: separator))
  }

  /// Returns the quotient, rounded down, and the remainder.
  static func dividing(_ number: Int, by divisor: Int) -> (quotient: Int, remainder: Int) {
    let remainder = ((number % divisor) + divisor) % divisor
    return ((number - remainder) / divisor, remainder)
  }

  /// Returns the date that ISO 8601 text in any form denotes, in UTC if it has no time zone; nil if the text isn't a
  /// date.
  static func date(_ text: String) -> Date? {
    var text = text
    return text.withUTF8 { bytes in
      var reader = DocumentDateReader(bytes)
      return reader.date()
    }
  }

  /// Returns the seconds since 2001 of text that conditions compare as a date: one that begins like 2026-07-04.
  static func comparableSeconds(_ text: String) -> Double? {
    guard text.utf8.count >= 10, text.utf8.dropFirst(4).first == UInt8(ascii: "-"),
      text.utf8.dropFirst(7).first == UInt8(ascii: "-")
    else {
      return nil
    }
    return date(text)?.timeIntervalSinceReferenceDate
  }

  /// Returns two texts that enclose, in text order, every text that conditions compare as this time.
  ///
  /// A text may name a day that differs by one from that in UTC, and the midnight at which a day ends, so the bounds
  /// are two days to either side.
  static func bounds(around seconds: Double) -> (low: String, high: String) {
    func dayText(_ seconds: Double, _ outside: String) -> String {
      guard let text = text(Date(timeIntervalSinceReferenceDate: seconds)) else { return outside }
      return String(text.prefix(10))
    }
    let margin = Double(2 * day)
    return (
      dayText(seconds - margin, seconds < 0 ? "0" : ":"), dayText(seconds + margin, seconds < 0 ? "0" : ":") + "~"
    )
  }

  /// Returns the JSON with dates that earlier versions wrote, to the millisecond, in the current format; nil if it has
  /// none.
  static func updating(_ json: String) -> String? {
    let bytes = Array(json.utf8)
    var updated: [UInt8] = []
    var copied = 0
    var position = 0
    while let quote = bytes[position...].firstIndex(of: UInt8(ascii: "\"")) {
      var end = quote + 1
      while end < bytes.count, bytes[end] != UInt8(ascii: "\"") { end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1 }
      guard end < bytes.count else { break }
      position = end + 1
      if isFormerDate(bytes[(quote + 1)..<end]), !isName(bytes, before: position) {
        updated += bytes[copied..<(end - 1)]
        updated += "000000".utf8
        copied = end - 1
      }
    }
    return copied == 0 ? nil : String(decoding: updated + bytes[copied...], as: UTF8.self)
  }

  /// Returns whether a colon follows, that is, whether the string is the name of a property.
  private static func isName(_ bytes: [UInt8], before position: Int) -> Bool {
    bytes[position...].first { $0 > 0x20 } == UInt8(ascii: ":")
  }

  private static let formerPattern = Array("0000-00-00T00:00:00.000Z".utf8)

  private static func isFormerDate(_ text: ArraySlice<UInt8>) -> Bool {
    guard text.count == formerPattern.count else { return false }
    return zip(text, formerPattern).allSatisfy { byte, pattern in
      pattern == UInt8(ascii: "0") ? (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) : byte == pattern
    }
  }
}

/// A day of the proleptic Gregorian calendar, as ISO 8601 uses it.
///
/// The algorithms are Howard Hinnant's, <https://howardhinnant.github.io/date_algorithms.html>.
struct CivilDate {
  let year: Int
  let month: Int
  let day: Int

  /// Creates the day with this number of days after 1970-01-01.
  init(day number: Int) {
    let (era, dayOfEra) = DocumentDate.dividing(number + 719_468, by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// Returns the number of days from 1970-01-01 to the first day of the year.
  static func firstDay(of year: Int) -> Int {
    let (era, yearOfEra) = DocumentDate.dividing(year - 1, by: 400)
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + 306 - 719_468
  }

  static func isLeap(_ year: Int) -> Bool { (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 }

  static func days(in month: Int, of year: Int) -> Int {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}
