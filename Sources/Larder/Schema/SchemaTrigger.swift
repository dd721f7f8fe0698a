/// A trigger that Larder keeps in the file.
struct SchemaTrigger: Sendable, Hashable {
  /// What the names of all of these triggers begin with, apart from those of the full-text index.
  static let prefixes = ["_larder_derived_", "_larder_order_"]

  /// What the names of a column's triggers begin with.
  static func prefix(_ kind: String, _ parts: String...) -> String { "_larder_\(kind)_\(UnambiguousName(parts))_" }

  let name: String
  let sql: String

  /// - Parameters:
  ///   - event: `AFTER INSERT`, `AFTER UPDATE OF "column"` and the like.
  ///   - condition: What `WHEN` says; by default nothing.
  ///   - statements: What happens, a statement each.
  init(_ name: String, _ event: String, on table: String, when condition: String? = nil, _ statements: [String], _ dialect: Dialect = .sqlite) {
    self.name = name
    let rule = condition.map { " WHEN \($0)" } ?? ""
    sql =
      "CREATE TRIGGER \(dialect.quote(name)) \(event) ON \(dialect.quote(table))\(rule) BEGIN \(statements.map { $0 + ";" }.joined(separator: " ")) END"
  }
}
