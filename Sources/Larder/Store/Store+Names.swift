// Other modules have types of the same names. In a file that imports them as well, write `Store.Row`.
extension Store {
  /// The row of an SQL result, as ``Larder/Row``.
  public typealias Row = Larder.Row
  /// What the closure of a write is called with, as ``Larder/Transaction``.
  public typealias Transaction = Larder.Transaction
  /// What the closure of a read is called with, as ``Larder/Snapshot``.
  public typealias Snapshot = Larder.Snapshot
  /// SQL with bound values, as ``Larder/SQL``.
  public typealias SQL = Larder.SQL
}
