import Larder
import LarderSync

/// Which tables become structs, under which names and with which members.
struct SourcePlan {
  /// A reference of one table to another that becomes a `ToOne`.
  struct Reference {
    let owner: Int
    let column: String
    let target: Int
    let relationship: TableDescription.Relationship
    /// The name of the property.
    var name = ""
  }

  private(set) var notes: [String] = []
  var tables: [SourceTable] = []
  var embedded: [SourceModel] = []
  var enums: [(type: SourceEnum, name: String)] = []
  /// Whether a column of any values, or one whose declared type names dates, has a property.
  var needsAnyValue = false
  var hasDeclaredDates = false
  var types = NameScope(reserved: NameScope.types)
  private var positions: [String: Int] = [:]
  /// What sync knows of properties, by the names of tables and columns.
  private let synced: [String: [String: SyncedProperty]]

  init(_ descriptions: [TableDescription], synced: [SyncedProperty] = []) {
    self.synced = Dictionary(grouping: synced, by: \.table.folded).mapValues { properties in
      Dictionary(properties.map { ($0.column.folded, $0) }) { first, _ in first }
    }
    for description in descriptions { add(description) }
    var references: [Reference] = []
    for position in tables.indices { references += declareProperties(of: position) }
    for reference in references { declareRows(of: reference, among: references) }
    for pairs in descriptions where pairs.kind == .pairs { declarePairs(pairs) }
    for position in tables.indices {
      declareDerived(of: position)
      declareIndexes(of: position)
    }
  }

  /// Returns the position of a table among ``tables``; nil if it isn't a struct.
  func position(of table: String) -> Int? { positions[table.folded] }

  /// Returns what sync knows of a property; nil if it knows nothing.
  func synced(_ property: TableDescription.Property, in table: TableDescription) -> SyncedProperty? {
    synced[table.name.folded]?[property.column.folded]
  }

  mutating func add(note: String) { notes.append(note) }

  private mutating func add(_ description: TableDescription) {
    let literal = description.name.swiftLiteral
    switch description.kind {
    case .pairs: return
    case .documents: notes.append("The collection \(literal) has documents: store.documents(\(literal)).")
    case .view: notes.append("The view \(literal) has no key: store.rows(TableQuery(\(literal))).")
    case .model, .table:
      do {
        let table = try SourceTable(description) { types.take(Self.name(of: $0)) }
        positions[description.name.folded] = tables.count
        tables.append(table)
      } catch SourceTable.Refusal.hasReservedName(let name) {
        notes.append(
          "The table \(literal) is no struct, because \(name.swiftLiteral) is a name that no model can have.")
      } catch {
        notes.append(
          "The table \(literal) has no primary key and no unique index of required columns: store.rows(TableQuery(\(literal)))."
        )
      }
    }
  }

  private static func name(of table: TableDescription) -> String {
    let recorded = table.model.flatMap { SwiftName.unchanged($0, isType: true) }
    let name = recorded ?? SwiftName.type(table.name) ?? "Table"
    return NameScope.types.contains(name) ? "\(name)Model" : name
  }
}

// MARK: - Indexes

extension SourcePlan {
  private mutating func declareIndexes(of position: Int) {
    let table = tables[position]
    let key = table.key.map(\.column.folded)
    var seen: Set<[String]> = [key]
    for index in table.description.indexes where index.columns.count > 1 {
      let paths = index.columns.compactMap { table.paths[$0.folded] }
      // The others have columns that Larder keeps for itself, or expressions.
      guard paths.count == index.columns.count, seen.insert(index.columns.map(\.folded)).inserted else { continue }
      tables[position].model.indexes.append((paths.map { "\\\($0)" }, index.isUnique))
    }
  }
}
