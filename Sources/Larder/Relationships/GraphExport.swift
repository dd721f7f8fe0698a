import Foundation

/// Collects rows with those that they refer to and own, each once, and writes them as JSON.
///
/// ```json
/// {"larder": 1, "table": "Trip", "roots": [0],
///  "rows": {"Trip": [{"id": 7, "name": "Alps"}], "Stop": [{"id": 3, "city": "Bern", "trip": 7}]},
///  "links": {"Trip.stops": [[0, 0]]}, "ordered": ["Trip.stops"]}
/// ```
///
/// Rows are named by their tables and positions there, so that keys need no JSON form. `links` has the owner's position
/// followed by those of its rows, for relationships that are many-to-many or ordered. `ordered` names those of which all
/// rows are there, in their order.
final class GraphExport {
  /// The rows of one model.
  private final class Rows<M: Model> {
    var positions: [RowKey<M>: Int] = [:]
  }

  private var tables: [String: AnyObject] = [:]
  private var names: [String] = []
  private var texts: [String: [String]] = [:]
  private var links: [(name: String, positions: [[Int]])] = []
  private var ordered: Set<String> = []
  /// The relationships of which not all rows are loaded, or not in their own order.
  private let partialPaths: Set<AnyKeyPath>

  init(partialPaths: Set<AnyKeyPath>) { self.partialPaths = partialPaths }

  /// Adds the row and what is loaded in it. Returns its position among the rows of its table.
  @discardableResult
  func add<M: Model>(_ value: M) throws -> Int {
    let table = M.schema.table
    let rows = tables[table] as? Rows<M> ?? Rows<M>()
    if texts[table] == nil {
      tables[table] = rows
      names.append(table)
      texts[table] = []
    }
    let key = try RowKey(of: value)
    let position = rows.positions[key] ?? texts[table]?.count ?? 0
    if rows.positions[key] == nil {
      rows.positions[key] = position
      texts[table]?.append(try text(of: value))
    }
    for case let relationship as any GraphRelationship<M> in M.schema.relationships {
      try relationship.export(from: value, at: position, to: self)
    }
    return position
  }

  /// Records which rows a relationship of a row has.
  func link<Owner: Model, Target: Model>(_ column: ToManyColumn<Owner, Target>, _ positions: [Int], isOrdered: Bool) {
    let name = "\(Owner.schema.table).\(column.property)"
    if isOrdered, isWhole(column) { ordered.insert(name) }
    guard let place = links.firstIndex(where: { $0.name == name }) else { return links.append((name, [positions])) }
    links[place].positions.append(positions)
  }

  /// Whether all rows of the relationship are loaded, in their order.
  func isWhole<Owner: Model, Target: Model>(_ column: ToManyColumn<Owner, Target>) -> Bool {
    !partialPaths.contains(column.keyPath)
  }

  /// Returns the JSON of the row alone.
  private func text<M: Model>(of value: M) throws -> String {
    guard let codable = M.self as? any (Model & Codable).Type else { throw StoreError.notCodable(M.self) }
    var value = value
    for case let relationship as any GraphRelationship<M> in M.schema.relationships { relationship.unload(&value) }
    return try json(value, as: codable)
  }

  private func json<M: Model & Codable>(_ value: some Model, as type: M.Type) throws -> String {
    guard let value = value as? M else { preconditionFailure("a value is of its type") }
    do {
      return try JSONCoding.encode(value).text ?? ""
    } catch let failure as ValueFailure {
      throw StoreError(failure, model: M.schema.modelName, property: nil)
    }
  }

  /// Returns the JSON of everything that was added.
  func json(roots: [Int], of table: String) throws -> Data {
    var text =
      #"{"larder": \#(GraphFile.version), "table": \#(try quoted(table)), "roots": \#(roots),"# + "\n\"rows\": {"
    for (number, name) in names.enumerated() {
      text += number > 0 ? ",\n" : ""
      text += "\(try quoted(name)): [\n\((texts[name] ?? []).joined(separator: ",\n"))\n]"
    }
    text += "},\n\"links\": {"
    for (number, link) in links.enumerated() {
      text += number > 0 ? ",\n" : ""
      text += "\(try quoted(link.name)): \(link.positions)"
    }
    let names = try ordered.sorted().map(quoted).joined(separator: ", ")
    return Data((text + "},\n\"ordered\": [\(names)]}\n").utf8)
  }

  private func quoted(_ name: String) throws -> String { try JSONCoding.encode(name).text ?? "" }
}

/// A relationship as an exported graph has it.
protocol GraphRelationship<Root>: RelationshipDefinition {
  /// Adds the rows that are loaded in the value.
  func export(from value: Root, at position: Int, to graph: GraphExport) throws
  /// Removes the loaded rows from the value.
  func unload(_ value: inout Root)
  /// Links imported rows.
  ///
  /// - Parameter positions: The position of the owner among the rows of its table, followed by those of its rows.
  func link(_ positions: [[Int]], _ graph: GraphImport, _ connection: Connection) throws
}

extension ToOneDefinition: GraphRelationship {
  func export(from value: Root, at position: Int, to graph: GraphExport) throws {
    guard let target = column.target(column.value(value))?.loaded else { return }
    try graph.add(target)
  }

  /// A reference is a key in JSON anyway.
  func unload(_ value: inout Root) {}

  func link(_ positions: [[Int]], _ graph: GraphImport, _ connection: Connection) throws {}
}

extension ToManyDefinition: GraphRelationship {
  func export(from value: Root, at position: Int, to graph: GraphExport) throws {
    guard let rows = value[keyPath: column.keyPath].loaded else { return }
    let positions = try rows.map { try graph.add($0) }
    let resolution = try RelationshipResolution(column)
    guard resolution.pairs != nil || (resolution.isOrdered && graph.isWhole(column)), !positions.isEmpty else { return }
    graph.link(column, [position] + positions, isOrdered: resolution.isOrdered)
  }

  func unload(_ value: inout Root) { value[keyPath: column.keyPath].loaded = nil }

  func link(_ positions: [[Int]], _ graph: GraphImport, _ connection: Connection) throws {
    let resolution = try RelationshipResolution(column)
    for list in positions {
      guard let first = list.first else { continue }
      let owner = try graph.row(first, of: Root.self)
      let rows = try list.dropFirst().map { try graph.row($0, of: Target.self) }
      let keys = try rows.filter { try isOwned($0, by: owner, resolution) }.map(\.id)
      let links = try Links(column, of: owner.id, on: connection)
      if resolution.pairs != nil {
        for key in keys { try links.add(key) }
      }
      if resolution.isOrdered, graph.isOrdered("\(Root.schema.table).\(property)") { try links.order(keys) }
    }
  }

  /// Whether the row's own reference leads to the owner, if it has one.
  private func isOwned(
    _ row: Target, by owner: Root, _ resolution: RelationshipResolution<Root, Target>
  ) throws -> Bool {
    guard let reference = resolution.reference else { return true }
    return ExactValue(try reference.anyColumn.storedValue(in: row)) == ExactValue(try Root.schema.storedKey(owner.id))
  }
}

extension StoreError {
  static func notCodable<M: Model>(_ model: M.Type) -> StoreError {
    StoreError(
      .unsupported, model: M.schema.modelName,
      "\(M.schema.modelName) isn't Codable, so that its rows have no JSON. Declare `struct \(M.schema.modelName): Codable`."
    )
  }
}
