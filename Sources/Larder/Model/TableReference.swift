/// A foreign key of a model's table.
struct TableReference: Sendable, Hashable, Codable {
  let property: String
  let column: String
  /// The referenced model.
  let model: String
  let table: String
  let key: String
  let rule: DeleteRule
  let isOptional: Bool
  /// Whether the rows of the other side are ordered.
  let isOrdered: Bool

  /// The rule in SQL. It is checked when a transaction ends, so that rows that refer to each other can be saved in one.
  var sql: String {
    "REFERENCES \(Quoting.name(table)) (\(Quoting.name(key))) ON DELETE \(rule.sql) DEFERRABLE INITIALLY DEFERRED"
  }
}

extension TableReference {
  /// Throws `.schemaMismatch` for an impossible rule, and for a model that can't be referenced.
  init<Root: Model>(_ definition: any AnyToOneDefinition<Root>) throws {
    func make<Target: Model>(_ target: Target.Type) throws -> TableReference {
      let place = "\(Root.self).\(definition.property)"
      guard Target.schema.keyColumns.count == 1 else {
        throw StoreError(
          .schemaMismatch, model: "\(Root.self)", property: definition.property,
          "\(place) refers to \(Target.self), whose key has \(Target.schema.keyColumns.count) properties; a reference holds one. Give \(Target.self) a key of its own, such as `var id: UUID = .v7()`, and make the others unique together with an Index."
        )
      }
      let inverse = Target.schema.relationships.first { other in
        guard other is any AnyToManyDefinition, other.target == Root.self else { return false }
        return definition.inverse.map { $0 == other.keyPath } ?? false
          || other.inverse.map { $0 == definition.keyPath } ?? false
      }
      if definition.inverse != nil, inverse == nil {
        throw StoreError(
          .schemaMismatch, model: "\(Root.self)", property: definition.property,
          "The inverse of \(place) is not a ToMany<\(Root.self)> of \(Target.self). Name the property of \(Target.self) that is."
        )
      }
      if let own = definition.rule, let other = inverse?.rule, own != other {
        throw StoreError(
          .schemaMismatch, model: "\(Root.self)", property: definition.property,
          "\(place) and \(Target.self).\(inverse?.property ?? "") name different delete rules for the same reference. Name the rule on one side only."
        )
      }
      let rule = definition.rule ?? inverse?.rule ?? (definition.isOptional ? .nullify : .deny)
      if rule == .nullify, !definition.isOptional {
        throw StoreError(
          .schemaMismatch, model: "\(Root.self)", property: definition.property,
          "\(place) is required and its delete rule is .nullify, which would leave it without a value. Make it ToOne<\(Target.self)>?, or choose .deny or .cascade."
        )
      }
      return TableReference(
        property: definition.property, column: definition.name, model: "\(Target.self)", table: Target.schema.table,
        key: Target.schema.keyReference.name, rule: rule, isOptional: definition.isOptional,
        isOrdered: inverse?.isOrdered ?? false)
    }
    self = try make(definition.target)
  }
}
