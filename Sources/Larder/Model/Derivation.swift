/// The value that a `@Derived` property has: `@Derived(.sum(\Account.costs, \Cost.amount)) var balance: Decimal = 0`.
///
/// Triggers in the file maintain it for every kind of write: values, cascades, SQL. Reading it costs no more than any
/// column.
public struct Derivation<Output>: Sendable {
  let source: DerivationSource
}

/// A derivation without its type.
struct DerivationSource: Sendable {
  enum Aggregate: String, Sendable { case sum, count, min, max }

  let aggregate: Aggregate
  /// The relationship in the model that has the property.
  let rows: any AnyKeyPath & Sendable
  /// The property of the rows; nil for their number.
  let value: (any AnyKeyPath & Sendable)?

  /// Returns the value of the property if there are no rows.
  func emptyValue(_ type: ColumnType) throws -> Value {
    switch (aggregate, type.storageClass) {
    case (.min, _), (.max, _): .null
    case (.count, _), (.sum, .integer): .integer(0)
    case (.sum, .real): .real(0)
    case (.sum, _): .text("0")
    }
  }
}

extension Derivation {
  /// The number of rows.
  ///
  /// - Parameter rows: The relationship.
  /// - Returns: The derivation to pass to `@Derived`.
  public static func count<Root: Model, Target: Model>(
    _ rows: any KeyPath<Root, ToMany<Target>> & Sendable
  ) -> Derivation where Output == Int {
    Derivation(source: DerivationSource(aggregate: .count, rows: rows, value: nil))
  }

  /// The sum of a property of the rows, or zero if there are none.
  ///
  /// Sums of `Decimal` and of integers are exact and cost the same at each change, regardless of the number of rows. A
  /// sum of `Double` or `Float` is recomputed from all rows of its owner at each change, because rounding errors would
  /// accumulate.
  ///
  /// - Parameters:
  ///   - rows: The relationship.
  ///   - value: The property of its rows.
  /// - Returns: The derivation to pass to `@Derived`.
  public static func sum<Root: Model, Target: Model>(
    _ rows: any KeyPath<Root, ToMany<Target>> & Sendable, _ value: any KeyPath<Target, Output> & Sendable
  ) -> Derivation where Output: QueryNumber & AdditiveArithmetic {
    Derivation(source: DerivationSource(aggregate: .sum, rows: rows, value: value))
  }

  /// The sum of an optional property of the rows, ignoring nil.
  ///
  /// - Parameters:
  ///   - rows: The relationship.
  ///   - value: The property of its rows.
  /// - Returns: The derivation to pass to `@Derived`.
  public static func sum<Root: Model, Target: Model>(
    _ rows: any KeyPath<Root, ToMany<Target>> & Sendable, _ value: any KeyPath<Target, Output?> & Sendable
  ) -> Derivation where Output: QueryNumber & AdditiveArithmetic {
    Derivation(source: DerivationSource(aggregate: .sum, rows: rows, value: value))
  }

  /// The least value of a property of the rows, or nil if there are none.
  ///
  /// - Parameters:
  ///   - rows: The relationship.
  ///   - value: The property of its rows.
  /// - Returns: The derivation to pass to `@Derived`.
  public static func min<Root: Model, Target: Model, Value: StoredValue & Comparable>(
    _ rows: any KeyPath<Root, ToMany<Target>> & Sendable, _ value: any KeyPath<Target, Value> & Sendable
  ) -> Derivation where Output == Value? {
    Derivation(source: DerivationSource(aggregate: .min, rows: rows, value: value))
  }

  /// The greatest value of a property of the rows, or nil if there are none.
  ///
  /// - Parameters:
  ///   - rows: The relationship.
  ///   - value: The property of its rows.
  /// - Returns: The derivation to pass to `@Derived`.
  public static func max<Root: Model, Target: Model, Value: StoredValue & Comparable>(
    _ rows: any KeyPath<Root, ToMany<Target>> & Sendable, _ value: any KeyPath<Target, Value> & Sendable
  ) -> Derivation where Output == Value? {
    Derivation(source: DerivationSource(aggregate: .max, rows: rows, value: value))
  }
}
