/// The assignments of ``StoreWriter/updateAll(_:_:)``, made in every row:
/// `$0.title.set("x"); $0.views.increment(by: 1)`.
@dynamicMemberLookup
public struct Assignments<M: Model> {
  let list: AssignmentList

  init() { list = AssignmentList() }

  /// The assignment to a property.
  public subscript<Output>(dynamicMember path: KeyPath<M.Columns, Column<M, Output>>) -> Assignment<M, Output> {
    Assignment(column: M.columns[keyPath: path], list: list)
  }

  /// The assignment to a reference.
  public subscript<Target: Model, Output>(
    dynamicMember path: KeyPath<M.Columns, ToOneColumn<M, Target, Output>>
  ) -> ReferenceAssignment<M, Target, Output> {
    ReferenceAssignment(column: M.columns[keyPath: path], list: list)
  }

  /// The assignments to the properties of an embedded struct.
  public subscript<Columns: EmbeddedColumns>(dynamicMember path: KeyPath<M.Columns, Columns>) -> EmbeddedAssignments<
    M, Columns
  >
  where Columns.Root == M {
    EmbeddedAssignments(columns: M.columns[keyPath: path], list: list)
  }
}

/// The assignments to the properties of an embedded struct: `$0.font.size.set(14)`.
@dynamicMemberLookup
public struct EmbeddedAssignments<M: Model, Columns: EmbeddedColumns> {
  let columns: Columns
  let list: AssignmentList

  /// The assignment to a property of the embedded struct.
  public subscript<Output>(dynamicMember path: KeyPath<Columns, Column<M, Output>>) -> Assignment<M, Output> {
    Assignment(column: columns[keyPath: path], list: list)
  }

  /// The assignments to the properties of a struct that is nested in the embedded one.
  public subscript<Inner: EmbeddedColumns>(dynamicMember path: KeyPath<Columns, Inner>) -> EmbeddedAssignments<M, Inner>
  where Inner.Root == M {
    EmbeddedAssignments<M, Inner>(columns: columns[keyPath: path], list: list)
  }
}

/// The assignment to one property.
public struct Assignment<M: Model, Output> {
  let column: Column<M, Output>
  let list: AssignmentList

  /// Sets the property to a value.
  ///
  /// - Parameter value: The new value.
  public func set(_ value: Output) {
    list.append(column.name, column.node(for: value))
  }

  /// Sets the property to a value computed in each row: `$0.total.set { $0.price * $0.quantity }`.
  ///
  /// - Parameter value: Returns the expression. All values that it reads, in this row and in others, are those before
  ///   the update.
  public func set(_ value: (M.Columns) -> some QueryExpressible<Output>) {
    set(value(M.columns).node)
  }

  /// Sets an optional property to a computed value that is never nil.
  ///
  /// - Parameter value: Returns the expression. All values that it reads are those before the update.
  @_disfavoredOverload
  public func set<Wrapped>(_ value: (M.Columns) -> some QueryExpressible<Wrapped>) where Output == Wrapped? {
    set(value(M.columns).node)
  }

  private func set(_ node: SQLNode) {
    switch (column.type.order, node.order) {
    case (.instant, .stored): list.append(column.name, .function(.dateText, [node]))
    case (.stored, .instant): list.append(column.name, .function(.seconds, [node]))
    default: list.append(column.name, column.type.checked(node.asValue))
    }
  }
}

extension ColumnType {
  /// Returns the computed value, or an error when the query runs if the property's type can't hold it.
  func checked(_ node: SQLNode) -> SQLNode {
    if numberForm == .single, !node.isConstant { return .function(.single, [node]) }
    guard let integerRange, !node.isConstant else { return node }
    return .function(
      .integer, [node, .value(.integer(integerRange.lowerBound)), .value(.integer(integerRange.upperBound))])
  }
}

extension Assignment where Output: QueryNumber {
  /// Adds an amount to the number in each row.
  ///
  /// - Parameter amount: The amount; negative to subtract.
  public func increment(by amount: Output) {
    compute(.add, amount)
  }

  /// Multiplies the number in each row.
  ///
  /// - Parameter factor: The factor.
  public func multiply(by factor: Output) {
    compute(.multiply, factor)
  }

  private func compute(_ op: BinaryOperator, _ number: Output) {
    let value = SQLNode.arithmetic(
      op, list.value(of: column.name) ?? column.node, column.node(for: number), column.type)
    list.append(column.name, column.type.checked(value).limited)
  }
}

/// The assignments that the closure of ``StoreWriter/updateAll(_:_:)`` made, in order. It never leaves that call.
final class AssignmentList {
  private(set) var assignments: [(column: String, node: SQLNode)] = []

  /// Returns what the column has been set to so far.
  func value(of column: String) -> SQLNode? {
    assignments.first { $0.column == column }?.node
  }

  func append(_ column: String, _ node: SQLNode) {
    assignments.removeAll { $0.column == column }
    assignments.append((column, node))
  }
}
