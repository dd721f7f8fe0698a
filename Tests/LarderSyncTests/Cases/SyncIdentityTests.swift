import Foundation
import Larder
import LarderTestSupport
import Testing

@testable import LarderSync

@Suite("Sync: copies of a file")
struct SyncIdentityTests {
  /// A replica whose file is a copy of another's.
  private func copy(of replica: Replica) async throws -> Replica {
    let folder = try TemporaryFolder()
    try await replica.store.backup(to: folder.file("test.larder"))
    return try Replica(folder: folder)
  }

  @Test("S17: a copy becomes a replica of its own, and no write of both is taken for one", .overEachTransport)
  func copies() async throws {
    let (a, c) = (try Replica(), try Replica())
    try await a.store.insert(SharedKind(id: "a", title: "A"))
    try await a.exchange(with: c)
    let original = try await a.store.sync.replica()
    let b = try await copy(of: a)
    try await a.store.updateAll(SharedKind.all) { $0.title.set("of the original") }
    try await b.store.insert(SharedKind(id: "b", title: "of the copy"))
    #expect(try await b.store.sync.replica() != original)
    #expect(try await a.store.sync.replica() == original)
    let stamps = Set(try await b.state().values.filter { $0.key == [.init("b")] }.map(\.stamp.replica))
    #expect(stamps == [try await b.store.sync.replica()])
    try await b.exchange(with: c)
    try await a.exchange(with: b)
    try await a.exchange(with: c)
    try await expectEqual([a, b, c])
    #expect(try await c.store.count(SharedKind.all) == 2)
  }

  @Test(
    "S17: a file that was restored from an older copy gets back what it had handed out, and sends what is new",
    .overEachTransport)
  func restored() async throws {
    let (a, c) = (try Replica(), try Replica())
    try await a.store.insert(SharedKind(id: "a", title: "A"))
    let old = try await copy(of: a)
    try await a.store.insert(SharedKind(id: "lost", title: "handed out"))
    try await a.exchange(with: c)
    try await old.store.insert(SharedKind(id: "new", title: "after the restoration"))
    try await old.exchange(with: c)
    try await c.exchange(with: old)
    try await expectEqual([old, c])
    #expect(Set(try await old.store.fetch(SharedKind.all).map(\.id)) == ["a", "lost", "new"])
  }

  @Test("a file of which another replica has more than it has written itself becomes a new replica")
  func rolledBack() async throws {
    let (a, c) = (try Replica(), try Replica())
    try await a.store.insert(SharedKind(id: "a", title: "A"))
    try await a.exchange(with: c)
    let before = try await a.store.sync.replica()
    // As if the clock had stood still while the file was put back in place.
    try await c.store.writingModule { connection in
      try connection.run("UPDATE \(SyncTables.replicas) SET received = received + (1 << 40) WHERE received > 0")
    }
    try await a.store.insert(SharedKind(id: "b", title: "B"))
    try await a.exchange(with: c)
    #expect(try await a.store.sync.replica() != before)
    try await expectEqual([a, c])
    #expect(try await c.store.count(SharedKind.all) == 2)
  }

  @Test("a batch that was collected for the original doesn't end what a copy of its file lacks")
  func batchForOriginal() async throws {
    let (a, b) = (try Replica(), try Replica())
    try await b.store.insert(SharedKind(id: "old", title: "O"))
    let restored = try await copy(of: b)
    try await b.store.insert(SharedKind(id: "new", title: "N"))
    try await a.store.insert(SharedKind(id: "other", title: "X"))
    try await a.store.sync.import(from: b.store.sync.export(to: b.folder.file("changes")).url)
    let original = try await b.store.sync.replica()
    let batch = try await a.store.sync.changes(
      after: ChangeCursor(replica: a.store.sync.replica(), position: 0), for: original, limit: 100)
    #expect(batch.rows.map(\.key) == [[.init("other")]])
    // It doesn't know yet that it is a copy.
    try await restored.store.sync.apply(batch)
    #expect(try await restored.store.sync.replica() != original)
    try await restored.exchange(with: a)
    #expect(Set(try await restored.store.fetch(SharedKind.all).map(\.id)) == ["old", "new", "other"])
  }

  @Test("writes that left a file before it was copied have the same stamps everywhere")
  func writesOfBoth() async throws {
    let (a, b) = (try Replica(), try Replica())
    try await a.store.insert(SharedKind(id: "a", title: "A"))
    try await b.exchange(with: a)
    // As if it hadn't heard yet that its writes have left.
    try await a.store.writingModule { try $0.run("UPDATE \(SyncTables.clock) SET identified = 0") }
    let original = try await a.store.sync.replica()
    for isGreater in [false, true] {
      var other = try await copy(of: a)
      while try await (other.store.sync.replica() > original) != isGreater { other = try await copy(of: a) }
      for replica in [other, a, other, a] { try await replica.exchange(with: b) }
      try await expectEqual([a, b, other])
      for replica in [a, other] {
        let report = try await replica.exchange(with: b)
        #expect(report.sent == 0 && report.received == 0)
      }
    }
  }

  @Test("a copy knows what its original knew: what it writes over that is no conflict", arguments: [true, false])
  func knowledgeOfCopies(exchangesFirst: Bool) async throws {
    let (a, b) = (try Replica(), try Replica())
    try await a.store.insert(SharedKind(id: "a", title: "A"))
    try await b.exchange(with: a)
    let copy = try await copy(of: b)
    if exchangesFirst { try await copy.exchange(with: a) }
    try await copy.store.updateAll(SharedKind.all) { $0.title.set("of the copy") }
    try await copy.exchange(with: a)
    try await b.exchange(with: a)
    try await expectEqual([a, b, copy])
    for replica in [a, b, copy] {
      #expect(try await replica.store.sync.conflicts().isEmpty)
      #expect(try await replica.store.first(SharedKind.all)?.title == "of the copy")
    }
    // The original's next write knows nothing of the copy's, and that of the copy nothing of the original's.
    try await b.store.updateAll(SharedKind.all) { $0.title.set("of the original") }
    try await copy.setClock(past: b)
    try await copy.store.updateAll(SharedKind.all) { $0.title.set("of the copy again") }
    for replica in [b, copy, b] { try await replica.exchange(with: a) }
    try await expectEqual([a, b, copy])
    #expect(try await a.store.sync.conflicts().map(\.lost) == [.text("of the original")])
  }
}
