/// How much the sums of rows may still grow before their properties might not hold them: what is known of it spares
/// adding all rows up again.
struct SumRooms {
  /// A sum of one row.
  struct Sum: Hashable {
    let table: String
    let column: String
    let key: Value
  }

  /// As many sums of a verb are looked at one by one.
  static let limitOfVerb = 16
  /// As many sums are remembered.
  private static let limit = 10_000

  private var rooms: [Sum: Double] = [:]
  /// The layer in which they are.
  private var layer = 0

  /// Forgets everything where the sums are those of another layer, or somebody else may have changed them.
  mutating func use(in layer: Int, isFresh: Bool) {
    if self.layer != layer || !isFresh || rooms.count > Self.limit { rooms.removeAll() }
    self.layer = layer
  }

  mutating func forget() { rooms.removeAll() }

  /// Takes away from a sum's room what it may have grown by, and answers whether there was enough.
  mutating func take(_ growth: Double, from sum: Sum) -> Bool {
    guard let room = rooms[sum], growth == 0 || growth <= room else { return false }
    rooms[sum] = room - growth
    return true
  }

  mutating func set(_ room: Double, for sum: Sum) { rooms[sum] = room }
}
