/// SQL text with values. What is interpolated is bound or quoted, never pasted.
///
/// ```swift
/// let rows = try await store.sql("select title, views from \(Note.self) where views > \(limit) order by \(Note.columns.title)")
/// ```
///
/// A model's type becomes the quoted name of its table, a column its quoted name, and every other value a parameter.
public struct SQL: Sendable, ExpressibleByStringInterpolation {
  let text: String
  let arguments: [SQLWriter.Argument]
  let failure: StoreError?

  public init(stringLiteral text: String) {
    self.text = text
    arguments = []
    failure = nil
  }

  public init(stringInterpolation: StringInterpolation) {
    text = stringInterpolation.text
    arguments = stringInterpolation.arguments
    failure = stringInterpolation.failure
  }

  /// SQL text that the program itself wrote, with values for its `?`. Never build the text from input.
  public init(raw text: String, arguments: [Value] = []) {
    self.text = text
    self.arguments = arguments.map { .value($0) }
    failure = nil
  }

  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""
    fileprivate var arguments: [SQLWriter.Argument] = []
    fileprivate var failure: StoreError?

    public init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity + interpolationCount * 2)
    }

    public mutating func appendLiteral(_ literal: String) {
      text += literal
    }

    /// A model: the quoted name of its table.
    public mutating func appendInterpolation<M: Model>(_ model: M.Type) {
      text += M.schema.statements.table
    }

    /// A column: its quoted name.
    public mutating func appendInterpolation<M: Model, Output>(_ column: Column<M, Output>) {
      text += Dialect.sqlite.quote(column.name)
    }

    /// A name of the database's that is not known when the program is compiled, quoted: `\(name: column)`.
    public mutating func appendInterpolation(name: String) {
      text += Dialect.sqlite.quote(name)
    }

    /// A value: a parameter.
    public mutating func appendInterpolation(_ value: some StoredValue) {
      append(.bound(value))
    }

    /// A value or nil: a parameter, for `is \(parent)`.
    public mutating func appendInterpolation<Wrapped: StoredValue>(_ value: Wrapped?) {
      append(.bound(value))
    }

    /// An enum or struct with a raw value: a parameter.
    public mutating func appendInterpolation<Raw: RawRepresentable>(_ value: Raw) where Raw.RawValue: StoredValue {
      append(.bound(value.rawValue))
    }

    /// A type that is both stored as it is and has a raw value: a parameter, as it is stored.
    public mutating func appendInterpolation<Raw: RawRepresentable & StoredValue>(_ value: Raw) where Raw.RawValue: StoredValue {
      append(.bound(value))
    }

    /// An optional of one: a parameter.
    public mutating func appendInterpolation<Raw: RawRepresentable>(_ value: Raw?) where Raw.RawValue: StoredValue {
      append(.bound(value?.rawValue))
    }

    /// A value as a ``Row`` holds it: a parameter.
    public mutating func appendInterpolation(_ value: Value) {
      append(.value(value))
    }

    /// A list: as many parameters, for `in (\(ids))`.
    public mutating func appendInterpolation(_ values: [some StoredValue]) {
      for (position, value) in values.enumerated() {
        if position > 0 { text += ", " }
        append(.bound(value))
      }
    }

    /// A list of enums or structs with a raw value: as many parameters.
    public mutating func appendInterpolation<Raw: RawRepresentable>(_ values: [Raw]) where Raw.RawValue: StoredValue {
      appendInterpolation(values.map(\.rawValue))
    }

    /// SQL in SQL.
    public mutating func appendInterpolation(_ statement: SQL) {
      text += statement.text
      arguments += statement.arguments
      failure = failure ?? statement.failure
    }

    private mutating func append(_ node: SQLNode) {
      text += "?"
      switch node {
      case .value(let value): arguments.append(.value(value))
      case .invalid(let error): failure = failure ?? error
      default: break
      }
    }
  }
}
