/// The features of other modules, as a feature of the store.
final class ModuleFeatures: StoreFeature {
  private let features: [any ModuleFeature]

  init(_ features: [any ModuleFeature]) {
    self.features = features
  }

  /// - Throws: ``StoreError`` `.unsupported` if the file is used by a module that the program has not switched on.
  func willMigrate(_ connection: Connection) throws {
    try checkModules(connection)
    for feature in features { try feature.willMigrate(ModuleConnection(connection)) }
  }

  /// Refuses to change tables of a file that a module uses without the program having switched the module on: the module
  /// would not learn of it.
  private func checkModules(_ connection: Connection) throws {
    guard connection.environment.isManaged, try Catalogue.exists(in: connection) else { return }
    let names = features.map { type(of: $0).name }
    for name in try ModuleConnection(connection).modulesInUse() where !names.contains(name) {
      throw StoreError(
        .unsupported,
        "The file is used by \(name), which has to take part when its tables are changed. Open it with the option of Store.Configuration that switches \(name) on."
      )
    }
  }

  func hasUnjudgedRows(inTable name: String, _ connection: Connection) throws -> Bool {
    try features.contains { try $0.hasUnjudgedRows(inTable: name, ModuleConnection(connection)) }
  }

  func upgrade(_ connection: Connection) throws {
    for feature in features { try feature.didOpen(ModuleConnection(connection)) }
    if !features.isEmpty { try AttachmentTable(connection).watch(try attachmentColumns(connection)) }
  }

  func didCreateCollection(_ name: String, _ connection: Connection) throws {
    for feature in features { try feature.didCreateCollection(name, ModuleConnection(connection)) }
  }

  func willRemoveCollection(_ name: String, _ connection: Connection) throws {
    try checkModules(connection)
    for feature in features { try feature.willRemoveCollection(name, ModuleConnection(connection)) }
  }

  func expiring<Result>(until time: Double, _ connection: Connection, _ body: () throws -> Result) throws -> Result {
    guard connection.environment.isManaged, try Catalogue.exists(in: connection),
      try !ModuleConnection(connection).modulesInUse().isEmpty
    else {
      return try body()
    }
    func marked() throws -> Result {
      let milliseconds = Int64(exactly: (time * 1000).rounded(.up)) ?? .max
      try connection.change(
        "INSERT INTO \(Catalogue.infoTable) (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        [.text(ModuleConnection.expiringKey), .integer(milliseconds)])
      let result = try body()
      try connection.change(
        "DELETE FROM \(Catalogue.infoTable) WHERE key = ?1", [.text(ModuleConnection.expiringKey)])
      return result
    }
    return try connection.isAutocommitting ? connection.transaction(marked) : connection.savepoint(marked)
  }

  func remedy(forMissingAttachment digest: String, _ connection: Connection) throws -> String? {
    try features.lazy.compactMap { try $0.remedy(forMissingAttachment: digest, ModuleConnection(connection)) }.first
  }
}

extension ModuleFeatures: AttachmentReferring {
  func attachmentColumns(_ connection: Connection) throws -> [AttachmentColumn] {
    try features.flatMap { type(of: $0).heldValues }.filter { table, _ in
      try !connection.query("SELECT 1 FROM main.sqlite_master WHERE type = 'table' AND name = ?1", [.text(table)])
        .isEmpty
    }.map { AttachmentColumn(table: $0, name: $1, isLoose: true) }
  }
}

extension ModuleConnection {
  private static let keyPrefix = "module "
  fileprivate static let expiringKey = "expiring"

  /// The time by which rows are being deleted because they have expired, in milliseconds since the reference date, as SQL
  /// for triggers of a module; NULL if rows are deleted for another reason. Every program that uses Larder sets it.
  package static let expiring = "(SELECT value FROM \(Catalogue.infoTable) WHERE key = '\(expiringKey)')"

  /// Calls the closure in a savepoint. None of its changes is refused because a derived property can't hold its sum: the
  /// property gets the nearest value that it can, and the sum as soon as a later change brings that into its range.
  ///
  /// - Parameter body: The closure.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws, and the errors of any write.
  package func clampingSums<Result>(_ body: () throws -> Result) throws -> Result {
    try connection.clampingSums(body)
  }

  /// Returns the names of the modules without which the file must not be migrated.
  func modulesInUse() throws -> [String] {
    try connection.query("SELECT key FROM \(Catalogue.infoTable)").compactMap { $0["key"]?.text }
      .filter { $0.hasPrefix(Self.keyPrefix) }.map { String($0.dropFirst(Self.keyPrefix.count)) }
  }

  /// Records that a module uses the file, so that no program without the module migrates it.
  ///
  /// - Parameters:
  ///   - version: The version of what the module keeps in the file; nil if it uses the file no longer.
  ///   - module: The module.
  package func setInUse(_ version: Int64?, _ module: (some ModuleFeature).Type) throws {
    let key = Value.text(Self.keyPrefix + module.name)
    if let version {
      try connection.change(
        "INSERT INTO \(Catalogue.infoTable) (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        [key, .integer(version)])
    } else {
      try connection.change("DELETE FROM \(Catalogue.infoTable) WHERE key = ?1", [key])
    }
  }

  /// Returns the version of what a module keeps in the file; nil if it doesn't use the file.
  ///
  /// - Parameter module: The module.
  package func version(of module: (some ModuleFeature).Type) throws -> Int64? {
    try connection.query(
      "SELECT value FROM \(Catalogue.infoTable) WHERE key = ?1", [.text(Self.keyPrefix + module.name)]
    ).first?["value"]?.integer
  }
}

extension Store {
  /// Calls the closure with a connection that reads.
  ///
  /// - Parameters:
  ///   - isBrief: Whether to begin on the task's own thread. A closure that takes more than half a millisecond begins anew
  ///     on another one.
  ///   - body: The closure.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws, and the errors of any read.
  package func readingModule<Result: Sendable>(
    isBrief: Bool = false, _ body: @escaping @Sendable (ModuleConnection) throws -> Result
  ) async throws -> Result {
    try await reading(isBrief: isBrief) { connection in
      try connection.inOneView { try body(ModuleConnection(connection)) }
    }
  }

  /// Calls the closure with the connection that writes. It begins transactions itself.
  ///
  /// - Parameter body: The closure.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws, and the errors of any write.
  package func writingModule<Result: Sendable>(
    _ body: @escaping @Sendable (ModuleConnection) throws -> Result
  ) async throws -> Result {
    try await writer.perform { try body(ModuleConnection($0)) }
  }
}

extension StoreError {
  /// Creates an error of a module.
  package init(_ code: Code, ofModel model: String?, property: String? = nil, _ message: String) {
    self.init(code, model: model, property: property, message)
  }
}
