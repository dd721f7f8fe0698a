extension StoreCheck {
  /// Finds triggers and indexes of the models that another program has dropped.
  func checkSchema() throws {
    for step in try SchemaPlanner(connection, connection.environment.tables).repairs() {
      switch step {
      case .createTrigger(let trigger):
        add(
          .missingTrigger,
          "The trigger \(trigger.name) is missing, so what it keeps no longer follows the rows. rebuildDerived() creates it, and computes what it keeps."
        )
      case .renewSearch(let table):
        add(
          .missingTrigger, model: table.model, table: table.name,
          "A trigger of the full-text index of \(table.model) is missing, so search doesn't find what was written since. rebuildDerived() makes the index anew."
        )
      case .createIndex(let table, let index):
        let effect =
          index.isUnique ? "nothing keeps two rows from having one value" : "queries read more rows than they need to"
        add(
          .missingIndex, model: table.model, table: table.name,
          "The index \(index.name) of \(table.model) is missing, so \(effect). rebuildDerived() creates it, unless rows have one value that must be unique: change or delete all but one."
        )
      default: break
      }
    }
  }
}
