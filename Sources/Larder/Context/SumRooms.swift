/// How much each derived sum can still grow before it exceeds its property's range, cached so that rows aren't added up
/// again.
struct SumRooms {
  /// A sum of one row.
  struct Sum: Hashable {
    let table: String
    let column: String
    let key: Value
  }

  /// The largest number of sums to check individually for one call.
  static let limitOfVerb = 16
  /// The largest number of remembered sums.
  private static let limit = 10_000

  private var rooms: [Sum: Double] = [:]
  /// The layer that the sums belong to.
  private var layer = 0

  /// Discards the sums if they are of another layer or may be outdated.
  mutating func use(in layer: Int, isFresh: Bool) {
    if self.layer != layer || !isFresh || rooms.count > Self.limit { rooms.removeAll() }
    self.layer = layer
  }

  mutating func forget() { rooms.removeAll() }

  /// Subtracts growth from a sum's room. Returns whether there was enough.
  mutating func take(_ growth: Double, from sum: Sum) -> Bool {
    guard let room = rooms[sum], growth == 0 || growth <= room else { return false }
    rooms[sum] = room - growth
    return true
  }

  mutating func set(_ room: Double, for sum: Sum) { rooms[sum] = room }
}
