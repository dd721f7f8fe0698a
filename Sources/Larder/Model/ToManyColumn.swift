/// The rows on the other side of a relationship in a query: `$0.costs.contains { $0.amount > 1000 }`, `$0.costs.count`.
///
/// Each use is a subquery that uses the index of the references, evaluated for each row of the query.
public struct ToManyColumn<Root: Model, Target: Model>: Sendable {
  /// The property's name in Swift.
  public let property: String
  let keyPath: any WritableKeyPath<Root, ToMany<Target>> & Sendable
  var scope = ColumnScope.current
  /// The condition of the rows, and the nesting depth of its subquery.
  var filter: SQLNode?
  /// The nesting depth of the subquery, if it is fixed; otherwise one deeper than the enclosing closures.
  var settledDepth: Int?

  /// Creates the column. Called by generated code.
  ///
  /// - Parameters:
  ///   - path: The key path of the property.
  ///   - property: The property's name in Swift.
  @_documentation(visibility: internal)
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

// MARK: - The node

extension ToManyColumn {
  var depth: Int { settledDepth ?? RelatedRows.depth + 1 }

  /// Returns whether the row with the key is one of the rows.
  func node(containing key: Target.ID) -> SQLNode {
    let column = SQLNode.column(Target.schema.keyReference.as(.rows(depth)))
    return question(.exist, at: depth, .compare(.equal, column, Target.schema.node(forKey: key)))
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
        table: Target.schema.table, name: property, depth: depth, link: link,
        owner: scope.node(for: Root.schema.keyReference),
        condition: conditions.count == 2 ? .and(conditions[0], conditions[1]) : conditions.first),
      question)
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
  func leadsToCount(_ path: AnyKeyPath) -> Bool
  /// Returns whether the path is `isEmpty`.
  func leadsToEmptiness(_ path: AnyKeyPath) -> Bool
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

  func leadsToCount(_ path: AnyKeyPath) -> Bool { path == \ToMany<Target>.count }

  func leadsToEmptiness(_ path: AnyKeyPath) -> Bool { path == \ToMany<Target>.isEmpty }

  func member(_ value: Any) -> SQLNode? {
    (value as? Target).map { node(containing: $0.id) } ?? (value as? ToOne<Target>).map { node(containing: $0.id) }
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
