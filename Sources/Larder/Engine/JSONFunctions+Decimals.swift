import Foundation
import GRDBSQLite

/// The SQL functions that extract decimals from JSON with all of their digits.
extension JSONFunctions {
  static func registerDecimals(on handle: OpaquePointer, _ flags: Int32) {
    // larder_decimal_json(json, step, …): the number at a path with all of its digits.
    sqlite3_create_function_v2(
      handle, SQLFunction.decimalJSON.rawValue, -1, flags, nil,
      { context, count, arguments in
        JSONFunctions.calling(context, count, arguments) { arguments in
          guard let json = arguments[0].bytes else { return }
          var scanner = JSONScanner(json)
          guard let place = try scanner.place(of: arguments.steps(from: 1)) else { return }
          guard let number = Decimal(canonical: String(decoding: json[place], as: UTF8.self)) else { return }
          Value.text(number.canonicalText).becomeResult(of: context)
        }
      }, nil, nil, nil)
    // larder_json_decimals(json): the array, or the object, with its numbers as the texts that columns of decimals
    // have.
    sqlite3_create_function_v2(
      handle, SQLFunction.jsonDecimals.rawValue, 1, flags, nil,
      { context, count, arguments in
        JSONFunctions.calling(context, count, arguments) { arguments in
          guard let json = arguments[0].bytes else { return }
          Value.text(String(decoding: try JSONFunctions.decimalTexts(json), as: UTF8.self)).becomeResult(of: context)
        }
      }, nil, nil, nil)
  }

  private static func decimalTexts(_ json: UnsafeBufferPointer<UInt8>) throws -> [UInt8] {
    try rewritingMembers(of: json) { bytes, range in
      let first = bytes[range.lowerBound]
      guard first == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else { return nil }
      guard let number = Decimal(canonical: String(decoding: bytes[range], as: UTF8.self)) else { return nil }
      return Array("\"\(number.canonicalText)\"".utf8)
    }
  }
}
