import Foundation
internal import GRDB
import GRDBSQLite

/// The functions and collations that Larder adds to every connection.
enum SQLFunctions {
  static func register(on database: Database, _ environment: StoreEnvironment) throws {
    for collation in [decimal, instant, localized] { database.add(collation: collation) }
    database.add(
      function: DatabaseFunction("larder_decimal_average", argumentCount: 1, pure: true, aggregate: DecimalAverage.self)
    )
    guard let handle = database.sqliteConnection else { return }
    let own =
      textFunctions + existingForms + listElements + decimalFunctions + CalendarFunctions.all
      + [UpdatedKey.function]
      + [canonicalJSON, identifierBytes] + memoryFunctions
    for function in own + environment.adopted.functions + environment.features.functions {
      function.register(on: handle)
    }
    if !environment.adopted.list.isEmpty { AdoptedColumns.registerIsText(on: handle) }
    IntegerFunctions.register(on: handle)
    FloatFunctions.register(on: handle)
    DecimalSumFunction.register(on: handle)
    registerMatches(on: handle)
    JSONFunctions.register(on: handle)
  }

  /// Takes the place of a function of SQLite's with which SQL reads and writes addresses of memory, also where nobody is
  /// asked whether it may be called: in a constraint of a table that another program has made. Source:
  /// <https://www.sqlite.org/fts3.html#custom_application_defined_tokenizers>.
  private static let memoryFunctions = [1, 2].map { count in
    ScalarFunction("fts3_tokenizer", count) { _ in
      throw StoreError(.unsupported, "fts3_tokenizer hands addresses of memory to SQL. Leave it out.")
    }
  }

  // MARK: Collations

  /// Decimal numbers in numeric order. Text that isn't a number comes after all numbers, in text order.
  private static let decimal = DatabaseCollation(Collation.decimal.rawValue) { left, right in
    order(left, right, by: { Decimal(canonical: $0) })
  }

  /// ISO 8601 dates in chronological order. Text that isn't a date comes after all dates, in text order.
  private static let instant = DatabaseCollation(Collation.instant.rawValue) { left, right in
    order(left, right, by: ISO8601.date(from:))
  }

  private static let localized = DatabaseCollation(Collation.localized.rawValue) { left, right in
    left.localizedStandardCompare(right)
  }

  private static func order<Key: Comparable>(
    _ left: String, _ right: String, by key: (String) -> Key?
  ) -> ComparisonResult {
    if left == right { return .orderedSame }
    switch (key(left), key(right)) {
    case (let left?, let right?):
      return left < right ? .orderedAscending : left == right ? .orderedSame : .orderedDescending
    case (nil, _?): return .orderedDescending
    case (_?, nil): return .orderedAscending
    case (nil, nil): return left < right ? .orderedAscending : .orderedDescending
    }
  }

  // MARK: Text

  private static let textFunctions = [
    text(.hasSuffix, 2) { .integer(Array($0[0].utf8.suffix($0[1].utf8.count)) == Array($0[1].utf8) ? 1 : 0) },
    text(.lowercased, 1) { .text($0[0].lowercased()) },
    text(.uppercased, 1) { .text($0[0].uppercased()) },
    text(.caseFolded, 1) { .text($0[0].caseFolded) },
    text(.localizedContains, 2) { .integer($0[1].isEmpty || $0[0].localizedStandardContains($0[1]) ? 1 : 0) },
    // The number of characters, as Swift counts them.
    text(.count, 1) { .integer(Int64($0[0].count)) },
  ]

  /// Returns a function of texts whose result is NULL if an argument is NULL or a blob.
  private static func text(
    _ function: SQLFunction, _ arguments: Int32, _ body: @escaping @Sendable ([String]) throws -> Value
  ) -> ScalarFunction {
    ScalarFunction(function, arguments) { values in
      let texts = values.compactMap { try? String(storedValue: $0) }
      return texts.count == values.count ? try body(texts) : .null
    }
  }

  // MARK: Existing forms

  /// Returns the seconds since 2001 of a Julian day, which is never greater than that of the year 9999, or of Unix time.
  ///
  /// Source: the modifier `auto` in <https://www.sqlite.org/lang_datefunc.html>.
  private static func seconds(_ number: Double) -> Double {
    0...5_373_484.5 ~= number ? (number - 2_451_910.5) * 86_400 : number - Date.timeIntervalBetween1970AndReferenceDate
  }

  /// Convert text dates to seconds and back. A value in another format stays unchanged.
  private static let existingForms = [
    ScalarFunction(.seconds, 1) { values in
      guard case .text(let text) = values[0], let date = ISO8601.date(from: text) else { return values[0] }
      return try date.storedValue()
    },
    // A date in one of SQLite's own forms.
    ScalarFunction(.moment, 1) { values in
      switch values[0] {
      case .text(let text): try ISO8601.date(from: text)?.storedValue() ?? .null
      case .real(let number): .real(seconds(number))
      case .integer(let number): .real(seconds(Double(number)))
      default: .null
      }
    },
    ScalarFunction(.dateText, 1) { values in
      guard let seconds = values[0].real else { return values[0] }
      do {
        return try DateFormat.iso8601.encode(Date(timeIntervalSinceReferenceDate: seconds))
      } catch let failure as ValueFailure {
        throw FunctionFailure(description: "a value \(failure.problem)")
      }
    },
  ]

  // MARK: Equal values

  /// JSON with sorted keys. Text that isn't valid JSON stays unchanged.
  private static let canonicalJSON = ScalarFunction(.json, 1) { values in
    guard case .text(let text) = values[0],
      let object = try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed),
      let json = try? JSONSerialization.data(withJSONObject: object, options: [.sortedKeys, .fragmentsAllowed])
    else { return values[0] }
    return .text(String(decoding: json, as: UTF8.self))
  }

  /// A UUID as bytes, whether it is stored as bytes or as text. Other values stay unchanged.
  private static let identifierBytes = ScalarFunction(.uuid, 1) { values in
    guard case .text(let text) = values[0], let identifier = UUID(uuidString: text) else { return values[0] }
    return try identifier.storedValue()
  }

  // MARK: Long lists

  /// Convert the elements of a long list, which is passed as one JSON text, back into values that JSON can't represent.
  private static let listElements = [
    ScalarFunction("larder_real", 1) { values in
      values[0].integer.map { .real(Double(bitPattern: UInt64(bitPattern: $0))) } ?? .null
    },
    ScalarFunction(.blob, 1) { values in
      values[0].text.flatMap { Data(base64Encoded: $0) }.map { .blob($0) } ?? .null
    },
  ]

  // MARK: Decimals

  private static let decimalFunctions = [
    decimalFunction(.decimalAdd) { $0 + $1 },
    decimalFunction(.decimalSubtract) { $0 - $1 },
    decimalFunction(.decimalMultiply) { $0 * $1 },
    decimalFunction(.decimalDivide) { $1.isZero ? nil : $0 / $1 },
    exactSum("larder_decimal_sum_add", isSubtracted: false),
    exactSum("larder_decimal_sum_subtract", isSubtracted: true),
    ScalarFunction(.decimalText, 1) { values in
      try decimal(values[0]).map { .text($0.canonicalText) } ?? .null
    },
    ScalarFunction(.decimalRound, 3) { values in
      guard var number = try decimal(values[0]) else { return .null }
      // SQL by hand, also that of a foreign file, can give any number. A decimal has no places beyond these.
      let scale = Int(max(-200, min(200, values[1].integer ?? 0)))
      let mode = values[2].integer.flatMap { UInt(exactly: $0) }.flatMap { NSDecimalNumber.RoundingMode(rawValue: $0) }
      var rounded = Decimal()
      NSDecimalRound(&rounded, &number, scale, mode ?? .plain)
      if rounded.isNaN { throw FunctionFailure(description: overflow) }
      return .text(rounded.canonicalText)
    },
    ScalarFunction(.decimalNegate, 1) { values in
      try decimal(values[0]).map { .text((-$0).canonicalText) } ?? .null
    },
  ]

  private static func decimalFunction(
    _ function: SQLFunction, _ operation: @escaping @Sendable (Decimal, Decimal) -> Decimal?
  ) -> ScalarFunction {
    ScalarFunction(function, 2) { values in
      guard let left = try decimal(values[0]), let right = try decimal(values[1]) else { return .null }
      guard let result = operation(left, right) else { return .null }
      if result.isNaN { throw FunctionFailure(description: overflow) }
      return .text(result.canonicalText)
    }
  }

  /// Adds a number to an exact sum, or subtracts it. Returns NULL if the sum has to be recomputed.
  private static func exactSum(_ name: String, isSubtracted: Bool) -> ScalarFunction {
    ScalarFunction(name, 2) { values in
      guard !values[0].isNull, !values[1].isNull else { return .null }
      var sum = ExactDecimal()
      do {
        try add(values[0], to: &sum)
        try add(values[1], to: &sum, isSubtracted: isSubtracted)
      } catch is FunctionFailure {
        // Another program has written it.
        return .null
      }
      guard let text = sum.text else { return .null }
      return ExactDecimal.isWhole(values[0]) && ExactDecimal.isWhole(.text(text)) ? .text(text) : .null
    }
  }

  static func add(_ value: Value, to sum: inout ExactDecimal, isSubtracted: Bool = false) throws {
    let text: String? =
      switch value {
      case .text(let text): text
      case .integer(let integer): String(integer)
      default: try decimal(value)?.canonicalText
      }
    guard let text, sum.add(text, isSubtracted: isSubtracted) else { throw FunctionFailure(description: notDecimal) }
  }

  static let notDecimal = "a column that is read as a decimal number holds none"
  static let overflow = "integer overflow of a decimal number"

  fileprivate static func decimal(_ value: Value) throws -> Decimal? {
    if value.isNull { return nil }
    do {
      return try Decimal(storedValue: value)
    } catch {
      throw FunctionFailure(description: notDecimal)
    }
  }

  // MARK: Regular expressions

  private static let pointerName: StaticString = "larder.regex"

  private static var pointerType: UnsafePointer<CChar> {
    UnsafeRawPointer(pointerName.utf8Start).assumingMemoryBound(to: CChar.self)
  }

  /// Binds the matcher itself. The statement keeps it alive until it is bound again.
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
        let text = String(
          decoding: UnsafeBufferPointer(start: bytes, count: Int(sqlite3_value_bytes(arguments[1]))), as: UTF8.self)
        do {
          let isMatch = try Unmanaged<RegexMatcher>.fromOpaque(pointer).takeUnretainedValue().matches(text)
          sqlite3_result_int(context, isMatch ? 1 : 0)
        } catch {
          sqlite3_result_error(context, "the regular expression failed: \(error)", -1)
        }
      }, nil, nil, nil)
  }
}

/// The mean of decimal numbers, summed exactly, as a real number; NULL if there is none.
private struct DecimalAverage: DatabaseAggregate {
  private var sum = ExactDecimal()
  private var count = 0

  mutating func step(_ values: [DatabaseValue]) throws {
    guard !values[0].isNull else { return }
    try SQLFunctions.add(values[0].value, to: &sum)
    count += 1
  }

  func finalize() throws -> (any DatabaseValueConvertible)? {
    guard count > 0 else { return nil }
    guard let text = sum.text, let total = Decimal(canonical: text) else {
      throw DatabaseError(message: SQLFunctions.overflow)
    }
    return Double((total / Decimal(count)).canonicalText)
  }
}

extension DatabaseValue {
  fileprivate var value: Value {
    switch storage {
    case .null: .null
    case .int64(let integer): .integer(integer)
    case .double(let real): .real(real)
    case .string(let text): .text(text)
    case .blob(let data): .blob(data)
    }
  }
}
