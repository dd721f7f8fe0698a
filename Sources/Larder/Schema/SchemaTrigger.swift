/// A trigger that Larder maintains in the file.
struct SchemaTrigger: Sendable, Hashable {
  /// The prefix of all these triggers' names, except those of the full-text index.
  static let prefixes = ["_larder_derived_", "_larder_order_"]

  /// The prefix of the names of a column's triggers.
  static func prefix(_ kind: String, _ parts: String...) -> String { "_larder_\(kind)_\(UnambiguousName(parts))_" }

  let name: String
  let sql: String

  /// - Parameters:
  ///   - event: `AFTER INSERT`, `AFTER UPDATE OF "column"` and the like.
  ///   - condition: The `WHEN` condition; by default none.
  ///   - statements: The statements that the trigger executes.
  init(_ name: String, _ event: String, on table: String, when condition: String? = nil, _ statements: [String], _ dialect: Dialect = .sqlite) {
    self.name = name
    let rule = condition.map { " WHEN \($0)" } ?? ""
    sql =
      "CREATE TRIGGER \(dialect.quote(name)) \(event) ON \(dialect.quote(table))\(rule) BEGIN \(statements.map { $0 + ";" }.joined(separator: " ")) END"
  }
}
