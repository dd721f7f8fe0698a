import Foundation
import LarderArchive

/// A row in a package: its stored values by column name.
struct ExportedRow: Archivable {
  static let archiveTag = "LarderRow"

  /// The table of the model.
  let table: String
  private let columns: [String: Cell]

  /// The name of the part with the row. The data of attachments is in parts named by their digests.
  static let part = "row"

  /// A value as a property list represents it.
  private enum Cell: Archivable {
    static let archiveTag = "LarderRow.Cell"

    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob(Data)
  }

  init<M: Model>(_ value: M) throws {
    table = M.schema.table
    columns = try M.schema.values(of: value).mapValues { value in
      switch value {
      case .null: .null
      case .integer(let integer): .integer(integer)
      case .real(let real): .real(real)
      case .text(let text): .text(text)
      case .blob(let data): .blob(data)
      }
    }
  }

  /// Returns the value of the column; nil if the row has no such column.
  func value(of column: String) -> Value? {
    columns[column].map { cell in
      switch cell {
      case .null: .null
      case .integer(let integer): .integer(integer)
      case .real(let real): .real(real)
      case .text(let text): .text(text)
      case .blob(let data): .blob(data)
      }
    }
  }

  /// Decodes the model's value. Throws if a column is missing or doesn't fit its property.
  func decode<M: Model>(_ model: M.Type, _ connection: Connection) throws -> M {
    guard table == M.schema.table else {
      throw StoreError(
        .schemaMismatch, model: M.schema.modelName,
        "The package holds a row of \(table), not of \(M.schema.table). Import it as that model.")
    }
    var writer = SQLWriter()
    writer.write("SELECT ")
    for (position, column) in M.schema.columns.enumerated() {
      guard let value = try value(of: column.name) ?? column.defaultValue?() else {
        throw StoreError(
          .schemaMismatch, model: M.schema.modelName, property: column.property,
          "The package has no value for \(M.schema.modelName).\(column.property). Give the property a default value, or make it optional."
        )
      }
      if position > 0 { writer.write(", ") }
      writer.bind(value)
    }
    return try connection.using(writer, ErrorContext(model)) { statement in
      guard try connection.step(statement, ErrorContext(model)) else { throw StoreError.damagedAttachment }
      return try connection.decode(model, statement)
    }
  }

  /// Returns the digests of the attachments that the row refers to, and the sizes that it says they have.
  func attachments<M: Model>(_ model: M.Type, _ connection: Connection) throws -> [String: Set<Int64>] {
    let texts = M.schema.columns.filter(\.type.isJSON).compactMap { value(of: $0.name)?.text }
    return try texts.reduce(into: [:]) { sizes, text in
      let names = try connection.query(
        "SELECT j.atom AS digest, j.parent AS parent FROM \(AttachmentColumn.names(in: "?1", named: "j"))",
        [.text(text)])
      guard !names.isEmpty else { return }
      let known = try connection.query(
        "SELECT parent, atom AS size FROM json_tree(?1) WHERE key = ?2 AND type = 'integer'",
        [.text(text), .text(Attachment.CodingKeys.size.rawValue)])
      let sizeOf = Dictionary(known.map { ($0["parent"]?.integer, $0["size"]?.integer) }) { first, _ in first }
      for name in names {
        guard let digest = name["digest"]?.text else { continue }
        sizes[digest, default: []].formUnion([sizeOf[name["parent"]?.integer] ?? nil].compactMap(\.self))
      }
    }
  }
}
