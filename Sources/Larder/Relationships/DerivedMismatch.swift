/// A `@Derived` property that is not what its rows say. Made by ``StoreReader/verifyDerived()``.
public struct DerivedMismatch: Sendable, Hashable, CustomStringConvertible {
  /// The model's name.
  public let model: String
  /// The property's name.
  public let property: String
  /// The key of the row.
  public let key: Value
  /// What the row holds.
  public let stored: Value
  /// What the rows of the relationship say.
  public let computed: Value

  /// Names the property, and shows no stored value.
  public var description: String { "\(model).\(property) is not what its rows say" }
}

extension StoreReader {
  /// Computes every `@Derived` property anew and answers those that differ from what is stored: none, unless the file was written to by a
  /// program that does not know Larder's functions, or was damaged.
  ///
  /// - Complexity: Every row of the models that have such properties, and of those that they are derived from.
  public func verifyDerived() throws -> [DerivedMismatch] {
    try _read { try $0.connection.verifyDerived() }
  }
}

extension Store {
  /// Computes every `@Derived` property anew and answers those that differ from what is stored. See ``StoreReader/verifyDerived()``.
  public func verifyDerived() async throws -> [DerivedMismatch] {
    try await reading { try $0.verifyDerived() }
  }
}

extension Connection {
  func verifyDerived() throws -> [DerivedMismatch] {
    try inOneView {
      try environment.tables.flatMap(\.derived).flatMap { column in
        try query(column.mismatches(.sqlite)).map { row in
          DerivedMismatch(
            model: column.model, property: column.property, key: row["key"] ?? .null, stored: row["stored"] ?? .null,
            computed: row["computed"] ?? .null)
        }
      }
    }
  }
}
