extension Store {
  /// Returns what opening the file with these models would do, without doing it.
  ///
  /// ```swift
  /// print(try Store.plan(at: url, for: Note.self))
  /// ```
  ///
  /// - Parameters:
  ///   - location: The file's path, as `String`, `URL` or `FilePath`.
  ///   - models: The models to plan for.
  ///   - configuration: The options with which the store would be opened.
  /// - Returns: The steps of the migration, in order, and what to check before it.
  /// - Throws: The errors of opening the store, up to the named migrations: ``StoreError`` `.schemaMismatch`,
  ///   `.newerFile`, `.notAStore`, `.corrupt`, `.unsupported`.
  public static func plan(
    at location: some StoreLocation, for models: any Model.Type..., configuration: Configuration = Configuration()
  ) throws -> MigrationPlan {
    try StoreOpening(path: location.storePath, models: models, configuration: configuration).plan()
  }
}
