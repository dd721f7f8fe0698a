public import Foundation

/// What to fetch, count, change or watch: a condition, an order and a limit, as a value.
///
/// ```swift
/// let recent = Note.where { $0.title.contains("milk") && $0.modifiedAt > yesterday }
///   .sorted(by: \.modifiedAt, order: .reverse)
///   .limit(20)
/// let notes = try await store.fetch(recent)
/// ```
///
/// A query touches no database until it is handed to a store. Two queries are equal if they ask the same.
public struct Query<M: Model>: Sendable, Hashable {
  var filter: SQLNode?
  var search: SearchClause?
  var sorts: [SortTerm] = []
  var limit: Int?
  var offset = 0
  var cursor: Cursor?
  /// Whether any of the rows may be the first: then the key does not decide.
  var isOrderFree = false
  /// The relationships whose rows are loaded as well.
  var inclusions: [Inclusion<M>] = []
  /// What went wrong while the query was made; it is thrown when the query runs.
  var failure: StoreError?

  struct SortTerm: Sendable, Hashable {
    let node: SQLNode
    var isDescending: Bool
  }

  /// The row after which a page starts: the values of its columns.
  struct Cursor: Sendable, Hashable {
    let values: [String: Value]
  }

  init() {}
}

extension Model {
  /// Every row.
  public static var all: Query<Self> { Query() }

  /// The rows for which the condition is true.
  public static func `where`(_ condition: (Columns) -> some QueryExpressible<Bool>) -> Query<Self> {
    all.where(condition)
  }

  /// The rows that satisfy the predicate. What the database cannot express throws `.unsupported` when the query runs.
  public static func `where`(_ predicate: Predicate<Self>) -> Query<Self> {
    all.where(predicate)
  }
}

extension Query {
  /// The rows of this query for which the condition is true as well.
  public func `where`(_ condition: (M.Columns) -> some QueryExpressible<Bool>) -> Query {
    filtered(by: condition(M.columns).node)
  }

  /// The rows of this query that satisfy the predicate as well.
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

  /// Sorts by a property or expression; after earlier sorts, among the rows that they leave equal. NULL comes first in forward order.
  /// Rows that all sorts leave equal are in the order of their keys.
  ///
  /// - Parameters:
  ///   - path: What to sort by, such as `\.modifiedAt` or `\.title.localized`.
  ///   - order: `.forward`, the default, or `.reverse`.
  public func sorted<Key: QueryExpressible>(by path: KeyPath<M.Columns, Key>, order: SortOrder = .forward) -> Query {
    sorted(order: order) { $0[keyPath: path] }
  }

  /// Sorts by a computed value: `.sorted { $0.price * $0.quantity }`.
  public func sorted(order: SortOrder = .forward, by key: (M.Columns) -> some QueryExpressible) -> Query {
    var query = self
    query.sorts.append(SortTerm(node: key(M.columns).node.asValue, isDescending: order == .reverse))
    return query
  }

  /// Sorts by Foundation's sort descriptors, as `sorted(by:order:)` does.
  public func sorted(using descriptors: SortDescriptor<M>...) -> Query {
    descriptors.reduce(self) { $0.sorted(using: $1) }
  }

  private func sorted(using descriptor: SortDescriptor<M>) -> Query {
    do {
      var query = self
      query.sorts.append(try SortTerm(descriptor))
      return query
    } catch {
      return failing(error)
    }
  }

  /// The opposite order, that of the keys where none was asked for. A limit and ``after(_:)`` then count from the other end:
  /// `.reversed().limit(1)` is the last row.
  public func reversed() -> Query {
    var query = self
    query.sorts = (sorts.isEmpty ? keySorts(isDescending: false) : sorts).map { SortTerm(node: $0.node, isDescending: !$0.isDescending) }
    return query
  }

  /// At most so many rows, after leaving out the first `offset`.
  ///
  /// - Parameters:
  ///   - limit: The number of rows; negative is a programming error and traps.
  ///   - offset: The number of rows to leave out. Every one of them is read: ``after(_:)`` is faster on long lists.
  public func limit(_ limit: Int, offset: Int = 0) -> Query {
    precondition(limit >= 0 && offset >= 0, "a limit and an offset are not negative")
    var query = self
    query.limit = limit
    query.offset = offset
    return query
  }

  /// The rows that come after this one in the query's order: the next page, also where rows were added or removed before it.
  ///
  /// Rows that the sort leaves equal are in the order of their keys, so that each is on one page alone. The row itself need no longer be there.
  public func after(_ row: M) -> Query {
    do {
      var query = self
      query.cursor = Cursor(values: try M.schema.values(of: row))
      return query
    } catch {
      return failing(error)
    }
  }
}

extension Query {
  /// The order, made unique by the key: rows that the sorts leave equal come in the same order on every page and in the whole list.
  var effectiveSorts: [SortTerm] {
    guard !isOrderFree, !sorts.isEmpty || limit != nil || cursor != nil else { return sorts }
    return sorts + keySorts(isDescending: sorts.last?.isDescending ?? false).filter { key in !sorts.contains { $0.node == key.node } }
  }

  private func keySorts(isDescending: Bool) -> [SortTerm] {
    M.schema.keyNodes.map { SortTerm(node: $0, isDescending: isDescending) }
  }
}

extension ModelSchema {
  func node(for column: ColumnDefinition<Root>) -> SQLNode {
    .column(ColumnReference(table: table, name: column.name, type: column.type))
  }

  /// The stored values of a row, by the name of their columns.
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
