/// SQL text with values. Interpolated values are bound or quoted, never inserted as text.
///
/// ```swift
/// let rows = try await store.sql("select title, views from \(Note.self) where views > \(limit) order by \(Note.columns.title)")
/// ```
///
/// A model's type becomes the quoted name of its table, a column becomes its quoted name with that of its table, and
/// every other value becomes a parameter. SQL is also a condition, or a value, of a typed query:
///
/// ```swift
/// Note.where { SQL("\($0.views) % 2 = 0") }.sorted { SQL("length(\($0.title))").as(Int.self) }
/// ```
public struct SQL: Sendable, Hashable, ExpressibleByStringInterpolation {
  var fragment = SQLFragment()

  /// Creates SQL from a literal: `SQL("…")` is the same as `"…" as SQL`.
  ///
  /// - Parameter sql: The SQL.
  public init(_ sql: SQL) { self = sql }

  public init(stringLiteral text: String) {
    fragment.append(text)
  }

  public init(stringInterpolation: StringInterpolation) {
    fragment = stringInterpolation.fragment
  }

  /// Creates SQL from text that contains no input, with values for its `?` parameters.
  ///
  /// > Important: Never build the text from user input.
  ///
  /// - Parameters:
  ///   - text: The SQL text.
  ///   - arguments: The values of the parameters, in order.
  public init(raw text: String, arguments: [Value] = []) {
    fragment.append(text)
    fragment.parts += arguments.map { .argument($0) }
  }

  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var fragment = SQLFragment()

    public init(literalCapacity: Int, interpolationCount: Int) {
      fragment.parts.reserveCapacity(interpolationCount * 2 + 1)
    }

    public mutating func appendLiteral(_ literal: String) {
      fragment.append(literal)
    }

    /// Appends a model as the quoted name of its table.
    public mutating func appendInterpolation<M: Model>(_ model: M.Type) {
      fragment.append(M.schema.statements.table)
    }

    /// Appends all columns of a model, for `select \(Note.columns) from …` and ``Store/sql(_:as:)-1ljd0``.
    public mutating func appendInterpolation<Columns: ModelColumns>(_ columns: Columns) {
      fragment.append(Columns.Root.schema.statements.qualifiedColumns)
    }

    /// Appends all columns of a model from a table that the SQL names otherwise: `\(Note.columns, of: "n")`.
    public mutating func appendInterpolation<Columns: ModelColumns>(_ columns: Columns, of alias: String) {
      let columns = Columns.Root.schema.columns.map { "\(Quoting.name(alias)).\(Quoting.name($0.name))" }
      fragment.append(columns.joined(separator: ", "))
    }

    /// Appends a column, a reference, or an expression of them. After a dot, as in `n.\(Note.columns.title)`, a column is
    /// its name alone.
    public mutating func appendInterpolation(_ expression: some QueryExpressible) {
      let node = expression.node
      if case .column(let column) = node, case .text(let text) = fragment.parts.last, text.hasSuffix(".") {
        return fragment.append(Quoting.name(column.name))
      }
      fragment.parts.append(.node(node))
    }

    /// Appends a column as its quoted name alone, as `set \(name: Note.columns.title) = …` and lists of columns need
    /// it.
    public mutating func appendInterpolation<M: Model, Output>(name column: Column<M, Output>) {
      fragment.append(Quoting.name(column.name))
    }

    /// Appends a reference as the quoted name of its column alone.
    public mutating func appendInterpolation<M: Model, Target: Model, Output>(
      name reference: ToOneColumn<M, Target, Output>
    ) {
      fragment.append(Quoting.name(reference.name))
    }

    /// Appends a name that is only known at run time, quoted: `\(name: column)`.
    public mutating func appendInterpolation(name: String) {
      fragment.append(Quoting.name(name))
    }

    /// Appends a value as a parameter.
    public mutating func appendInterpolation(_ value: some StoredValue) {
      fragment.parts.append(.node(.bound(value)))
    }

    /// Appends an optional value as a parameter, for `is \(parent)`.
    public mutating func appendInterpolation<Wrapped: StoredValue>(_ value: Wrapped?) {
      fragment.parts.append(.node(.bound(value)))
    }

    /// Appends an enum or struct with a raw value as a parameter.
    public mutating func appendInterpolation<Raw: RawRepresentable>(_ value: Raw) where Raw.RawValue: StoredValue {
      fragment.parts.append(.node(.bound(value.rawValue)))
    }

    /// Appends a storable value that also has a raw value as a parameter, in its stored form.
    public mutating func appendInterpolation<Raw: RawRepresentable & StoredValue>(_ value: Raw)
    where Raw.RawValue: StoredValue {
      fragment.parts.append(.node(.bound(value)))
    }

    /// Appends an optional enum or struct with a raw value as a parameter.
    public mutating func appendInterpolation<Raw: RawRepresentable>(_ value: Raw?) where Raw.RawValue: StoredValue {
      fragment.parts.append(.node(.bound(value?.rawValue)))
    }

    /// Appends the key of a reference as a parameter.
    public mutating func appendInterpolation<Target: Model>(_ reference: ToOne<Target>) {
      fragment.parts.append(.node(Target.schema.node(forKey: reference.id)))
    }

    /// Appends the key of an optional reference as a parameter, for `is \(folder)`.
    public mutating func appendInterpolation<Target: Model>(_ reference: ToOne<Target>?) {
      fragment.parts.append(.node(reference.map { Target.schema.node(forKey: $0.id) } ?? .value(.null)))
    }

    /// Appends a value of a ``Row`` as a parameter.
    public mutating func appendInterpolation(_ value: Value) {
      fragment.parts.append(.node(.value(value)))
    }

    /// Appends a list as parameters, for `in (\(ids))`.
    public mutating func appendInterpolation(_ values: [some StoredValue]) {
      for (position, value) in values.enumerated() {
        if position > 0 { fragment.append(", ") }
        appendInterpolation(value)
      }
    }

    /// Appends a list of enums or structs with raw values as parameters.
    public mutating func appendInterpolation<Raw: RawRepresentable>(_ values: [Raw]) where Raw.RawValue: StoredValue {
      appendInterpolation(values.map(\.rawValue))
    }

    /// Appends a typed query of one value, for `in (\(Note.where { … }.select(\.id)))`.
    public mutating func appendInterpolation<M: Model, Output>(_ query: SelectedQuery<M, Output>) {
      if let failure = query.rows.failure(of: "SQL") { return fragment.parts.append(.node(.invalid(failure))) }
      fragment.parts.append(.rows(Subquery(statement: query.rows, order: .stored)))
    }

    /// Appends other SQL with its values.
    public mutating func appendInterpolation(_ statement: SQL) {
      for part in statement.fragment.parts {
        if case .text(let text) = part { fragment.append(text) } else { fragment.parts.append(part) }
      }
    }
  }
}
