import Foundation
import GRDBSQLite

/// An SQL function whose arguments and result are stored values.
///
/// It is registered on the C connection, because GRDB's functions truncate text at its first NUL, in arguments and
/// results.
struct ScalarFunction: Sendable {
  let name: String
  let argumentCount: Int32
  private let isDeterministic: Bool
  private let body: Body

  /// The object that SQLite retains while the function is registered.
  private final class Body: Sendable {
    let call: @Sendable ([Value], _ hasInvalidText: Bool) throws -> Value
    /// Whether text that isn't valid UTF-8 is passed as its bytes. Otherwise it is repaired.
    let keepsInvalidText: Bool

    init(keepsInvalidText: Bool, _ call: @escaping @Sendable ([Value], _ hasInvalidText: Bool) throws -> Value) {
      self.keepsInvalidText = keepsInvalidText
      self.call = call
    }
  }

  /// - Parameters:
  ///   - argumentCount: The exact number of arguments.
  ///   - isDeterministic: Whether the result depends only on the arguments.
  ///   - call: The computation. An error that it throws ends the statement with the error's description.
  init(
    _ name: String, _ argumentCount: Int32, isDeterministic: Bool = true,
    _ call: @escaping @Sendable ([Value]) throws -> Value
  ) {
    self.name = name
    self.isDeterministic = isDeterministic
    self.argumentCount = argumentCount
    body = Body(keepsInvalidText: false) { values, _ in try call(values) }
  }

  /// Creates a function that is told of text which isn't valid UTF-8, and gets its bytes.
  ///
  /// - Parameters:
  ///   - argumentCount: The exact number of arguments.
  ///   - call: The computation. An error that it throws ends the statement with the error's description.
  init(
    _ name: String, _ argumentCount: Int32,
    keepingInvalidText call: @escaping @Sendable ([Value], _ hasInvalidText: Bool) throws -> Value
  ) {
    self.name = name
    self.argumentCount = argumentCount
    isDeterministic = true
    body = Body(keepsInvalidText: true, call)
  }

  /// Creates the function of that name, which depends only on its arguments.
  init(_ function: SQLFunction, _ argumentCount: Int32, _ call: @escaping @Sendable ([Value]) throws -> Value) {
    self.init(function.rawValue, argumentCount, call)
  }

  /// Adds the function to the connection.
  func register(on handle: OpaquePointer) {
    sqlite3_create_function_v2(
      handle, name, argumentCount, SQLITE_UTF8 | (isDeterministic ? SQLITE_DETERMINISTIC : 0),
      Unmanaged.passRetained(body).toOpaque(),
      { context, count, arguments in
        guard let pointer = sqlite3_user_data(context) else { return }
        let body = Unmanaged<Body>.fromOpaque(pointer).takeUnretainedValue()
        var hasInvalidText = false
        let values = (0..<Int(count)).map { position -> Value in
          guard let argument = arguments?[position] else { return .null }
          guard body.keepsInvalidText, let bytes = Value.invalidText(argument) else { return Value(sqlite: argument) }
          hasInvalidText = true
          return .blob(bytes)
        }
        do {
          try body.call(values, hasInvalidText).becomeResult(of: context)
        } catch {
          sqlite3_result_error(context, "\(error)", -1)
        }
      }, nil, nil,
      { body in
        if let body { Unmanaged<Body>.fromOpaque(body).release() }
      })
  }
}

/// The error with which a function of Larder ends a statement. SQLite reports its text.
struct FunctionFailure: Error, CustomStringConvertible {
  let description: String
}

extension Value {
  /// Creates a value from an argument of an SQL function.
  fileprivate init(sqlite value: OpaquePointer) {
    switch sqlite3_value_type(value) {
    case SQLITE_INTEGER: self = .integer(sqlite3_value_int64(value))
    case SQLITE_FLOAT: self = .real(sqlite3_value_double(value))
    case SQLITE_TEXT:
      let bytes = sqlite3_value_text(value)
      self = .text(
        String(decoding: UnsafeBufferPointer(start: bytes, count: Int(sqlite3_value_bytes(value))), as: UTF8.self))
    case SQLITE_BLOB:
      let bytes = sqlite3_value_blob(value)
      self = .blob(Data(UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_value_bytes(value)))))
    default: self = .null
    }
  }

  /// Returns the bytes of text that isn't valid UTF-8; nil for any other value.
  fileprivate static func invalidText(_ value: OpaquePointer) -> Data? {
    guard sqlite3_value_type(value) == SQLITE_TEXT, let bytes = sqlite3_value_text(value) else { return nil }
    let text = UnsafeBufferPointer(start: bytes, count: Int(sqlite3_value_bytes(value)))
    return StoredColumn.exactText(text) == nil ? Data(text) : nil
  }

  func becomeResult(of context: OpaquePointer?) {
    // SQLITE_TRANSIENT, a macro that Swift cannot read: SQLite copies the bytes at once.
    let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    switch self {
    case .null: sqlite3_result_null(context)
    case .integer(let integer): sqlite3_result_int64(context, integer)
    case .real(let real): sqlite3_result_double(context, real)
    case .text(var text):
      text.withUTF8 { utf8 in
        utf8.withMemoryRebound(to: CChar.self) { bytes in
          // A null pointer would mean NULL, and an empty buffer may have one.
          guard let start = bytes.baseAddress else { return sqlite3_result_text(context, "", 0, transient) }
          sqlite3_result_text64(context, start, UInt64(bytes.count), transient, UInt8(SQLITE_UTF8))
        }
      }
    case .blob(let data):
      data.withUnsafeBytes { bytes in
        if let start = bytes.baseAddress {
          sqlite3_result_blob64(context, start, UInt64(bytes.count), transient)
        } else {
          sqlite3_result_zeroblob(context, 0)
        }
      }
    }
  }
}
