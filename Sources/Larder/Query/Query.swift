public import Foundation

/// A condition, an order and a limit of a model's rows, to fetch, count, change or observe them.
///
/// ```swift
/// let recent = Note.where { $0.title.contains("milk") && $0.modifiedAt > yesterday }
///   .sorted(by: \.modifiedAt, order: .reverse)
///   .limit(20)
/// let notes = try await store.fetch(recent)
/// ```
///
/// A query is a value that isn't tied to a database. Two queries are equal if their conditions, orders, limits and
/// inclusions are.
public struct Query<M: Model>: Sendable, Hashable {
  var filter: SQLNode?
  var search: SearchClause?
  var sorts: [QuerySort] = []
  var limit: Int?
  var offset = 0
  var cursor: QueryCursor?
  /// Whether the result may be any matching row, so that no key is added to the sort.
  var isOrderFree = false
  /// The relationships whose rows are loaded too.
  var inclusions: [Inclusion<M>] = []
  /// The error that occurred while the query was built. It is thrown when the query runs.
  var failure: StoreError?

  init() {}
}

extension Model {
  /// A query for every row.
  public static var all: Query<Self> { Query() }

  /// Returns a query for the rows that satisfy the condition.
  ///
  /// - Parameter condition: Returns the condition for the model's columns.
  /// - Returns: A new query; this one doesn't change.
  public static func `where`(_ condition: (Columns) -> some QueryExpressible<Bool>) -> Query<Self> {
    all.where(condition)
  }

  /// Returns a query for the rows that satisfy the predicate.
  ///
  /// - Parameter predicate: A Foundation predicate. If it can't be translated to SQL, running the query throws
  ///   ``StoreError`` `.unsupported`.
  /// - Returns: A new query; this one doesn't change.
  public static func `where`(_ predicate: Predicate<Self>) -> Query<Self> {
    all.where(predicate)
  }
}

extension Query {
  /// Returns a query for the rows of this query that also satisfy the condition.
  ///
  /// - Parameter condition: Returns the condition for the model's columns.
  /// - Returns: A new query; this one doesn't change.
  public func `where`(_ condition: (M.Columns) -> some QueryExpressible<Bool>) -> Query {
    filtered(by: condition(M.columns).node)
  }

  /// Returns a query for the rows of this query that also satisfy the predicate.
  ///
  /// - Parameter predicate: A Foundation predicate. If it can't be translated to SQL, running the query throws
  ///   ``StoreError`` `.unsupported`.
  /// - Returns: A new query; this one doesn't change.
  public func `where`(_ predicate: Predicate<M>) -> Query {
    do {
      return filtered(by: try PredicateLowering<M>.node(for: predicate))
    } catch {
      return failing(error)
    }
  }

  func filtered(by node: SQLNode) -> Query {
    var query = self
    query.filter = filter.map { .and($0, node) } ?? node
    return query
  }

  func failing(_ error: any Error) -> Query {
    var query = self
    query.failure = failure ?? (error as? StoreError) ?? StoreError(.invalidValue, "\(error)")
    return query
  }

  /// Returns the query, sorted by a property or expression.
  ///
  /// A second sort orders the rows that the first one leaves equal. Rows that all sorts leave equal are in the order of
  /// their keys. NULL comes first in forward order.
  ///
  /// - Parameters:
  ///   - path: What to sort by, such as `\.modifiedAt` or `\.title.localized`.
  ///   - order: `.forward`, the default, or `.reverse`.
  /// - Returns: A new query; this one doesn't change.
  public func sorted<Key: QueryExpressible>(by path: KeyPath<M.Columns, Key>, order: SortOrder = .forward) -> Query {
    sorted(order: order) { $0[keyPath: path] }
  }

  /// Returns the query, sorted by a computed value: `.sorted { $0.price * $0.quantity }`.
  ///
  /// - Parameters:
  ///   - order: `.forward`, the default, or `.reverse`.
  ///   - key: Returns the value to sort by.
  /// - Returns: A new query; this one doesn't change.
  public func sorted(order: SortOrder = .forward, by key: (M.Columns) -> some QueryExpressible) -> Query {
    var query = self
    query.sorts.append(QuerySort(node: key(M.columns).node.asValue, isDescending: order == .reverse))
    return query
  }

  /// Returns the query, sorted by Foundation's sort descriptors, like `sorted(by:order:)`.
  ///
  /// - Parameter descriptors: The sort descriptors. If one can't be translated to SQL, running the query throws
  ///   ``StoreError`` `.unsupported`.
  /// - Returns: A new query; this one doesn't change.
  public func sorted(using descriptors: SortDescriptor<M>...) -> Query {
    descriptors.reduce(self) { $0.sorted(using: $1) }
  }

  private func sorted(using descriptor: SortDescriptor<M>) -> Query {
    do {
      var query = self
      query.sorts.append(try QuerySort(descriptor))
      return query
    } catch {
      return failing(error)
    }
  }

  /// Returns the query in the opposite order; without a sort, in descending order of the keys.
  ///
  /// A limit and ``after(_:)`` then count from the other end: `.reversed().limit(1)` is the last row.
  ///
  /// - Returns: A new query; this one doesn't change.
  public func reversed() -> Query {
    var query = self
    query.sorts = (sorts.isEmpty ? keySorts(isDescending: false) : sorts).map {
      QuerySort(node: $0.node, isDescending: !$0.isDescending)
    }
    return query
  }

  /// Returns the query with at most `limit` rows, after skipping the first `offset` rows.
  ///
  /// - Parameters:
  ///   - limit: The largest number of rows. A negative number is a programming error and traps.
  ///   - offset: The number of rows to skip. Each of them is read, so ``after(_:)`` is faster on long lists.
  /// - Returns: A new query; this one doesn't change.
  public func limit(_ limit: Int, offset: Int = 0) -> Query {
    precondition(limit >= 0 && offset >= 0, "a limit and an offset are not negative")
    var query = self
    query.limit = limit
    query.offset = offset
    return query
  }

  /// Returns a query for the rows after the given one in the query's order: the next page, even if rows were added or
  /// removed before it.
  ///
  /// Rows that the sort leaves equal are in the order of their keys, so each row is on exactly one page.
  ///
  /// The place of the row follows from its own properties as they are in `row`. A sort by what other rows have, such as
  /// `$0.lines.count`, takes that as it is in the store: once the row was deleted with its lines, the place is that of a row
  /// without lines.
  ///
  /// Fetching throws ``StoreError`` `.unsupported` if SQL in a sort names columns without interpolating them, and if ranks or
  /// running sums are selected, which would begin again on each page: take pages of these with ``limit(_:offset:)``.
  ///
  /// - Parameter row: The last row of the previous page. It need not exist any longer if the query sorts by its own
  ///   properties.
  /// - Returns: A new query; this one doesn't change.
  public func after(_ row: M) -> Query {
    do {
      var query = self
      query.cursor = QueryCursor(values: try M.schema.values(of: row))
      return query
    } catch {
      return failing(error)
    }
  }
}

extension Query {
  /// The sorts, made unique by the key, so that rows that the sorts leave equal have the same order on every page and
  /// in the whole list.
  var effectiveSorts: [QuerySort] {
    guard !isOrderFree, !sorts.isEmpty || limit != nil || cursor != nil else { return sorts }
    let isDescending = sorts.last?.isDescending ?? false
    var sorts = sorts
    for key in M.schema.keyNodes where !self.sorts.contains(where: { $0.node == key }) {
      sorts.append(QuerySort(node: key, isDescending: isDescending))
    }
    return sorts
  }

  private func keySorts(isDescending: Bool) -> [QuerySort] {
    M.schema.keyNodes.map { QuerySort(node: $0, isDescending: isDescending) }
  }
}

extension ModelSchema {
  func node(for column: ColumnDefinition<Root>) -> SQLNode {
    .column(ColumnReference(table: table, name: column.name, type: column.type))
  }

  /// Returns the stored values of a row, by the names of their columns.
  func values(of row: Root) throws -> [String: Value] {
    var values: [String: Value] = [:]
    for definition in columns {
      do {
        values[definition.name] = try definition.column.storedValue(in: row)
      } catch let failure as ValueFailure {
        throw StoreError(failure, model: modelName, property: definition.property)
      }
    }
    return values
  }
}
