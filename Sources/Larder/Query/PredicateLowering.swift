import Foundation

/// Translates Foundation's `#Predicate` to a condition of a query.
///
/// Each kind of expression provides its SQL by conforming to ``LowerablePredicateExpression``. Others throw
/// `.unsupported` with their names.
enum PredicateLowering<M: Model> {
  static func node(for predicate: Predicate<M>) throws -> SQLNode {
    let scope = PredicateScope(
      model: "\(M.self)", variables: [predicate.variable.key: .row(PredicateRow(model: M.self))])
    return try scope.node(predicate.expression)
  }
}

/// The meanings of a predicate's variables.
struct PredicateScope {
  enum Binding {
    case row(PredicateRow)
    /// The value of an optional, inside `flatMap`, or an element of a JSON array, inside `contains(where:)`.
    case value(PredicateOperand)
  }

  let model: String
  var variables: [PredicateExpressions.VariableID: Binding]
  /// The number of JSON array elements named so far.
  var elementCount = 0
  /// The number of enclosing conditions on the rows of relationships.
  var depth = 0

  /// Returns the condition or value of the expression.
  func node(_ expression: any PredicateExpression) throws -> SQLNode {
    try operand(expression).node
  }

  func operand(_ expression: any PredicateExpression) throws -> PredicateOperand {
    guard let lowerable = expression as? any LowerablePredicateExpression else {
      throw unsupported(String("\(type(of: expression))".prefix { $0 != "<" }))
    }
    return try lowerable.lower(in: self)
  }

  /// Returns the two sides of a comparison. A constant takes the form in which the other side's column stores it.
  func pair(_ left: any PredicateExpression, _ right: any PredicateExpression) throws -> (SQLNode, SQLNode) {
    let (left, right) = (try operand(left), try operand(right))
    return (try left.node(beside: right), try right.node(beside: left))
  }

  func unsupported(_ what: String) -> StoreError {
    StoreError(
      .unsupported, model: model,
      "#Predicate's \(what) has no equivalent in SQL; write the condition with \(model).where { … }, or filter the fetched values in Swift"
    )
  }
}

/// A variable of a predicate that stands for a row, and where the query finds it.
struct PredicateRow {
  let model: any Model.Type
  var scope = ColumnScope.root
}

/// One side of an operator in a predicate.
struct PredicateOperand {
  /// The value as any storable value is stored.
  let node: SQLNode
  /// The column, if the operand is one. It determines the stored form of what it is compared with.
  var column: (any AnyColumn)?
  /// The constant, if the operand is one.
  var constant: Any?
  /// Whether the operand was extracted from JSON, so that what it is compared with takes JSON's form.
  var isJSON = false
  /// The row, if the operand is a whole one.
  var row: PredicateRow?
  /// The relationship, if the operand is its rows.
  var rows: (any AnyToManyColumn)?
  /// The path to an embedded struct, if the operand is one.
  var embedded: (row: PredicateRow, path: AnyKeyPath)?

  init(
    _ node: SQLNode, column: (any AnyColumn)? = nil, constant: Any? = nil, isJSON: Bool = false,
    row: PredicateRow? = nil,
    rows: (any AnyToManyColumn)? = nil, embedded: (row: PredicateRow, path: AnyKeyPath)? = nil
  ) {
    self.node = node
    self.column = column
    self.constant = constant
    self.isJSON = isJSON
    self.row = row
    self.rows = rows
    self.embedded = embedded
  }

  /// The value extracted from JSON, in the form of a column if the type has another form in JSON.
  init(json node: SQLNode, _ type: Any.Type) {
    let stored = node.stored(as: type)
    self.init(stored ?? node, isJSON: stored == nil)
  }

  /// Returns the operand with another value of the same type, which the database computes.
  ///
  /// If the value is no longer in the column's stored form, what it is compared with isn't converted to that form
  /// either: dates stored as text are compared as seconds with other dates.
  func with(_ node: SQLNode) -> PredicateOperand {
    PredicateOperand(node, column: column.flatMap { $0.type.order == node.order ? $0 : nil }, isJSON: isJSON)
  }

  /// Whether the operand is a collection kept as JSON.
  var isCollection: Bool { isJSON || column?.type.isJSON == true }

  func node(beside other: PredicateOperand) throws -> SQLNode {
    guard let constant else { return node }
    if let optional = constant as? any OptionalValue, optional.isNil { return .value(.null) }
    if other.isJSON {
      guard let element = constant as? any Encodable else { return node }
      return (constant as? any StoredValue).map { .jsonScalar($0) } ?? .jsonConstant(element)
    }
    guard let column = other.column else { return node }
    do {
      if let json = try column.unorderedJSON(of: constant) { return .unorderedJSON(json) }
      return .value(try column.storedValue(of: constant))
    } catch let failure as ValueFailure {
      throw StoreError(failure, model: nil, property: column.property)
    }
  }
}

/// A kind of predicate expression that SQL can say.
protocol LowerablePredicateExpression {
  func lower(in scope: PredicateScope) throws -> PredicateOperand
}
