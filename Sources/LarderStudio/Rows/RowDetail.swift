import Foundation
import HTTPTypes
import Larder

/// All of a row: its values, and the rows that it is related to.
struct RowDetail: Encodable, Sendable {
  struct Related: Encodable, Sendable {
    struct Target: Encodable, Sendable {
      let key: RowKey?
      let label: String
    }

    /// The number of rows that are shown, and up to which they are counted.
    static let shown = 5
    static let counted = 1000

    let name: String
    let rows: [Target]
    /// The number of rows, or one more than `counted`.
    let count: Int
  }

  let key: RowKey
  let cells: [Cell]
  let label: String
  /// When the row expires, in ISO 8601.
  let expires: String?
  let related: [Related]
  /// Nil where nothing is known of it.
  var history: RowHistory?

  /// - Parameters:
  ///   - key: The row's key.
  ///   - name: The name of its table.
  ///   - reader: What reads the row.
  /// - Throws: `Refusal` if there is no such row.
  init(_ key: RowKey, in name: String, from reader: some StoreReader) throws {
    let table = try reader.table(name)
    guard let row = try reader.row(with: key.values, in: name) else {
      throw Refusal(.notFound, "There is no such row any longer. It was deleted, or it has expired.")
    }
    self.key = RowKey(of: row, in: table) ?? key
    cells = table.properties.map { Cell(row[$0.name] ?? .null, of: $0, limit: Cell.edited) }
    label = table.label(of: row)
    expires = try Expiry.date(of: key, in: table, from: reader)?.studioText
    related = try table.relationships.compactMap { try Related($0, of: row, key, in: table, from: reader) }
  }
}

extension RowDetail.Related {
  /// Returns nil for a relationship that can't be followed: one of a row with several keys.
  init?(
    _ relationship: TableDescription.Relationship, of row: Row, _ key: RowKey, in table: TableDescription,
    from reader: some StoreReader
  ) throws {
    let query: TableQuery
    let target = try reader.table(relationship.target)
    if key.values.count == 1 {
      query = .related(relationship.name, of: key.values, in: table.name, to: target.name)
    } else {
      guard relationship.kind == .toOne, target.key.count == 1,
        let value = table.property(relationship.name).flatMap({ row[$0.name] }), !value.isNull
      else { return nil }
      query = TableQuery(target.name).key([value])
    }
    name = relationship.name
    rows = try reader.rows(query.limit(Self.shown)).map {
      Target(key: RowKey(of: $0, in: target), label: target.label(of: $0))
    }
    count = rows.count < Self.shown ? rows.count : try reader.count(query.limit(Self.counted + 1))
  }
}

extension TableDescription {
  /// Returns a few words by which people know a row: its name or title if it has one.
  func label(of row: Row) -> String {
    let texts = properties.filter { $0.type == .text && !$0.isKey && $0.target == nil }
    let named = ["name", "title", "label"].lazy.compactMap { name in texts.first { $0.name.lowercased() == name } }
    let property = named.first ?? texts.first
    if let text = property.flatMap({ row[$0.name]?.text }), !text.isEmpty { return text.cutForLabel }
    let key = key.compactMap { property in row[property.name].flatMap { property.text(of: $0) } }
    return key.isEmpty ? title : key.joined(separator: ", ").cutForLabel
  }
}

extension String {
  fileprivate var cutForLabel: String {
    guard utf8.count > 80 else { return self }
    let start = prefix(79)
    return start.endIndex == endIndex ? self : start + "…"
  }
}

/// When rows expire.
enum Expiry {
  /// Returns when a row expires; nil if it stays. A document has its own routes.
  static func date(of key: RowKey, in table: TableDescription, from reader: some StoreReader) throws -> Date? {
    guard table.expires, table.kind == .model else { return nil }
    return try reader.expiry(ofRowWith: key.values, in: table.name)
  }

  /// Returns the date that a page names, or nil for none.
  ///
  /// - Throws: `Refusal` if the text is no date.
  static func date(parsing text: String?) throws -> Date? {
    guard let text, !text.isEmpty else { return nil }
    do {
      return try Date(storedValue: .text(text))
    } catch {
      throw Refusal(.unprocessableContent, "\(text) is no date. Write it as 2026-11-30 or 2026-11-30T18:00:00Z.")
    }
  }
}

extension Date {
  /// The date in ISO 8601 with milliseconds.
  var studioText: String { formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)) }
}
