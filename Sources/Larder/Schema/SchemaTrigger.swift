/// A trigger that Larder maintains in the file.
struct SchemaTrigger: Sendable, Hashable {
  /// The prefixes of the triggers that the planner compares; full-text indexes and attachments have others.
  static let prefixes = ["\(ReservedNames.prefix)derived_", "\(ReservedNames.prefix)order_"]

  /// The version of the triggers that keep positions; a file with triggers of an earlier one gets new ones when it is
  /// opened.
  static let orderVersion = 1

  /// Returns the position after the last of the rows. If that is the greatest integer, it is the position of the next row
  /// too.
  static func next(after position: String) -> String { "min(coalesce(max(\(position)), 0), \(Int64.max - 1)) + 1" }

  /// The prefix of the names of a column's triggers.
  static func prefix(_ kind: String, _ parts: String...) -> String {
    "\(ReservedNames.prefix)\(kind)_\(UnambiguousName(parts))_"
  }

  let name: String
  /// The SQL as the file has it.
  let sql: String
  /// The SQL that creates the trigger on the table of the file, also where a temporary view has the table's name.
  var creation: String { "CREATE TRIGGER main." + sql.dropFirst("CREATE TRIGGER ".count) }

  /// - Parameters:
  ///   - event: `AFTER INSERT`, `AFTER UPDATE OF "column"` and the like.
  ///   - condition: The `WHEN` condition; by default none.
  ///   - statements: The statements that the trigger executes.
  init(_ name: String, _ event: String, on table: String, when condition: String? = nil, _ statements: [String]) {
    self.name = name
    let rule = condition.map { " WHEN \($0)" } ?? ""
    sql =
      "CREATE TRIGGER \(Quoting.name(name)) \(event) ON \(Quoting.name(table))\(rule) BEGIN \(statements.map { $0 + ";" }.joined(separator: " ")) END"
  }
}
