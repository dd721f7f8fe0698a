import Foundation
import Larder
import LarderTestSupport
import Testing

@testable import LarderSync

@Suite("Sync: deletions that were forgotten")
struct ForgottenDeletionTests {
  private let a: Replica
  private let b: Replica
  private let c: Replica
  private let page = SharedKind(id: "page", title: "P")

  init() throws {
    (a, b, c) = (try Replica(), try Replica(), try Replica())
  }

  private func meet() async throws {
    for _ in 0..<2 {
      for (left, right) in [(a, b), (b, c), (a, c)] {
        try await left.exchange(with: right)
        try await right.exchange(with: left)
      }
    }
    try await expectEqual([a, b, c])
  }

  @Test("S23: who has a row only through others learns that it was deleted, although they have never met")
  func strangers() async throws {
    try await a.store.insert(page)
    for other in [b, c] { try await other.exchange(with: a) }
    try await b.store.deleteAll(SharedKind.all)
    try await b.forgetAll()
    let report = try await c.exchange(with: b)
    #expect(!report.startedAfresh)
    try await c.exchange(with: b)
    #expect(try await c.store.count(SharedKind.all) == 0)
    try await meet()
    #expect(try await a.store.count(SharedKind.all) == 0)
    #expect(try await a.store.sync.conflicts().isEmpty)
  }

  @Test("S23: a file for everybody takes nothing back, and the answer to it brings the deletion")
  func files() async throws {
    try await a.store.insert(page)
    for other in [b, c] { try await other.exchange(with: a) }
    try await b.store.deleteAll(SharedKind.all)
    try await b.forgetAll()
    let url = b.folder.file("changes")
    try await c.store.sync.import(from: b.store.sync.export(to: url).url)
    let answer = try await c.store.sync.export(to: url, for: try await b.store.sync.replica())
    try await b.store.sync.import(from: answer.url)
    #expect(try await b.store.count(SharedKind.all) == 0)
    try await c.store.sync.import(from: b.store.sync.export(to: url).url)
    #expect(try await c.store.count(SharedKind.all) == 0)
  }

  @Test("S23: a whole file for someone who was away makes the answer to it bring the deletions")
  func fileAfterAbsence() async throws {
    try await a.store.insert(page)
    let url = b.folder.file("changes")
    for _ in 0..<2 {
      try await a.exchange(with: b)
      try await b.exchange(with: a)
    }
    try await a.store.deleteAll(SharedKind.all)
    try await a.forgetAll()
    let report = try await b.store.sync.import(from: a.store.sync.export(to: url).url)
    #expect(report.startedAfresh)
    let answer = try await b.store.sync.export(to: url, for: try await a.store.sync.replica())
    try await a.store.sync.import(from: answer.url)
    try await b.store.sync.import(from: a.store.sync.export(to: url, for: try await b.store.sync.replica()).url)
    #expect(try await b.store.count(SharedKind.all) == 0)
    try await expectEqual([a, b])
  }

  @Test("S23: the first file that comes from someone who has deleted what he was sent, and has forgotten it")
  func firstFileAfterAbsence() async throws {
    let url = b.folder.file("changes")
    try await b.store.insert(page)
    try await a.store.sync.import(from: b.store.sync.export(to: url).url)
    try await a.store.deleteAll(SharedKind.all)
    try await a.forgetAll()
    #expect(try await b.store.sync.import(from: a.store.sync.export(to: url).url).startedAfresh)
    try await a.store.sync.import(from: b.store.sync.export(to: url, for: a.store.sync.replica()).url)
    try await b.store.sync.import(from: a.store.sync.export(to: url, for: b.store.sync.replica()).url)
    #expect(try await b.store.count(SharedKind.all) == 0)
    for (one, other) in [(a, b), (b, a)] { try await one.exchange(with: other) }
    try await expectEqual([a, b])
  }

  @Test("S23: the first batch of someone who has deleted what he was sent, and has forgotten it")
  func firstBatchAfterAbsence() async throws {
    let (own, other) = (try await b.store.sync.replica(), try await a.store.sync.replica())
    try await a.store.insert((0..<3).map { SharedKind(id: "\($0)", title: "") })
    try await b.setClock(past: a)
    try await b.store.insert(page)
    let sent = try await b.store.sync.changes(after: .init(replica: own, position: 0), for: other, limit: 10)
    try await a.store.sync.apply(sent)
    try await a.store.deleteAll(SharedKind.where { $0.id == "page" })
    try await a.forgetAll()
    var cursor = ChangeCursor(replica: other, position: 0)
    for isLast in [false, false, true] {
      let answer = try await a.store.sync.changes(after: cursor, for: own, limit: 1)
      try await b.store.sync.apply(answer)
      cursor = answer.upTo
      #expect(answer.isLast == isLast)
    }
    for (one, other) in [(b, a), (a, b)] {
      let cursor = try await other.store.sync.cursor(of: one.store.sync.replica())
      let batch = try await one.store.sync.changes(after: cursor, for: other.store.sync.replica(), limit: 10)
      try await other.store.sync.apply(batch)
    }
    #expect(try await b.store.find(SharedKind.self, "page") == nil)
    try await meet()
  }

  @Test("S23: two that meet for the first time exchange everything, whatever was forgotten", .overEachTransport)
  func firstMeeting() async throws {
    for replica in [a, b] { try await replica.forgetOne() }
    try await a.store.insert(page)
    try await b.store.insert(SharedKind(id: "other", title: "O"))
    for _ in 0..<2 { #expect(try await !a.exchange(with: b).startedAfresh) }
    try await expectEqual([a, b])
    #expect(try await a.store.count(SharedKind.all) == 2)
  }

  @Test("S5, S23: a row that went with another one, and comes back with it, does so on all replicas or on none")
  func followers() async throws {
    let account = SharedAccount(name: "A")
    try await a.store.insert(account)
    try await a.store.insert(SharedCost(amount: 1, account: ToOne(account.id)))
    for other in [b, c] { try await other.exchange(with: a) }
    try await a.store.delete(account)
    for other in [b, c] { try await other.exchange(with: a) }
    try await a.forgetAll()
    try await b.store.insert(account)
    try await meet()
  }

  @Test("S5, S23: and so it does if whoever has forgotten it inserts the other one again", arguments: [true, false])
  func followersOfForgetter(begins: Bool) async throws {
    let account = SharedAccount(name: "A")
    try await a.store.insert(account)
    try await a.store.insert(SharedCost(amount: 1, account: ToOne(account.id)))
    try await b.exchange(with: a)
    try await a.store.delete(account)
    try await b.exchange(with: a)
    try await a.forgetAll()
    try await a.store.insert(account)
    for _ in 0..<3 { _ = try await begins ? a.exchange(with: b) : b.exchange(with: a) }
    try await expectEqual([a, b])
  }

  @Test("S8, S23: a deleted row that is wanted reaches whoever has forgotten it")
  func wantedByForgetter() async throws {
    let account = SharedAccount(name: "A")
    try await a.store.insert(account)
    try await a.store.insert(page)
    for other in [b, c] { try await other.exchange(with: a) }
    try await a.store.deleteAll(SharedKind.all)
    try await b.exchange(with: a)
    try await a.forgetAll()
    try await c.store.insert(SharedCost(amount: 1, account: ToOne(account), kind: ToOne("page")))
    let url = c.folder.file("changes")
    let since = try await a.store.sync.cursor(of: c.store.sync.replica())
    try await a.store.sync.import(from: c.store.sync.export(to: url, since: since).url)
    for _ in 0..<3 { try await a.exchange(with: b) }
    try await expectEqual([a, b])
  }

  @Test("S17, S23: whoever has forgotten deletions may begin the first exchange, also if he knows the other by hearsay")
  func begunByForgetter() async throws {
    try await b.store.insert(page)
    try await c.exchange(with: b)
    try await a.exchange(with: c)
    try await a.store.deleteAll(SharedKind.all)
    try await a.forgetAll()
    try await a.exchange(with: b)
    try await meet()
    #expect(try await b.store.count(SharedKind.all) == 0)
    #expect(try await !a.exchange(with: b).startedAfresh)
  }

  @Test("S23: who hears first of someone through a third replica needn't start afresh again and again")
  func relayedBeginning() async throws {
    try await b.store.insert(page)
    try await c.exchange(with: b)
    try await a.exchange(with: c)
    try await a.store.deleteAll(SharedKind.all)
    try await a.forgetAll()
    try await b.exchange(with: a)
    try await meet()
    #expect(try await b.store.count(SharedKind.all) == 0)
    #expect(try await !b.exchange(with: a).startedAfresh)
  }

  @Test("S23: what was changed of a row whose deletion was forgotten is in conflict")
  func changed() async throws {
    try await a.store.insert(page)
    for other in [b, c] { try await other.exchange(with: a) }
    try await c.store.updateAll(SharedKind.all) { $0.title.set("Q") }
    try await b.store.deleteAll(SharedKind.all)
    try await b.forgetAll()
    try await c.exchange(with: b)
    try await meet()
    let conflict = try #require(try await a.store.sync.conflicts().first)
    #expect(conflict.kind == .deletedRow)
    try await a.store.sync.restore(conflict)
    try await meet()
    #expect(try await b.store.find(SharedKind.self, "page")?.title == "Q")
  }

  @Test("a key can be used again after the deletion was forgotten, here and elsewhere")
  func newRow() async throws {
    try await a.store.insert(page)
    try await meet()
    try await a.store.deleteAll(SharedKind.all)
    try await meet()
    for replica in [a, b, c] { try await replica.forgetAll() }
    try await b.store.insert(SharedKind(id: "page", title: "new"))
    try await meet()
    #expect(try await a.store.find(SharedKind.self, "page")?.title == "new")
  }

  @Test("S23: rows that went with a deleted one come back with nobody")
  func cascade() async throws {
    let account = SharedAccount(name: "Cash")
    try await a.store.insert(account)
    try await a.store.insert(SharedCost(amount: 1, account: ToOne(account)))
    for other in [b, c] { try await other.exchange(with: a) }
    try await b.store.delete(account)
    try await b.forgetAll()
    try await c.exchange(with: b)
    try await meet()
    for replica in [a, b, c] {
      #expect(try await replica.store.count(SharedCost.all) == 0)
      #expect(try await replica.store.sync.setAside().isEmpty)
      #expect(try await replica.store.sync.conflicts().isEmpty)
    }
  }

  @Test("S5: what was written for a row after its forgotten deletion is listed, because its author knew nothing of it")
  func unknownReferrer() async throws {
    let account = SharedAccount(name: "Cash")
    try await a.store.insert(account)
    try await b.exchange(with: a)
    try await b.store.delete(account)
    try await b.forgetAll()
    try await a.store.insert(SharedCost(amount: 1, note: "Milk", account: ToOne(account)))
    // The cost comes before the row to which it refers.
    #expect(try await b.exchange(with: a).peerMustStartAfresh)
    try await a.exchange(with: b)
    try await meet()
    for replica in [a, b, c] {
      #expect(try await replica.store.sync.setAside().map { $0.properties["note"] } == ["Milk"])
    }
    try await b.store.sync.restore(try #require(try await b.store.sync.setAside().first))
    try await meet()
    #expect(try await a.store.fetch(SharedCost.all).map(\.note) == ["Milk"])
  }

  @Test("an earlier deletion that comes and is forgotten later doesn't take the place of the last one")
  func lastDeletion() async throws {
    try await b.store.insert(page)
    try await a.exchange(with: b)
    try await a.store.deleteAll(SharedKind.all)
    try await b.setClock(past: a)
    try await b.store.deleteAll(SharedKind.all)
    try await b.store.insert(page)
    try await c.exchange(with: b)
    try await b.store.deleteAll(SharedKind.all)
    try await b.forgetAll()
    try await b.store.sync.import(from: a.store.sync.export(to: a.folder.file("changes")).url)
    try await b.forgetAll()
    try await c.exchange(with: b)
    try await c.exchange(with: b)
    #expect(try await b.store.count(SharedKind.all) == 0)
    #expect(try await c.store.count(SharedKind.all) == 0)
  }

  @Test("a deletion that was heard of late is kept for the whole time")
  func keptAgain() async throws {
    try await a.store.insert(page)
    for other in [b, c] { try await other.exchange(with: a) }
    try await b.store.deleteAll(SharedKind.all)
    try await b.forgetAll()
    try await b.advanceClock(by: 600_000)
    try await c.exchange(with: b)
    #expect(try await b.store.sync.forgetDeletions(at: Date(timeIntervalSinceNow: 120)) == 0)
    try await meet()
    #expect(try await a.store.count(SharedKind.all) == 0)
    #expect(try await a.store.sync.conflicts().isEmpty)
  }

  @Test("deletions that an earlier version has forgotten are recognized by their time alone")
  func earlierVersion() async throws {
    try await a.store.insert(page)
    for other in [b, c] { try await other.exchange(with: a) }
    try await b.store.deleteAll(SharedKind.all)
    try await b.forgetAll()
    try await makeEarlier(b, version: 3, "digest, time")
    try await c.exchange(with: b)
    try await meet()
    for replica in [a, b, c] { #expect(try await replica.store.count(SharedKind.all) == 0) }
    #expect(try await a.store.sync.conflicts().isEmpty)
  }

  // MARK: Keys that are used again

  /// Makes the table of forgotten deletions one of an earlier version of the package.
  private func makeEarlier(_ replica: Replica, version: Int64, _ columns: String) async throws {
    let definitions = columns.replacing("digest", with: "digest BLOB PRIMARY KEY")
      .replacing("time", with: "time INTEGER NOT NULL").replacing("replica", with: "replica INTEGER NOT NULL DEFAULT 0")
      .replacing("length", with: "length INTEGER NOT NULL DEFAULT 0")
    try await replica.store.writingModule { connection in
      for statement in [
        "CREATE TABLE kept AS SELECT \(columns) FROM \(SyncTables.forgotten)",
        "DROP TABLE \(SyncTables.forgotten)",
        "CREATE TABLE \(SyncTables.forgotten) (\(definitions)) STRICT, WITHOUT ROWID",
        "INSERT INTO \(SyncTables.forgotten) SELECT * FROM kept", "DROP TABLE kept",
        "DROP TABLE \(SyncTables.deleting)", "DROP TABLE \(SyncTables.replaced)",
        "CREATE TABLE \(SyncTables.replaced) (row INTEGER PRIMARY KEY, table_id INTEGER NOT NULL) STRICT",
      ] { try connection.execute(statement) }
      try connection.setInUse(version, SyncFeature.self)
    }
  }

  @Test("a key can be used again after one replica has forgotten the deletion, and the others haven't")
  func newRowOfOne() async throws {
    try await a.store.insert(page)
    try await meet()
    for title in ["new", "newer"] {
      try await a.store.deleteAll(SharedKind.all)
      try await meet()
      try await a.forgetAll()
      try await a.store.insert(SharedKind(id: "page", title: title))
      try await meet()
      for replica in [a, b, c] { #expect(try await replica.store.find(SharedKind.self, "page")?.title == title) }
    }
  }

  @Test("a row that gets a key whose deletion was forgotten counts on from the deletion")
  func changedKey() async throws {
    try await a.store.insert(page)
    try await meet()
    try await a.store.deleteAll(SharedKind.all)
    try await meet()
    try await a.forgetAll()
    try await a.store.insert(SharedKind(id: "other", title: "O"))
    try a.executeOutside("UPDATE SharedKind SET id = 'page'")
    try await meet()
    for replica in [a, b, c] { #expect(try await replica.store.fetch(SharedKind.all).map(\.id) == ["page"]) }
  }

  @Test("a row that consists of a key only can come back after one replica has forgotten the deletion")
  func keysAlone() async throws {
    let (a, b) = (try Replica([SharedMark.self]), try Replica([SharedMark.self]))
    for _ in 0..<2 {
      try await a.store.insert(SharedMark(id: "m"))
      for (one, other) in [(a, b), (b, a)] { try await one.exchange(with: other) }
      try await expectEqual([a, b])
      #expect(try await b.store.count(SharedMark.all) == 1)
      try await a.store.deleteAll(SharedMark.all)
      for (one, other) in [(a, b), (b, a)] { try await one.exchange(with: other) }
      #expect(try await b.store.count(SharedMark.all) == 0)
      try await a.forgetAll()
    }
  }

  @Test("S11: a pair can be linked again after one replica has forgotten that it was unlinked")
  func pairs() async throws {
    let account = SharedAccount(name: "A")
    let cost = SharedCost(amount: 1, account: ToOne(account))
    let tag = SharedTag(name: "x")
    try await a.store.insert(account)
    try await a.store.insert(cost)
    try await a.store.insert(tag)
    for _ in 0..<2 {
      try await a.store.link(cost, \.tags, tag)
      try await meet()
      #expect(try await b.state().values.filter { $0.isThere && $0.key.count == 2 }.count == 1)
      try await a.store.unlink(cost, \.tags, tag)
      try await meet()
      try await a.forgetAll()
    }
  }

  @Test("S23: who was away with the row before the last one gets the one that has its key now")
  func earlierRow() async throws {
    try await insertThrice()
    try await a.store.insert(SharedKind(id: "page", title: "new"))
    #expect(try await b.exchange(with: a).startedAfresh)
    try await meet()
    #expect(try await c.store.find(SharedKind.self, "page")?.title == "new")
  }

  /// All have the second row of a key, of which `a` has forgotten the deletion.
  private func insertThrice() async throws {
    try await a.store.insert(page)
    try await a.store.deleteAll(SharedKind.all)
    try await a.store.insert(SharedKind(id: "page", title: "second"))
    try await meet()
    try await a.store.deleteAll(SharedKind.all)
    try await a.forgetAll()
  }

  @Test("S23: a peer without the keys of what it has forgotten is offered a row that wins against the one it has sent")
  func withoutKeys() async throws {
    try await insertThrice()
    try await makeEarlier(a, version: 8, "digest, time, replica, length")
    let opened = try await a.reopened()
    try await opened.store.insert(SharedKind(id: "page", title: "new"))
    #expect(try await b.exchange(with: opened).startedAfresh)
    for _ in 0..<2 { for (one, other) in [(opened, b), (b, opened)] { try await one.exchange(with: other) } }
    try await expectEqual([opened, b])
    // What is forgotten from now on has its key.
    try await opened.store.insert(SharedKind(id: "second", title: ""))
    for (one, other) in [(opened, b), (b, opened)] { try await one.exchange(with: other) }
    try await opened.store.deleteAll(SharedKind.where { $0.id == "second" })
    try await b.exchange(with: opened)
    try await opened.forgetAll()
    try await opened.store.insert(SharedKind(id: "second", title: "last"))
    for _ in 0..<2 { for (one, other) in [(opened, b), (b, opened)] { try await one.exchange(with: other) } }
    try await expectEqual([opened, b])
    #expect(try await b.store.find(SharedKind.self, "second")?.title == "last")
  }

  @Test("who only answers forgets old deletions as well")
  func answering() async throws {
    try await b.store.insert(page)
    try await b.store.deleteAll(SharedKind.all)
    try await b.store.writingModule { connection in
      try connection.execute("UPDATE \(SyncTables.cells) SET time = 1")
      try connection.execute("UPDATE \(SyncTables.rows) SET time = 1, deletion_time = 2, position = 3")
    }
    try await a.exchange(with: b)
    #expect(try await b.state().isEmpty)
    #expect(try await b.store.sync.forgotten() == 3)
  }

  // MARK: What the peer doesn't track

  @Test("a fresh start keeps documents that the peer no longer tracks")
  func collectionThatLeft() async throws {
    try await a.store.documents("notes").save("n", ["text": "t"])
    try await meet()
    try await a.store.sync.setSyncs(false, collection: "notes")
    try await a.forgetSomething()
    #expect(try await b.exchange(with: a).startedAfresh)
    try await b.exchange(with: c)
    for replica in [a, b, c] { #expect(try await replica.store.documents("notes").find("n") != nil) }
    #expect(try await b.store.sync.conflicts().isEmpty)
  }

  @Test("a fresh start keeps rows of a model that the peer has removed, or no longer tracks", arguments: [false, true])
  func modelThatLeft(isRemoved: Bool) async throws {
    try await a.store.insert([page, SharedKind(id: "other", title: "O")])
    try await a.store.insert(SharedTag(name: "x"))
    try await meet()
    await a.store.close()
    // The other models refer to tags.
    let models: [any Model.Type] = isRemoved ? [SharedKind.self] : [SharedKind.self, LocalTag.self]
    let left = try Replica(folder: a.folder, models)
    try await left.forgetSomething()
    #expect(try await b.exchange(with: left).startedAfresh)
    try await left.exchange(with: b)
    try await b.exchange(with: c)
    for replica in [b, c] { #expect(try await replica.store.fetch(SharedTag.all).map(\.name) == ["x"]) }
  }
}

/// A row without anything but its key.
@Model
private struct SharedMark: Hashable {
  var id: String
}

/// Tags that no longer take part.
@Model("SharedTag", syncs: false)
private struct LocalTag: Hashable {
  var id: UUID = .v7()
  @Attribute(.unique) var name: String
}
