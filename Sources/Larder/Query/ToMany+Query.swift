extension ToMany {
  /// A query for all of the rows; in the order that `setLinks` gave them if the relationship is ordered.
  public var all: Query<Target> {
    guard let owner else {
      return Query().failing(
        StoreError(
          .unsupported, model: "\(Target.self)",
          "A ToMany<\(Target.self)> that belongs to no model has no rows in a store. Ask the property of a model for them: account.costs.all."
        ))
    }
    return owner.query
  }

  /// Returns a query for the rows that satisfy the condition.
  ///
  /// - Parameter condition: Returns the condition for the columns.
  /// - Returns: A query for those of the related rows.
  public func `where`(_ condition: (Target.Columns) -> some QueryExpressible<Bool>) -> Query<Target> {
    all.where(condition)
  }
}

extension RelationshipOwner {
  fileprivate var query: Query<Target> { column.query(ownedBy: owner) }
}
