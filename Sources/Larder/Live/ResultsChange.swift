/// The rows of a query after a commit, and how they differ by key from the rows before it.
///
/// Update a list in the order that table views use: remove the rows at the old positions in ``removed`` and ``moved``,
/// then insert rows in ascending order at the new positions in ``inserted`` and ``moved``, then reload those in
/// ``updated``. ``applying(to:)`` does so.
public struct ResultsChange<M: Model>: Sendable {
  /// The current rows.
  public let values: [M]
  let difference: ResultsDifference
  /// The positions, in the new list, of rows that existed before with other contents.
  ///
  /// The contents are the values of the columns and what ``Query/including(_:)`` loaded.
  public let updated: [Int]

  /// The positions, in the old list, of rows that no longer exist; ascending.
  public var removed: [Int] { difference.removed }
  /// The positions, in the new list, of rows that didn't exist before; ascending.
  public var inserted: [Int] { difference.inserted }
  /// The rows that changed their position, ascending by the new one. Their number is minimal.
  public var moved: [ResultsMove] { difference.moved }

  /// Whether the lists are equal.
  public var isEmpty: Bool { removed.isEmpty && inserted.isEmpty && moved.isEmpty && updated.isEmpty }

  /// Creates the difference between two results of the query.
  init(from old: [M], to new: [M], _ inclusions: [Inclusion<M>]) {
    let difference =
      RowKey<M>.hasText
      ? ResultsDifference(from: Self.keys(of: old), to: Self.keys(of: new))
      : ResultsDifference(from: old.map(\.id), to: new.map(\.id))
    values = new
    self.difference = difference
    updated = new.indices.filter { position in
      let origin = difference.origins[position]
      return origin >= 0 && !M.hasSameContent(old[origin], new[position], inclusions)
    }
  }

  /// Values that were read have storable keys.
  private static func keys(of values: [M]) -> [RowKey<M>?] {
    values.map { try? RowKey(of: $0) }
  }

  /// Returns the new list, made by applying the changes to the old one.
  ///
  /// - Parameter old: The rows before the change: the ``values`` of the previous change, or an empty list before the
  ///   first one.
  /// - Returns: The current rows.
  /// - Complexity: O(*n*), where *n* is the number of rows.
  public func applying(to old: [M]) -> [M] {
    var isGone = [Bool](repeating: false, count: old.count)
    for position in removed { isGone[position] = true }
    for move in moved { isGone[move.from] = true }
    var staying = old.indices.filter { !isGone[$0] }.makeIterator()
    var origins = [Int?](repeating: nil, count: values.count)
    var isNew = [Bool](repeating: false, count: values.count)
    for position in inserted { isNew[position] = true }
    for move in moved { origins[move.to] = move.from }
    for position in updated { isNew[position] = true }
    return values.indices.map { position in
      let origin = origins[position] ?? (difference.origins[position] < 0 ? nil : staying.next())
      guard !isNew[position], let origin else { return values[position] }
      return old[origin]
    }
  }
}
