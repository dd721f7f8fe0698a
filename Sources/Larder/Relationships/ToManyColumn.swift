/// The rows on the other side of a relationship in a query: `$0.costs.contains { $0.amount > 1000 }`, `$0.costs.count`.
///
/// Each use is a subquery that uses the index of the references, evaluated for each row of the query.
public struct ToManyColumn<Root: Model, Target: Model>: Sendable {
  /// The property's name in Swift.
  public let property: String
  let keyPath: any WritableKeyPath<Root, ToMany<Target>> & Sendable
  var scope = ColumnScope.current
  /// The condition of the rows, and the nesting depth of its subquery.
  private var filter: SQLNode?
  /// The nesting depth of the subquery, if it is fixed; otherwise one deeper than the enclosing closures.
  private var settledDepth: Int?

  /// Creates the column. Called by generated code.
  public init(_ path: any WritableKeyPath<Root, ToMany<Target>> & Sendable, _ property: String) {
    keyPath = path
    self.property = property
  }

  func scoped(_ scope: ColumnScope) -> ToManyColumn {
    var column = self
    column.scope = scope
    return column
  }
}

// MARK: - In conditions

extension ToManyColumn {
  /// Returns the rows that satisfy the condition: `$0.costs.where { $0.amount < 0 }.count`.
  ///
  /// - Parameter condition: Returns the condition for the columns.
  public func `where`(_ condition: (Target.Columns) -> some QueryExpressible<Bool>) -> ToManyColumn {
    var column = self
    let node = node(of: condition)
    column.filter = filter.map { .and($0, node) } ?? node
    column.settledDepth = depth
    return column
  }

  /// Returns whether at least one of the rows satisfies the condition.
  ///
  /// - Parameter condition: Returns the condition for the columns.
  public func contains(where condition: (Target.Columns) -> some QueryExpressible<Bool>) -> QueryExpression<Bool> {
    .init(ask(.exist, and: node(of: condition)))
  }

  /// Returns whether the value's row is one of the rows.
  ///
  /// - Parameter value: The value.
  public func contains(_ value: Target) -> QueryExpression<Bool> {
    contains(value.id)
  }

  /// Returns whether the row with the key is one of the rows.
  ///
  /// - Parameter key: The key.
  public func contains(_ key: Target.ID) -> QueryExpression<Bool> {
    let column = SQLNode.column(Target.schema.keyReference.as(.rows(depth)))
    return .init(ask(.exist, and: .compare(.equal, column, Target.schema.node(forKey: key))))
  }

  /// Returns whether every row satisfies the condition; true if there are no rows.
  ///
  /// - Parameter condition: Returns the condition for the columns.
  public func allSatisfy(_ condition: (Target.Columns) -> some QueryExpressible<Bool>) -> QueryExpression<Bool> {
    .init(.not(ask(.exist, and: .not(node(of: condition)))))
  }

  /// Whether there are no rows.
  public var isEmpty: QueryExpression<Bool> {
    .init(.not(ask(.exist)))
  }

  /// The number of rows.
  public var count: QueryExpression<Int> {
    QueryExpression(node: ask(.value(.aggregate(.count, nil, .stored))), coding: .stored)
  }

  /// The sum of a property over the rows, or zero if there are none.
  ///
  /// - Parameter path: The property.
  public func sum<Output: QueryNumber & AdditiveArithmetic>(_ path: KeyPath<Target.Columns, Column<Target, Output>>) -> QueryExpression<Output> {
    asking(.sum(column(path).expression))
  }

  /// The sum of an optional property over the rows, ignoring nil.
  ///
  /// - Parameter path: The property.
  public func sum<Output: QueryNumber & AdditiveArithmetic>(_ path: KeyPath<Target.Columns, Column<Target, Output?>>) -> QueryExpression<Output> {
    asking(.sum(column(path).expression))
  }

  /// The sum of a property of a small integer type, as an `Int`.
  ///
  /// - Parameter path: The property.
  public func sum<Output: QuerySmallInteger>(_ path: KeyPath<Target.Columns, Column<Target, Output>>) -> QueryExpression<Int> {
    asking(.sum(column(path).expression))
  }

  /// The sum of an optional property of a small integer type, as an `Int`, ignoring nil.
  ///
  /// - Parameter path: The property.
  public func sum<Output: QuerySmallInteger>(_ path: KeyPath<Target.Columns, Column<Target, Output?>>) -> QueryExpression<Int> {
    asking(.sum(column(path).expression))
  }

  /// The mean of a property as a real number, or nil if there are no values.
  ///
  /// - Parameter path: The property.
  public func average<Output: QueryNumber>(_ path: KeyPath<Target.Columns, Column<Target, Output>>) -> QueryExpression<Double?> {
    asking(.average(column(path).expression))
  }

  /// The least value of a property, or nil if there are no rows.
  ///
  /// - Parameter path: The property.
  public func min<Output>(_ path: KeyPath<Target.Columns, Column<Target, Output>>) -> QueryExpression<Output?> {
    asking(.extreme(.min, column(path).expression))
  }

  /// The least value of an optional property, ignoring nil; nil if there are no values.
  ///
  /// - Parameter path: The property.
  public func min<Output>(_ path: KeyPath<Target.Columns, Column<Target, Output?>>) -> QueryExpression<Output?> {
    asking(.optionalExtreme(.min, column(path).expression))
  }

  /// The greatest value of a property, or nil if there are no rows.
  ///
  /// - Parameter path: The property.
  public func max<Output>(_ path: KeyPath<Target.Columns, Column<Target, Output>>) -> QueryExpression<Output?> {
    asking(.extreme(.max, column(path).expression))
  }

  /// The greatest value of an optional property, ignoring nil; nil if there are no values.
  ///
  /// - Parameter path: The property.
  public func max<Output>(_ path: KeyPath<Target.Columns, Column<Target, Output?>>) -> QueryExpression<Output?> {
    asking(.optionalExtreme(.max, column(path).expression))
  }

  private func column<Output>(_ path: KeyPath<Target.Columns, Column<Target, Output>>) -> Column<Target, Output> {
    Target.columns[keyPath: path].scoped(.rows(depth))
  }

  private func asking<Output>(_ aggregate: QueryExpression<Output>) -> QueryExpression<Output> {
    QueryExpression(node: ask(.value(aggregate.node)), coding: aggregate.coding)
  }

  var depth: Int { settledDepth ?? RelatedRows.depth + 1 }

  private func node(of condition: (Target.Columns) -> some QueryExpressible<Bool>) -> SQLNode {
    let columns = ColumnScope.$current.withValue(.rows(depth)) { Target.Columns() }
    return RelatedRows.$depth.withValue(depth) { condition(columns).node }
  }

  private func ask(_ question: RelatedRows.Question, and condition: SQLNode? = nil) -> SQLNode {
    self.question(question, at: depth, condition)
  }

  func question(_ question: RelatedRows.Question, at depth: Int, _ condition: SQLNode? = nil) -> SQLNode {
    let link: RelatedRows.Link
    do {
      link = try RelationshipResolution(self).link
    } catch {
      return .invalid((error as? StoreError) ?? StoreError(.schemaMismatch, "\(error)"))
    }
    let conditions = [filter, condition].compactMap { $0 }
    return .relatedRows(
      RelatedRows(
        table: Target.schema.table, depth: depth, link: link, owner: scope.node(for: Root.schema.keyReference),
        condition: conditions.count == 2 ? .and(conditions[0], conditions[1]) : conditions.first),
      question)
  }

  /// Returns a query for the rows that belong to the row with the key.
  func query(ownedBy key: Root.ID) -> Query<Target> {
    do {
      return try RelationshipResolution(self).query(ownedBy: key)
    } catch {
      return Query().failing(error)
    }
  }
}

/// The rows of a relationship in a `#Predicate`, without their types.
protocol AnyToManyColumn: Sendable {
  var depth: Int { get }
  var target: any Model.Type { get }
  func moved(to scope: ColumnScope, depth: Int) -> Self
  func question(_ question: RelatedRows.Question, at depth: Int, _ condition: SQLNode?) -> SQLNode
  /// Returns whether a value's row is one of the rows; nil for a value of another type.
  func member(_ value: Any) -> SQLNode?
  /// Returns whether the path is that of the number of rows.
  func isCount(_ path: AnyKeyPath) -> Bool
  /// Returns whether the path is `isEmpty`.
  func isEmptiness(_ path: AnyKeyPath) -> Bool
}

extension AnyToManyColumn {
  func question(_ question: RelatedRows.Question, at depth: Int) -> SQLNode { self.question(question, at: depth, nil) }
}

extension ToManyColumn: AnyToManyColumn {
  var target: any Model.Type { Target.self }

  func moved(to scope: ColumnScope, depth: Int) -> ToManyColumn {
    var column = scoped(scope)
    column.settledDepth = depth
    return column
  }

  func isCount(_ path: AnyKeyPath) -> Bool { path == \ToMany<Target>.count }

  func isEmptiness(_ path: AnyKeyPath) -> Bool { path == \ToMany<Target>.isEmpty }

  func member(_ value: Any) -> SQLNode? {
    (value as? Target).map { contains($0).node } ?? (value as? ToOne<Target>).map { contains($0.id).node }
  }
}

extension ModelSchema {
  /// Returns the key as a query compares columns with it.
  func node(forKey key: Root.ID) -> SQLNode {
    do {
      return .value(try storedKey(key))
    } catch let failure as ValueFailure {
      return .invalid(StoreError(failure, model: modelName, property: keyColumns.first?.property))
    } catch {
      return .invalid(StoreError(.invalidValue, "the key cannot be stored: \(error)"))
    }
  }
}
