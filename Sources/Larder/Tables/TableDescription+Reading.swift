extension Connection {
  /// The tables of the file in alphabetical order, without those that Larder and SQLite keep for themselves.
  var tableDescriptions: [TableDescription] {
    get throws {
      let known = try knownTables()
      return try tableNames.compactMap { try tableDescription($0, known) }
    }
  }

  /// The names of the migrations that ran in the file, oldest first.
  var migrations: [String] {
    get throws {
      // Another program's table, or view, may have this name.
      guard let state = try tableState(Catalogue.migrationsTable), !state.isView else { return [] }
      let isOwn = ["position", "name"].allSatisfy { state.column($0) != nil }
      return isOwn ? try Catalogue.appliedMigrations(in: self) : []
    }
  }

  /// Returns the table with the name, or that of the model with the name.
  ///
  /// - Throws: ``StoreError`` `.notFound`, with the name that is most similar.
  func description(of name: String) throws -> TableDescription {
    let known = try knownTables()
    if let description = known.descriptions[name] { return description }
    let tables = environment.tables
    // Relationships name tables, one of which may be called as another model is.
    let model = tables.contains { $0.name == name } ? nil : tables.first { $0.model == name }
    if let table = try tableDescription(model?.name ?? name, known) { return table }
    let names = Set(try tableNames + tables.map(\.model)).sorted()
    let nearest = NearestName(to: name, among: names).name.map { "Did you mean \($0)?" }
    throw StoreError(
      .notFound, "The file has no table or model \(name). \(nearest ?? "It has \(names.formattedList).")")
  }

  /// Returns the table with the name, or nil if there is none that programs may see.
  private func tableDescription(_ name: String, _ known: KnownTables) throws -> TableDescription? {
    if let description = known.descriptions[name] { return description }
    guard !ReservedNames.isOwn(name) else { return nil }
    // Its properties grow with its documents.
    if let collection = try documents.collection(name) { return TableDescription(collection) }
    let description = try lastingDescription(name, known)
    known.descriptions[name] = description
    return description
  }

  /// Returns the description of a table that only changes with the schema.
  private func lastingDescription(_ name: String, _ known: KnownTables) throws -> TableDescription? {
    let tables = environment.tables
    if let definition = tables.first(where: { $0.name.isSameColumn(as: name) }) { return try described(definition) }
    let pairs = tables.flatMap(\.pairs)
    if let pairs = pairs.first(where: { $0.name.isSameColumn(as: name) }) { return TableDescription(pairs, of: tables) }
    guard var state = try tableState(name, known) else { return nil }
    // The view by which a context shows its changes has no columns that SQLite computes.
    let shown = try query("PRAGMA temp.table_info(\(Quoting.name(state.name)))").compactMap { $0["name"]?.text }
    if !shown.isEmpty { state.columns.removeAll { column in !shown.contains(where: column.name.isSameColumn(as:)) } }
    return try describedTable(state, known)
  }

  /// Returns what SQLite says of a table. A view of what isn't there any more, and a table of an unknown module, have no
  /// columns.
  private func tableState(_ name: String, _ known: KnownTables? = nil) throws -> TableState? {
    do {
      return try TableState.read(name, from: self, kinds: try known?.kinds(in: self))
    } catch let error as StoreError where [.schemaMismatch, .unsupported].contains(error.code) {
      return TableState(name: name, columns: [], isWithoutRowID: true, isStrict: false, isView: true)
    }
  }

  private func described(_ table: TableDefinition) throws -> TableDescription {
    let entry = try Catalogue.exists(in: self) ? Catalogue.entry(of: table.name, in: self) : nil
    return TableDescription(table, among: environment.tables, retired: entry?.retired ?? [])
  }

  /// Returns what SQLite's schema says of a table that is none of Larder's.
  private func describedTable(_ state: TableState, _ known: KnownTables) throws -> TableDescription {
    let keys = try singleForeignKeys(of: state.name, known)
    let references = try keys.own.compactMap { reference in
      let column = reference.childColumns[0]
      let key = try reference.parentColumns.first ?? keyColumn(of: reference.parent, known)
      return key.map { key in
        TableDescription.Relationship(
          name: column, kind: .toOne, target: reference.parent, deleteRule: DeleteRule(sql: reference.deleteRule),
          isOrdered: false, inverse: nil, key: key, rows: .reference(column: column))
      }
    }
    let indexes = try self.indexes(of: state)
    // A row without a key has its number.
    let hasKey = state.columns.contains { $0.keyPosition > 0 }
    let number = hasKey || state.isView ? nil : state.rowNumber
    let properties =
      (number.map { [TableDescription.Property(rowNumber: $0)] } ?? [])
      + state.columns.map { column in
        TableDescription.Property(
          column, isUnique: indexes.contains { $0.isUnique && $0.columns == [column.name] },
          target: references.first { $0.name.isSameColumn(as: column.name) }?.target)
      }
    return TableDescription(
      name: state.name, kind: state.isView ? .view : .table, model: nil, properties: properties, indexes: indexes,
      relationships: references + (try rowsReferring(to: state, keys.referring, known)), expires: false, syncs: false,
      retired: [],
      rowID: state.rowNumber)
  }

  private func indexes(of state: TableState) throws -> [TableDescription.Index] {
    try query("PRAGMA main.index_list(\(Quoting.name(state.name)))").compactMap { row in
      guard let name = row["name"]?.text, row["origin"] != "pk" else { return nil }
      let columns = try query("PRAGMA main.index_info(\(Quoting.name(name)))").map { $0["name"]?.text ?? "…" }
      // A partial index says nothing of the other rows.
      return TableDescription.Index(
        name: name, columns: columns, isUnique: row["unique"] == 1 && row["partial"] == 0)
    }
  }

  /// The rows of other tables that refer to a table's rows, as relationships of the table.
  private func rowsReferring(
    to state: TableState, _ referring: [ForeignKey], _ known: KnownTables
  ) throws -> [TableDescription.Relationship] {
    guard !state.isView else { return [] }
    return try referring.compactMap { reference in
      let column = reference.childColumns[0]
      guard let key = try reference.parentColumns.first ?? keyColumn(of: state.name, known) else { return nil }
      let isOneOfSeveral = referring.filter { $0.child == reference.child }.count > 1
      return TableDescription.Relationship(
        name: reference.child.nameOfRows(referringBy: isOneOfSeveral ? column : nil), kind: .toMany,
        target: reference.child, deleteRule: DeleteRule(sql: reference.deleteRule), isOrdered: false, inverse: column,
        key: key, rows: .reference(column: column))
    }
  }

  private func keyColumn(of table: String, _ known: KnownTables) throws -> String? {
    let keys = try tableState(table, known)?.columns.filter { $0.keyPosition > 0 } ?? []
    return keys.count == 1 ? keys[0].name : nil
  }
}

extension TableDescription.Property {
  fileprivate init(rowNumber name: String) {
    self.init(name: name, column: name, type: ColumnType(storageClass: .integer), isKey: true, isRowNumber: true)
  }

  fileprivate init(_ column: TableState.Column, isUnique: Bool, target: String?) {
    let kind = PropertyType(declared: column.declaredType)
    let type = ColumnType(kind, isOptional: !column.isRequired && column.keyPosition == 0)
    self.init(
      name: column.name, column: column.name, type: kind, swiftType: kind.swiftName(type), isOptional: type.isOptional,
      isKey: column.keyPosition > 0, isUnique: isUnique, isSearchable: false, isDerived: column.isGenerated, cases: nil,
      target: target, derivation: nil, declaredType: column.declaredType, isRowNumber: false, columnType: type)
  }
}

extension ColumnType {
  fileprivate init(_ type: PropertyType, isOptional: Bool) {
    self.init(
      storageClass: type == .bool || type == .integer
        ? .integer : type == .double ? .real : type == .text ? .text : .blob,
      isOptional: isOptional, numberForm: type == .bool ? .boolean : nil)
  }
}

extension DeleteRule {
  /// - Parameter sql: SQLite's name of the rule.
  fileprivate init(sql: String?) {
    self =
      switch sql {
      case "CASCADE": .cascade
      case "SET NULL", "SET DEFAULT": .nullify
      case "RESTRICT": .deny
      default: .noAction
      }
  }
}

extension String {
  /// Returns a name for the rows of a table with this name that refer to another: `orders`, or `ordersByCustomer`.
  func nameOfRows(referringBy column: String?) -> String {
    let name = prefix(1).lowercased() + dropFirst()
    return column.map { "\(name)By\($0.prefix(1).uppercased())\($0.dropFirst())" } ?? name
  }
}

extension [String] {
  var formattedList: String { isEmpty ? "none" : joined(separator: ", ") }
}
