extension AdoptedColumns {
  /// The SQL functions that read and write the columns.
  var functions: [ScalarFunction] {
    guard !list.isEmpty else { return [] }
    @Sendable func column(_ value: Value) -> Column? {
      value.integer.flatMap { list.indices.contains(Int($0)) ? list[Int($0)] : nil }
    }
    return [
      ScalarFunction("larder_read", 2) { values in
        guard let column = column(values[1]), !values[0].isNull else { return values[0] }
        return try column.canonical(values[0])
      },
      ScalarFunction("larder_written", 3) { values in
        guard let column = column(values[2]), !values[0].isNull else { return values[0] }
        return try column.form(of: values[0], over: values[1])
      },
      // Whether a value is in Larder's format; false if it can't be read.
      ScalarFunction("larder_is_native", 2) { values in
        guard let column = column(values[1]), !values[0].isNull else { return 1 }
        return (try? column.canonical(values[0])) == values[0] ? 1 : 0
      },
    ]
  }
}

extension AdoptedColumns.Column {
  fileprivate func canonical(_ stored: Value) throws -> Value {
    do {
      return try definition.canonical(stored)
    } catch let failure as ValueFailure {
      throw UnreadableValue(StoreError(failure, model: model, property: definition.property))
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

/// Why a value that a condition needs can't be read, as text that passes through SQLite.
struct UnreadableValue: Error, CustomStringConvertible {
  private static let mark = "larder_unreadable"
  private static let separator: Character = "\u{1F}"

  let description: String

  init(_ error: StoreError) {
    description = [Self.mark, error.model ?? "", error.property ?? "", error.message].joined(
      separator: String(Self.separator))
  }

  /// Returns the error for the message; nil for any other message.
  static func error(in message: String) -> StoreError? {
    let parts = message.split(separator: separator, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 4, parts[0] == mark else { return nil }
    return StoreError(.invalidValue, model: parts[1], property: parts[2], parts[3])
  }
}
