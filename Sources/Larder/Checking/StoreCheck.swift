/// Checks a store, one part after another, and collects findings.
final class StoreCheck {
  /// A part that is checked at a time.
  private enum Part {
    case pages
    case references(table: String)
    case constraints(table: String, declaration: [UInt8])
    case derivedValues(DerivedColumn)
    case attachments
    case searchIndex(TableDefinition)
    case jsonForm(TableDefinition)
    case schema
    case values(TableDefinition)
    case untypedValues(TableDescription)
  }

  let connection: Connection
  let storage: AttachmentStorage
  let limit: Int
  var report = StoreReport()
  /// The tables of the file, once they are known.
  var tables: [String]?
  private var kinds: [String: TableState.Kind]?

  private init(_ connection: Connection, _ storage: AttachmentStorage, limit: Int) {
    self.connection = connection
    self.storage = storage
    self.limit = limit
  }

  static func report(
    on connection: Connection, _ storage: AttachmentStorage, limit: Int, progress: ((StoreReport.Progress) -> Void)?
  ) throws -> StoreReport {
    let check = StoreCheck(connection, storage, limit: max(0, limit))
    try check.run(progress)
    return check.report
  }

  private func run(_ progress: ((StoreReport.Progress) -> Void)?) throws {
    let parts = try parts()
    for (position, part) in parts.enumerated() {
      progress?(self.progress(part, position, parts.count))
      try connection.checkInterruption()
      do {
        try look(at: part)
      } catch let error as StoreError where Self.isDamage(error) {
        add(.damage, model: model(of: part), "Not all of it could be read: \(error.message)")
      } catch let error as StoreError where Self.concernsTable(error) {
        add(.unreadableValue, model: model(of: part), "Not all of it could be checked: \(error.message)")
      }
    }
    if let last = parts.last { progress?(self.progress(last, parts.count, parts.count)) }
    try connection.checkInterruption()
  }

  /// Returns the parts to check, without those for which the schema can't be read.
  private func parts() throws -> [Part] {
    var parts = [Part.pages]
    func collect(_ found: () throws -> [Part]) throws {
      do {
        parts += try found()
      } catch let error as StoreError where Self.isDamage(error) || Self.concernsTable(error) {
        add(.damage, "The file's schema could not be read: \(error.message)")
      }
    }
    let tables = connection.environment.tables
    try collect {
      try allTables().filter { table in
        try !connection.query("PRAGMA main.foreign_key_list(\(Quoting.name(table)))").isEmpty
      }.map { .references(table: $0) }
    }
    try collect { try constrainedTables().map { .constraints(table: $0.name, declaration: $0.declaration) } }
    parts += tables.flatMap(\.derived).map { .derivedValues($0) }
    try collect { try AttachmentTable(connection).exists() ? [.attachments] : [] }
    parts += tables.filter { !$0.searchable.isEmpty }.map { .searchIndex($0) }
    // Adopted columns are compared by value.
    if connection.environment.isManaged {
      parts += tables.filter { $0.columns.contains(where: \.type.isJSON) }.map { .jsonForm($0) }
      parts.append(.schema)
    }
    parts += tables.map { .values($0) }
    try collect { try untypedTables().map { .untypedValues($0) } }
    return parts
  }

  private func look(at part: Part) throws {
    switch part {
    case .pages: try checkPages()
    case .references(let table): try checkReferences(of: table)
    case .constraints(let table, let declaration): try checkConstraints(of: table, declaration)
    case .derivedValues(let column): try checkDerivedValues(of: column)
    case .attachments: try checkAttachments()
    case .searchIndex(let table): try checkSearchIndex(of: table)
    case .jsonForm(let table): try checkJSON(of: table)
    case .schema: try checkSchema()
    case .values(let table): try checkValues(of: table)
    case .untypedValues(let table): try checkValues(of: table)
    }
  }

  private func progress(_ part: Part, _ completed: Int, _ total: Int) -> StoreReport.Progress {
    let step: StoreReport.Progress.Step =
      switch part {
      case .pages: .pages
      case .references: .references
      case .constraints: .constraints
      case .derivedValues: .derivedValues
      case .attachments: .attachments
      case .searchIndex: .searchIndexes
      case .jsonForm: .jsonForms
      case .schema: .schema
      case .values, .untypedValues: .values
      }
    return StoreReport.Progress(step: step, model: model(of: part), completed: completed, total: total)
  }

  private func model(of part: Part) -> String? {
    switch part {
    case .pages, .attachments, .schema: nil
    case .references(let table), .constraints(let table, _): definition(of: table)?.model ?? table
    case .derivedValues(let column): column.model
    case .searchIndex(let table), .jsonForm(let table), .values(let table): table.model
    case .untypedValues(let table): table.name
    }
  }

  // MARK: Finding

  /// Returns whether an error means that the file is damaged, rather than that it couldn't be checked.
  static func isDamage(_ error: StoreError) -> Bool { error.code == .corrupt || error.code == .notAStore }

  static func report(ofFileThatCannotBeOpened error: StoreError) -> StoreReport {
    var report = StoreReport()
    report.add(.damage, limit: 1) { StoreReport.Finding(.damage, error.message) }
    return report
  }

  func add(
    _ kind: StoreReport.Finding.Kind, model: String? = nil, property: String? = nil, table: String? = nil,
    _ message: String
  ) {
    report.add(kind, limit: limit) {
      StoreReport.Finding(kind, model: model, property: property, table: table, message)
    }
  }

  /// Returns whether another finding of the kind is reported, and not only counted.
  func keeps(_ kind: StoreReport.Finding.Kind) -> Bool { report.counts[kind, default: 0] < limit }

  // MARK: Reading

  func kindsOfTables() throws -> [String: TableState.Kind] {
    if let kinds { return kinds }
    let kinds = try TableState.Kind.all(in: connection)
    self.kinds = kinds
    return kinds
  }

  func definition(of table: String) -> TableDefinition? {
    connection.environment.tables.first { $0.name.isSameColumn(as: table) }
  }

  /// Calls the closure with each row of a query by Larder itself.
  func forEachRow(_ sql: String, _ arguments: [Value] = [], _ body: (PreparedStatement) throws -> Void) throws {
    let statement = try connection.compile(sql, isPersistent: false)
    do {
      try statement.bind(arguments.map { .value($0) })
    } catch let code as ResultCode {
      throw connection.error(code.code, nil)
    }
    while try connection.step(statement, nil) {
      try connection.checkInterruption()
      try body(statement)
    }
  }
}
