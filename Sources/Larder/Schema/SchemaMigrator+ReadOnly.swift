extension SchemaMigrator {
  /// Throws unless the file fits the models as it is.
  ///
  /// - Throws: ``StoreError`` `.newerFile`; `.schemaMismatch` with the first thing that opening would have to change.
  func checkIsReadable() throws {
    let remedy = "a store that is opened with access: .readOnly changes nothing. Open it once with access: .readWrite."
    if let migration = try pendingMigrations().first {
      throw StoreError(.schemaMismatch, "The migration \"\(migration.name)\" did not run in the file, and \(remedy)")
    }
    if try isUpToDate() { return }
    for table in tables {
      guard let state = try TableState.read(table.name, from: connection) else {
        throw StoreError(.schemaMismatch, model: table.model, "The file has no table \(table.name) for \(table.model), and \(remedy)")
      }
      for column in table.columns where state.column(column.name) == nil {
        throw StoreError(
          .schemaMismatch, model: table.model, property: column.property,
          "The table \(table.name) has no column \(column.name) for \(table.model).\(column.property), and \(remedy)")
      }
    }
    // What is said of the models in the catalogue may differ where nothing has to be done.
    guard let step = try plan(isReadOnly: true).steps.first else { return }
    throw StoreError(.schemaMismatch, "Opening would have to \(step), and \(remedy)")
  }
}
