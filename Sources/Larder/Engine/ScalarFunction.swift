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
    let call: @Sendable (FunctionCall) throws -> Value

    init(_ call: @escaping @Sendable (FunctionCall) throws -> Value) { self.call = call }
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
    body = Body { try call($0.values) }
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
    body = Body { arguments in
      let (values, hasInvalidText) = arguments.valuesKeepingInvalidText
      return try call(values, hasInvalidText)
    }
  }

  /// Creates a function that depends only on its arguments and reads them itself.
  ///
  /// - Parameters:
  ///   - argumentCount: The exact number of arguments, or -1 for any number.
  ///   - call: The computation. An error that it throws ends the statement with the error's description.
  init(_ name: String, _ argumentCount: Int32, reading call: @escaping @Sendable (FunctionCall) throws -> Value) {
    self.name = name
    self.argumentCount = argumentCount
    isDeterministic = true
    body = Body(call)
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
        do {
          try body.call(FunctionCall(context: context, count: count, arguments: arguments)).becomeResult(of: context)
        } catch {
          sqlite3_result_error(context, "\(error)", -1)
        }
      }, nil, nil,
      { body in
        if let body { Unmanaged<Body>.fromOpaque(body).release() }
      })
  }
}

/// The arguments of one call of a function.
struct FunctionCall {
  fileprivate let context: OpaquePointer?
  fileprivate let count: Int32
  fileprivate let arguments: UnsafeMutablePointer<OpaquePointer?>?

  /// All arguments.
  var values: [Value] { (0..<Int(count)).map(value) }

  /// All arguments, with the bytes of text that isn't valid UTF-8, and whether there is any.
  fileprivate var valuesKeepingInvalidText: (values: [Value], hasInvalidText: Bool) {
    var hasInvalidText = false
    let values = (0..<Int(count)).map { position -> Value in
      guard let argument = argument(position), let bytes = Value.invalidText(argument) else { return value(position) }
      hasInvalidText = true
      return .blob(bytes)
    }
    return (values, hasInvalidText)
  }

  private func argument(_ position: Int) -> OpaquePointer? { position < Int(count) ? arguments?[position] : nil }

  func value(_ position: Int) -> Value { argument(position).map(Value.init(sqlite:)) ?? .null }

  /// Returns the argument as a real number if it is a number; otherwise nil.
  func number(_ position: Int) -> Double? {
    guard let argument = argument(position) else { return nil }
    let type = sqlite3_value_type(argument)
    return type == SQLITE_FLOAT || type == SQLITE_INTEGER ? sqlite3_value_double(argument) : nil
  }

  /// Returns the argument if it is an integer; otherwise nil.
  func integer(_ position: Int) -> Int64? {
    guard let argument = argument(position), sqlite3_value_type(argument) == SQLITE_INTEGER else { return nil }
    return sqlite3_value_int64(argument)
  }

  /// Returns the object that was bound as the argument with the type's name; nil for every other argument.
  func object<Bound: AnyObject>(_ position: Int, _ name: UnsafePointer<CChar>, as type: Bound.Type) -> Bound? {
    guard let pointer = argument(position).flatMap({ sqlite3_value_pointer($0, name) }) else { return nil }
    return Unmanaged<Bound>.fromOpaque(pointer).takeUnretainedValue()
  }

  /// Returns what was made of the argument, if it is the same for all rows; makes it at the first row, or at each row
  /// if it differs.
  ///
  /// - Parameters:
  ///   - position: The position of the argument. Always ask for the same type there.
  ///   - make: Makes the object.
  func kept<Kept: AnyObject>(_ position: Int32, _ make: () throws -> Kept) rethrows -> Kept {
    if let pointer = sqlite3_get_auxdata(context, position) {
      return Unmanaged<Kept>.fromOpaque(pointer).takeUnretainedValue()
    }
    let made = try make()
    sqlite3_set_auxdata(context, position, Unmanaged.passRetained(made).toOpaque()) { pointer in
      if let pointer { Unmanaged<AnyObject>.fromOpaque(pointer).release() }
    }
    return made
  }
}

/// The error with which a function of Larder ends a statement. SQLite reports its text.
struct FunctionFailure: Error, CustomStringConvertible {
  /// Of a function with any number of arguments, which SQLite calls without one as well.
  static let wrongCount = "wrong number of arguments"

  let description: String
}

extension Value {
  /// Creates a value from an argument of an SQL function.
  init(sqlite value: OpaquePointer) {
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
