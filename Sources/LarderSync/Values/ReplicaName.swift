/// The name that a person gave to a replica, such as "Ada's laptop".
public struct ReplicaName: Sendable, Hashable {
  /// The replica.
  public let replica: ReplicaID
  /// The time of its clock at which it got the name, packed as in ``Stamp/time``. The later name wins.
  public let time: Int64
  /// The name, of at most 256 bytes in UTF-8; empty if it was taken away.
  public let name: String

  /// The most bytes of a name.
  static let longest = 256

  /// Creates the name of a replica.
  ///
  /// - Parameters:
  ///   - replica: The replica.
  ///   - time: The time of its clock at which it got the name.
  ///   - name: The name.
  public init(replica: ReplicaID, time: Int64, name: String) {
    self.replica = replica
    self.time = time
    self.name = name
  }
}
