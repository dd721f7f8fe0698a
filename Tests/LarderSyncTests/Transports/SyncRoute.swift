import Foundation
import LarderTestSupport
import Synchronization
import Testing

@testable import LarderSync

/// The way from one replica of a test to another: over which transport, and whether through a third replica.
///
/// ```
/// direct     one ⇄ other
/// relayed    one ⇄ relay ⇄ other      one hears of what the other writes only through the relay
/// ```
struct SyncRoute: Sendable, CustomStringConvertible {
  let transport: Transport
  /// Where the transport keeps what is under way.
  let folder: TemporaryFolder
  private let relays: Relays?

  /// The route of the test that runs.
  @TaskLocal static var current: SyncRoute?

  init(_ transport: Transport, isRelayed: Bool) throws {
    self.transport = transport
    folder = try TemporaryFolder()
    relays = isRelayed ? Relays() : nil
  }

  var isRelayed: Bool { relays != nil }

  var description: String { isRelayed ? "\(transport), relayed" : "\(transport)" }

  /// Hands both replicas what they lack.
  ///
  /// - Parameter interruption: What makes the exchange fail.
  func exchange(
    _ one: Replica, _ other: Replica, _ interruption: Interruption? = nil
  ) async throws -> ExchangeReport {
    let carriage = Carriage(transport, in: folder, interruption)
    guard let relay = try relays?.relay(between: one, other) else { return try await carriage.exchange(one, other) }
    let first = try await carriage.exchange(relay, other)
    var report = try await carriage.exchange(one, relay)
    try await carriage.exchange(relay, other)
    // Whoever is away for too long is told by the replica next to it.
    report.startedAfresh = report.startedAfresh || first.startedAfresh
    report.peerMustStartAfresh = report.peerMustStartAfresh || first.peerMustStartAfresh
    return report
  }

  /// Hands a replica one message, as the transport brings it.
  ///
  /// - Parameter damage: What changes the bytes on the way.
  func deliver(_ batch: ChangeBatch, to recipient: Replica, damage: (inout Data) -> Void = { _ in }) async throws {
    try await Carriage(transport, in: folder, nil).deliver(batch, to: recipient, damage: damage)
  }

  /// Returns the replica through which two others exchange; nil on a direct route.
  func relay(between one: Replica, _ other: Replica) throws -> Replica? {
    try relays?.relay(between: one, other)
  }

  /// Returns the relay of two replicas that has been used, if its models are theirs: it shows what they do.
  func relays(between replicas: [Replica]) -> [Replica] {
    guard replicas.count == 2, let relay = relays?.known(between: replicas[0], replicas[1]) else { return [] }
    return replicas.allSatisfy(relay.hasSameModels) ? [relay] : []
  }
}

/// A relay for each pair of replicas.
private final class Relays: Sendable {
  private let relays = Mutex<[Set<String>: Replica]>([:])

  func relay(between one: Replica, _ other: Replica) throws -> Replica {
    try relays.withLock { relays in
      let pair: Set = [one.path, other.path]
      if let relay = relays[pair] { return relay }
      let relay = try one.another()
      relays[pair] = relay
      return relay
    }
  }

  func known(between one: Replica, _ other: Replica) -> Replica? {
    relays.withLock { $0[[one.path, other.path]] }
  }
}

/// Runs each test of a suite once over each transport, directly, and through a third replica.
struct EachTransport: TestTrait, SuiteTrait, TestScoping {
  /// The transports over which there is a third replica between the two of a test.
  var relayed: [Transport]
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    let wanted = ProcessInfo.processInfo.environment["LARDER_SYNC_TRANSPORT"]
    let routes = Transport.allCases.map { ($0, false) } + relayed.map { ($0, true) }
    for (transport, isRelayed) in routes where wanted == nil || wanted == transport.rawValue {
      let route = try SyncRoute(transport, isRelayed: isRelayed)
      do {
        try await SyncRoute.$current.withValue(route, operation: function)
      } catch {
        Issue.record(error, "over \(route)")
      }
    }
  }
}

extension Trait where Self == EachTransport {
  /// Runs each test once over each transport, and once with a third replica between the two of the test.
  ///
  /// `LARDER_SYNC_TRANSPORT=files` chooses a transport, `LARDER_SYNC_RELAYS=all` has a third replica over each of them.
  static var overEachTransport: Self { overEachTransport(isRelayed: true) }

  /// - Parameter isRelayed: Whether there are runs with a third replica. Without, for tests of one replica's own.
  static func overEachTransport(isRelayed: Bool) -> Self {
    if !isRelayed { return EachTransport(relayed: []) }
    let isThorough = ProcessInfo.processInfo.environment["LARDER_SYNC_RELAYS"] == "all"
    return EachTransport(relayed: isThorough ? Transport.allCases : [.inProcess])
  }
}
