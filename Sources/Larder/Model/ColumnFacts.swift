import Foundation

/// What is the same in every copy of a column. An object, because queries copy columns often.
final class ColumnFacts<Root: Model, Output>: Sendable {
  let keyPath: any PartialKeyPath<Root> & Sendable
  let property: String
  let name: String
  let value: @Sendable (Root) -> Output
  let coding: ColumnCoding<Output>
  /// For a column of an embedded struct: reads its stored value from an instance of the outermost embedded struct.
  let embeddedValue: (@Sendable (Any) throws -> Value?)?

  init(
    keyPath: any PartialKeyPath<Root> & Sendable, property: String, name: String,
    value: @escaping @Sendable (Root) -> Output, coding: ColumnCoding<Output>,
    embeddedValue: (@Sendable (Any) throws -> Value?)?
  ) {
    self.keyPath = keyPath
    self.property = property
    self.name = name
    self.value = value
    self.coding = coding
    self.embeddedValue = embeddedValue
  }
}
