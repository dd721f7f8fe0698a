/// Reading without the Swift types of the rows.
extension StoreReader {
  /// The tables of the file, as it describes them, in alphabetical order.
  ///
  /// Those that Larder and SQLite keep for themselves are left out.
  ///
  /// - Throws: ``StoreError`` with the codes of any read.
  public var tables: [TableDescription] {
    get throws { try _read { try $0.connection.tableDescriptions } }
  }

  /// The names of the migrations that ran in the file, oldest first; none in a file that another program made.
  ///
  /// - Throws: ``StoreError`` with the codes of any read.
  public var migrations: [String] {
    get throws { try _read { try $0.connection.migrations } }
  }

  /// Returns the table with the name, or that of the model with the name.
  ///
  /// - Parameter name: The name of a table, or of a model.
  /// - Returns: Its description.
  /// - Throws: ``StoreError`` `.notFound`, with the most similar name.
  public func table(_ name: String) throws -> TableDescription {
    try _read { try $0.connection.description(of: name) }
  }

  /// Returns the rows of the query, with the values of the properties by their names.
  ///
  /// - Parameter query: The query.
  /// - Returns: The rows. ``TableDescription/Property/text(of:)`` makes a text of a value.
  /// - Throws: ``StoreError`` `.notFound` for a table that isn't there; `.invalidValue`, with the position, for a
  ///   condition or sort that can't be read; and the codes of any read.
  public func rows(_ query: TableQuery) throws -> [Row] {
    try _read { try $0.connection.rows(query) }
  }

  /// Calls a closure with each row of the query. The memory it takes doesn't depend on the number of rows.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - body: The closure. It may read; what it throws ends the iteration.
  /// - Throws: The errors of ``rows(_:)-(TableQuery)``, and what `body` throws.
  public func forEach(_ query: TableQuery, _ body: (Row) throws -> Void) throws {
    try _read(isReentrant: true) { try $0.connection.forEach(query, body) }
  }

  /// Returns the number of rows of the query.
  ///
  /// - Parameter query: The query.
  /// - Returns: The number.
  /// - Throws: The errors of ``rows(_:)-(TableQuery)``.
  public func count(_ query: TableQuery) throws -> Int {
    try _read { try $0.connection.count(query) }
  }

  /// Returns the row with a key, or nil.
  ///
  /// - Parameters:
  ///   - key: The values of the key's properties, in their order.
  ///   - table: The name of the table, or of the model.
  /// - Returns: The row.
  /// - Throws: The errors of ``rows(_:)-(TableQuery)``.
  public func row(with key: [Value], in table: String) throws -> Row? {
    try rows(TableQuery(table).key(key)).first
  }
}

extension Store {
  /// The tables of the file, as it describes them, in alphabetical order.
  ///
  /// Those that Larder and SQLite keep for themselves are left out.
  ///
  /// ```swift
  /// let store = try Store(at: "notes.larder", schema: .existing)
  /// for table in try await store.tables { print(table.title, table.properties.map(\.name)) }
  /// ```
  ///
  /// - Throws: ``StoreError`` with the codes of any read.
  public var tables: [TableDescription] {
    get async throws { try await reading { try $0.tableDescriptions } }
  }

  /// The names of the migrations that ran in the file, oldest first; none in a file that another program made.
  ///
  /// - Throws: ``StoreError`` with the codes of any read.
  public var migrations: [String] {
    get async throws { try await reading { try $0.migrations } }
  }

  /// Returns the table with the name, or that of the model with the name.
  ///
  /// - Parameter name: The name of a table, or of a model.
  /// - Returns: Its description.
  /// - Throws: ``StoreError`` `.notFound`, with the most similar name.
  public func table(_ name: String) async throws -> TableDescription {
    try await reading { try $0.description(of: name) }
  }

  /// Returns the rows of the query, with the values of the properties by their names.
  ///
  /// - Parameter query: The query.
  /// - Returns: The rows. ``TableDescription/Property/text(of:)`` makes a text of a value.
  /// - Throws: ``StoreError`` `.notFound` for a table that isn't there; `.invalidValue`, with the position, for a
  ///   condition or sort that can't be read; and the codes of any read.
  public func rows(_ query: TableQuery) async throws -> [Row] {
    try await reading { try $0.rows(query) }
  }

  /// Returns the number of rows of the query.
  ///
  /// - Parameter query: The query.
  /// - Returns: The number.
  /// - Throws: The errors of ``rows(_:)-(TableQuery)``.
  public func count(_ query: TableQuery) async throws -> Int {
    try await reading { try $0.count(query) }
  }

  /// Returns the row with a key, or nil.
  ///
  /// - Parameters:
  ///   - key: The values of the key's properties, in their order.
  ///   - table: The name of the table, or of the model.
  /// - Returns: The row.
  /// - Throws: The errors of ``rows(_:)-(TableQuery)``.
  public func row(with key: [Value], in table: String) async throws -> Row? {
    try await rows(TableQuery(table).key(key)).first
  }
}
