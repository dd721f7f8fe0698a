/// What happens to the rows that refer to a deleted row. The database enforces the rule for every kind of deletion.
///
/// On a ``ToMany``, the rule applies to the rows on the other side; on a ``ToOne``, to the row that holds the
/// reference. Both are rules of the same foreign key. If neither side sets a rule, a required ``ToOne`` has ``deny``
/// and an optional one has ``nullify``.
public struct DeleteRule: Sendable, Hashable, Codable {
  enum Kind: String, Sendable, Hashable, Codable { case nullify, deny, cascade, noAction }
  let kind: Kind

  /// The rows stay, and their reference becomes nil. Only possible for an optional ``ToOne``.
  public static let nullify = DeleteRule(kind: .nullify)
  /// A row can't be deleted while others refer to it: `.referenced` is thrown immediately. Rows that the same call or a
  /// delete rule deletes don't count.
  public static let deny = DeleteRule(kind: .deny)
  /// The rows are deleted too, and the rows that refer to them by their own rules.
  public static let cascade = DeleteRule(kind: .cascade)
  /// Nothing happens. If rows still refer to a deleted row when the transaction ends, it is rolled back with
  /// `.referenced`.
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
