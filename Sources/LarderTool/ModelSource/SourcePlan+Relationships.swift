import Larder

// MARK: - References

extension SourcePlan {
  /// What becomes of a column that refers to rows of a table.
  enum ReferenceResult {
    case none
    case reference(Reference)
    /// The column becomes a plain property, with the reason as a comment.
    case refused(String)
  }

  func reference(of property: TableDescription.Property, in position: Int) -> ReferenceResult {
    let owner = tables[position]
    guard let name = property.target,
      let relationship = owner.description.relationships.first(where: {
        $0.kind == .toOne && $0.column?.folded == property.column.folded
      })
    else { return .none }
    let literal = name.swiftLiteral
    guard let target = self.position(of: name) else {
      return .refused("Refers to \(literal), which is no struct.")
    }
    let key = tables[target].key
    guard key.count == 1, let column = key.first else {
      return .refused("Refers to \(literal), whose key has \(key.count) columns, and a ToOne holds one.")
    }
    guard relationship.key.folded == column.column.folded else {
      return .refused("Refers to \(relationship.key.swiftLiteral) of \(literal), and a ToOne holds the key.")
    }
    guard Self.plainType(of: property) == Self.plainType(of: column), property.cases == nil, column.cases == nil else {
      return .refused("Refers to \(literal), whose key is a value of another type.")
    }
    // A key that is a reference to a row whose key is a reference leads nowhere if it leads back.
    if owner.key.count == 1, owner.isKey(property), column.target != nil {
      return .refused("Refers to \(literal), whose key is a reference itself.")
    }
    return .reference(
      Reference(owner: position, column: property.column, target: target, relationship: relationship))
  }

  func setDeleteRule(of reference: Reference, isOptional: Bool, _ property: inout SourceProperty) {
    let rule = reference.relationship.deleteRule
    guard rule != (isOptional ? .nullify : .deny) else { return }
    if rule == .nullify {
      property.note =
        "The file's rule for a deleted row sets this column to NULL or to its default, which no rule of a required ToOne does."
      return
    }
    property.attributes.append("@Relationship(deleteRule: .\(rule.swiftName))")
  }
}

extension DeleteRule {
  fileprivate var swiftName: String {
    switch self {
    case .nullify: "nullify"
    case .deny: "deny"
    case .cascade: "cascade"
    default: "noAction"
    }
  }
}

// MARK: - Rows

extension SourcePlan {
  /// Declares the rows that refer to those of a table, on the side of that table. Of models, only those that the models
  /// themselves declare.
  mutating func declareRows(of reference: Reference, among references: [Reference]) {
    let owner = tables[reference.owner]
    if owner.description.kind == .model, reference.relationship.inverse == nil { return }
    let declared = tables[reference.target].description.relationships.first {
      $0.name == reference.relationship.inverse && $0.kind == .toMany
    }
    let hasSibling = references.contains {
      $0.owner == reference.owner && $0.target == reference.target && $0.column != reference.column
    }
    let plain = SwiftName.property(owner.description.name) ?? "rows"
    let distinct = "\(plain)By\(reference.name.prefix(1).uppercased())\(reference.name.dropFirst())"
    let made = hasSibling || reference.owner == reference.target ? distinct : plain
    let name = tables[reference.target].scope.take(declared.flatMap { SwiftName.unchanged($0.name) } ?? made, distinct)
    if let declared { tables[reference.target].rows[declared.name] = (name, reference.owner) }
    let inverse = "\\\(owner.name).\(SwiftName.quoted(reference.name))"
    let order = declared?.isOrdered == true ? ", ordered: true" : ""
    tables[reference.target].model.properties.append(
      SourceProperty(
        name: name, type: "ToMany<\(owner.name)>", attributes: ["@Relationship(inverse: \(inverse)\(order))"],
        value: "[]"))
  }
}

// MARK: - Many to many

extension SourcePlan {
  /// Declares both sides of a relationship whose pairs have a table of their own, which is called after the side that
  /// names the other.
  mutating func declarePairs(_ pairs: TableDescription) {
    let sides = pairs.properties.compactMap { $0.target.flatMap { position(of: $0) } }
    guard sides.count == 2 else { return add(note: Self.note(on: pairs)) }
    let (own, other) = (sides[0], sides[1])
    let relationship = tables[own].description.relationships.first {
      $0.kind == .manyToMany && pairs.name == "\(tables[own].description.name)_\($0.name)"
    }
    let inverse = relationship.flatMap { relationship in
      tables[other].description.relationships.first { $0.kind == .manyToMany && $0.name == relationship.inverse }
    }
    // The table is found by the names of the model's table and property, so no other will do.
    guard let relationship, let inverse, let name = SwiftName.unchanged(relationship.name),
      tables[own].scope.take(name) == name
    else { return add(note: Self.note(on: pairs)) }
    let otherName = tables[other].scope.take(SwiftName.unchanged(inverse.name) ?? "rows")
    tables[own].rows[relationship.name] = (name, other)
    tables[other].rows[inverse.name] = (otherName, own)
    let path = "inverse: \\\(tables[other].name).\(SwiftName.quoted(otherName))"
    tables[own].model.properties.append(
      SourceProperty(
        name: name, type: "ToMany<\(tables[other].name)>",
        attributes: ["@Relationship(\(path)\(relationship.isOrdered ? ", ordered: true" : ""))"], value: "[]"))
    tables[other].model.properties.append(
      SourceProperty(
        name: otherName, type: "ToMany<\(tables[own].name)>",
        attributes: inverse.isOrdered ? ["@Relationship(ordered: true)"] : [], value: "[]"))
  }

  private static func note(on pairs: TableDescription) -> String {
    "The table \(pairs.name.swiftLiteral) has pairs of rows that belong together, and no property can stand for them."
  }
}
