/// The two sides of a relationship, seen from the model that has the property.
struct RelationshipResolution<Root: Model, Target: Model> {
  let link: RelatedRows.Link
  /// The reference of the other model that stores the relationship; nil if a join table does.
  let reference: (any AnyToOneDefinition<Target>)?
  /// The join table, if both sides are ``ToMany``.
  let pairs: PairsTable?
  /// Whether this side is ordered.
  let isOrdered: Bool

  /// Throws `.schemaMismatch` if the other side can't be found.
  init(_ column: ToManyColumn<Root, Target>) throws {
    guard let own = Root.schema.toMany(at: column.keyPath) else {
      throw StoreError(
        .schemaMismatch, model: "\(Root.self)", property: column.property,
        "\(Root.self).\(column.property) is not in the model's schema.")
    }
    isOrdered = own.isOrdered
    if let reference = try Self.reference(of: own) {
      self.reference = reference
      pairs = nil
      link = .foreignKey(reference.reference)
      return
    }
    let (table, isSource) = try Self.pairs(of: own)
    pairs = table
    reference = nil
    link = .pairs(
      table: table.name, own: isSource ? PairsTable.source : PairsTable.target,
      other: isSource ? PairsTable.target : PairsTable.source,
      key: Target.schema.keyReference.name)
  }

  /// The reference on the other side, if it has one.
  private static func reference(of own: any RelationshipDefinition<Root>) throws -> (any AnyToOneDefinition<Target>)? {
    let references = Target.schema.references
    if let inverse = own.inverse { return references.first { $0.keyPath == inverse && $0.target == Root.self } }
    let candidates = references.filter { $0.inverse.map { $0 == own.keyPath } == true }
    guard candidates.count < 2 else { throw StoreError.ambiguousInverse(own, candidates.map(\.property)) }
    return candidates.first
  }

  private static func pairs(of own: any RelationshipDefinition<Root>) throws -> (PairsTable, isSource: Bool) {
    let others = Target.schema.relationships.filter { $0 is any AnyToManyDefinition && $0.target == Root.self }
    if let inverse = own.inverse {
      guard let other = others.first(where: { $0.keyPath == inverse }) else { throw StoreError.missingInverse(own) }
      return (PairsTable(source: own, target: other), true)
    }
    let candidates = others.filter { $0.inverse.map { $0 == own.keyPath } == true }
    guard candidates.count < 2 else { throw StoreError.ambiguousInverse(own, candidates.map(\.property)) }
    guard let other = candidates.first else { throw StoreError.missingInverse(own) }
    return (PairsTable(source: other, target: own), false)
  }
}

extension ModelSchema {
  var references: [any AnyToOneDefinition<Root>] {
    relationships.compactMap { $0 as? any AnyToOneDefinition<Root> }
  }

  func toMany(at path: AnyKeyPath) -> (any RelationshipDefinition<Root>)? {
    relationships.first { $0.keyPath == path }
  }
}

extension StoreError {
  fileprivate static func missingInverse<Root>(_ own: any RelationshipDefinition<Root>) -> StoreError {
    StoreError(
      .schemaMismatch, model: "\(Root.self)", property: own.property,
      "\(Root.self).\(own.property) has no other side in \(own.target). Name the property of \(own.target) that is its inverse: @Relationship(inverse: \\\(own.target).…), on one side only."
    )
  }

  fileprivate static func ambiguousInverse<Root>(
    _ own: any RelationshipDefinition<Root>, _ properties: [String]
  ) -> StoreError {
    StoreError(
      .schemaMismatch, model: "\(Root.self)", property: own.property,
      "\(Root.self).\(own.property) is named as the inverse of \(properties.joined(separator: " and ")) of \(own.target). Name it in one of them only."
    )
  }
}
