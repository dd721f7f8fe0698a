/// A query for rows of a table whose Swift type the program doesn't know.
///
/// Conditions and sorts are texts, as a person writes them. They answer as the typed ones of ``Query`` do: the same text
/// compares the same way, dates as dates and decimal numbers exactly, and expired rows are hidden.
///
/// ```swift
/// let query = TableQuery("Note")
///   .where(#"title contains "milk" and modifiedAt > 2026-01-01"#)
///   .sorted(by: "-modifiedAt, title")
///   .limit(20)
/// for row in try await store.rows(query) { print(row) }
/// ```
///
/// A condition compares properties with values and with each other:
///
/// | text | meaning |
/// | --- | --- |
/// | `==` `!=` `<` `<=` `>` `>=` | comparison; `nil` equals only `nil` |
/// | `and` `or` `not`, or `&&` `||` `!` | conditions of conditions |
/// | `"text"` `12.5` `true` `nil` `2026-11-30` `2026-11-30T18:00:00Z` `now - 7 days` | constants |
/// | `contains` `hasPrefix` `hasSuffix` `like` `glob` `matches` | texts; `title.caseInsensitive contains "milk"` |
/// | `in ("a", "b")`, `between 1 and 10`, `is nil` | lists, ranges, missing values |
/// | `+` `-` `*` `/` `%` | arithmetic, as exact as that of ``Query`` |
/// | `account.name` | a property of the row that a reference leads to |
/// | `costs.count` `costs.sum(amount)` `costs.isEmpty` `costs contains (amount > 100)` | rows on the other side |
/// | `address.city` `address["city"]` `scores[0]` `tags contains "x"` | parts of JSON |
///
/// A name that is a word of the language, or has spaces, stands in backquotes.
public struct TableQuery: Sendable, Hashable {
  enum Condition: Sendable, Hashable {
    case text(String)
    /// The values of the key.
    case key([Value])
    /// The rows on the other side of a relationship of a row of another table.
    case related(table: String, relationship: String, key: [Value])
  }

  /// The name of the table, or of the model.
  public let table: String
  var conditions: [Condition] = []
  var search: SearchClause?
  var order: String?
  var isReversed = false
  var limit: Int?
  var offset = 0
  var cursor: Row?

  /// Creates a query for all rows of a table.
  ///
  /// - Parameter table: The name of the table, or of the model.
  public init(_ table: String) {
    self.table = table
  }

  /// Returns the query for those rows that also satisfy a condition.
  ///
  /// - Parameter condition: The condition, as a text. It is read when the query runs; what is wrong with it is then
  ///   thrown as ``StoreError`` `.invalidValue`, with the ``StoreError/position``.
  /// - Returns: The query.
  public func `where`(_ condition: String) -> TableQuery {
    adding(.text(condition))
  }

  /// Returns the query for the row with a key.
  ///
  /// - Parameter key: The values of the key's properties, in their order.
  /// - Returns: The query.
  public func key(_ key: [Value]) -> TableQuery {
    adding(.key(key))
  }

  /// Returns the query for those rows in which full-text search finds words.
  ///
  /// - Parameters:
  ///   - text: What a person types into a search field: every word is found by its beginning.
  ///   - isRanked: Whether the best come first.
  /// - Returns: The query.
  public func searching(for text: String, isRanked: Bool = false) -> TableQuery {
    var query = self
    query.search = SearchWords.pattern(typed: text).map { SearchClause(pattern: $0, isRanked: isRanked) }
    return query
  }

  /// Returns the query with its rows in an order.
  ///
  /// - Parameter order: Properties between commas, each with `-` before it or `desc` behind it if the greatest come
  ///   first: `-modifiedAt, title`. The key comes last by itself.
  /// - Returns: The query.
  public func sorted(by order: String) -> TableQuery {
    var query = self
    query.order = order
    return query
  }

  /// Returns the query in the opposite order.
  public func reversed() -> TableQuery {
    var query = self
    query.isReversed.toggle()
    return query
  }

  /// Returns the query for a part of its rows.
  ///
  /// - Parameters:
  ///   - limit: The greatest number of rows.
  ///   - offset: The number of rows to leave out before.
  /// - Returns: The query.
  public func limit(_ limit: Int, offset: Int = 0) -> TableQuery {
    precondition(limit >= 0 && offset >= 0, "a limit and an offset are not negative")
    var query = self
    query.limit = limit
    query.offset = offset
    return query
  }

  /// Returns the query for the rows that come after one in its order.
  ///
  /// - Parameter row: A row of the query.
  /// - Returns: The query. It takes the same time for the last page as for the first, if an index has the order.
  public func after(_ row: Row) -> TableQuery {
    var query = self
    query.cursor = row
    return query
  }

  /// Returns the query for the rows on the other side of a relationship of one row.
  ///
  /// ```swift
  /// let costs = TableQuery.related("costs", of: [account], in: "Account", to: "Cost")
  /// ```
  ///
  /// - Parameters:
  ///   - relationship: The name of the relationship, as ``TableDescription/relationships`` has it.
  ///   - key: The key of the row.
  ///   - table: The row's table.
  ///   - target: The table on the other side, ``TableDescription/Relationship/target``.
  /// - Returns: The query. Its rows are in the order that the user gave them, if the relationship keeps one.
  public static func related(
    _ relationship: String, of key: [Value], in table: String, to target: String
  ) -> TableQuery {
    TableQuery(target).adding(.related(table: table, relationship: relationship, key: key))
  }

  private func adding(_ condition: Condition) -> TableQuery {
    var query = self
    query.conditions.append(condition)
    return query
  }
}
