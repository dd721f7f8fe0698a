extension ModuleConnection {
  /// The tables of all models as the file describes them, whether or not the program declares them. Which values a property has
  /// is what the file says of its type. Tests of types about which it doesn't say enough may change.
  package var describedTables: [ModuleTable] {
    get throws {
      let definitions = try TableDefinition.described(in: connection)
      var tables = try ModuleTable.all(definitions)
      for definition in definitions {
        guard let place = tables.firstIndex(where: { $0.name == definition.name }) else { continue }
        for property in TableDescription(definition, among: definitions, retired: []).properties {
          tables[place].setValueTest(Self.test(of: property), ofColumn: property.column)
        }
      }
      return tables
    }
  }

  private static func test(of property: TableDescription.Property) -> ValueTest {
    let isVague = property.cases == nil && !ValueTest.isDescribed(byName: property.swiftType)
    return ValueTest(mayChange: isVague) { value in
      if property.type == .json, case .text(let text) = value {
        // The canonical form takes longer the deeper the JSON is.
        guard JSONScanner.isValid(text) else { throw MalformedJSON() }
      } else {
        _ = try property.stored(value)
      }
    }
  }
}
