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

/// Runs each test of a suite over a transport, directly, and through a third replica: over each that the environment asks for.
struct EachTransport: TestTrait, SuiteTrait, TestScoping {
  /// Whether there are runs with a third replica between the two of a test.
  var isRelayed: Bool
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    for (transport, isRelayed) in try routes(of: test.name, ProcessInfo.processInfo.environment) {
      let route = try SyncRoute(transport, isRelayed: isRelayed)
      do {
        try await SyncRoute.$current.withValue(route, operation: function)
      } catch {
        Issue.record(error, "over \(route)")
      }
    }
  }
}

/// `LARDER_SYNC_TRANSPORT` names no transport, so that nothing would be tried.
struct UnknownTransport: Error {
  let name: String
}

extension EachTransport {
  /// The routes of a test: one over a transport that its name chooses, and one with a third replica within the process.
  ///
  /// - Throws: ``UnknownTransport`` if the environment names none.
  func routes(of test: String, _ environment: [String: String]) throws -> [(Transport, isRelayed: Bool)] {
    let all = Transport.allCases
    let wanted: [Transport]
    switch environment["LARDER_SYNC_TRANSPORT"] {
    case nil: wanted = [all[test.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF } % all.count]]
    case "all": wanted = all
    case let name?:
      guard let transport = Transport(rawValue: name) else { throw UnknownTransport(name: name) }
      wanted = [transport]
    }
    let relayed = environment["LARDER_SYNC_RELAYS"] == "all" ? wanted : [.inProcess]
    return wanted.map { ($0, false) } + (isRelayed ? relayed : []).map { ($0, true) }
  }
}

extension Trait where Self == EachTransport {
  /// Runs each test once over a transport that its name chooses, and once with a third replica between the two of the test.
  ///
  /// `LARDER_SYNC_TRANSPORT=all` runs it over each transport, `LARDER_SYNC_TRANSPORT=files` over that one;
  /// `LARDER_SYNC_RELAYS=all` has a third replica over each of them too.
  static var overEachTransport: Self { overEachTransport(isRelayed: true) }

  /// - Parameter isRelayed: Whether there are runs with a third replica. Without, for tests of one replica's own.
  static func overEachTransport(isRelayed: Bool) -> Self { EachTransport(isRelayed: isRelayed) }
}
