extension Connection {
  /// The tables of the file in alphabetical order, without those that Larder and SQLite keep for themselves.
  var tableDescriptions: [TableDescription] {
    get throws { try tableNames.compactMap { try tableDescription($0) } }
  }

  /// Returns the table with the name, or that of the model with the name.
  ///
  /// - Throws: ``StoreError`` `.notFound`, with the name that is most similar.
  func description(of name: String) throws -> TableDescription {
    if let definition = environment.tables.first(where: { $0.model == name }) {
      return try described(definition)
    }
    if let table = try tableDescription(name) { return table }
    let names = Set(try tableNames + environment.tables.map(\.model)).sorted()
    let nearest = NearestName(to: name, among: names).name.map { "Did you mean \($0)?" }
    throw StoreError(
      .notFound, "The file has no table or model \(name). \(nearest ?? "It has \(names.formattedList).")")
  }

  private var tableNames: [String] {
    get throws {
      // SQLite calls the tables in which a full-text index keeps its data shadows.
      try query("PRAGMA main.table_list").compactMap { row -> String? in
        guard let name = row["name"]?.text, row["schema"] == "main", row["type"] != "shadow" else { return nil }
        return ReservedNames.isOwn(name) ? nil : name
      }.sorted()
    }
  }

  /// Returns the table with the name, or nil if there is none that programs may see.
  private func tableDescription(_ name: String) throws -> TableDescription? {
    let tables = environment.tables
    if let definition = tables.first(where: { $0.name.isSameColumn(as: name) }) {
      return try described(definition)
    }
    let pairs = tables.flatMap(\.pairs)
    if let pairs = pairs.first(where: { $0.name.isSameColumn(as: name) }) { return TableDescription(pairs, of: tables) }
    guard !ReservedNames.isOwn(name) else { return nil }
    if let collection = try documents.collection(name) { return TableDescription(collection) }
    guard var state = try TableState.read(name, from: self) else { return nil }
    // The view by which a context shows its changes has no columns that SQLite computes.
    let shown = try query("PRAGMA temp.table_info(\(Quoting.name(state.name)))").compactMap { $0["name"]?.text }
    if !shown.isEmpty { state.columns.removeAll { column in !shown.contains(where: column.name.isSameColumn(as:)) } }
    return try describedTable(state)
  }

  private func described(_ table: TableDefinition) throws -> TableDescription {
    let entry = try Catalogue.exists(in: self) ? Catalogue.entry(of: table.name, in: self) : nil
    return TableDescription(table, among: environment.tables, retired: entry?.retired ?? [])
  }

  /// Returns what SQLite's schema says of a table that is none of Larder's.
  private func describedTable(_ state: TableState) throws -> TableDescription {
    let table = Quoting.name(state.name)
    var references: [String: TableDescription.Relationship] = [:]
    for row in try query("PRAGMA main.foreign_key_list(\(table))") {
      let id: Int = try row.get("id")
      // A reference of several columns is none that a property could follow.
      guard try query("PRAGMA main.foreign_key_list(\(table))").filter({ $0["id"]?.integer == Int64(id) }).count == 1,
        let column = row["from"]?.text, let target = row["table"]?.text
      else { continue }
      let key = try row["to"]?.text ?? keyColumn(of: target)
      guard let key else { continue }
      references[column.asciiLowercased] = TableDescription.Relationship(
        name: column, kind: .toOne, target: target, deleteRule: DeleteRule(sql: row["on_delete"]?.text),
        isOrdered: false, inverse: nil, key: key, rows: .reference(column: column))
    }
    let indexes = try query("PRAGMA main.index_list(\(table))").compactMap { row -> TableDescription.Index? in
      guard let name = row["name"]?.text, row["origin"] != "pk" else { return nil }
      let columns = try query("PRAGMA main.index_info(\(Quoting.name(name)))").map { $0["name"]?.text ?? "…" }
      return TableDescription.Index(name: name, columns: columns, isUnique: row["unique"] == 1)
    }
    // A row without a key has its number.
    let hasKey = state.columns.contains { $0.keyPosition > 0 }
    let number = hasKey || state.isView ? nil : state.rowNumber
    let properties =
      (number.map { [TableDescription.Property(rowNumber: $0)] } ?? [])
      + state.columns.map { column in
        TableDescription.Property(
          column, isUnique: indexes.contains { $0.isUnique && $0.columns == [column.name] },
          target: references[column.name.asciiLowercased]?.target)
      }
    return TableDescription(
      name: state.name, kind: state.isView ? .view : .table, model: nil, properties: properties, indexes: indexes,
      relationships: state.columns.compactMap { references[$0.name.asciiLowercased] }
        + (try othersReferring(to: state)),
      expires: false, syncs: false, retired: [], rowID: state.rowNumber)
  }

  /// The rows of other tables that refer to a table's rows, as relationships of the table.
  private func othersReferring(to state: TableState) throws -> [TableDescription.Relationship] {
    guard !state.isView else { return [] }
    var found: [TableDescription.Relationship] = []
    for name in try tableNames {
      let keys = try query("PRAGMA main.foreign_key_list(\(Quoting.name(name)))")
      let own = keys.filter { row in
        row["table"]?.text?.isSameColumn(as: state.name) == true && keys.filter { $0["id"] == row["id"] }.count == 1
      }
      for row in own {
        guard let column = row["from"]?.text, let key = try row["to"]?.text ?? keyColumn(of: state.name) else {
          continue
        }
        found.append(
          TableDescription.Relationship(
            name: name.nameOfRows(referringBy: own.count > 1 ? column : nil), kind: .toMany, target: name,
            deleteRule: DeleteRule(sql: row["on_delete"]?.text), isOrdered: false, inverse: column, key: key,
            rows: .reference(column: column)))
      }
    }
    return found
  }

  private func keyColumn(of table: String) throws -> String? {
    let keys = try TableState.read(table, from: self)?.columns.filter { $0.keyPosition > 0 } ?? []
    return keys.count == 1 ? keys[0].name : nil
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
  fileprivate func nameOfRows(referringBy column: String?) -> String {
    let name = prefix(1).lowercased() + dropFirst()
    return column.map { "\(name)By\($0.prefix(1).uppercased())\($0.dropFirst())" } ?? name
  }
}

extension [String] {
  var formattedList: String { isEmpty ? "none" : joined(separator: ", ") }
}

// MARK: - Models, pairs and collections

extension TableDescription {
  init(_ table: TableDefinition, among tables: [TableDefinition], retired: [String]) {
    let toOne = table.references.map { reference in
      Relationship(
        name: reference.property, kind: .toOne, target: reference.table, deleteRule: reference.rule, isOrdered: false,
        inverse: tables.first { $0.name == reference.table }?.toMany.first {
          $0.table == table.name && $0.rows == .reference(column: reference.column)
        }?.property, key: reference.key, rows: .reference(column: reference.column))
    }
    let declared = table.toMany.map { rows in Relationship(rows, of: table, among: tables) }
    // The other sides of which no property speaks.
    let others = tables.flatMap { other in
      let own = other.references.filter { $0.table == table.name }
      return own.filter { reference in
        !table.toMany.contains { $0.table == other.name && $0.rows == .reference(column: reference.column) }
      }.map { reference in
        Relationship(
          name: other.name.nameOfRows(referringBy: own.count > 1 ? reference.property : nil), kind: .toMany,
          target: other.name, deleteRule: reference.rule, isOrdered: reference.isOrdered, inverse: reference.property,
          key: reference.key, rows: .reference(column: reference.column))
      }
    }
    self.init(
      name: table.name, kind: .model, model: table.model,
      properties: table.columns.map { column in
        Property(
          column, isSearchable: table.searchable.contains(column.name), target: table.reference(of: column.name),
          derivation: table.derived.first { $0.column == column.name }.flatMap {
            Derivation($0, of: table, among: tables)
          })
      },
      indexes: table.indexes.filter { !ReservedNames.isOwn($0.name) }.map {
        Index(name: $0.name, columns: $0.columns, isUnique: $0.isUnique)
      },
      relationships: toOne + declared + others, expires: table.expires, syncs: table.syncs,
      retired: retired, rowID: table.rowIDColumn)
  }

  init(_ pairs: PairsTable, of tables: [TableDefinition]) {
    let sides = [(PairsTable.source, pairs.source), (PairsTable.target, pairs.target)]
    self.init(
      name: pairs.name, kind: .pairs, model: nil,
      properties: sides.map { column, side in
        let key = tables.first { $0.name == side.table }?.column(side.key)
        return Property(
          name: column, column: column, type: key?.type ?? ColumnType(storageClass: side.type), isKey: true,
          target: side.table, swiftType: side.model)
      },
      indexes: [],
      relationships: sides.map { column, side in
        Relationship(
          name: column, kind: .toOne, target: side.table, deleteRule: .cascade, isOrdered: false, inverse: nil,
          key: side.key, rows: .reference(column: column))
      }, expires: false, syncs: true, retired: [], rowID: nil)
  }

  init(_ collection: DocumentCatalogue.Collection) {
    let any = ColumnType(storageClass: .blob, isOptional: true)
    self.init(
      name: collection.name, kind: .documents, model: nil,
      properties: [Property(name: "key", column: "key", type: ColumnType(storageClass: .text), isKey: true)]
        + collection.properties.prefix(DocumentViews.columnLimit).map {
          Property(name: $0, column: $0, type: any, isKey: false)
        }, indexes: [], relationships: [], expires: true, syncs: true, retired: [], rowID: nil)
  }
}

extension TableDescription.Derivation {
  /// Returns nil if no property of the model names the rows.
  fileprivate init?(_ column: DerivedColumn, of table: TableDefinition, among tables: [TableDefinition]) {
    guard let rows = table.toMany.first(where: { $0.table == column.rowsTable && $0.rows == column.rows }) else {
      return nil
    }
    let target = tables.first { $0.name == column.rowsTable }
    self.init(
      function: column.aggregate.rawValue, relationship: rows.property,
      property: column.value.map { target?.column($0)?.property ?? $0 })
  }
}

extension TableDescription.Relationship {
  fileprivate init(_ rows: TableDefinition.ToMany, of table: TableDefinition, among tables: [TableDefinition]) {
    switch rows.rows {
    case .reference(let column):
      let reference = tables.first { $0.name == rows.table }?.reference(of: column)
      self.init(
        name: rows.property, kind: .toMany, target: rows.table, deleteRule: reference?.rule ?? .noAction,
        isOrdered: rows.isOrdered, inverse: reference?.property, key: reference?.key ?? table.keyColumns[0].name,
        rows: rows.rows)
    case .pairs(let pairs, let own, let other, _):
      let inverse = tables.first { $0.name == rows.table }?.toMany.first { side in
        guard case .pairs(pairs, let first, let second, _) = side.rows else { return false }
        return (first, second) == (other, own)
      }
      self.init(
        name: rows.property, kind: .manyToMany, target: rows.table, deleteRule: .nullify, isOrdered: rows.isOrdered,
        inverse: inverse?.property, key: table.keyColumns[0].name, rows: rows.rows)
    }
  }
}

extension TableDescription.Property {
  fileprivate init(
    _ column: TableDefinition.Column, isSearchable: Bool, target: TableReference?,
    derivation: TableDescription.Derivation?
  ) {
    let type = PropertyType(column.type)
    self.init(
      name: column.property, column: column.name, type: type,
      swiftType: column.swiftType ?? target.map { "ToOne<\($0.model)>\(column.type.isOptional ? "?" : "")" }
        ?? type.swiftName(column.type),
      isOptional: column.type.isOptional, isKey: column.isKey, isUnique: column.isUnique, isSearchable: isSearchable,
      isDerived: column.isDerived, cases: column.cases, target: target?.table, derivation: derivation,
      declaredType: nil, isRowNumber: false, columnType: column.type)
  }

  fileprivate init(
    name: String, column: String, type: ColumnType, isKey: Bool, target: String? = nil, swiftType: String? = nil,
    isRowNumber: Bool = false
  ) {
    let kind = type.storageClass == .blob && type.textForm == nil ? PropertyType.any : PropertyType(type)
    self.init(
      name: name, column: column, type: kind, swiftType: swiftType.map { "ToOne<\($0)>" } ?? kind.swiftName(type),
      isOptional: type.isOptional, isKey: isKey, isUnique: false, isSearchable: false, isDerived: false, cases: nil,
      target: target, derivation: nil, declaredType: nil, isRowNumber: isRowNumber, columnType: type)
  }

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

// MARK: - Types

extension ColumnType {
  fileprivate init(_ type: PropertyType, isOptional: Bool) {
    self.init(
      storageClass: type == .bool || type == .integer
        ? .integer : type == .double ? .real : type == .text ? .text : .blob,
      isOptional: isOptional, numberForm: type == .bool ? .boolean : nil)
  }
}

extension PropertyType {
  init(_ type: ColumnType) {
    if type.isJSON {
      self = .json
    } else if type.order == .decimal {
      self = .decimal
    } else if type.textForm == .date || type.order == .instant {
      self = .date
    } else if type.textForm == .uuid {
      self = .uuid
    } else {
      self =
        switch (type.storageClass, type.numberForm) {
        case (.integer, .boolean): .bool
        case (.integer, _): .integer
        case (.real, .single): .float
        case (.real, _): .double
        case (.text, _): .text
        case (.blob, _): .data
        }
    }
  }

  /// - Parameter declared: The type with which SQL declared a column. Which values SQLite makes of it:
  ///   <https://www.sqlite.org/datatype3.html#determination_of_column_affinity>.
  init(declared: String) {
    let name = declared.uppercased()
    func holds(_ parts: String...) -> Bool { parts.contains(where: name.contains) }
    self =
      if holds("BOOL") { .bool } else if holds("INT") { .integer } else if holds("CHAR", "CLOB", "TEXT") {
        .text
      } else if holds("REAL", "FLOA", "DOUB") { .double } else if holds("BLOB") { .data } else { .any }
  }

  /// Returns the type in Swift whose values are kept so.
  func swiftName(_ type: ColumnType) -> String {
    let name =
      switch self {
      case .bool: "Bool"
      case .integer: type.integerRange.flatMap(Self.integerName) ?? "Int"
      case .float: "Float"
      case .double: "Double"
      case .decimal: "Decimal"
      case .text: "String"
      case .date: "Date"
      case .uuid: "UUID"
      case .data: "Data"
      case .json: "DocumentValue"
      case .any: "Value"
      }
    return type.isOptional ? "\(name)?" : name
  }

  private static func integerName(_ range: ClosedRange<Int64>) -> String? {
    func isRange<Integer: FixedWidthInteger>(of type: Integer.Type) -> Bool {
      range.lowerBound == Int64(clamping: Integer.min) && range.upperBound == Int64(clamping: Integer.max)
    }
    let types: [any FixedWidthInteger.Type] = [
      Int8.self, Int16.self, Int32.self, UInt8.self, UInt16.self, UInt32.self, UInt.self,
    ]
    return types.first { isRange(of: $0) }.map { "\($0)" }
  }
}
