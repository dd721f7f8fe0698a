import Foundation
internal import GRDB
import GRDBSQLite

/// The functions and collations that Larder adds to every connection.
enum SQLFunctions {
  static func register(on database: Database) throws {
    for collation in [decimal, instant, localized] { database.add(collation: collation) }
    for function in [hasSuffix, lower, upper, foldCase, localizedContains, count, seconds, uuid, negate] + arithmetic {
      database.add(function: function)
    }
    database.add(function: DatabaseFunction("larder_decimal_sum", argumentCount: 1, pure: true, aggregate: DecimalSum.self))
    database.add(function: DatabaseFunction("larder_decimal_average", argumentCount: 1, pure: true, aggregate: DecimalAverage.self))
    guard let handle = database.sqliteConnection else { return }
    registerMatches(on: handle)
  }

  // MARK: Collations

  /// Decimal numbers in the order of their size; text that is no number comes after all numbers, in its own order.
  private static let decimal = DatabaseCollation(Collation.decimal.rawValue) { left, right in
    order(left, right, by: { Decimal(canonical: $0) })
  }

  /// Dates of ISO 8601 in the order of time; text that is no date comes after all dates, in its own order.
  private static let instant = DatabaseCollation(Collation.instant.rawValue) { left, right in
    order(left, right, by: ISO8601.date(from:))
  }

  private static let localized = DatabaseCollation(Collation.localized.rawValue) { left, right in
    left.localizedStandardCompare(right)
  }

  private static func order<Key: Comparable>(_ left: String, _ right: String, by key: (String) -> Key?) -> ComparisonResult {
    if left == right { return .orderedSame }
    switch (key(left), key(right)) {
    case (let left?, let right?): return left < right ? .orderedAscending : left == right ? .orderedSame : .orderedDescending
    case (nil, _?): return .orderedDescending
    case (_?, nil): return .orderedAscending
    case (nil, nil): return left < right ? .orderedAscending : .orderedDescending
    }
  }

  // MARK: Text

  private static func text(
    _ name: String, _ arguments: Int, _ function: @escaping @Sendable ([String]) -> (any DatabaseValueConvertible)?
  ) -> DatabaseFunction {
    DatabaseFunction(name, argumentCount: arguments, pure: true) { values in
      let texts = values.compactMap { String.fromDatabaseValue($0) }
      return texts.count == arguments ? function(texts) : nil
    }
  }

  private static let hasSuffix = text("larder_has_suffix", 2) { Array($0[0].utf8.suffix($0[1].utf8.count)) == Array($0[1].utf8) }
  private static let lower = text("larder_lower", 1) { $0[0].lowercased() }
  private static let upper = text("larder_upper", 1) { $0[0].uppercased() }
  private static let foldCase = text("larder_fold_case", 1) { $0[0].caseFolded }
  private static let localizedContains = text("larder_localized_contains", 2) { $0[1].isEmpty || $0[0].localizedStandardContains($0[1]) }
  /// The number of characters, as Swift counts them.
  private static let count = text("larder_count", 1) { $0[0].count }

  // MARK: Existing forms

  private static let seconds = DatabaseFunction("larder_seconds", argumentCount: 1, pure: true) { values in
    guard case .string(let text) = values[0].storage else { return values[0] }
    return ISO8601.date(from: text)?.timeIntervalSinceReferenceDate
  }

  private static let uuid = DatabaseFunction("larder_uuid", argumentCount: 1, pure: true) { values in
    guard case .string(let text) = values[0].storage, let uuid = UUID(uuidString: text) else { return values[0] }
    return withUnsafeBytes(of: uuid.uuid) { Data($0) }
  }

  // MARK: Decimals

  private static let arithmetic = [
    decimalFunction("larder_decimal_add") { $0 + $1 },
    decimalFunction("larder_decimal_subtract") { $0 - $1 },
    decimalFunction("larder_decimal_multiply") { $0 * $1 },
    decimalFunction("larder_decimal_divide") { $1.isZero ? nil : $0 / $1 },
  ]

  private static let negate = DatabaseFunction("larder_decimal_negate", argumentCount: 1, pure: true) { values in
    try decimal(values[0]).map { (-$0).canonicalText }
  }

  private static func decimalFunction(_ name: String, _ operation: @escaping @Sendable (Decimal, Decimal) -> Decimal?) -> DatabaseFunction {
    DatabaseFunction(name, argumentCount: 2, pure: true) { values in
      guard let left = try decimal(values[0]), let right = try decimal(values[1]) else { return nil }
      guard let result = operation(left, right) else { return nil }
      if result.isNaN { throw overflow }
      return result.canonicalText
    }
  }

  fileprivate static let overflow = DatabaseError(message: "integer overflow of a decimal number")

  fileprivate static func decimal(_ value: DatabaseValue) throws -> Decimal? {
    let stored: Value
    switch value.storage {
    case .null: return nil
    case .int64(let integer): stored = .integer(integer)
    case .double(let real): stored = .real(real)
    case .string(let text): stored = .text(text)
    case .blob: throw DatabaseError(message: "a blob is no decimal number")
    }
    do {
      return try Decimal(storedValue: stored)
    } catch {
      throw DatabaseError(message: "a column that is read as a decimal number holds none")
    }
  }

  // MARK: Regular expressions

  private static let pointerName: StaticString = "larder.regex"

  private static var pointerType: UnsafePointer<CChar> {
    UnsafeRawPointer(pointerName.utf8Start).assumingMemoryBound(to: CChar.self)
  }

  /// Binds the matcher itself; the statement keeps it alive until it is bound anew.
  static func bind(_ matcher: RegexMatcher, to statement: OpaquePointer, at index: Int32) {
    let pointer = Unmanaged.passRetained(matcher).toOpaque()
    sqlite3_bind_pointer(statement, index, pointer, pointerType) { pointer in
      if let pointer { Unmanaged<RegexMatcher>.fromOpaque(pointer).release() }
    }
  }

  private static func registerMatches(on handle: OpaquePointer) {
    sqlite3_create_function_v2(
      handle, "larder_matches", 2, SQLITE_UTF8, nil,
      { context, _, arguments in
        guard let arguments, let pointer = sqlite3_value_pointer(arguments[0], SQLFunctions.pointerType),
          let bytes = sqlite3_value_text(arguments[1])
        else { return sqlite3_result_null(context) }
        let text = String(decoding: UnsafeBufferPointer(start: bytes, count: Int(sqlite3_value_bytes(arguments[1]))), as: UTF8.self)
        do {
          let isMatch = try Unmanaged<RegexMatcher>.fromOpaque(pointer).takeUnretainedValue().matches(text)
          sqlite3_result_int(context, isMatch ? 1 : 0)
        } catch {
          sqlite3_result_error(context, "the regular expression failed: \(error)", -1)
        }
      }, nil, nil, nil)
  }
}

/// The exact sum of decimal numbers; NULL where there is none.
private struct DecimalSum: DatabaseAggregate {
  private var sum: Decimal?

  mutating func step(_ values: [DatabaseValue]) throws {
    guard let value = try SQLFunctions.decimal(values[0]) else { return }
    sum = (sum ?? 0) + value
  }

  func finalize() throws -> (any DatabaseValueConvertible)? {
    guard let sum else { return nil }
    if sum.isNaN { throw SQLFunctions.overflow }
    return sum.canonicalText
  }
}

/// The mean of decimal numbers; NULL where there is none.
private struct DecimalAverage: DatabaseAggregate {
  private var sum: Decimal = 0
  private var count = 0

  mutating func step(_ values: [DatabaseValue]) throws {
    guard let value = try SQLFunctions.decimal(values[0]) else { return }
    sum += value
    count += 1
  }

  func finalize() throws -> (any DatabaseValueConvertible)? {
    guard count > 0 else { return nil }
    let mean = sum / Decimal(count)
    if mean.isNaN { throw SQLFunctions.overflow }
    return mean.canonicalText
  }
}
