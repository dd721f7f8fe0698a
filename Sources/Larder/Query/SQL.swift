/// SQL text with values. Interpolated values are bound or quoted, never inserted as text.
///
/// ```swift
/// let rows = try await store.sql("select title, views from \(Note.self) where views > \(limit) order by \(Note.columns.title)")
/// ```
///
/// A model's type becomes the quoted name of its table, a column becomes its quoted name, and every other value becomes
/// a parameter.
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

  /// Creates SQL from text that contains no input, with values for its `?` parameters.
  ///
  /// > Important: Never build the text from user input.
  ///
  /// - Parameters:
  ///   - text: The SQL text.
  ///   - arguments: The values of the parameters, in order.
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

    /// Appends a model as the quoted name of its table.
    public mutating func appendInterpolation<M: Model>(_ model: M.Type) {
      text += M.schema.statements.table
    }

    /// Appends a column as its quoted name.
    public mutating func appendInterpolation<M: Model, Output>(_ column: Column<M, Output>) {
      text += Quoting.name(column.name)
    }

    /// Appends a name that is only known at run time, quoted: `\(name: column)`.
    public mutating func appendInterpolation(name: String) {
      text += Quoting.name(name)
    }

    /// Appends a value as a parameter.
    public mutating func appendInterpolation(_ value: some StoredValue) {
      append(.bound(value))
    }

    /// Appends an optional value as a parameter, for `is \(parent)`.
    public mutating func appendInterpolation<Wrapped: StoredValue>(_ value: Wrapped?) {
      append(.bound(value))
    }

    /// Appends an enum or struct with a raw value as a parameter.
    public mutating func appendInterpolation<Raw: RawRepresentable>(_ value: Raw) where Raw.RawValue: StoredValue {
      append(.bound(value.rawValue))
    }

    /// Appends a storable value that also has a raw value as a parameter, in its stored form.
    public mutating func appendInterpolation<Raw: RawRepresentable & StoredValue>(_ value: Raw)
    where Raw.RawValue: StoredValue {
      append(.bound(value))
    }

    /// Appends an optional enum or struct with a raw value as a parameter.
    public mutating func appendInterpolation<Raw: RawRepresentable>(_ value: Raw?) where Raw.RawValue: StoredValue {
      append(.bound(value?.rawValue))
    }

    /// Appends a value of a ``Row`` as a parameter.
    public mutating func appendInterpolation(_ value: Value) {
      append(.value(value))
    }

    /// Appends a list as parameters, for `in (\(ids))`.
    public mutating func appendInterpolation(_ values: [some StoredValue]) {
      for (position, value) in values.enumerated() {
        if position > 0 { text += ", " }
        append(.bound(value))
      }
    }

    /// Appends a list of enums or structs with raw values as parameters.
    public mutating func appendInterpolation<Raw: RawRepresentable>(_ values: [Raw]) where Raw.RawValue: StoredValue {
      appendInterpolation(values.map(\.rawValue))
    }

    /// Appends other SQL with its values.
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
