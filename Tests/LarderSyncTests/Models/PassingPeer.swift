import LarderSync

/// A peer that passes all calls on to that of a store. A conformance changes some of them.
protocol PassingPeer: SyncPeer {
  var sync: StoreSync { get }
}

extension PassingPeer {
  func replica() async throws -> ReplicaID { try await sync.replica() }
  func cursor(of replica: ReplicaID) async throws -> ChangeCursor { try await sync.cursor(of: replica) }
  func apply(_ batch: ChangeBatch) async throws -> Int { try await sync.apply(batch) }
  func forgotten() async throws -> Int64 { try await sync.forgotten() }
}
