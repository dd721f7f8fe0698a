import Larder

extension SourcePlan {
  /// Declares the properties that triggers derive from rows. One that can't be declared is left out, because a save would
  /// write it.
  mutating func declareDerived(of position: Int) {
    let derived = tables[position].derived
    // From the last to the first, so that the places stay.
    for (property, name, place) in derived.reversed() {
      let type = storedType(of: property)
      guard let derivation = derivation(of: property, type, in: position) else {
        let column = property.column.swiftLiteral
        tables[position].model.notes.append(
          "Triggers keep the column \(column). A save must not write it, so it isn't declared.")
        continue
      }
      let options = Self.options(of: property, in: tables[position].description, isReference: false)
      let attributes = attribute(options, name: property.column == name ? nil : property.column)
      tables[position].paths[property.column.folded] = ".\(SwiftName.quoted(name))"
      tables[position].model.properties.insert(
        SourceProperty(
          name: name, type: "\(type)\(property.isOptional ? "?" : "")",
          attributes: attributes + ["@Derived(\(derivation))"], value: property.isOptional ? nil : "0",
          column: property.column),
        at: place)
    }
  }

  /// Returns the argument of `@Derived`, if it is one that the compiler and the library accept.
  private func derivation(of property: TableDescription.Property, _ type: String, in position: Int) -> String? {
    let table = tables[position]
    guard let derivation = property.derivation, !property.isUnique, let rows = table.rows[derivation.relationship]
    else {
      return nil
    }
    let target = tables[rows.table]
    let path = "\\\(table.name).\(SwiftName.quoted(rows.name))"
    guard !target.description.expires else { return nil }
    if derivation.function == "count" { return type == "Int" && !property.isOptional ? ".count(\(path))" : nil }
    guard let value = derivation.property.flatMap({ target.description.property($0) }), value.target == nil,
      value.cases == nil, Self.plainType(of: value) == type, value.isISO8601 == property.isISO8601,
      let valuePath = target.paths[value.column.folded]
    else { return nil }
    let isNumber = ["Decimal", "Double", "Float"].contains(type) || value.type == .integer
    switch derivation.function {
    case "sum":
      guard isNumber, !property.isOptional else { return nil }
    case "min", "max":
      guard isNumber || type == "Date" || type == "String", property.isOptional, !value.isOptional else { return nil }
    default: return nil
    }
    return ".\(derivation.function)(\(path), \\\(target.name)\(valuePath))"
  }
}
