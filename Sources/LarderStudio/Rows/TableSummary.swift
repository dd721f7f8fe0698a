import Larder

/// A table as the page knows it.
struct TableSummary: Encodable {
  struct Property: Encodable {
    let name: String
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

    init(_ relationship: TableDescription.Relationship) {
      name = relationship.name
      kind = relationship.kind.rawValue
      target = relationship.target
      deleteRule = relationship.deleteRule.name
    }
  }

  let name: String
  let title: String
  let kind: String
  let properties: [Property]
  let relationships: [Relationship]
  let expires: Bool
  let isSearchable: Bool

  init(_ table: TableDescription) {
    name = table.name
    title = table.title
    kind = table.kind.rawValue
    properties = table.properties.map(Property.init)
    relationships = table.relationships.map(Relationship.init)
    expires = table.expires
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
