/// From when on a replica knew the writes of another, and up to which.
///
/// With it, each replica decides in the same way whether a write replaced a value that its writer had seen, or
/// one that was written at the same time elsewhere.
public struct Knowledge: Sendable, Hashable {
  /// The replica that knew.
  public let replica: ReplicaID
  /// The time of its clock from which on it knew, packed as in ``Stamp/time``.
  public let since: Int64
  /// The replica whose writes it knew.
  public let origin: ReplicaID
  /// The time of the last of these writes by the clock of the origin, packed as in ``Stamp/time``.
  public let upTo: Int64

  /// Creates a piece of knowledge.
  ///
  /// - Parameters:
  ///   - replica: The replica that knew.
  ///   - since: The time of its clock from which on it knew.
  ///   - origin: The replica whose writes it knew.
  ///   - upTo: The time of the last of these writes by the clock of the origin.
  public init(replica: ReplicaID, since: Int64, origin: ReplicaID, upTo: Int64) {
    self.replica = replica
    self.since = since
    self.origin = origin
    self.upTo = upTo
  }
}
