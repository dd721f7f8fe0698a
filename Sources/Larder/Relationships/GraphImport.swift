import Foundation

/// What becomes of the keys of rows that are imported.
public enum ImportedKeys: Sendable {
  /// Rows keep their keys. A row that is there under a key is replaced.
  case kept
  /// Integers and UUIDs are made anew, and the references among the rows follow, so that the rows are added to those
  /// that are there. Rows with other keys, such as texts, keep them.
  case new
}

/// The JSON of a graph. See ``GraphExport``.
struct GraphFile: Decodable, Sendable {
  static let version = 1

  /// The models that the rows may be of, by their tables: the value of ``models`` in the decoder.
  static let models = CodingUserInfoKey(rawValue: "larder.models")

  let table: String
  let roots: [Int]
  var rows: [any AnyImportedRows]
  let links: [String: [[Int]]]
  let ordered: Set<String>

  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Name.self)
    let version = try container.decode(Int.self, forKey: Name(stringValue: "larder"))
    guard version == Self.version else {
      throw StoreError(
        .unsupported,
        "The JSON has version \(version) of Larder's format for graphs, and this version of Larder reads version \(Self.version)."
      )
    }
    table = try container.decode(String.self, forKey: Name(stringValue: "table"))
    roots = try container.decode([Int].self, forKey: Name(stringValue: "roots"))
    links = try container.decodeIfPresent([String: [[Int]]].self, forKey: Name(stringValue: "links")) ?? [:]
    ordered = Set(try container.decodeIfPresent([String].self, forKey: Name(stringValue: "ordered")) ?? [])
    let models = Self.models.flatMap { decoder.userInfo[$0] as? [String: any Model.Type] } ?? [:]
    let tables = try container.nestedContainer(keyedBy: Name.self, forKey: Name(stringValue: "rows"))
    rows = try tables.allKeys.sorted { $0.stringValue < $1.stringValue }.map { name in
      guard let model = models[name.stringValue] else {
        throw StoreError(
          .invalidValue,
          "The JSON has rows of a table \(name.stringValue), which belongs to none of the models that can be reached: \(models.keys.sorted().joined(separator: ", "))."
        )
      }
      func rows<M: Model>(_ model: M.Type) throws -> any AnyImportedRows {
        guard let type = model as? any (Model & Codable).Type else { throw StoreError.notCodable(model) }
        return try decoded(type)
      }
      func decoded<M: Model & Codable>(_ model: M.Type) throws -> any AnyImportedRows {
        ImportedRows(try tables.decode([M].self, forKey: name))
      }
      return try rows(model)
    }
  }
}

/// The rows of one model.
protocol AnyImportedRows: Sendable {
  var table: String { get }
  /// Makes new keys where that is possible, and records them.
  func makeKeys(_ keys: inout NewKeys, _ connection: Connection) throws
  /// Returns the rows with their new keys and references.
  func applying(_ keys: NewKeys, _ connection: Connection) throws -> any AnyImportedRows
  func write(_ connection: Connection) throws
  /// Links the rows by a relationship of their model.
  func link(_ property: String, _ positions: [[Int]], _ graph: GraphImport, _ connection: Connection) throws
}

/// How a new key is made: of integers and UUIDs, and of structs with one as their raw value. Of an enum, other keys than
/// its cases can't be made.
private enum NewKeyKind {
  case integer(greatest: Int64)
  case uuid

  init?(_ key: some Any) {
    if key is UUID {
      self = .uuid
    } else if let integer = key as? any FixedWidthInteger {
      self = .integer(greatest: Self.greatest(of: integer))
    } else if let raw = key as? any RawRepresentable, !(key is any StoredValue),
      Mirror(reflecting: key).displayStyle != .enum,
      let kind = NewKeyKind(raw.rawValue)
    {
      self = kind
    } else {
      return nil
    }
  }

  private static func greatest<Integer: FixedWidthInteger>(of key: Integer) -> Int64 { Int64(clamping: Integer.max) }
}

/// The new keys of imported rows, by their table and their former key.
typealias NewKeys = [String: [Value: Value]]

struct ImportedRows<M: Model>: AnyImportedRows {
  let values: [M]
  private let hasNewKeys: Bool
  var table: String { M.schema.table }

  init(_ values: [M], hasNewKeys: Bool = false) {
    self.values = values
    self.hasNewKeys = hasNewKeys
  }

  func makeKeys(_ keys: inout NewKeys, _ connection: Connection) throws {
    guard M.schema.keyColumns.count == 1, let key = M.schema.keyColumns.first, let example = values.first,
      // A key that is a reference follows the row that it refers to.
      !M.schema.references.contains(where: { $0.name == key.name })
    else { return }
    var next: () throws -> Value
    switch NewKeyKind(example.id) {
    case .integer(let greatest):
      var last = try connection.greatestKey(of: M.self)
      next = {
        guard last < greatest else {
          throw StoreError(
            .constraint, model: M.schema.modelName, "There is no integer left for a new key of \(M.schema.modelName).")
        }
        last += 1
        return .integer(last)
      }
    case .uuid: next = { try UUID.v7().storedValue() }
    case nil: return
    }
    for value in values {
      let former = try key.column.storedValue(in: value)
      if keys[table]?[former] == nil { keys[table, default: [:]][former] = try next() }
    }
  }

  func applying(_ keys: NewKeys, _ connection: Connection) throws -> any AnyImportedRows {
    let hasNewKeys = keys[table] != nil
    let targets = M.schema.columns.map { column in
      M.schema.references.first { $0.name == column.name }.map { $0.targetKey.table }
    }
    let changed = try values.map { value in
      var isChanged = false
      let stored = try M.schema.columns.enumerated().map { position, column in
        let former = try column.column.storedValue(in: value)
        let isKey = hasNewKeys && M.schema.keyIndexes == [position]
        guard let new = (isKey ? table : targets[position]).flatMap({ keys[$0]?[former] }) else { return former }
        isChanged = true
        return new
      }
      return isChanged ? try connection.instance(M.self, of: stored) : value
    }
    return ImportedRows(changed, hasNewKeys: hasNewKeys)
  }

  func write(_ connection: Connection) throws { try connection.write(values, hasNewKeys ? .insert : .upsert) }

  func link(_ property: String, _ positions: [[Int]], _ graph: GraphImport, _ connection: Connection) throws {
    guard let relationship = M.schema.relationships.first(where: { $0.property == property }) else {
      throw StoreError(
        .invalidValue, model: M.schema.modelName, property: property,
        "The JSON links rows by \(M.schema.modelName).\(property), which the model doesn't declare.")
    }
    try (relationship as? any GraphRelationship<M>)?.link(positions, graph, connection)
  }
}

/// Rows that were decoded, on their way into a store.
struct GraphImport: Sendable {
  private var file: GraphFile

  /// - Throws: ``StoreError`` `.invalidValue` if the data isn't the JSON of a graph of the model.
  init<M: Model>(_ data: Data, of model: M.Type) throws {
    let decoder = JSONDecoder()
    if let key = GraphFile.models { decoder.userInfo[key] = Self.models(from: model) }
    do {
      file = try decoder.decode(GraphFile.self, from: data)
    } catch let error as DecodingError {
      throw StoreError(
        .invalidValue, model: M.schema.modelName,
        "The data isn't what export(_:) wrote for the models as they are: \(error.shortDescription).")
    }
    guard file.table == M.schema.table else {
      throw StoreError(
        .invalidValue, model: M.schema.modelName,
        "The JSON has a graph of \(file.table), not of \(M.schema.modelName). Import it as that model.")
    }
    for position in file.roots { _ = try row(position, of: model) }
  }

  /// Returns the models that relationships lead to, by their tables.
  private static func models(from model: any Model.Type) -> [String: any Model.Type] {
    var found: [String: any Model.Type] = [:]
    var waiting: [any Model.Type] = [model]
    func visit<M: Model>(_ model: M.Type) {
      guard found[M.schema.table] == nil else { return }
      found[M.schema.table] = model
      waiting += M.schema.relationships.map(\.target)
    }
    while let next = waiting.popLast() { visit(next) }
    return found
  }

  /// Whether all rows of the relationship are there, in their order.
  func isOrdered(_ name: String) -> Bool { file.ordered.contains(name) }

  /// Returns the row at a position among those of its table.
  func row<M: Model>(_ position: Int, of model: M.Type) throws -> M {
    let rows = file.rows.first { $0.table == M.schema.table } as? ImportedRows<M>
    guard let rows, rows.values.indices.contains(position) else {
      throw StoreError(
        .invalidValue, model: M.schema.modelName,
        "The JSON names row \(position) of \(M.schema.table), which it doesn't have.")
    }
    return rows.values[position]
  }

  /// Writes the rows, and returns the keys of those that the graph begins with.
  func write<M: Model>(_ model: M.Type, _ keys: ImportedKeys, _ connection: Connection) throws -> [M.ID] {
    guard keys == .new else { return try write(model, connection) }
    var new: NewKeys = [:]
    for rows in file.rows { try rows.makeKeys(&new, connection) }
    var renewed = self
    renewed.file.rows = try file.rows.map { try $0.applying(new, connection) }
    return try renewed.write(model, connection)
  }

  private func write<M: Model>(_ model: M.Type, _ connection: Connection) throws -> [M.ID] {
    for rows in file.rows { try rows.write(connection) }
    for (name, positions) in file.links.sorted(by: { $0.key < $1.key }) {
      // A table's name may have dots; a property's has none.
      let parts = name.split(separator: ".", omittingEmptySubsequences: false)
      let table = parts.dropLast().joined(separator: ".")
      guard let property = parts.last, let rows = file.rows.first(where: { $0.table == table }) else {
        throw StoreError(.invalidValue, "The JSON links rows of \(name), which it doesn't have.")
      }
      try rows.link(String(property), positions, self, connection)
    }
    return try file.roots.map { try row($0, of: model).id }
  }
}

extension Connection {
  /// Returns the greatest key of the rows, also of those that have expired or are not saved yet; zero if there is none.
  fileprivate func greatestKey<M: Model>(of model: M.Type) throws -> Int64 {
    let key = Quoting.name(M.schema.keyColumns[0].name)
    let table = Quoting.name(M.schema.table)
    let rows = try query(
      "SELECT max(k) AS k FROM (SELECT max(\(key)) AS k FROM \(table) UNION ALL SELECT max(\(key)) FROM main.\(table))")
    return max(rows.first?["k"]?.integer ?? 0, 0)
  }

  /// Returns the value with the stored forms of all columns.
  fileprivate func instance<M: Model>(_ model: M.Type, of values: [Value]) throws -> M {
    let sql = "SELECT \(values.indices.map { Quoting.parameter($0 + 1) }.joined(separator: ", "))"
    return try using(try keptStatement(sql), values.map { .value($0) }, ErrorContext(model)) { statement in
      guard try step(statement, ErrorContext(model)) else {
        preconditionFailure("a SELECT without a table returns one row")
      }
      var row = RowReader(statement.pointer)
      do {
        return try M(from: &row)
      } catch {
        throw Self.naming(error, model, column: Int(row.index) - 1)
      }
    }
  }
}
