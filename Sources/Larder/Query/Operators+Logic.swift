/// True where both conditions are.
public func && (left: some QueryExpressible<Bool>, right: some QueryExpressible<Bool>) -> QueryExpression<Bool> {
  .init(.and(left.node, right.node))
}

/// True where one of the conditions is, or both.
public func || (left: some QueryExpressible<Bool>, right: some QueryExpressible<Bool>) -> QueryExpression<Bool> {
  .init(.or(left.node, right.node))
}

/// True where the condition is not: also where SQL would say that it is unknown because a side is NULL.
public prefix func ! (condition: some QueryExpressible<Bool>) -> QueryExpression<Bool> {
  .init(.not(condition.node))
}
