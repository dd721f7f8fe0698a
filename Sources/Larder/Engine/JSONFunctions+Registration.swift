import Foundation
import GRDBSQLite

extension JSONFunctions {
  static func register(on handle: OpaquePointer) {
    let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC
    // larder_json(json, step, …): the value at a path.
    sqlite3_create_function_v2(
      handle, SQLFunction.json.rawValue, -1, flags, nil,
      { context, count, arguments in
        JSONFunctions.calling(context, count, arguments) { arguments in
          guard let json = arguments[0].bytes else { return }
          var scanner = JSONScanner(json)
          guard let place = try scanner.place(of: arguments.steps(from: 1)) else { return }
          JSONFunctions.setResult(place, of: scanner, context)
        }
      }, nil, nil, nil)
    // larder_json_constant(json, isExact): the only element of an array.
    sqlite3_create_function_v2(
      handle, SQLFunction.jsonConstant.rawValue, 2, flags, nil,
      { context, count, arguments in
        JSONFunctions.calling(context, count, arguments) { arguments in
          guard let json = arguments[0].bytes else { return }
          var scanner = JSONScanner(json)
          guard let place = try scanner.place(of: [.index(0)]) else { return }
          JSONFunctions.setResult(place, of: scanner, context)
        }
      }, nil, nil, nil)
    // larder_json_contains(json, form, element, step, …): whether the array or the object at a path has such an
    // element.
    sqlite3_create_function_v2(
      handle, SQLFunction.jsonContains.rawValue, -1, flags, nil,
      { context, count, arguments in
        JSONFunctions.calling(context, count, arguments, atLeast: 3) { arguments in
          sqlite3_result_int(context, try JSONFunctions.contains(arguments) ? 1 : 0)
        }
      }, nil, nil, nil)
    registerElements(on: handle, flags)
    registerDecimals(on: handle, flags)
  }

  /// Calls the closure with the arguments, and makes what it throws the result.
  ///
  /// - Parameter minimum: The fewest arguments. SQLite doesn't count those of a function that has any number.
  static func calling(
    _ context: OpaquePointer?, _ count: Int32, _ arguments: UnsafeMutablePointer<OpaquePointer?>?,
    atLeast minimum: Int32 = 1, _ body: (JSONArguments) throws -> Void
  ) {
    guard count >= minimum else { return sqlite3_result_error(context, FunctionFailure.wrongCount, -1) }
    do {
      try body(JSONArguments(values: UnsafeBufferPointer(start: arguments, count: Int(count))))
    } catch is MalformedJSON {
      sqlite3_result_error(context, "malformed JSON", -1)
    } catch {
      sqlite3_result_error(context, "\(error)", -1)
    }
  }

  /// Texts, numbers, true and false become SQL values, null becomes NULL, and arrays and objects become JSON.
  private static func setResult(_ place: Range<Int>, of scanner: JSONScanner, _ context: OpaquePointer?) {
    switch scanner.bytes[place.lowerBound] {
    case UInt8(ascii: "\""): Value.text(String(decoding: scanner.text(place), as: UTF8.self)).becomeResult(of: context)
    case UInt8(ascii: "["), UInt8(ascii: "{"):
      Value.text(String(decoding: scanner.minified(place), as: UTF8.self)).becomeResult(of: context)
    case UInt8(ascii: "t"): sqlite3_result_int(context, 1)
    case UInt8(ascii: "f"): sqlite3_result_int(context, 0)
    case UInt8(ascii: "n"): sqlite3_result_null(context)
    default:
      let token = String(decoding: scanner.bytes[place], as: UTF8.self)
      if let integer = Int64(token) {
        sqlite3_result_int64(context, integer)
      } else {
        sqlite3_result_double(context, Double(token) ?? .nan)
      }
    }
  }

  // MARK: Elements that are looked for

  private static func contains(_ arguments: JSONArguments) throws -> Bool {
    guard let json = arguments[0].bytes else { return false }
    var scanner = JSONScanner(json)
    guard let place = try scanner.place(of: arguments.steps(from: 3)) else { return false }
    let form = ElementForm(rawValue: sqlite3_value_int64(arguments[1].value)) ?? .value
    let element = try Element(arguments[2], form)
    var array = JSONScanner(json, place)
    guard array.peek == UInt8(ascii: "[") || array.peek == UInt8(ascii: "{") else { return false }
    var isFound = false
    let bytes = array.bytes
    try array.members { _, range in
      if !isFound { isFound = try element.isEqual(range, JSONScanner(bytes)) }
    }
    return isFound
  }

  /// An element to find.
  private struct Element {
    private enum Kind {
      case text(UnsafeBufferPointer<UInt8>)
      /// An SQL text, which may also be the JSON of an array or object.
      case textOrJSON(UnsafeBufferPointer<UInt8>, JSONTree?)
      case tree(JSONTree)
      case nothing
    }

    private let kind: Kind
    private let isExact: Bool

    init(_ argument: JSONArgument, _ form: ElementForm) throws {
      isExact = form == .exactJSON
      guard form == .value else {
        guard let json = argument.bytes else {
          kind = .tree(.null)
          return
        }
        var scanner = JSONScanner(json)
        guard let place = try scanner.place(of: [.index(0)]) else {
          kind = .nothing
          return
        }
        let inner = json[place].dropFirst().dropLast()
        if json[place.lowerBound] == UInt8(ascii: "\""), !inner.contains(UInt8(ascii: "\\")) {
          kind = .text(UnsafeBufferPointer(rebasing: inner))
        } else {
          kind = .tree(try JSONTree(place, of: scanner, isExact: isExact))
        }
        return
      }
      switch sqlite3_value_type(argument.value) {
      case SQLITE_NULL: kind = .tree(.null)
      case SQLITE_INTEGER:
        kind = .tree(.number(JSONNumber(String(sqlite3_value_int64(argument.value)).utf8, isExact: false)))
      case SQLITE_FLOAT:
        let real = sqlite3_value_double(argument.value)
        kind = real.isFinite ? .tree(.number(JSONNumber("\(real)".utf8, isExact: false))) : .nothing
      default:
        let text = argument.bytes ?? UnsafeBufferPointer(start: nil, count: 0)
        var tree: JSONTree?
        if text.first == UInt8(ascii: "[") || text.first == UInt8(ascii: "{") {
          var scanner = JSONScanner(text)
          if let place = try? scanner.whole() { tree = try? JSONTree(place, of: scanner, isExact: false) }
        }
        kind = .textOrJSON(text, tree)
      }
    }

    func isEqual(_ range: Range<Int>, _ scanner: JSONScanner) throws -> Bool {
      let isText = scanner.bytes[range.lowerBound] == UInt8(ascii: "\"")
      switch kind {
      case .nothing: return false
      case .text(let text): return isText && scanner.isText(range, text)
      case .textOrJSON(let text, let tree):
        if isText { return scanner.isText(range, text) }
        return try tree.map { try JSONTree(range, of: scanner, isExact: isExact) == $0 } ?? false
      case .tree(.text(let text)): return isText && text.withUnsafeBufferPointer { scanner.isText(range, $0) }
      case .tree(let tree): return try !isText && JSONTree(range, of: scanner, isExact: isExact) == tree
      }
    }
  }

  // MARK: Elements as rows

  /// A scalar that doesn't occur in ordinary text: it stands before "0" for a NUL, and before "1" for itself.
  private static let mark = Array("\u{10FFFF}".utf8)

  private static func registerElements(on handle: OpaquePointer, _ flags: Int32) {
    // larder_json_elements(json): the JSON, in which no text among the elements has a NUL.
    sqlite3_create_function_v2(
      handle, "larder_json_elements", 1, flags, nil,
      { context, count, arguments in
        JSONFunctions.calling(context, count, arguments) { arguments in
          guard let json = arguments[0].bytes, json.contains(where: { $0 == UInt8(ascii: "\\") || $0 == 0xF4 }) else {
            return sqlite3_result_value(context, arguments[0].value)
          }
          Value.text(String(decoding: try JSONFunctions.marked(json), as: UTF8.self)).becomeResult(of: context)
        }
      }, nil, nil, nil)
    // larder_json_element(text): the text that an element had before.
    sqlite3_create_function_v2(
      handle, "larder_json_element", 1, flags, nil,
      { context, count, arguments in
        JSONFunctions.calling(context, count, arguments) { arguments in
          guard let text = arguments[0].bytes, text.contains(0xF4) else {
            return sqlite3_result_value(context, arguments[0].value)
          }
          Value.text(String(decoding: JSONFunctions.unmarked(text), as: UTF8.self)).becomeResult(of: context)
        }
      }, nil, nil, nil)
  }

  private static func marked(_ json: UnsafeBufferPointer<UInt8>) throws -> [UInt8] {
    try rewritingMembers(of: json) { bytes, range in
      guard bytes[range.lowerBound] == UInt8(ascii: "\"") else { return nil }
      let text = JSONScanner(bytes).text(range)
      return text.contains(0) || text.contains(mark[0]) ? quoted(text) : nil
    }
  }

  /// Returns the JSON of an array or object with the members that the closure replaced; any other JSON unchanged.
  static func rewritingMembers(
    of json: UnsafeBufferPointer<UInt8>, _ member: (UnsafeBufferPointer<UInt8>, Range<Int>) -> [UInt8]?
  ) throws -> [UInt8] {
    var scanner = JSONScanner(json)
    let place = try scanner.whole()
    var array = JSONScanner(json, place)
    guard array.peek == UInt8(ascii: "[") || array.peek == UInt8(ascii: "{") else { return Array(json) }
    var result: [UInt8] = []
    var end = 0
    let bytes = array.bytes
    try array.members { _, range in
      guard let new = member(bytes, range) else { return }
      result += bytes[end..<range.lowerBound]
      result += new
      end = range.upperBound
    }
    return result + bytes[end...]
  }

  /// Returns the text as a JSON string, with the escape for NULs.
  private static func quoted(_ text: [UInt8]) -> [UInt8] {
    var result = [UInt8(ascii: "\"")]
    for position in text.indices {
      switch text[position] {
      case 0: result += mark + [UInt8(ascii: "0")]
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): result += [UInt8(ascii: "\\"), text[position]]
      case 0x01..<0x20: result += "\\u00\(text[position] < 0x10 ? "0" : "")\(String(text[position], radix: 16))".utf8
      case let byte:
        result.append(byte)
        if byte == mark[3], text[...position].suffix(4) == mark[...] { result.append(UInt8(ascii: "1")) }
      }
    }
    return result + [UInt8(ascii: "\"")]
  }

  /// Returns the text without the escapes.
  fileprivate static func unmarked(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    var position = 0
    while position < text.count {
      let isMark =
        text[position] == mark[0] && text[position...].prefix(4).elementsEqual(mark) && position + 4 < text.count
      guard isMark else {
        result.append(text[position])
        position += 1
        continue
      }
      if text[position + 4] == UInt8(ascii: "0") { result.append(0) } else { result += mark }
      position += 5
    }
    return result
  }
}

/// The arguments of a JSON function.
struct JSONArguments {
  let values: UnsafeBufferPointer<OpaquePointer?>

  subscript(position: Int) -> JSONArgument { JSONArgument(value: values[position]) }

  /// The steps of a path: texts are keys, numbers are positions.
  func steps(from start: Int) -> [JSONStep] {
    values[start...].map { value in
      if sqlite3_value_type(value) == SQLITE_INTEGER { return .index(Int(sqlite3_value_int64(value))) }
      return .key(JSONArgument(value: value).bytes ?? UnsafeBufferPointer(start: nil, count: 0))
    }
  }
}

struct JSONArgument {
  let value: OpaquePointer?

  /// The bytes of a text or blob, or of a number's text; nil for NULL. They are valid during the call.
  var bytes: UnsafeBufferPointer<UInt8>? {
    switch sqlite3_value_type(value) {
    case SQLITE_NULL: return nil
    case SQLITE_BLOB:
      let start = sqlite3_value_blob(value)?.assumingMemoryBound(to: UInt8.self)
      return UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
    default:
      let start = UnsafePointer<UInt8>(sqlite3_value_text(value))
      return UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
    }
  }
}
