import Foundation
import LarderTestSupport
import Testing

@testable import LarderSync

/// A way in which two replicas exchange.
enum Transport: String, CaseIterable, Sendable {
  case inProcess, bytes, files, sealedFiles, folder, sealedFolder

  /// The transport of the test that runs, and the folder in which it keeps what is under way.
  @TaskLocal static var current: (transport: Transport, folder: TemporaryFolder)?

  private var keys: [GroupKey] {
    switch self {
    case .inProcess, .bytes, .files, .folder: []
    case .sealedFiles, .sealedFolder: [Self.key]
    }
  }

  private static let key = GroupKey()

  /// Hands both replicas what they lack: first the one, then the other.
  func exchange(_ one: Replica, _ other: Replica, in folder: TemporaryFolder) async throws -> ExchangeReport {
    let (left, right) = (one.store.sync, other.store.sync)
    switch self {
    case .inProcess: return try await left.exchange(with: right)
    case .bytes: return try await left.exchange(with: BytesPeer(peer: right))
    case .files, .sealedFiles:
      var report = ExchangeReport()
      let url = folder.file("\(UUID().uuidString).larder-sync")
      try await right.export(to: url, for: left.replica(), key: keys.first)
      let received = try await left.import(from: url, keys: keys)
      report.sent = try await left.export(to: url, for: right.replica(), key: keys.first).rows
      try await right.import(from: url, keys: keys)
      (report.received, report.setAside) = (received.changed, received.setAside)
      return report
    case .folder, .sealedFolder:
      let toLeft = SharedFolder(folder: folder.url, other: try await left.replica(), keys: keys)
      try await right.exchange(with: toLeft)
      let toRight = SharedFolder(folder: folder.url, other: try await right.replica(), keys: keys)
      let report = try await left.exchange(with: toRight)
      try await right.exchange(with: toLeft)
      return report
    }
  }
}

/// A peer whose batches travel as bytes, sealed.
struct BytesPeer: SyncPeer {
  let peer: StoreSync
  private let key = GroupKey()

  init(peer: StoreSync) {
    self.peer = peer
  }

  func replica() async throws -> ReplicaID { try await peer.replica() }

  func cursor(of replica: ReplicaID) async throws -> ChangeCursor { try await peer.cursor(of: replica) }

  func changes(after cursor: ChangeCursor, for recipient: ReplicaID, limit: Int) async throws -> ChangeBatch {
    try sent(try await peer.changes(after: cursor, for: recipient, limit: limit))
  }

  func apply(_ batch: ChangeBatch) async throws -> Int { try await peer.apply(try sent(batch)) }

  func forgotten() async throws -> Int64 { try await peer.forgotten() }

  private func sent(_ batch: ChangeBatch) throws -> ChangeBatch {
    let arrived = try ChangeBatch(decoding: try batch.encoded(key: key), keys: [key])
    #expect(arrived == batch)
    return arrived
  }
}

/// Runs each test of a suite once over each transport.
struct EachTransport: TestTrait, SuiteTrait, TestScoping {
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    let wanted = ProcessInfo.processInfo.environment["LARDER_SYNC_TRANSPORT"]
    for transport in Transport.allCases where wanted == nil || wanted == transport.rawValue {
      let folder = try TemporaryFolder()
      do {
        try await Transport.$current.withValue((transport, folder), operation: function)
      } catch {
        Issue.record(error, "over \(transport)")
      }
    }
  }
}

extension Trait where Self == EachTransport {
  /// Runs each test once over each transport. `LARDER_SYNC_TRANSPORT=files` chooses one.
  static var overEachTransport: Self { EachTransport() }
}
