extension ModuleConnection {
  /// The tables of all models as the file describes them, whether or not the program declares them. Which values a property has
  /// is what the file says of its type.
  package var describedTables: [ModuleTable] {
    get throws {
      let definitions = try TableDefinition.described(in: connection)
      var tables = try ModuleTable.all(definitions)
      for definition in definitions {
        guard let place = tables.firstIndex(where: { $0.name == definition.name }) else { continue }
        for property in TableDescription(definition, among: definitions, retired: []).properties {
          let test = ValueTest(mayChange: false) { _ = try property.stored($0) }
          tables[place].setValueTest(test, ofColumn: property.column)
        }
      }
      return tables
    }
  }
}
