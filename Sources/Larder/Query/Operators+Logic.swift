/// Returns whether both conditions are true.
public func && (left: some QueryExpressible<Bool>, right: some QueryExpressible<Bool>) -> QueryExpression<Bool> {
  .init(.and(left.node, right.node))
}

/// Returns whether at least one of the conditions is true.
public func || (left: some QueryExpressible<Bool>, right: some QueryExpressible<Bool>) -> QueryExpression<Bool> {
  .init(.or(left.node, right.node))
}

/// Returns whether the condition isn't true, including if it is unknown in SQL because a side is NULL.
public prefix func ! (condition: some QueryExpressible<Bool>) -> QueryExpression<Bool> {
  .init(.not(condition.node))
}
