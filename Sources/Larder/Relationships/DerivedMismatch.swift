/// A `@Derived` property whose stored value is wrong. See ``StoreReader/verifyDerived()``.
public struct DerivedMismatch: Sendable, Hashable, CustomStringConvertible {
  /// The model's name.
  public let model: String
  /// The property's name.
  public let property: String
  /// The key of the row.
  public let key: Value
  /// The stored value.
  public let stored: Value
  /// The value computed from the rows of the relationship.
  public let computed: Value

  /// The name of the property, without stored values.
  public var description: String { "\(model).\(property) is not what its rows say" }
}

extension StoreReader {
  /// Recomputes every `@Derived` property, and returns those whose stored value differs.
  ///
  /// There are none unless the file was damaged, or written by a program without Larder's functions.
  ///
  /// - Returns: The differences.
  /// - Throws: ``StoreError`` with the codes of any read.
  /// - Complexity: Reads every row of the models that have such properties, and of those that they are derived from.
  public func verifyDerived() throws -> [DerivedMismatch] {
    try _read { try $0.connection.verifyDerived() }
  }
}

extension Store {
  /// Recomputes every `@Derived` property, and returns those whose stored value differs. See
  /// ``StoreReader/verifyDerived()``.
  ///
  /// - Returns: The differences.
  /// - Throws: ``StoreError`` with the codes of any read.
  public func verifyDerived() async throws -> [DerivedMismatch] {
    try await reading { try $0.verifyDerived() }
  }
}

extension Connection {
  func verifyDerived() throws -> [DerivedMismatch] {
    try inOneView {
      try environment.tables.flatMap(\.derived).flatMap { column in
        try query(column.mismatches(in: overlay == nil ? .file : .visible)).map { row in
          DerivedMismatch(
            model: column.model, property: column.property, key: row["key"] ?? .null, stored: row["stored"] ?? .null,
            computed: row["computed"] ?? .null)
        }
      }
    }
  }
}
