import Foundation
import LarderArchive

/// A row in a document package: what its columns hold, by their names.
struct ExportedRow: Archivable {
  static let archiveTag = "LarderRow"

  /// The table of the model.
  let table: String
  private let columns: [String: Cell]

  /// The name of the part with the row; the bytes of attachments are in parts called by their digests.
  static let part = "row"

  /// A value as a property list can say it.
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

  /// What the column holds; nil where the row has no such column.
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

  /// The model's value. Throws where a column is missing or holds what its property cannot.
  func decode<M: Model>(_ model: M.Type, _ connection: Connection) throws -> M {
    guard table == M.schema.table else {
      throw StoreError(
        .schemaMismatch, model: M.schema.modelName, "The document holds a row of \(table), not of \(M.schema.table). Import it as that model.")
    }
    var writer = SQLWriter()
    writer.write("SELECT ")
    for (position, column) in M.schema.columns.enumerated() {
      guard let value = try value(of: column.name) ?? column.defaultValue?() else {
        throw StoreError(
          .schemaMismatch, model: M.schema.modelName, property: column.property,
          "The document has no value for \(M.schema.modelName).\(column.property). Give the property a default value, or make it optional.")
      }
      if position > 0 { writer.write(", ") }
      writer.bind(value)
    }
    return try connection.using(writer, ErrorContext(model)) { statement in
      guard try connection.step(statement, ErrorContext(model)) else { throw StoreError.damagedAttachment }
      return try connection.decode(model, statement)
    }
  }

  /// The digests of the attachments that the row names.
  func digests<M: Model>(_ model: M.Type, _ connection: Connection) throws -> Set<String> {
    let texts = M.schema.columns.filter(\.type.isJSON).compactMap { value(of: $0.name)?.text }
    return try texts.reduce(into: []) { digests, text in
      let rows = try connection.query("SELECT j.atom AS digest FROM \(AttachmentColumn.names(in: "?1", named: "j"))", [.text(text)])
      digests.formUnion(rows.compactMap { $0["digest"]?.text })
    }
  }
}
