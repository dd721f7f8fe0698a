import Foundation
import Larder
import LarderRandom
import Testing

@testable import LarderSync

@Suite("Sync: batches that can't come from a replica")
struct ImpossibleBatchTests {
  private let replica: Replica
  private let sender = ReplicaID()

  init() throws {
    replica = try Replica()
  }

  private func stamp(_ milliseconds: UInt64, _ replica: ReplicaID? = nil) throws -> Stamp {
    try #require(Stamp(milliseconds: milliseconds, counter: 0, replica: replica ?? sender))
  }

  private func row(
    table: String = "SharedKind", key: [ReplicatedValue] = [.init("k")], length: Int64 = 1, stamp: Stamp? = nil,
    insertion: Stamp? = nil, _ properties: [PropertyState] = [], contributions: [Contribution] = [],
    losses: [LostValue] = []
  ) throws -> RowState {
    let first = try self.stamp(1)
    return RowState(
      table: table, key: key, causalLength: length, stamp: stamp ?? first, insertion: insertion ?? stamp ?? first,
      properties: properties, contributions: contributions, losses: losses)
  }

  private func contribution(
    _ property: String = "a", high: Int64 = 0, length: Int64 = 1, stamp: Stamp? = nil
  ) throws -> Contribution {
    Contribution(
      property: property, stamp: try stamp ?? self.stamp(1), causalLength: length,
      amount: CounterAmount(high: high, low: 1))
  }

  private func loss(_ property: String?, _ value: ReplicatedValue = .null, stamp: Stamp? = nil) throws -> LostValue {
    LostValue(property: property, stamp: try stamp ?? self.stamp(1), value: value)
  }

  private func property(_ name: String, _ value: ReplicatedValue = .null, length: Int64 = 1) throws -> PropertyState {
    PropertyState(name: name, value: value, stamp: try stamp(1), causalLength: length)
  }

  private func batch(
    _ rows: [RowState], since: Int64 = 0, upTo: Int64 = 1, from sender: ReplicaID? = nil, knowledge: [Knowledge] = []
  ) -> ChangeBatch {
    let sender = sender ?? self.sender
    return ChangeBatch(
      since: ChangeCursor(replica: sender, position: since), upTo: ChangeCursor(replica: sender, position: upTo),
      recipient: nil, isLast: true, modelsDigest: Data(), rows: rows, knowledge: knowledge)
  }

  @Test("S22: each is refused whole, with an error that names the row")
  func refusals() async throws {
    let own = try await replica.store.sync.replica()
    let good = try row()
    let bad: [(String, RowState)] = [
      ("no table", try row(table: "")),
      ("a table of ours", try row(table: "_larder_sync_rows")),
      ("a table of SQLite's", try row(table: "sqlite_master")),
      ("no key", try row(key: [])),
      ("a key of null", try row(key: [.null])),
      ("a key of another type", try row(key: [.integer(1)])),
      ("a key of two values", try row(key: [.init("a"), .init("b")])),
      ("a key that is no number", try row(table: "Unknown", key: [.real(.nan)])),
      ("a huge key", try row(table: "Unknown", key: Array(repeating: .integer(1), count: 1000))),
      ("length 0", try row(length: 0)),
      ("a negative length", try row(length: -1)),
      ("the greatest length", try row(length: .max)),
      ("inserted after its deletion", try row(length: 2, stamp: try stamp(1), insertion: try stamp(2))),
      ("there since two times", try row(length: 1, stamp: try stamp(2), insertion: try stamp(1))),
      ("unsorted properties", try row([try property("b"), try property("a")])),
      ("a property twice", try row([try property("a"), try property("a")])),
      ("a property without a name", try row([try property("")])),
      ("a property of a later life", try row([try property("a", length: 3)])),
      ("a property that was written to a deleted row", try row(length: 3, [try property("a", length: 2)])),
      ("a key that SQLite stores as another", try row(table: "Unknown", key: [.real(-0.0)])),
      ("a property that SQLite stores as another", try row([try property("a", .real(-0.0))])),
      ("a property that is no number", try row([try property("a", .real(.nan))])),
      ("a write of ours", try row(stamp: try stamp(UInt64(Date().timeIntervalSince1970 * 1000) + 60_000, own))),
      ("a contribution of ours", try row(contributions: [try contribution(stamp: try stamp(1 << 46, own))])),
      ("unsorted contributions", try row(contributions: [try contribution("b"), try contribution("a")])),
      ("a contribution twice", try row(contributions: [try contribution(), try contribution()])),
      ("a contribution to nothing", try row(contributions: [try contribution("")])),
      ("a contribution to another life", try row(length: 3, contributions: [try contribution()])),
      ("a huge contribution", try row(contributions: [try contribution(high: 1 << 47)])),
      ("a huge negative contribution", try row(contributions: [try contribution(high: -(1 << 47) - 1)])),
      ("unsorted losses", try row(losses: [try loss("a"), try loss(nil)])),
      ("a loss twice", try row(losses: [try loss("a", .integer(1)), try loss("a", .integer(2))])),
      ("a lost row with a value", try row(losses: [try loss(nil, .integer(1))])),
      ("a loss that SQLite stores as another", try row(losses: [try loss("a", .real(-0.0))])),
      ("a loss that is no number", try row(losses: [try loss("a", .real(.nan))])),
      ("a loss of nothing", try row(losses: [try loss("")])),
      ("a loss of ours", try row(losses: [try loss("a", stamp: try stamp(1 << 46, own))])),
      ("a collection without a name", try row(table: "_larder_documents:")),
      ("a collection of ours", try row(table: "_larder_documents:_larder_sync_rows")),
      ("a collection in capital letters", try row(table: "_larder_documents:People")),
      ("a document with an integer as its key", try row(table: "_larder_documents:p", key: [.integer(1)])),
      ("a document without JSON", try row(table: "_larder_documents:p", [try property(".a", .init("{"))])),
      ("a document with two values", try row(table: "_larder_documents:p", [try property(".a", .init("1,\"b\":2"))])),
      ("a document with white space", try row(table: "_larder_documents:p", [try property(".a", .init("[1, 2]"))])),
      ("a document with a blob", try row(table: "_larder_documents:p", [try property(".a", .blob(Data([0x31])))])),
      ("a document with a column", try row(table: "_larder_documents:p", [try property("json", .init("{}"))])),
      (
        "a document that expires at a text",
        try row(table: "_larder_documents:p", [try property("expires", .init("1"))])
      ),
      ("a document with its key twice", try row(table: "_larder_documents:p", [try property(".key", .init("1"))])),
      (
        "a document that is nested too deeply",
        try row(
          table: "_larder_documents:p",
          [try property(".a", .init(String(repeating: "[", count: 300) + String(repeating: "]", count: 300)))])
      ),
      (
        "a document with a loss without JSON",
        try row(table: "_larder_documents:p", losses: [try loss(".a", .init("}"))])
      ),
      ("a document with a counter", try row(table: "_larder_documents:p", contributions: [try contribution()])),
    ]
    let before = try await replica.state()
    for (problem, row) in bad {
      let error = await #expect(throws: StoreError.self, "\(problem)") {
        try await replica.store.sync.apply(batch([good, row]))
      }
      #expect(error?.code == .invalidValue, "\(problem)")
      #expect(error?.message.contains("row 2 of 2") == true, "\(problem)")
    }
    let batches = [
      batch([good], from: own), batch([good], since: 5, upTo: 1), batch([good], since: -1),
      batch([good], knowledge: [Knowledge(replica: sender, since: -1, origin: own, upTo: 0)]),
    ]
    for batch in batches {
      await #expect(throws: StoreError.self) { try await replica.store.sync.apply(batch) }
    }
    #expect(try await replica.state() == before)
  }

  @Test("S22: what is well-formed and fits no model is held, not shown", arguments: 0..<10 as Range<UInt64>)
  func strangers(seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    let tables = ["SharedKind", "SharedCost", "SharedTag", "SharedCost_tags", "SharedSlot", "Unknown", "a\"b'; --"]
    func value() -> ReplicatedValue {
      switch Int.random(in: 0..<6, using: &random) {
      case 0: .null
      case 1: .integer(Int64.random(in: .min...(.max), using: &random))
      case 2: .real(Double.random(in: -1...1, using: &random))
      case 3: .text(Data([0xFF, 0, 0xC0]))
      case 4: .text(Data())
      default: .blob(Data((0..<Int.random(in: 0..<20, using: &random)).map { UInt8($0) }))
      }
    }
    for _ in 0..<20 {
      let table = tables[Int.random(in: tables.indices, using: &random)]
      let key = (0..<Int.random(in: 1...3, using: &random)).map { _ in value() }
      let length = Int64.random(in: 1...4, using: &random)
      let names = ["account", "amount", "kind", "name", "title", "unheard of", "x\"y"]
      let properties = try names.filter { _ in Bool.random(using: &random) }.map { name in
        try property(name, value(), length: Int64.random(in: 1...length, using: &random))
      }
      let state = try row(table: table, key: key, length: length, properties)
      do {
        try await replica.store.sync.apply(batch([state]))
      } catch let error as StoreError where error.code == .invalidValue {}
    }
    let (expected, shown) = (try await replica.expectedRows(), try await replica.shownRows())
    #expect(Set(shown.keys).isSubset(of: Set(expected.keys)), "seed \(seed)")
    #expect(try await replica.store.check().isHealthy, "seed \(seed)")
    let other = try Replica()
    // The rows were deleted in 1970.
    try await other.store.sync.setRetention(.seconds(Int64.max))
    try await other.exchange(with: replica)
    let (state, otherState) = (try await replica.state(), try await other.state())
    #expect(otherState == state, "seed \(seed)")
    #expect(try await other.rows() == replica.rows(), "seed \(seed)")
  }

  @Test("a peer that claims to be further than it is only harms itself")
  func lyingCursor() async throws {
    let other = try Replica()
    try await replica.store.insert(SharedKind(id: "a", title: "A"))
    let own = try await replica.store.sync.replica()
    let future = ChangeCursor(replica: own, position: .max)
    await #expect(throws: StoreError.self) {
      try await replica.store.sync.changes(after: future, for: sender, limit: 1)
    }
    try await replica.exchange(with: other)
    #expect(try await other.store.count(SharedKind.all) == 1)
  }

  /// A peer that says that it has other changes than it has.
  private struct LyingPeer: SyncPeer {
    let peer: StoreSync
    let position: @Sendable (Int64) -> Int64

    func replica() async throws -> ReplicaID { try await peer.replica() }

    func changes(after cursor: ChangeCursor, for recipient: ReplicaID, limit: Int) async throws -> ChangeBatch {
      try await peer.changes(after: cursor, for: recipient, limit: limit)
    }

    func apply(_ batch: ChangeBatch) async throws -> Int { try await peer.apply(batch) }

    func cursor(of replica: ReplicaID) async throws -> ChangeCursor {
      let cursor = try await peer.cursor(of: replica)
      return ChangeCursor(replica: cursor.replica, position: position(cursor.position))
    }
  }

  @Test("S22: a peer that lies about what it has makes nobody else miss a change", arguments: 0..<5)
  func lyingPeer(number: Int) async throws {
    let positions: [@Sendable (Int64) -> Int64] = [
      { _ in .max }, { $0 + 1 }, { $0 + 1000 }, { max(0, $0 - 1) }, { _ in 0 },
    ]
    let (liar, third, fourth) = (try Replica(), try Replica(), try Replica())
    let peer = LyingPeer(peer: liar.store.sync, position: positions[number])
    for round in 0..<4 {
      try await replica.store.insert((0..<3).map { SharedKind(id: "\(round) \($0)", title: "t") })
      do {
        try await replica.store.sync.exchange(with: peer)
      } catch is StoreError {}
      if round % 2 == 1 { try await replica.exchange(with: third) }
    }
    try await replica.exchange(with: third)
    try await third.exchange(with: fourth)
    for other in [replica, third, fourth] {
      #expect(try await other.store.count(SharedKind.all) == 12)
      #expect(try await other.store.check().isHealthy)
    }
    // Who tells the truth again misses nothing, either.
    try await replica.exchange(with: liar)
    #expect(try await liar.store.count(SharedKind.all) == 12)
  }
}
