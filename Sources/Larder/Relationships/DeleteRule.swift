/// What becomes of the rows that refer to a row when it is deleted. The database itself keeps the rule, whoever deletes.
///
/// On a ``ToMany`` a rule speaks of the rows on the other side, on a ``ToOne`` of the row that holds it; both name the same foreign key. Where no
/// side names one, a required ``ToOne`` has ``deny`` and an optional one has ``nullify``.
public struct DeleteRule: Sendable, Hashable, Codable {
  enum Kind: String, Sendable, Hashable, Codable { case nullify, deny, cascade, noAction }
  let kind: Kind

  /// The rows stay, and their reference becomes nil. Only an optional ``ToOne`` can have it.
  public static let nullify = DeleteRule(kind: .nullify)
  /// A row that others refer to cannot be deleted: `.referenced` is thrown at once. Rows that the same call deletes, or their rules, deny nothing.
  public static let deny = DeleteRule(kind: .deny)
  /// The rows are deleted as well, and those that refer to them by their own rules.
  public static let cascade = DeleteRule(kind: .cascade)
  /// Nothing is done: when the transaction ends no row may refer to a deleted one, or all of it is refused with `.referenced`.
  public static let noAction = DeleteRule(kind: .noAction)

  /// SQLite's name. Source: <https://www.sqlite.org/foreignkeys.html#fk_actions>.
  var sql: String {
    switch kind {
    case .nullify: "SET NULL"
    case .deny: "RESTRICT"
    case .cascade: "CASCADE"
    case .noAction: "NO ACTION"
    }
  }
}
