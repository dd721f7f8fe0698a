/// The assignment to a reference: `$0.account.set(account)`.
public struct ReferenceAssignment<M: Model, Target: Model, Output> {
  let column: ToOneColumn<M, Target, Output>
  let list: AssignmentList

  /// Sets a reference.
  public func set(_ value: Output) {
    list.append(column.name, column.node(for: value))
  }

  /// Makes the rows refer to the value's row.
  public func set(_ value: Target) {
    list.append(column.name, Target.schema.node(forKey: value.id))
  }
}
