/// The difference of two lists of keys: the removed and inserted rows, and the smallest number of moved rows.
struct ResultsDifference: Sendable, Equatable {
  /// Positions in the old list, ascending.
  var removed: [Int] = []
  /// Positions in the new list, ascending.
  var inserted: [Int] = []
  /// Ascending by their new positions.
  var moved: [ResultsMove] = []
  /// For each position in the new list, the position of its row in the old one, or -1.
  var origins: [Int] = []

  /// - Complexity: O(*n*) if the remaining rows keep their order; otherwise O(*n* + *k* log *k*), where *k* is the
  ///   distance from the first to the last row that is out of place.
  init<Key: Hashable>(from old: [Key], to new: [Key]) {
    let head = zip(old, new).prefix { $0 == $1 }.count
    let limit = min(old.count, new.count) - head
    var tail = 0
    while tail < limit, old[old.count - 1 - tail] == new[new.count - 1 - tail] { tail += 1 }
    origins = Array(0..<head)
    origins.reserveCapacity(new.count)
    match(old, head..<old.count - tail, new, head..<new.count - tail)
    origins.append(contentsOf: (old.count - tail)..<old.count)
    findMoves()
  }

  /// Finds the old row for each new key. If keys occur repeatedly, which is possible in a table that Larder hasn't
  /// created, the first is matched with the first.
  private mutating func match<Key: Hashable>(_ old: [Key], _ oldRange: Range<Int>, _ new: [Key], _ newRange: Range<Int>)
  {
    var first: [Key: Int] = Dictionary(minimumCapacity: oldRange.count)
    var next = [Int](repeating: -1, count: oldRange.count)
    for position in oldRange.reversed() {
      next[position - oldRange.lowerBound] = first.updateValue(position, forKey: old[position]) ?? -1
    }
    var isKept = [Bool](repeating: false, count: oldRange.count)
    for position in newRange {
      let origin = first[new[position]] ?? -1
      origins.append(origin)
      guard origin >= 0 else {
        inserted.append(position)
        continue
      }
      isKept[origin - oldRange.lowerBound] = true
      first[new[position]] = next[origin - oldRange.lowerBound]
    }
    removed = oldRange.filter { !isKept[$0 - oldRange.lowerBound] }
  }

  /// Finds the moved rows. Those that stay form a longest increasing subsequence of the old positions.
  ///
  /// Source: M. L. Fredman, On computing the length of longest increasing subsequences, Discrete Mathematics 11 (1975):
  /// by binary search in the smallest ends of the increasing subsequences of each length, here only between the first
  /// and the last row that is out of place.
  private mutating func findMoves() {
    let kept = origins.indices.filter { origins[$0] >= 0 }
    guard let window = window(of: kept) else { return }
    var ends: [Int] = []
    var previous = [Int](repeating: -1, count: window.count)
    for (place, position) in window.enumerated() {
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if origins[window[window.startIndex + ends[middle]]] < origins[position] {
          low = middle + 1
        } else {
          high = middle
        }
      }
      previous[place] = low > 0 ? ends[low - 1] : -1
      if low == ends.count { ends.append(place) } else { ends[low] = place }
    }
    var stays = [Bool](repeating: false, count: window.count)
    var place = ends.last ?? -1
    while place >= 0 {
      stays[place] = true
      place = previous[place]
    }
    moved = zip(window, stays).filter { !$1 }.map { ResultsMove(from: origins[$0.0], to: $0.0) }
  }

  /// Returns the shortest range of the kept rows outside of which all rows are in order; nil if all are.
  private func window(of kept: [Int]) -> ArraySlice<Int>? {
    var greatest = -1
    var last = -1
    for (place, position) in kept.enumerated() {
      if origins[position] < greatest { last = place }
      greatest = max(greatest, origins[position])
    }
    guard last >= 0 else { return nil }
    var least = Int.max
    var first = last
    for place in kept.indices.reversed() {
      if origins[kept[place]] > least { first = place }
      least = min(least, origins[kept[place]])
    }
    return kept[first...last]
  }
}

/// A row that changed its position in a list.
public struct ResultsMove: Sendable, Hashable {
  /// The position in the old list.
  public let from: Int
  /// The position in the new list.
  public let to: Int

  init(from: Int, to: Int) {
    self.from = from
    self.to = to
  }
}
