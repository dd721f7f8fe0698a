/// The columns of a file that Larder did not make, and which of them hold values in other forms than Larder's own.
///
/// A date may stand there as text, a Boolean as 'true', a number as letters. Conditions, sorts and aggregates then ask a function for what reading
/// makes of the value, and what is written takes the form of what stands there.
struct AdoptedColumns: Sendable {
  /// What the values of a column are to SQL.
  enum Kind: Sendable {
    /// All values are as Larder stores them: SQL compares them as Swift does.
    case native
    /// Integers among real numbers: they compare alike, and are divided in another way.
    case integers
    /// JSON text, whose spelling may differ where the value does not.
    case json
    /// Values in other forms.
    case mixed
  }

  struct Column: Sendable {
    /// The argument by which SQL's functions know the column.
    let number: Int
    let model: String
    let definition: TableDefinition.Column
    var kind = Kind.native
    /// A value of the newest row, whose form new values take.
    var example = Value.null
  }

  private(set) var list: [Column] = []
  /// The positions in the list of the columns that are not native, by "table.column".
  private var positions: [String: Int] = [:]

  init() {}

  init(_ tables: [TableDefinition]) {
    for table in tables {
      for column in table.columns { list.append(Column(number: list.count, model: table.model, definition: column)) }
    }
  }

  /// Whether every column is native.
  var isEmpty: Bool { positions.isEmpty }

  mutating func set(_ kind: Kind, example: Value, at number: Int, of table: String) {
    list[number].kind = kind
    list[number].example = example
    if kind != .native { positions["\(table).\(list[number].definition.name)"] = number }
  }

  /// The column, where its values are not native.
  func column(_ name: String, of table: String) -> Column? {
    positions.isEmpty ? nil : positions["\(table).\(name)"].map { list[$0] }
  }

  /// The column, where its values stand in other forms.
  func mixed(_ name: String, of table: String) -> Column? {
    guard let column = column(name, of: table), column.kind == .mixed else { return nil }
    return column
  }
}

// MARK: - SQL

extension AdoptedColumns.Column {
  /// What reading makes of the value, in Larder's own form.
  func read(_ sql: String) -> String { "larder_read(\(sql), \(number))" }

  /// The value in the form of the one that stands there; that very one, where both mean the same.
  func written(_ sql: String, over standing: String = "NULL") -> String { "larder_written(\(sql), \(standing), \(number))" }
}

extension AdoptedColumns {
  /// The functions of SQL that read and write the columns.
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
      // Whether a value is in Larder's own form; one that cannot be read is not.
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
    // What stands there and cannot be read is no example.
    guard !standing.isNull, let present = try? definition.canonical(standing) else { return AdoptedForm(example, definition.type).form(of: value) }
    return present == value ? standing : AdoptedForm(standing, definition.type).form(of: value)
  }
}

/// Why a value that a condition needs cannot be read, in words that pass through SQLite.
struct UnreadableValue: Error, CustomStringConvertible {
  private static let mark = "larder_unreadable"
  private static let separator: Character = "\u{1F}"

  let description: String

  init(_ error: StoreError) {
    description = [Self.mark, error.model ?? "", error.property ?? "", error.message].joined(separator: String(Self.separator))
  }

  /// The error of the message; nil for any other message.
  static func error(in message: String) -> StoreError? {
    let parts = message.split(separator: separator, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 4, parts[0] == mark else { return nil }
    return StoreError(.invalidValue, model: parts[1], property: parts[2], parts[3])
  }
}
