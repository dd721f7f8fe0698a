/// A function in a query: one of SQLite's, or one that Larder adds to every connection.
enum SQLFunction: String, Sendable, Hashable {
  case coalesce, instr, length, total

  // Text
  case count = "larder_count"
  case lowercased = "larder_lower"
  case uppercased = "larder_upper"
  case caseFolded = "larder_fold_case"
  case hasSuffix = "larder_has_suffix"
  case localizedContains = "larder_localized_contains"

  // Formats
  case seconds = "larder_seconds"
  case moment = "larder_moment"
  case dateText = "larder_date_text"
  case uuid = "larder_uuid"
  case blob = "larder_blob"
  case float = "larder_float"

  // Dates
  case periodStart = "larder_period_start"
  case calendarPart = "larder_calendar_part"

  // Numbers
  case integer = "larder_integer"
  case integerAdd = "larder_integer_add"
  case integerSubtract = "larder_integer_subtract"
  case integerMultiply = "larder_integer_multiply"
  case integerDivide = "larder_integer_divide"
  case single = "larder_single"
  case floatAdd = "larder_float_add"
  case floatSubtract = "larder_float_subtract"
  case floatMultiply = "larder_float_multiply"
  case floatDivide = "larder_float_divide"
  case decimalAdd = "larder_decimal_add"
  case decimalSubtract = "larder_decimal_subtract"
  case decimalMultiply = "larder_decimal_multiply"
  case decimalDivide = "larder_decimal_divide"
  case decimalNegate = "larder_decimal_negate"
  case decimalText = "larder_decimal_text"
  case decimalRound = "larder_decimal_round"

  // JSON
  case json = "larder_json"
  case jsonConstant = "larder_json_constant"
  case jsonContains = "larder_json_contains"
  case jsonDecimals = "larder_json_decimals"
  case decimalJSON = "larder_decimal_json"

  /// How the results compare; nil if like the arguments.
  var order: ValueOrder? {
    switch self {
    case .coalesce: nil
    case .decimalAdd, .decimalSubtract, .decimalMultiply, .decimalDivide, .decimalNegate, .decimalText,
      .decimalRound, .decimalJSON:
      .decimal
    default: .stored
    }
  }

  /// Whether the result is a condition, which is unknown if an argument is NULL.
  var isCondition: Bool { self == .hasSuffix || self == .localizedContains }
}
