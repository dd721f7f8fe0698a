import Larder

/// A table as the page knows it.
struct TableSummary: Encodable {
  struct Property: Encodable {
    let name: String
    let column: String
    let type: String
    let swiftType: String
    let isOptional: Bool
    let isKey: Bool
    let isUnique: Bool
    let isSearchable: Bool
    let isDerived: Bool
    let isAttachment: Bool
    let cases: [String]?
    let target: String?

    init(_ property: TableDescription.Property) {
      name = property.name
      column = property.column
      type = property.type.rawValue
      swiftType = property.swiftType
      isOptional = property.isOptional
      isKey = property.isKey
      isUnique = property.isUnique
      isSearchable = property.isSearchable
      isDerived = property.isDerived
      isAttachment = ["Attachment", "Attachment?"].contains(property.swiftType)
      cases = property.cases
      target = property.target
    }
  }

  struct Relationship: Encodable {
    let name: String
    let kind: String
    let target: String
    let deleteRule: String
    let isOrdered: Bool

    init(_ relationship: TableDescription.Relationship) {
      name = relationship.name
      kind = relationship.kind.rawValue
      target = relationship.target
      deleteRule = relationship.deleteRule.name
      isOrdered = relationship.isOrdered
    }
  }

  struct Index: Encodable {
    let name: String
    let columns: [String]
    let isUnique: Bool
  }

  let name: String
  let title: String
  let kind: String
  let properties: [Property]
  let relationships: [Relationship]
  let indexes: [Index]
  /// Columns without a property, whose values are kept.
  let retired: [String]
  let expires: Bool
  let syncs: Bool
  let isSearchable: Bool

  init(_ table: TableDescription) {
    name = table.name
    title = table.title
    kind = table.kind.rawValue
    properties = table.properties.map(Property.init)
    relationships = table.relationships.map(Relationship.init)
    indexes = table.indexes.map { Index(name: $0.name, columns: $0.columns, isUnique: $0.isUnique) }
    retired = table.retired
    expires = table.expires
    syncs = table.syncs
    isSearchable = table.isSearchable
  }
}

extension DeleteRule {
  /// The rule as a program writes it.
  fileprivate var name: String {
    switch self {
    case .nullify: "nullify"
    case .deny: "deny"
    case .cascade: "cascade"
    default: "noAction"
    }
  }
}
