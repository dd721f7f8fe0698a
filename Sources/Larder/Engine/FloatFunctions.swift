import GRDBSQLite

/// Functions with the arithmetic of `Float`: each result is rounded to the nearest `Float`, which SQLite's own operators
/// don't do.
///
/// The double of a sum, a difference, a product or a quotient of two floats rounds to the float that IEEE 754 defines.
/// Source: Figueroa, "When is double rounding innocuous?", 1995. A result that is too large for a `Float` stays as it is,
/// so that whoever reads or stores it refuses it.
enum FloatFunctions {
  static func register(on handle: OpaquePointer) {
    add(.floatAdd, -1, to: handle) { context, count, arguments in
      FloatFunctions.fold(context, count, arguments, +)
    }
    add(.floatSubtract, -1, to: handle) { context, count, arguments in
      FloatFunctions.fold(context, count, arguments, -)
    }
    add(.floatMultiply, -1, to: handle) { context, count, arguments in
      FloatFunctions.fold(context, count, arguments, *)
    }
    add(.floatDivide, 2, to: handle) { context, count, arguments in
      // Division by zero is NULL.
      guard let arguments, sqlite3_value_double(arguments[1]) != 0 else { return sqlite3_result_null(context) }
      FloatFunctions.fold(context, count, arguments, /)
    }
    add(.float, 1, to: handle) { context, _, arguments in FloatFunctions.round(context, arguments) }
    add(.single, 1, to: handle) { context, _, arguments in FloatFunctions.check(context, arguments) }
  }

  private typealias Function = @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void

  private static func add(_ function: SQLFunction, _ arguments: Int32, to handle: OpaquePointer, _ body: Function) {
    sqlite3_create_function_v2(
      handle, function.rawValue, arguments, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil, body, nil, nil, nil)
  }

  private static func isNumber(_ value: OpaquePointer?) -> Bool {
    let type = sqlite3_value_type(value)
    return type == SQLITE_FLOAT || type == SQLITE_INTEGER
  }

  /// Text counts as the number at its beginning, as for SQLite's operators. A result that is no number is NULL.
  private static func fold(
    _ context: OpaquePointer?, _ count: Int32, _ arguments: UnsafeMutablePointer<OpaquePointer?>?,
    _ operation: (Double, Double) -> Double
  ) {
    guard count > 0 else { return sqlite3_result_error(context, FunctionFailure.wrongCount, -1) }
    guard let arguments, sqlite3_value_type(arguments[0]) != SQLITE_NULL else { return sqlite3_result_null(context) }
    var result = sqlite3_value_double(arguments[0])
    for position in 1..<Int(count) {
      guard sqlite3_value_type(arguments[position]) != SQLITE_NULL else { return sqlite3_result_null(context) }
      result = operation(result, sqlite3_value_double(arguments[position])).roundedToFloat
    }
    sqlite3_result_double(context, result)
  }

  /// Returns a number as a `Float` is stored; any other value unchanged.
  private static func round(_ context: OpaquePointer?, _ arguments: UnsafeMutablePointer<OpaquePointer?>?) {
    guard let arguments else { return }
    guard isNumber(arguments[0]) else { return sqlite3_result_value(context, arguments[0]) }
    sqlite3_result_double(context, sqlite3_value_double(arguments[0]).roundedToFloat)
  }

  /// Returns a number as a `Float` is stored, or reports an error for one that is too large.
  private static func check(_ context: OpaquePointer?, _ arguments: UnsafeMutablePointer<OpaquePointer?>?) {
    guard let arguments else { return }
    if isNumber(arguments[0]), sqlite3_value_double(arguments[0]).isTooLargeForFloat {
      return sqlite3_result_error(context, FunctionFailure.outsideFloat, -1)
    }
    round(context, arguments)
  }
}

extension Double {
  /// The nearest `Float` as a double; the number itself if it is too large for one.
  var roundedToFloat: Double {
    isTooLargeForFloat ? self : Double(Float(self))
  }

  fileprivate var isTooLargeForFloat: Bool { isFinite && !Float(self).isFinite }
}

extension FunctionFailure {
  static let outsideFloat = "number outside the range of Float"
}
