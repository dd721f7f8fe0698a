/// What a `@Derived` property is kept in step with: `@Derived(.sum(\Account.costs, \Cost.amount)) var balance: Decimal = 0`.
///
/// Triggers in the file keep it, whoever writes and by whatever way: values, cascades, SQL. Reading it costs nothing.
public struct Derivation<Output>: Sendable {
  let source: DerivationSource
}

/// A derivation without its type.
struct DerivationSource: Sendable {
  enum Aggregate: String, Sendable { case sum, count, min, max }

  let aggregate: Aggregate
  /// The relationship in the model that has the property.
  let rows: any AnyKeyPath & Sendable
  /// The property of the rows; nil where they are counted.
  let value: (any AnyKeyPath & Sendable)?

  /// What the property holds where there is no row.
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
  public static func count<Root: Model, Target: Model>(_ rows: any KeyPath<Root, ToMany<Target>> & Sendable) -> Derivation where Output == Int {
    Derivation(source: DerivationSource(aggregate: .count, rows: rows, value: nil))
  }

  /// The sum of a property of the rows, zero if there is none.
  ///
  /// Sums of `Decimal` and of integers are exact and cost the same at each change, however many rows there are. A sum of `Double` or `Float` is
  /// recomputed from all rows of its owner at each change, because adding and subtracting would drift away from it.
  public static func sum<Root: Model, Target: Model>(
    _ rows: any KeyPath<Root, ToMany<Target>> & Sendable, _ value: any KeyPath<Target, Output> & Sendable
  ) -> Derivation where Output: QueryNumber & AdditiveArithmetic {
    Derivation(source: DerivationSource(aggregate: .sum, rows: rows, value: value))
  }

  /// The sum of the values that are not nil, zero if there is none.
  public static func sum<Root: Model, Target: Model>(
    _ rows: any KeyPath<Root, ToMany<Target>> & Sendable, _ value: any KeyPath<Target, Output?> & Sendable
  ) -> Derivation where Output: QueryNumber & AdditiveArithmetic {
    Derivation(source: DerivationSource(aggregate: .sum, rows: rows, value: value))
  }

  /// The least value of a property of the rows, nil if there is none.
  public static func min<Root: Model, Target: Model, Value: StoredValue & Comparable>(
    _ rows: any KeyPath<Root, ToMany<Target>> & Sendable, _ value: any KeyPath<Target, Value> & Sendable
  ) -> Derivation where Output == Value? {
    Derivation(source: DerivationSource(aggregate: .min, rows: rows, value: value))
  }

  /// The greatest value of a property of the rows, nil if there is none.
  public static func max<Root: Model, Target: Model, Value: StoredValue & Comparable>(
    _ rows: any KeyPath<Root, ToMany<Target>> & Sendable, _ value: any KeyPath<Target, Value> & Sendable
  ) -> Derivation where Output == Value? {
    Derivation(source: DerivationSource(aggregate: .max, rows: rows, value: value))
  }
}
