internal import Foundation

/// What holds for the whole of a batch: the digest of the models, and what replicas knew.
struct BatchOpening {
  /// The most bytes of a digest.
  private static let longestDigest = 64
  /// How the elements of the repeated fields are encoded, by the numbers of the fields.
  private static let elements: [UInt64: FieldCounts.Element] = [3: .varint, 4: .varint, 5: .varint, 6: .varint]

  let modelsDigest: Data
  let knowledge: [Knowledge]

  init(modelsDigest: Data, knowledge: [Knowledge]) {
    self.modelsDigest = modelsDigest
    self.knowledge = knowledge
  }

  /// Returns the message.
  ///
  /// - Parameter sender: The replica that sends.
  /// - Throws: If the digest is too long, or a time is negative.
  func message(sender: ReplicaID) throws(BatchError.Problem) -> WireOpening {
    guard modelsDigest.count <= Self.longestDigest else { throw .init("the digest of the models is too long") }
    var replicas = ReplicaTable(sender: sender)
    func time(_ time: Int64) throws(BatchError.Problem) -> UInt64 {
      guard time >= 0 else { throw .init("a time is negative") }
      return UInt64(time)
    }
    var message = WireOpening()
    message.modelsDigest = modelsDigest
    message.knowledgeReplicas = knowledge.map { replicas.index(of: $0.replica) }
    message.knowledgeOrigins = knowledge.map { replicas.index(of: $0.origin) }
    var (since, upTo): ([UInt64], [UInt64]) = ([], [])
    for piece in knowledge {
      since.append(try time(piece.since))
      upTo.append(try time(piece.upTo))
    }
    message.knowledgeSince = since
    message.knowledgeUpTo = upTo
    message.replicas = replicas.bytes
    return message
  }

  /// Reads a message.
  ///
  /// - Parameters:
  ///   - bytes: The bytes of the message.
  ///   - sender: The replica that sends.
  ///   - limits: The limits of the batch.
  init(_ bytes: Data, sender: ReplicaID, limits: BatchLimits) throws(BatchError.Problem) {
    let counts = try FieldCounts(of: bytes, Self.elements)
    for field in Self.elements.keys where counts[field] > limits.values {
      throw .init(
        "there are \(counts[field]) pieces of knowledge, and the limit is \(limits.values)", code: .limitExceeded)
    }
    let message = try WireOpening.decoded(bytes)
    guard message.modelsDigest.count <= Self.longestDigest else { throw .init("the digest of the models is too long") }
    let replicas = try ReplicaTable(message.replicas, sender: sender, limit: limits.names)
    let (knowers, since) = (message.knowledgeReplicas, message.knowledgeSince)
    let (origins, upTo) = (message.knowledgeOrigins, message.knowledgeUpTo)
    guard since.count == knowers.count, origins.count == knowers.count, upTo.count == knowers.count else {
      throw .init("the columns of the knowledge aren't equally long")
    }
    func time(_ time: UInt64) throws(BatchError.Problem) -> Int64 {
      guard let time = Int64(exactly: time) else { throw .init("a time has more than 63 bits") }
      return time
    }
    var knowledge: [Knowledge] = []
    for index in knowers.indices {
      knowledge.append(
        Knowledge(
          replica: try replicas.replica(knowers[index]), since: try time(since[index]),
          origin: try replicas.replica(origins[index]), upTo: try time(upTo[index])))
    }
    self.init(modelsDigest: message.modelsDigest, knowledge: knowledge)
  }
}
