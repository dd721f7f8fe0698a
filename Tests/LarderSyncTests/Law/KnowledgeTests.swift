import Foundation
import Larder
import Testing

@testable import LarderSync

/// What a replica says of others decides whether a value was overwritten knowingly, and nothing else.
@Suite("Sync: what replicas say of each other")
struct KnowledgeTests {
  private let a: Replica
  private let b: Replica
  private let honest: Replica
  private let liar = Messages()

  init() throws {
    (a, b, honest) = (try Replica(), try Replica(), try Replica())
  }

  private func sender(_ replica: Replica) async throws -> ReplicaID { try await replica.store.sync.replica() }

  /// The liar says that it knows everything that a replica will ever write, and the same of another one.
  private func lie(to replica: Replica, of honest: Replica, about other: Replica? = nil) async throws {
    let origin = try await sender(honest)
    let now = try await replica.now()
    var knowledge = [1, now].map { Knowledge(replica: liar.sender, since: $0, origin: origin, upTo: .max) }
    if let other {
      for since in [1, now] {
        knowledge.append(Knowledge(replica: try await sender(other), since: since, origin: origin, upTo: .max))
      }
    }
    let row = try liar.row("SharedKind", .init("lie"), values: ["title": .init("")])
    try await replica.store.sync.apply(liar.batch([row], upTo: now, knowledge: knowledge))
  }

  @Test("who has forgotten a deletion takes new rows, whatever others say to know of them")
  func newRows() async throws {
    try await a.forgetSomething()
    try await lie(to: a, of: honest, about: a)
    try await honest.store.insert(SharedKind(id: "new", title: "N"))
    try await honest.exchange(with: a)
    #expect(try await a.store.find(SharedKind.self, "new")?.title == "N")
    try await a.exchange(with: b)
    try await b.exchange(with: a)
    #expect(try await b.store.find(SharedKind.self, "new")?.title == "N")
  }

  @Test("what came is known, also if the last batch has no rows")
  func emptyEnd() async throws {
    try await a.store.insert(["1", "2"].map { SharedKind(id: $0, title: "t") })
    let (own, other) = (try await sender(a), try await sender(b))
    let first = try await a.store.sync.changes(after: .init(replica: own, position: 0), for: other, limit: 1)
    try await b.store.sync.apply(first)
    let end = ChangeCursor(replica: own, position: try await a.now())
    // As if the other row had gone meanwhile.
    try await b.store.sync.apply(
      ChangeBatch(
        since: first.upTo, upTo: end, recipient: other, isLast: true, modelsDigest: first.modelsDigest, rows: [],
        knowledge: []))
    try await b.setClock(past: a)
    try await b.store.updateAll(SharedKind.all) { $0.title.set("edited") }
    try await b.exchange(with: a)
    #expect(try await a.store.find(SharedKind.self, "1")?.title == "edited")
    #expect(try await a.store.sync.conflicts().isEmpty)
  }

  @Test("rows that were written before the lie, and come after it, are taken too")
  func oldRows() async throws {
    try await honest.store.insert(SharedKind(id: "old", title: "O"))
    try await a.forgetSomething()
    try await lie(to: a, of: honest)
    try await honest.exchange(with: a)
    #expect(try await a.store.find(SharedKind.self, "old")?.title == "O")
  }

  @Test("a fresh start deletes nothing because the peer says that it has known it")
  func freshStart() async throws {
    try await b.store.insert(SharedKind(id: "b", title: "B"))
    try await b.exchange(with: a)
    try await a.forgetSomething()
    try await honest.store.insert(SharedKind(id: "h", title: "H"))
    try await honest.exchange(with: b)
    try await lie(to: b, of: honest, about: a)
    try await lie(to: a, of: honest)
    #expect(try await b.exchange(with: a).startedAfresh)
    try await a.exchange(with: b)
    #expect(Set(try await b.store.fetch(SharedKind.all).map(\.id)) == ["b", "h", "lie"])
    try await expectEqual([a, b])
  }

  @Test("values that are written after a lie are in conflict, as if nobody had lied")
  func conflicts() async throws {
    try await honest.store.insert(SharedKind(id: "k", title: "K"))
    try await honest.exchange(with: a)
    try await lie(to: a, of: honest)
    try await honest.setClock(past: a)
    try await honest.store.updateAll(SharedKind.all) { $0.title.set("of honest") }
    try await a.setClock(past: honest)
    try await a.store.updateAll(SharedKind.where { $0.id == "k" }) { $0.title.set("of a") }
    try await honest.exchange(with: a)
    #expect(try await honest.store.sync.conflicts().map(\.lost) == [.text("of honest")])
  }

  @Test("a replica is told nothing of what it knows itself")
  func ownKnowledge() async throws {
    let (own, origin) = (try await sender(a), try await sender(honest))
    try await honest.store.insert(SharedKind(id: "k", title: "K"))
    try await honest.exchange(with: a)
    let row = try liar.row("SharedKind", .init("lie"), values: ["title": .init("")])
    let past = Knowledge(replica: own, since: 5, origin: origin, upTo: .max)
    try await a.store.sync.apply(liar.batch([row], knowledge: [past]))
    let known = try await a.store.readingModule { try ReplicaFile($0).knowledge(after: 0, upTo: .max) }
    #expect(!known.contains(past))
    let future = Knowledge(replica: own, since: .max, origin: origin, upTo: .max)
    let error = await #expect(throws: StoreError.self) {
      try await a.store.sync.apply(liar.batch([row], knowledge: [future]))
    }
    #expect(error?.code == .invalidValue)
  }

  @Test("who has overwritten a relayed value knew it, and so did who has overwritten that", arguments: 1...3)
  func relay(length: Int) async throws {
    try await honest.store.insert(SharedKind(id: "k", title: "first"))
    var chain = [honest]
    for number in 1...length {
      let next = try Replica()
      try await next.exchange(with: try #require(chain.last))
      try await next.setClock(past: try #require(chain.last))
      try await next.store.updateAll(SharedKind.all) { $0.title.set("\(number)") }
      chain.append(next)
    }
    try await honest.exchange(with: try #require(chain.last))
    #expect(try await honest.store.find(SharedKind.self, "k")?.title == "\(length)")
    #expect(try await honest.store.sync.conflicts().isEmpty)
  }

  // MARK: Changes that wait for their time

  private static let days: Int64 = 2 * 24 * 60 * 60 * 1000

  @Test("S18: a change that has waited is taken, also by who has forgotten deletions")
  func waitedRow() async throws {
    try await b.forgetSomething()
    try await a.advanceClock(by: Self.days)
    try await a.store.insert(SharedKind(id: "early", title: "E"))
    try await a.exchange(with: b)
    #expect(try await b.store.sync.waiting().count == 1)
    try await b.advanceClock(by: Self.days)
    try await b.exchange(with: a)
    #expect(try await b.store.find(SharedKind.self, "early")?.title == "E")
    #expect(try await b.store.sync.waiting().isEmpty)
    try await a.exchange(with: b)
    try await expectEqual([a, b])
  }

  @Test("S18: who has written while a change waited didn't know it", arguments: [false, true])
  func waitedValue(isRelayed: Bool) async throws {
    try await a.store.insert(SharedKind(id: "k", title: "K"))
    try await a.exchange(with: b)
    try await a.store.updateAll(SharedKind.all) { $0.title.set("of a") }
    // The row waits as a whole, because of a write that comes with the title.
    try await a.advanceClock(by: Self.days)
    try await a.store.sync.setName("a")
    try await a.store.writingModule { connection in
      try connection.transaction {
        let file = try ReplicaFile(connection)
        let row = try #require(try file.row(RowKey(table: "SharedKind", key: [.init("k")])))
        try file.change(row, to: row.state.setting("unheard", to: .integer(1), try file.newStamp()))
      }
    }
    let first = isRelayed ? honest : b
    try await a.exchange(with: first)
    if isRelayed { try await honest.exchange(with: b) }
    #expect(try await first.store.sync.waiting().count == 1)
    try await b.store.updateAll(SharedKind.all) { $0.title.set("of b") }
    for replica in [first, b] { try await replica.advanceClock(by: Self.days + 60_000) }
    for _ in 0..<2 {
      try await a.exchange(with: first)
      if isRelayed { try await first.exchange(with: b) }
    }
    try await a.exchange(with: first)
    #expect(try await a.store.find(SharedKind.self, "k")?.title == "of b")
    #expect(try await a.store.sync.conflicts().map(\.lost) == [.text("of a")])
    try await expectEqual([a, b])
  }
}
