import GRDBSQLite

extension AdoptedColumns {
  /// The SQL functions that read and write the columns.
  var functions: [ScalarFunction] {
    guard !list.isEmpty else { return [] }
    @Sendable func column(_ value: Value) -> Column? {
      value.integer.flatMap { list.indices.contains(Int($0)) ? list[Int($0)] : nil }
    }
    return [
      ScalarFunction(
        "larder_read", 2,
        keepingInvalidText: { values, hasInvalidText in
          guard let column = column(values[1]), !values[0].isNull else { return values[0] }
          return try column.canonical(values[0], isInvalidText: hasInvalidText)
        }),
      ScalarFunction(
        "larder_written", 3,
        keepingInvalidText: { values, _ in
          guard let column = column(values[2]), !values[0].isNull else { return values[0] }
          return try column.form(of: values[0], over: values[1])
        }),
      // Whether a value is in Larder's format; false if it can't be read.
      ScalarFunction(
        "larder_is_native", 2,
        keepingInvalidText: { values, hasInvalidText in
          guard let column = column(values[1]), !values[0].isNull else { return 1 }
          return (try? column.canonical(values[0], isInvalidText: hasInvalidText)) == values[0] ? 1 : 0
        }),
      ScalarFunction(
        "larder_is_readable", 2,
        keepingInvalidText: { values, hasInvalidText in
          guard let column = column(values[1]), !values[0].isNull else { return 1 }
          return (try? column.canonical(values[0], isInvalidText: hasInvalidText)) == nil ? 0 : 1
        }),
      ScalarFunction(
        "larder_is_same_key", 3,
        keepingInvalidText: { values, _ in
          guard let column = column(values[2]), ExactValue(values[0]) != ExactValue(values[1]) else { return 1 }
          throw RefusedValue(column.takenKey)
        }),
    ]
  }

  /// Adds the function that tells whether text is valid UTF-8. It makes no copies, because it is called for each text
  /// of a file.
  static func registerIsText(on handle: OpaquePointer) {
    sqlite3_create_function_v2(
      handle, "larder_is_text", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil,
      { context, _, arguments in
        guard let value = arguments?[0], let start = sqlite3_value_text(value) else {
          return sqlite3_result_int(context, 0)
        }
        let text = UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
        let isValid = StoredColumn.isASCII(text) || StoredColumn.exactText(text) != nil
        sqlite3_result_int(context, isValid ? 1 : 0)
      }, nil, nil, nil)
  }
}

extension AdoptedColumns.Column {
  /// - Parameter isInvalidText: Whether the value is the bytes of text that isn't valid UTF-8, which only `Data` holds.
  fileprivate func canonical(_ stored: Value, isInvalidText: Bool = false) throws -> Value {
    do {
      if isInvalidText, definition.type.storageClass != .blob || definition.type.textForm != nil {
        throw ValueFailure.invalidText
      }
      return try definition.canonical(stored)
    } catch let failure as ValueFailure {
      throw RefusedValue(StoreError(failure, model: model, property: definition.property))
    }
  }

  fileprivate func form(of new: Value, over standing: Value) throws -> Value {
    let value = try canonical(new)
    // A value that can't be read is no example.
    guard !standing.isNull, let present = try? definition.canonical(standing) else {
      return AdoptedForm(example, definition.type).form(of: value)
    }
    return present == value ? standing : AdoptedForm(standing, definition.type).form(of: value)
  }
}

extension AdoptedColumns.Column {
  /// The error for a row whose key is that of another row to the file, but not to Swift.
  fileprivate var takenKey: StoreError {
    StoreError(
      .duplicate, model: model, property: definition.property,
      "There is a \(model) whose \(definition.property) differs, and that the file takes for the same by the collation of the column \(definition.name). Save it by the key with which it was read, or delete it first."
    )
  }
}

/// Why a function refuses a value of a column, as text that passes through SQLite.
struct RefusedValue: Error, CustomStringConvertible {
  private static let unreadable = "larder_unreadable"
  private static let taken = "larder_taken"
  private static let separator: Character = "\u{1F}"

  let description: String

  init(_ error: StoreError) {
    let mark = error.code == .duplicate ? Self.taken : Self.unreadable
    description = [mark, error.model ?? "", error.property ?? "", error.message].joined(
      separator: String(Self.separator))
  }

  /// Returns the error for the message; nil for any other message.
  static func error(in message: String) -> StoreError? {
    let parts = message.split(separator: separator, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 4, [unreadable, taken].contains(parts[0]) else { return nil }
    return StoreError(parts[0] == taken ? .duplicate : .invalidValue, model: parts[1], property: parts[2], parts[3])
  }
}
