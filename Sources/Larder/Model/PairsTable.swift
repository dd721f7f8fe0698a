/// The join table of a many-to-many relationship, with one row for each pair of keys. It is named after the property
/// that names its inverse.
struct PairsTable: Sendable, Hashable, Codable {
  static let source = "source"
  static let target = "target"
  /// The position of the target among those of the source.
  static let position = "position"
  /// The position of the source among those of the target.
  static let inversePosition = "inverse_position"

  /// One side of the pairs.
  struct Side: Sendable, Hashable, Codable {
    let model: String
    let property: String
    let table: String
    let key: String
    let type: StorageClass
    let isOrdered: Bool
  }

  let name: String
  let source: Side
  let target: Side

  init<Source: Model, Target: Model>(
    source: any RelationshipDefinition<Source>, target: any RelationshipDefinition<Target>
  ) {
    self.source = Side(source)
    self.target = Side(target)
    name = "\(Source.schema.table)_\(source.property)"
  }
}

extension PairsTable.Side {
  fileprivate init<Owner: Model>(_ relationship: any RelationshipDefinition<Owner>) {
    let key = Owner.schema.keyReference
    self.init(
      model: Owner.schema.modelName, property: relationship.property, table: Owner.schema.table, key: key.name,
      type: key.type.storageClass,
      isOrdered: relationship.isOrdered)
  }
}
