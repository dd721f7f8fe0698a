/// The assignment to a reference: `$0.account.set(account)`.
public struct ReferenceAssignment<M: Model, Target: Model, Output> {
  let column: ToOneColumn<M, Target, Output>
  let list: AssignmentList

  /// Sets the reference.
  ///
  /// - Parameter value: The new reference.
  public func set(_ value: Output) {
    list.append(column.name, column.node(for: value))
  }

  /// Sets the reference to the value's row.
  ///
  /// - Parameter value: The row to refer to.
  public func set(_ value: Target) {
    list.append(column.name, Target.schema.node(forKey: value.id))
  }
}
