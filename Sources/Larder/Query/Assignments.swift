/// The changes that ``StoreWriter/updateAll(_:_:)`` makes in every row: `$0.title.set("x"); $0.views.increment(by: 1)`.
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
  public subscript<Columns: EmbeddedColumns>(dynamicMember path: KeyPath<M.Columns, Columns>) -> EmbeddedAssignments<M, Columns>
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

  /// The assignments to the properties of a struct that is embedded in the embedded one.
  public subscript<Inner: EmbeddedColumns>(dynamicMember path: KeyPath<Columns, Inner>) -> EmbeddedAssignments<M, Inner> where Inner.Root == M {
    EmbeddedAssignments<M, Inner>(columns: columns[keyPath: path], list: list)
  }
}

/// The assignment to one property.
public struct Assignment<M: Model, Output> {
  let column: Column<M, Output>
  let list: AssignmentList

  /// Sets a value.
  public func set(_ value: Output) {
    list.append(column.name, column.node(for: value))
  }

  /// Sets what the database computes in each row: `$0.total.set { $0.price * $0.quantity }`. All that it reads, in the row and in others, is as
  /// it was before the update.
  public func set(_ value: (M.Columns) -> some QueryExpressible<Output>) {
    set(value(M.columns).node)
  }

  /// Sets an optional property to what the database computes in each row, which is never nil.
  @_disfavoredOverload
  public func set<Wrapped>(_ value: (M.Columns) -> some QueryExpressible<Wrapped>) where Output == Wrapped? {
    set(value(M.columns).node)
  }

  private func set(_ node: SQLNode) {
    switch (column.type.order, node.order) {
    case (.instant, .stored): list.append(column.name, .function("larder_date_text", [node]))
    case (.stored, .instant): list.append(column.name, .function("larder_seconds", [node]))
    default: list.append(column.name, column.type.checked(node.asValue))
    }
  }
}

extension ColumnType {
  /// What is computed, refused where the property's type does not hold it.
  func checked(_ node: SQLNode) -> SQLNode {
    guard let integerRange, !node.isConstant else { return node }
    return .function("larder_integer", [node, .value(.integer(integerRange.lowerBound)), .value(.integer(integerRange.upperBound))])
  }
}

extension Assignment where Output: QueryNumber {
  /// Adds to the number that each row has; a negative number takes away.
  public func increment(by amount: Output) {
    compute(.add, amount)
  }

  /// Multiplies the number that each row has.
  public func multiply(by factor: Output) {
    compute(.multiply, factor)
  }

  private func compute(_ op: BinaryOperator, _ number: Output) {
    let value = SQLNode.arithmetic(op, list.value(of: column.name) ?? column.node, column.node(for: number), column.type)
    list.append(column.name, column.type.checked(value).limited)
  }
}

/// What the closure of ``StoreWriter/updateAll(_:_:)`` asked for, in order; it never leaves that call.
final class AssignmentList {
  private(set) var assignments: [(column: String, node: SQLNode)] = []

  /// What the column was set to so far.
  func value(of column: String) -> SQLNode? {
    assignments.first { $0.column == column }?.node
  }

  func append(_ column: String, _ node: SQLNode) {
    assignments.removeAll { $0.column == column }
    assignments.append((column, node))
  }
}
