// Selections of a few stored properties, which are read as fast as whole rows: where the types are known to be storable,
// the compiler specializes the loop over the rows. Other selections read each value by a closure.

extension Query {
  /// Returns a query for one property of the rows of this one. See ``select(_:)-(KeyPath<M.Columns,Value>)``.
  @_documentation(visibility: internal)
  @inlinable
  public func select<First: StoredValue>(_ path: KeyPath<M.Columns, Column<M, First>>) -> SelectedQuery<M, First> {
    SelectedQuery(
      SelectedRows(self, M.columns[keyPath: path].expression), RowDecoding { row in try row.property() as First })
  }

  /// Returns a query for two properties of the rows of this one.
  @_documentation(visibility: internal)
  @inlinable
  public func select<First: StoredValue, Second: StoredValue>(
    _ first: KeyPath<M.Columns, Column<M, First>>, _ second: KeyPath<M.Columns, Column<M, Second>>
  ) -> SelectedQuery<M, (First, Second)> {
    SelectedQuery(
      SelectedRows(self, M.columns[keyPath: first].expression, M.columns[keyPath: second].expression),
      RowDecoding { row in (try row.property() as First, try row.property() as Second) })
  }

  /// Returns a query for three properties of the rows of this one.
  @_documentation(visibility: internal)
  @inlinable
  public func select<First: StoredValue, Second: StoredValue, Third: StoredValue>(
    _ first: KeyPath<M.Columns, Column<M, First>>, _ second: KeyPath<M.Columns, Column<M, Second>>,
    _ third: KeyPath<M.Columns, Column<M, Third>>
  ) -> SelectedQuery<M, (First, Second, Third)> {
    SelectedQuery(
      SelectedRows(
        self, M.columns[keyPath: first].expression, M.columns[keyPath: second].expression,
        M.columns[keyPath: third].expression),
      RowDecoding { row in
        (try row.property() as First, try row.property() as Second, try row.property() as Third)
      })
  }
}

extension Model {
  /// Returns a query for one property of every row.
  @_documentation(visibility: internal)
  @inlinable
  public static func select<First: StoredValue>(
    _ path: KeyPath<Columns, Column<Self, First>>
  ) -> SelectedQuery<Self, First> {
    all.select(path)
  }

  /// Returns a query for two properties of every row.
  @_documentation(visibility: internal)
  @inlinable
  public static func select<First: StoredValue, Second: StoredValue>(
    _ first: KeyPath<Columns, Column<Self, First>>, _ second: KeyPath<Columns, Column<Self, Second>>
  ) -> SelectedQuery<Self, (First, Second)> {
    all.select(first, second)
  }

  /// Returns a query for three properties of every row.
  @_documentation(visibility: internal)
  @inlinable
  public static func select<First: StoredValue, Second: StoredValue, Third: StoredValue>(
    _ first: KeyPath<Columns, Column<Self, First>>, _ second: KeyPath<Columns, Column<Self, Second>>,
    _ third: KeyPath<Columns, Column<Self, Third>>
  ) -> SelectedQuery<Self, (First, Second, Third)> {
    all.select(first, second, third)
  }
}
