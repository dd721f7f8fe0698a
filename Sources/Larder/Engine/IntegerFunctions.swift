import GRDBSQLite

/// Functions with Swift's integer arithmetic: exact, or an error. SQLite's own operators continue with real numbers on
/// overflow.
///
/// Operands that an existing file stores as real numbers or text are computed as SQLite does.
enum IntegerFunctions {
  static func register(on handle: OpaquePointer) {
    add(.integerAdd, -1, to: handle) { context, count, arguments in
      IntegerFunctions.fold(context, count, arguments, { $0.addingReportingOverflow($1) }, +)
    }
    add(.integerSubtract, -1, to: handle) { context, count, arguments in
      IntegerFunctions.fold(context, count, arguments, { $0.subtractingReportingOverflow($1) }, -)
    }
    add(.integerMultiply, -1, to: handle) { context, count, arguments in
      IntegerFunctions.fold(context, count, arguments, { $0.multipliedReportingOverflow(by: $1) }, *)
    }
    add(.integerDivide, 2, to: handle) { context, count, arguments in
      // Division by zero is NULL.
      guard let arguments, sqlite3_value_double(arguments[1]) != 0 else { return sqlite3_result_null(context) }
      IntegerFunctions.fold(context, count, arguments, { $0.dividedReportingOverflow(by: $1) }, /)
    }
    add(.integer, 3, to: handle) { context, _, arguments in IntegerFunctions.check(context, arguments) }
  }

  private typealias Function = @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void

  private static func add(_ function: SQLFunction, _ arguments: Int32, to handle: OpaquePointer, _ body: Function) {
    sqlite3_create_function_v2(
      handle, function.rawValue, arguments, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil, body, nil, nil, nil)
  }

  private static func fold(
    _ context: OpaquePointer?, _ count: Int32, _ arguments: UnsafeMutablePointer<OpaquePointer?>?,
    _ exact: (Int64, Int64) -> (partialValue: Int64, overflow: Bool), _ real: (Double, Double) -> Double
  ) {
    guard count > 0 else { return sqlite3_result_error(context, FunctionFailure.wrongCount, -1) }
    guard let arguments, var result = Operand(arguments[0]) else { return sqlite3_result_null(context) }
    for position in 1..<Int(count) {
      guard let operand = Operand(arguments[position]) else { return sqlite3_result_null(context) }
      guard case (.integer(let left), .integer(let right)) = (result, operand) else {
        result = .real(real(result.asReal, operand.asReal))
        continue
      }
      let (value, overflow) = exact(left, right)
      guard !overflow else { return sqlite3_result_error(context, FunctionFailure.integerOverflow, -1) }
      result = .integer(value)
    }
    switch result {
    case .integer(let integer): sqlite3_result_int64(context, integer)
    case .real(let real): sqlite3_result_double(context, real)
    }
  }

  /// Returns the first argument, or reports an error for an integer that isn't between the other two.
  private static func check(_ context: OpaquePointer?, _ arguments: UnsafeMutablePointer<OpaquePointer?>?) {
    guard let arguments else { return }
    if sqlite3_value_type(arguments[0]) == SQLITE_INTEGER {
      let number = sqlite3_value_int64(arguments[0])
      guard number >= sqlite3_value_int64(arguments[1]), number <= sqlite3_value_int64(arguments[2]) else {
        return sqlite3_result_error(context, FunctionFailure.integerOutOfRange, -1)
      }
    }
    sqlite3_result_value(context, arguments[0])
  }

  private enum Operand {
    case integer(Int64)
    case real(Double)

    /// Nil for NULL. Text counts as the number at its beginning, as for SQLite's operators.
    init?(_ value: OpaquePointer?) {
      switch sqlite3_value_numeric_type(value) {
      case SQLITE_NULL: return nil
      case SQLITE_INTEGER: self = .integer(sqlite3_value_int64(value))
      default: self = .real(sqlite3_value_double(value))
      }
    }

    var asReal: Double {
      switch self {
      case .integer(let integer): Double(integer)
      case .real(let real): real
      }
    }
  }
}

extension FunctionFailure {
  /// SQLite's message for a sum that overflows 64-bit integers.
  static let integerOverflow = "integer overflow"
  static let integerOutOfRange = "integer out of the property's range"
}
