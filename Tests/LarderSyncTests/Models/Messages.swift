import Foundation
import Larder
import Testing

@testable import LarderSync

/// Makes messages of a replica that isn't there, as another program could send them.
struct Messages {
  let sender: ReplicaID

  init(from sender: ReplicaID = ReplicaID()) {
    self.sender = sender
  }

  func stamp(_ time: Int64, by replica: ReplicaID? = nil) throws -> Stamp {
    try #require(Stamp(time: time, replica: replica ?? sender))
  }

  /// A row that was inserted and not changed since.
  func row(
    _ table: String, _ key: ReplicatedValue..., length: Int64 = 1, values: [String: ReplicatedValue] = [:],
    at time: Int64 = 1, by replica: ReplicaID? = nil
  ) throws -> RowState {
    let stamp = try stamp(time, by: replica)
    let properties = values.sorted { $0.key < $1.key }.map { name, value in
      PropertyState(name: name, value: value, stamp: stamp, causalLength: length)
    }
    return RowState(
      table: table, key: key, causalLength: length, stamp: stamp, insertion: stamp, properties: properties)
  }

  func batch(
    _ rows: [RowState], since: Int64 = 0, upTo: Int64 = 1, knowledge: [Knowledge] = [], isLast: Bool = true,
    forgotten: Int64 = 0
  ) -> ChangeBatch {
    ChangeBatch(
      since: ChangeCursor(replica: sender, position: since), upTo: ChangeCursor(replica: sender, position: upTo),
      recipient: nil, isLast: isLast, modelsDigest: Data(), rows: rows, knowledge: knowledge,
      forgotten: forgotten)
  }
}

extension Replica {
  /// The time of the replica's clock, packed as in ``Stamp/time``.
  func now() async throws -> Int64 {
    try await store.readingModule { try ReplicaFile($0).clock().now }
  }

  /// Inserts a row, deletes it, and forgets that it did.
  func forgetSomething() async throws {
    try await store.insert(SharedKind(id: "forgotten", title: ""))
    try await store.deleteAll(SharedKind.where { $0.id == "forgotten" })
    try await forgetAll()
  }

  /// Deletes a row that nobody has, and forgets that it did.
  func forgetOne() async throws {
    try await store.insert(SharedKind(id: "forgotten", title: ""))
    try await store.deleteAll(SharedKind.where { $0.id == "forgotten" })
    try await forgetAll()
  }

  /// Forgets all deletions, as if time had passed.
  func forgetAll() async throws {
    try await store.sync.setRetention(.seconds(60))
    #expect(try await store.sync.forgetDeletions(at: Date(timeIntervalSinceNow: 120)) > 0)
  }
}
