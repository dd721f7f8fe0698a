import Foundation
import Larder
import LarderRandom
import Testing

@testable import LarderSync

@Suite("Sync: hostile and damaged messages", .overEachTransport(isRelayed: false))
struct SyncHostileTests {
  private let replica: Replica
  private let other: Replica

  init() throws {
    (replica, other) = (try Replica(), try Replica())
  }

  private func batch(_ rows: [RowState], from sender: ReplicaID, upTo: Int64 = 1) -> ChangeBatch {
    ChangeBatch(
      since: ChangeCursor(replica: sender, position: 0), upTo: ChangeCursor(replica: sender, position: upTo),
      recipient: nil, isLast: true, modelsDigest: Data(), rows: rows, knowledge: [])
  }

  @Test("S22: a message with one row that can't come from a replica is refused whole")
  func impossible() async throws {
    let own = try await replica.store.sync.replica()
    let sender = ReplicaID()
    let stamp = try #require(Stamp(milliseconds: 1, counter: 0, replica: sender))
    let ours = try #require(Stamp(milliseconds: 1 << 46, counter: 0, replica: own))
    func row(
      _ table: String, _ key: [ReplicatedValue] = [.init("k")], length: Int64 = 1, stamp: Stamp = stamp,
      _ properties: [PropertyState] = []
    ) -> RowState {
      RowState(
        table: table, key: key, causalLength: length, stamp: stamp, insertion: stamp, properties: properties)
    }
    func property(_ value: ReplicatedValue) -> [PropertyState] {
      [PropertyState(name: "title", value: value, stamp: stamp, causalLength: 1)]
    }
    let good = row("SharedKind", [.init("good")], property(.init("t")))
    let bad: [(String, RowState)] = [
      ("a key of another type", row("SharedKind", [.integer(1)])),
      ("a table of SQLite's", row("sqlite_master")),
      ("a stamp of ours", row("SharedKind", stamp: ours)),
      ("the greatest length", row("SharedKind", length: .max)),
      ("a value that is no number", row("SharedKind", [.init("k")], property(.real(.nan)))),
      ("a document without JSON", row("_larder_documents:p", [.init("k")], property(.init("{")))),
    ]
    let before = try await replica.state()
    let route = try #require(SyncRoute.current)
    for (problem, row) in bad {
      await #expect(throws: (any Error).self, "\(problem), over \(route)") {
        try await route.deliver(batch([good, row], from: ReplicaID()), to: replica)
      }
      #expect(try await replica.state() == before, "\(problem), over \(route)")
    }
    try await route.deliver(batch([good], from: sender), to: replica)
    #expect(try await replica.store.find(SharedKind.self, "good") == SharedKind(id: "good", title: "t"))
    try await replica.exchange(with: other)
    try await expectEqual([replica, other])
  }

  @Test("S22: a model, a property and a value of another type are held, and handed on")
  func strangers() async throws {
    let sender = ReplicaID()
    let stamp = try #require(Stamp(milliseconds: 1, counter: 0, replica: sender))
    let rows = [("Unheard", "title"), ("SharedKind", "unheard"), ("SharedPage", "title")].map { table, property in
      let values: [PropertyState] = [
        PropertyState(name: property, value: .blob(Data([1, 2])), stamp: stamp, causalLength: 1)
      ]
      return RowState(
        table: table, key: [.init("k")], causalLength: 1, stamp: stamp, insertion: stamp, properties: values)
    }
    let route = try #require(SyncRoute.current)
    try await route.deliver(batch(rows, from: sender), to: replica)
    try await replica.exchange(with: other)
    try await expectEqual([replica, other])
    #expect(Set(try await other.state().values) == Set(rows))
    #expect(try await other.store.count(SharedPage.all) == 0)
  }

  @Test("S22: a message that was cut, or changed in any bit, is refused, and taken when it comes whole")
  func damage() async throws {
    let route = try #require(SyncRoute.current)
    if route.transport == .inProcess { return }
    var random = SplitMix64(seed: 22)
    try await other.store.insert((0..<40).map { SharedKind(id: "\($0)", title: "t") })
    let sender = try await other.store.sync.replica()
    let whole = try await other.store.sync.changes(
      after: ChangeCursor(replica: sender, position: 0), for: replica.store.sync.replica(), limit: 100)
    for number in 0..<20 {
      await #expect(throws: BatchError.self, "number \(number), over \(route)") {
        try await route.deliver(whole, to: replica) { bytes in
          let place = Int.random(in: bytes.indices, using: &random)
          if number % 3 == 0 {
            bytes = bytes.prefix(place)
          } else {
            bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
          }
        }
      }
      #expect(try await replica.state().isEmpty, "number \(number), over \(route)")
    }
    try await route.deliver(whole, to: replica)
    try await expectEqual([replica, other])
  }
}
