import Foundation

/// What Larder records about itself in the file, so that tools can read it without the Swift types.
enum Catalogue {
  /// The version of this layout. A file with a greater one was written by a newer Larder.
  static let format: Int64 = 1
  static let modelsTable = "\(ReservedNames.prefix)models"
  static let migrationsTable = "\(ReservedNames.prefix)migrations"
  static let infoTable = "\(ReservedNames.prefix)info"
  static let onceTable = "\(ReservedNames.prefix)once"

  static let createOnceTable = "CREATE TABLE IF NOT EXISTS \(onceTable) (name TEXT PRIMARY KEY NOT NULL) STRICT"

  static let createTables = [
    "CREATE TABLE IF NOT EXISTS \(modelsTable) (name TEXT PRIMARY KEY NOT NULL, schema TEXT NOT NULL) STRICT",
    "CREATE TABLE IF NOT EXISTS \(migrationsTable) (position INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT",
    "CREATE TABLE IF NOT EXISTS \(infoTable) (key TEXT PRIMARY KEY NOT NULL, value INTEGER NOT NULL) STRICT",
    "INSERT INTO \(infoTable) (key, value) VALUES ('format', \(format)) ON CONFLICT DO NOTHING",
    createOnceTable,
  ]

  /// One model's row.
  struct Entry: Codable, Equatable {
    struct Column: Codable, Equatable {
      let name: String
      let property: String
      let type: ColumnType
      let isKey: Bool
      /// The raw values of an enum that lists its cases; nil if unknown.
      let cases: [String]?
      /// The property's type in Swift; nil in files of the first versions.
      let swiftType: String?

      /// The name of the type is only for people: a file in which it differs is none that has to be migrated.
      static func == (left: Column, right: Column) -> Bool {
        (left.name, left.property, left.type, left.isKey, left.cases)
          == (right.name, right.property, right.type, right.isKey, right.cases)
          && (left.swiftType == nil) == (right.swiftType == nil)
      }
    }

    let model: String
    let columns: [Column]
    let indexes: [TableDefinition.Index]
    let searchable: [String]
    /// The version of the full-text index's tokenizer; nil if there is no index, and in files of the first versions.
    let words: Int?
    /// None in files of the first version.
    let references: [TableReference]?
    let pairs: [PairsTable]?
    /// None in files of the first versions.
    let toMany: [TableDefinition.ToMany]?
    let derived: [DerivedColumn]?
    /// The version of the triggers that keep the derived columns; nil if there are none, and in files of the first
    /// versions.
    let derivation: Int?
    /// The version of the triggers that keep positions; nil if there are none, and in files of the first versions.
    let ordering: Int?
    /// The version of the order in which JSON has the parts of sets and dictionaries; nil if no column holds them, and
    /// in files of the first versions.
    let json: Int?
    /// Whether rows can expire; nil if not.
    let expires: Bool?
    /// Whether rows take no part in sync; nil if they do, and in files of the first versions.
    let isLocal: Bool?
    /// Columns without a property; their values stay.
    let retired: [String]
    /// The former columns of the model, oldest first, which distinguish an older program from a changed one.
    let history: [[String]]
    /// The former names of columns, by their current names in lowercase; nil in files of the first version.
    let originals: [String: String]?
    /// Columns with a name that another column had before: a model without an `originalName` means the other one. Nil
    /// if there are none.
    let reused: [String]?
    /// The tables that retired columns referred to, by the columns' names in lowercase; nil if there are none.
    let retiredReferences: [String: String]?

    /// - Parameter old: The model's current entry in the file.
    init(_ table: TableDefinition, retired: [String], history: [[String]], reused: [String] = [], after old: Entry?) {
      model = table.model
      columns = table.columns.map {
        Column(
          name: $0.name, property: $0.property, type: $0.type, isKey: $0.isKey, cases: $0.cases,
          swiftType: $0.swiftType)
      }
      var originals: [String: String] = [:]
      for name in retired { originals[name.asciiLowercased] = old?.original(of: name) }
      for column in table.columns { originals[column.name.asciiLowercased] = column.originalName }
      self.originals = originals
      var former: [String: String] = [:]
      for name in retired { former[name.asciiLowercased] = old?.referencedTable(of: name) }
      retiredReferences = former.isEmpty ? nil : former
      let kept = reused.filter { table.column($0)?.originalName != nil }
      self.reused = kept.isEmpty ? nil : kept
      indexes = table.indexes
      searchable = table.searchable
      // An index that a newer Larder created stays unchanged.
      words = table.searchable.isEmpty ? nil : Swift.max(old?.words ?? 0, SearchWords.version)
      references = table.references.isEmpty ? nil : table.references
      pairs = table.pairs.isEmpty ? nil : table.pairs
      toMany = table.toMany.isEmpty ? nil : table.toMany
      derived = table.derived.isEmpty ? nil : table.derived
      derivation = table.derived.isEmpty ? nil : Swift.max(old?.derivation ?? 0, DerivedColumn.version)
      let isOrdered =
        table.references.contains(where: \.isOrdered)
        || table.pairs.contains { $0.source.isOrdered || $0.target.isOrdered }
      ordering = isOrdered ? Swift.max(old?.ordering ?? 0, SchemaTrigger.orderVersion) : nil
      json =
        table.columns.contains(where: \.mayHoldUnorderedJSON)
        ? Swift.max(old?.json ?? 0, CanonicalEncoding.version) : nil
      expires = table.expires ? true : nil
      isLocal = table.syncs ? nil : true
      self.retired = retired
      self.history = history
    }

    var columnNames: [String] { columns.map(\.name) }

    func column(_ name: String) -> Column? {
      columns.first { $0.name.isSameColumn(as: name) }
    }

    func original(of column: String) -> String? { originals?[column.asciiLowercased] }

    /// Returns the table that a column refers to, or referred to when it had a property.
    func referencedTable(of column: String) -> String? {
      references?.first { $0.column.isSameColumn(as: column) }?.table ?? retiredReferences?[column.asciiLowercased]
    }
  }

  /// The tables of all models, including those that the program doesn't declare.
  static func tables(in connection: Connection) throws -> [String] {
    try connection.query("SELECT name FROM \(modelsTable) ORDER BY name").map { row in
      guard let name = row["name"]?.text else {
        throw StoreError(
          .corrupt, "A name in \(modelsTable) is no text. Restore the file from a backup.")
      }
      return name
    }
  }

  static func exists(in connection: Connection) throws -> Bool {
    // A view of this name could read without an end.
    try !connection.query("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", [.text(modelsTable)]).isEmpty
  }

  static func format(of connection: Connection) throws -> Int64 {
    guard try !connection.query("SELECT 1 FROM sqlite_master WHERE name = ?", [.text(infoTable)]).isEmpty else {
      return format
    }
    return try connection.query("SELECT value FROM \(infoTable) WHERE key = 'format'").first?["value"]?.integer
      ?? format
  }

  static func entry(of table: String, in connection: Connection) throws -> Entry? {
    guard
      let row = try connection.query("SELECT schema FROM \(modelsTable) WHERE name = ?", [.text(table)]).first
    else {
      return nil
    }
    guard let json = row["schema"]?.text, let entry = try? JSONDecoder().decode(Entry.self, from: Data(json.utf8))
    else {
      throw StoreError(
        .corrupt, model: table,
        "The file's description of \(table) in \(modelsTable) cannot be read. Restore the file from a backup.")
    }
    return entry
  }

  static func write(_ entry: Entry, of table: String, to connection: Connection) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let json = String(decoding: try encoder.encode(entry), as: UTF8.self)
    try connection.change(
      "INSERT INTO \(modelsTable) (name, schema) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET schema = excluded.schema WHERE schema <> excluded.schema",
      [.text(table), .text(json)])
  }

  static func appliedMigrations(in connection: Connection) throws -> [String] {
    try connection.query("SELECT name FROM \(migrationsTable) ORDER BY position").compactMap { $0["name"]?.text }
  }
}
