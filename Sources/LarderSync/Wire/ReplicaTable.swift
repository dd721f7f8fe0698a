internal import Foundation

/// The replicas that a message names by their index: the sender is 0.
struct ReplicaTable {
  private var indexes: [ReplicaID: UInt32]
  private var replicas: [ReplicaID]

  /// Creates the table of a message that is written.
  init(sender: ReplicaID) {
    indexes = [sender: 0]
    replicas = [sender]
  }

  /// Creates the table of a message.
  ///
  /// - Parameters:
  ///   - bytes: The identifiers, one after the other, without the sender's.
  ///   - sender: The sender.
  ///   - limit: The most replicas.
  init(_ bytes: Data, sender: ReplicaID, limit: Int) throws(BatchError.Problem) {
    self.init(sender: sender)
    let (count, rest) = bytes.count.quotientAndRemainder(dividingBy: ReplicaID.byteCount)
    guard rest == 0 else { throw .init("the replicas don't have 16 bytes each") }
    guard count <= limit else {
      throw .init("there are \(count) replicas, and the limit is \(limit)", code: .limitExceeded)
    }
    for offset in stride(from: 0, to: bytes.count, by: ReplicaID.byteCount) {
      guard let replica = ReplicaID(bytes.dropFirst(offset).prefix(ReplicaID.byteCount)),
        indexes.updateValue(UInt32(replicas.count), forKey: replica) == nil
      else { throw .init("a replica is named twice") }
      replicas.append(replica)
    }
  }

  /// The identifiers without the sender's, one after the other.
  var bytes: Data { replicas.dropFirst().reduce(into: Data()) { $0.append($1.bytes) } }
  /// The number of replicas, with the sender.
  var count: Int { replicas.count }

  /// Returns the index of a replica, and adds it if it is new.
  mutating func index(of replica: ReplicaID) -> UInt32 {
    if let index = indexes[replica] { return index }
    let index = UInt32(replicas.count)
    indexes[replica] = index
    replicas.append(replica)
    return index
  }

  /// Returns the replica at an index of the message.
  func replica(_ index: UInt32) throws(BatchError.Problem) -> ReplicaID {
    guard index < replicas.count else {
      throw .init("replica \(index) is meant, and there are \(replicas.count)")
    }
    return replicas[Int(index)]
  }
}
