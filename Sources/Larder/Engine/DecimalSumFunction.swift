import Foundation
import GRDBSQLite

/// `larder_decimal_sum`, the exact sum of decimal numbers, of a group or of a window; NULL if there are none.
///
/// `larder_decimal_sum_within` is the same of a group, but the nearest `Decimal` of a sum that is too large for one. If its
/// second argument is 1, what isn't a number doesn't count.
///
/// It is registered on the C connection, because GRDB's aggregates can't be asked for the sum of a window.
enum DecimalSumFunction {
  static func register(on handle: OpaquePointer) {
    sqlite3_create_window_function(
      handle, "larder_decimal_sum", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil,
      { context, _, arguments in DecimalSumFunction.step(context, arguments, isRemoval: false) },
      { context in
        let running = DecimalSumFunction.running(context)
        DecimalSumFunction.report(running?.takeUnretainedValue(), to: context)
        running?.release()
      },
      { context in DecimalSumFunction.report(DecimalSumFunction.running(context)?.takeUnretainedValue(), to: context) },
      { context, _, arguments in DecimalSumFunction.step(context, arguments, isRemoval: true) },
      nil)
    sqlite3_create_function_v2(
      handle, "larder_decimal_sum_within", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil, nil,
      { context, _, arguments in
        let isLenient = sqlite3_value_int(arguments?[1]) == 1
        DecimalSumFunction.step(context, arguments, isRemoval: false, isLenient: isLenient)
      },
      { context in
        let running = DecimalSumFunction.running(context)
        DecimalSumFunction.report(running?.takeUnretainedValue(), to: context, isClamped: true)
        running?.release()
      },
      nil)
  }

  /// The sum of the rows so far. SQLite keeps a pointer to it, which is released with the last result.
  private final class RunningSum {
    var sum = ExactDecimal()
    var count = 0
  }

  /// Returns nil before the first row.
  private static func running(_ context: OpaquePointer?) -> Unmanaged<RunningSum>? {
    let memory = sqlite3_aggregate_context(context, 0)?.assumingMemoryBound(to: UnsafeRawPointer?.self)
    return memory?.pointee.map { Unmanaged.fromOpaque($0) }
  }

  private static func step(
    _ context: OpaquePointer?, _ arguments: UnsafeMutablePointer<OpaquePointer?>?, isRemoval: Bool,
    isLenient: Bool = false
  ) {
    guard let argument = arguments?[0] else { return }
    let size = Int32(MemoryLayout<UnsafeRawPointer?>.size)
    guard let memory = sqlite3_aggregate_context(context, size)?.assumingMemoryBound(to: UnsafeRawPointer?.self) else {
      return sqlite3_result_error_nomem(context)
    }
    // The memory is zero at first.
    let pointer = memory.pointee ?? UnsafeRawPointer(Unmanaged.passRetained(RunningSum()).toOpaque())
    memory.pointee = pointer
    let value = Value(sqlite: argument)
    guard !value.isNull else { return }
    let running = Unmanaged<RunningSum>.fromOpaque(pointer).takeUnretainedValue()
    do {
      try SQLFunctions.add(value, to: &running.sum, isSubtracted: isRemoval)
      running.count += isRemoval ? -1 : 1
    } catch {
      if !isLenient { sqlite3_result_error(context, "\(error)", -1) }
    }
  }

  private static func report(_ running: RunningSum?, to context: OpaquePointer?, isClamped: Bool = false) {
    guard let running, running.count > 0 else { return sqlite3_result_null(context) }
    if let text = running.sum.text { return Value.text(text).becomeResult(of: context) }
    guard isClamped else { return sqlite3_result_error(context, SQLFunctions.overflow, -1) }
    let greatest = Decimal.greatestFiniteMagnitude.canonicalText
    Value.text(running.sum.isNegative ? "-\(greatest)" : greatest).becomeResult(of: context)
  }
}
