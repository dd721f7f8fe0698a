internal import Foundation

/// What holds for the whole of a batch: the digest of the models, and what replicas knew.
struct BatchOpening {
  /// The most bytes of a digest.
  private static let longestDigest = 64
  /// How the elements of the repeated fields are encoded, by the numbers of the fields.
  private static let elements: [UInt64: FieldCounts.Element] = [
    3: .varint, 4: .varint, 5: .varint, 6: .varint, 7: .varint, 8: .varint, 9: .field,
  ]

  let modelsDigest: Data
  let knowledge: [Knowledge]
  let names: [ReplicaName]

  init(modelsDigest: Data, knowledge: [Knowledge], names: [ReplicaName] = []) {
    self.modelsDigest = modelsDigest
    self.knowledge = knowledge
    self.names = names
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
    message.namedReplicas = names.map { replicas.index(of: $0.replica) }
    message.nameTimes = []
    for name in names {
      guard name.name.utf8.count <= ReplicaName.longest else { throw .init("the name of a replica is too long") }
      message.nameTimes.append(try time(name.time))
    }
    message.names = names.map(\.name)
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
        "there are \(counts[field]) pieces of knowledge or names, and the limit is \(limits.values)",
        code: .limitExceeded)
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
    guard message.nameTimes.count == message.namedReplicas.count, message.names.count == message.namedReplicas.count
    else { throw .init("the columns of the names aren't equally long") }
    var names: [ReplicaName] = []
    for (index, name) in message.names.enumerated() {
      guard name.utf8.count <= ReplicaName.longest else { throw .init("the name of a replica is too long") }
      names.append(
        ReplicaName(
          replica: try replicas.replica(message.namedReplicas[index]), time: try time(message.nameTimes[index]),
          name: name))
    }
    guard Set(names.map(\.replica)).count == names.count else { throw .init("a replica has two names") }
    self.init(modelsDigest: message.modelsDigest, knowledge: knowledge, names: names)
  }
}
