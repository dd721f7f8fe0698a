extension SchemaMigrator {
  /// Throws unless the file matches the models.
  ///
  /// - Throws: ``StoreError`` `.newerFile`; `.schemaMismatch` with the first change that opening would have to make.
  func checkIsReadable() throws {
    let remedy = "a store that is opened with access: .readOnly changes nothing. Open it once with access: .readWrite."
    if let migration = try pendingMigrations().first {
      throw StoreError(.schemaMismatch, "The migration \"\(migration.name)\" did not run in the file, and \(remedy)")
    }
    if try isUpToDate() { return }
    for table in tables {
      guard let state = try TableState.read(table.name, from: connection) else {
        throw StoreError(
          .schemaMismatch, model: table.model, "The file has no table \(table.name) for \(table.model), and \(remedy)")
      }
      for column in table.columns where state.column(column.name) == nil {
        throw StoreError(
          .schemaMismatch, model: table.model, property: column.property,
          "The table \(table.name) has no column \(column.name) for \(table.model).\(column.property), and \(remedy)")
      }
    }
    // The catalogue's entries may differ if nothing has to be changed.
    guard let step = try plan(isReadOnly: true).steps.first else { return }
    throw StoreError(.schemaMismatch, "Opening would have to \(step), and \(remedy)")
  }
}
