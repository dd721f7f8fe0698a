import Foundation
import Larder
import LarderSync
import LarderTestSupport
import Testing

@Model
private struct Note: Hashable {
  var id: UUID = .v7()
  @Attribute(.unique) var title: String
  @Attribute(.counter) var views = 0
  @Relationship(deleteRule: .cascade) var folder: ToOne<Folder>?
}

@Model
private struct Folder: Hashable {
  var id: UUID = .v7()
  var name: String
}

@Model(syncs: false)
private struct WindowState: Hashable {
  var id: Int
  var width = 100
}

/// Each name that the design of sync promises, as users write it.
@Suite("Sync: the calls that are promised")
struct SyncContractTests {
  private let folder: TemporaryFolder
  private let store: Store
  private let other: Store
  private var peer: StoreSync { other.sync }

  init() throws {
    folder = try TemporaryFolder()
    store = try Store(
      at: folder.file("notes.larder").path(percentEncoded: false), for: Note.self, Folder.self, WindowState.self,
      configuration: .init(sync: .on))
    other = try Store(at: folder.file("other.larder"), for: Note.self, Folder.self, WindowState.self)
  }

  @Test("B13: sync is switched on when a store is opened, or later, and off")
  func switching() async throws {
    #expect(try await store.sync.isEnabled())
    #expect(try await !other.sync.isEnabled())
    try await other.sync.enable()
    #expect(try await other.sync.isEnabled())
    try await other.sync.disable()
    #expect(try await !other.sync.isEnabled())
  }

  @Test("B13: an exchange, a run, what a peer lacks, and who takes part")
  func exchanging() async throws {
    try await other.sync.enable()
    try await store.insert(Note(title: "A"))
    try await store.insert(WindowState(id: 1))
    #expect(try await store.sync.pending(for: peer) == 1)
    let report = try await store.sync.exchange(with: peer)
    #expect((report.sent, report.received, report.setAside) == (1, 0, 0))
    #expect(try await store.sync.pending(for: peer) == 0)
    try await store.updateAll(Note.all) { $0.views.increment(by: 1) }
    try await other.updateAll(Note.all) { $0.views.increment(by: 1) }
    for await status in store.sync.run(with: peer) {
      if case .upToDate = status { break }
    }
    #expect(try await other.fetch(Note.all).map(\.views) == [2])
    #expect(try await other.count(WindowState.all) == 0)
    try await store.sync.setName("Ada's laptop")
    #expect(try await store.sync.name() == "Ada's laptop")
    #expect(try await store.sync.replica() != peer.replica())
    #expect(try await store.sync.waiting().isEmpty)
  }

  @Test("B13: a file for a peer, and what came of it")
  func files() async throws {
    try await other.sync.enable()
    try await store.insert(Note(title: "A"))
    let peerID = try await peer.replica()
    let url = folder.file("changes")
    let file = try await store.sync.export(to: url, for: peerID)
    let result = try await other.sync.import(from: url) { progress in #expect(progress.fraction <= 1) }
    #expect((file.rows, result.rows, result.changed, result.setAside) == (1, 1, 1, 0))
    #expect(result.header.since == file.since && result.upTo == file.upTo && !result.leavesGap)
  }

  @Test("a conflict names the model, the row, the property, both values, who and when; it is restored or dismissed")
  func conflicts() async throws {
    try await other.sync.enable()
    try await store.insert(Note(title: "A"))
    try await store.sync.exchange(with: peer)
    try await store.updateAll(Note.all) { $0.title.set("here") }
    try await other.updateAll(Note.all) { $0.title.set("there") }
    try await store.sync.exchange(with: peer)
    let conflict = try #require(try await store.sync.conflicts().first)
    #expect(
      conflict.table == "Note" && conflict.model == "Note" && conflict.kind == .value(property: "title")
        && conflict.key.count == 1)
    #expect(Set([conflict.lost, conflict.current]) == ["here", "there"])
    #expect(conflict.lostStamp.replica != conflict.currentStamp.replica)
    #expect(conflict.lostStamp.date <= Date() && conflict.currentStamp.date <= Date())
    #expect(conflict.lostReplica == nil && conflict.currentReplica == nil)
    try await store.sync.restore(conflict)
    await #expect(throws: StoreError.self) { try await store.sync.dismiss(conflict) }
  }

  @Test("a row that is set aside says why; it is merged, restored or discarded")
  func setAside() async throws {
    try await other.sync.enable()
    try await store.sync.setName("Ada's laptop")
    try await other.sync.setName("Ada's phone")
    try await store.insert(Note(title: "A"))
    try await other.insert(Note(title: "A"))
    try await store.sync.exchange(with: peer)
    let row = try #require(try await store.sync.setAside().first)
    guard case .duplicate(let properties, _) = row.reason else {
      Issue.record("\(row.reason)")
      return
    }
    #expect(properties == ["title"] && row.model == "Note" && row.properties["title"] == "A")
    #expect(Set([row.replica, row.otherReplica]) == ["Ada's laptop", "Ada's phone"])
    let other = try #require(row.otherStamp)
    #expect(other < row.stamp && other.replica != row.stamp.replica && row.stamp.date <= Date())
    await #expect(throws: StoreError.self) { try await store.sync.restore(row) }
    try await store.sync.merge(row, into: nil)
    await #expect(throws: StoreError.self) { try await store.sync.discard(row) }
  }

  @Test("the history is read from a token on, rows that were deleted among it")
  func history() async throws {
    try await store.insert(Note(title: "A"))
    let token = try await store.history().cursor
    try await store.deleteAll(Note.all)
    let changes: [RowChange] = try await store.history(after: token).changes
    let change = try #require(changes.first)
    #expect(changes.count == 1 && change.isDeleted && change.table == "Note" && change.key.count == 1)
    #expect(change.properties.contains { $0.name == "title" })
  }

  @Test("attachments come at once, on demand, or up to a size")
  func attachments() async throws {
    try await other.sync.enable()
    for attachments in [AttachmentTransfer.eager, .onDemand, .eager(upTo: 1 << 20)] {
      try await store.sync.exchange(with: peer, attachments: attachments)
      try await store.sync.export(to: folder.file("changes"), attachments: attachments)
    }
  }
}
