/// A position in the changes of a replica.
///
/// Positions of different replicas can't be compared.
public struct ChangeCursor: Sendable, Hashable {
  /// The replica whose changes are counted.
  public let replica: ReplicaID
  /// The position: every change up to it, and including it, is covered. Zero covers none.
  public let position: Int64

  /// Creates a cursor.
  ///
  /// - Parameters:
  ///   - replica: The replica whose changes are counted.
  ///   - position: The position; not negative.
  public init(replica: ReplicaID, position: Int64) {
    self.replica = replica
    self.position = position
  }
}
