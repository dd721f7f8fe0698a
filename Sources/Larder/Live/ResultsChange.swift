/// The rows of a query after a commit, and how they differ from the rows before it, by key.
///
/// A list is brought up to date in this order, as table views have it: rows go at the positions of the old list that ``removed`` and
/// ``moved`` name, then rows come, from low to high, at the positions of the new list that ``inserted`` and ``moved`` name, and then
/// those at ``updated`` are shown anew. ``applying(to:)`` does that.
public struct ResultsChange<M: Model>: Sendable {
  /// The rows now.
  public let values: [M]
  let difference: ResultsDifference
  /// The positions, in the new list, of rows that were there before and whose content is another one.
  ///
  /// The content is what the columns hold and what ``Query/including(_:)`` loaded.
  public let updated: [Int]

  /// The positions, in the old list, of rows that are no longer there; ascending.
  public var removed: [Int] { difference.removed }
  /// The positions, in the new list, of rows that were not there before; ascending.
  public var inserted: [Int] { difference.inserted }
  /// The rows that changed their place, ascending by the new one. They are as few as can be.
  public var moved: [ResultsMove] { difference.moved }

  /// Whether nothing is different.
  public var isEmpty: Bool { removed.isEmpty && inserted.isEmpty && moved.isEmpty && updated.isEmpty }

  /// The difference between two results of the query.
  init(from old: [M], to new: [M], _ inclusions: [Inclusion<M>]) {
    let difference =
      RowKey<M>.hasText
      ? ResultsDifference(from: Self.keys(of: old), to: Self.keys(of: new)) : ResultsDifference(from: old.map(\.id), to: new.map(\.id))
    values = new
    self.difference = difference
    updated = new.indices.filter { position in
      let origin = difference.origins[position]
      return origin >= 0 && !M.hasSameContent(old[origin], new[position], inclusions)
    }
  }

  /// Values that were read have keys that can be stored.
  private static func keys(of values: [M]) -> [RowKey<M>?] {
    values.map { try? RowKey(of: $0) }
  }

  /// The old list, changed into the new one.
  ///
  /// - Parameter old: The rows before the change: the ``values`` of the change before it, and an empty list before the first one.
  /// - Complexity: O(*n*).
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

extension Model {
  /// Whether two values of a row hold the same in every column, and in what the inclusions loaded.
  static func hasSameContent(_ left: Self, _ right: Self, _ inclusions: [Inclusion<Self>]) -> Bool {
    for definition in schema.columns {
      // A value that was read can be stored; one that cannot is taken for another.
      guard
        let (one, other) = try? (definition.column.storedValue(in: left), definition.column.storedValue(in: right)),
        ExactValue(one) == ExactValue(other)
      else { return false }
    }
    return inclusions.allSatisfy { $0.hasSameContent(left, right) }
  }
}
