/// A trigger that Larder keeps in the file.
struct SchemaTrigger: Sendable, Hashable {
  /// What the names of all of these triggers begin with, apart from those of the full-text index.
  static let prefixes = ["_larder_derived_", "_larder_order_"]

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
