import Larder
import LarderSync

/// Swift source of models that open a file as it is, with `schema: .existing`.
///
/// Whatever the names in the file are, the source compiles: a name stands in it as an identifier that was made of its
/// letters and digits, or as an escaped string.
struct ModelSource {
  /// The source of a file with one struct for each table that has a key.
  let text: String
  /// The tables that are structs in it.
  let models: [SourceTable]

  /// Creates the source.
  ///
  /// - Parameters:
  ///   - tables: The tables of the file, as ``StoreReader/tables`` describes them.
  ///   - synced: What sync knows of their properties.
  init(_ tables: [TableDescription], synced: [SyncedProperty] = []) {
    let plan = SourcePlan(tables, synced: synced)
    models = plan.tables
    let names = plan.tables.map { "  \($0.name).self,\n" }.joined()
    var parts = [
      """
      // Models of the tables of an SQLite file, as the file describes them. They open it without changing its schema:
      //
      //   let store = try Store(at: path, for: models, schema: .existing)\(plan.hasDeclaredDates ? Self.dates : "")

      import Foundation
      import Larder
      """,
      """
      /// The models of the file.
      let models: [any Model.Type] = [\(names.isEmpty ? "" : "\n\(names)")]
      """,
    ]
    parts += plan.tables.map(\.model.text) + plan.embedded.map(\.text) + plan.enums.map { $0.type.text($0.name) }
    if plan.needsAnyValue { parts.append(Self.anyValue) }
    if !plan.notes.isEmpty { parts.append(plan.notes.map { "// \($0)" }.joined(separator: "\n")) }
    text = parts.joined(separator: "\n\n") + "\n"
  }

  private static let dates = """

    //
    // A column that is declared as a date is a Date, which reads text in ISO 8601, and numbers as seconds since 2001.
    // If it holds Unix time, make the property a Double or an Int.
    """

  /// A type for columns that hold values of several kinds.
  private static let anyValue = """
    /// A value of any kind, for the columns of which the file doesn't say what they hold.
    enum AnyValue: StoredValue, Hashable, Codable {
      case null
      case integer(Int64)
      case real(Double)
      case text(String)
      case blob(Data)

      static var storageClass: StorageClass { .blob }

      init(storedValue: Value) throws {
        switch storedValue {
        case .null: self = .null
        case .integer(let integer): self = .integer(integer)
        case .real(let real): self = .real(real)
        case .text(let text): self = .text(text)
        case .blob(let data): self = .blob(data)
        }
      }

      func storedValue() throws -> Value {
        switch self {
        case .null: .null
        case .integer(let integer): .integer(integer)
        case .real(let real): .real(real)
        case .text(let text): .text(text)
        case .blob(let data): .blob(data)
        }
      }
    }
    """
}
