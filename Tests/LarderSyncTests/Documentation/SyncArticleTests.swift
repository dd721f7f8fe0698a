import Foundation
import Larder
import LarderSync
import LarderTestSupport
import Synchronization
import Testing

@Model
private struct Page: Hashable {
  var id: String
  var title: String
}

@Model
private struct Note: Hashable {
  var id: String
  var title: String
}

enum SyncReadme {
  @Model
  struct Note {
    var id: UUID = .v7()
    var title: String
    var views = 0
    @Attribute(.indexed) var modifiedAt: Date = .now
  }
}

/// The code of the article "Sync", of the catalogue's first page and of the README.
@Suite("Documentation: sync")
@MainActor
struct SyncArticleTests {
  private let folder: TemporaryFolder
  private let laptop: Store
  private let phone: Store

  init() throws {
    folder = try TemporaryFolder()
    let url = folder.file("laptop")
    let laptop = try Store(at: url, for: Note.self, configuration: .init(sync: .on))
    self.laptop = laptop
    phone = try Store(at: folder.file("phone"), for: Note.self, configuration: .init(sync: .on))
  }

  private func expectEqual() async throws {
    let query = Note.all.sorted(by: \.id)
    #expect(try await laptop.fetch(query) == phone.fetch(query))
  }

  @Test("an exchange, and its report")
  func exchange() async throws {
    try await laptop.insert(Note(id: "a", title: "A"))
    let report = try await laptop.sync.exchange(with: phone.sync)
    print("\(report.received) rows came, \(report.sent) went, \(report.setAside) are set aside")
    #expect(report.sent == 1)
    try await laptop.sync.exchange(with: phone.sync)
    try await expectEqual()
  }

  @Test("a run, with what it shows")
  func running() async throws {
    let shown = Mutex<[String]>([])
    @Sendable func show(_ text: String) { shown.withLock { $0.append(text) } }
    try await phone.insert(Note(id: "a", title: "A"))
    let task = Task { [laptop, phone] in
      for await status in laptop.sync.run(with: phone.sync) {
        switch status {
        case .exchanging(let report): show("\(report.received) rows so far")
        case .upToDate: show("up to date")
        case .failed(let error, let delay): show("\(error), next try in \(delay)")
        }
      }
    }
    var notes = laptop.live(Note.all).makeAsyncIterator()
    while try await notes.next()?.isEmpty != false {}
    // The row is there before what came with it is counted.
    while shown.withLock({ $0.isEmpty }) { await Task.yield() }
    task.cancel()
    await task.value
    #expect(shown.withLock { $0.first } == "1 rows so far")
  }

  @Test("files, open and sealed")
  func files() async throws {
    let url = folder.file("changes")
    @Sendable func show(_ text: String) {}
    try await laptop.insert(Note(id: "a", title: "A"))
    let file = try await laptop.sync.export(to: url, for: phone.sync.replica())
    let result = try await phone.sync.import(from: url) { progress in show("\(progress.fraction)") }
    print("\(result.changed) of \(result.rows) rows changed, up to \(result.upTo.position)")
    try await expectEqual()
    let next = try await laptop.sync.export(to: url, since: file.upTo)
    #expect(next.rows == 0)
    let key = GroupKey()
    try await laptop.sync.export(to: url, key: key)
    try await phone.sync.import(from: url, keys: [key])
    try await expectEqual()
  }

  @Test("attachments, with the rows and on demand")
  func attachments() async throws {
    try await laptop.documents("albums").save("cats", ["title": "Cats"])
    let picture = try await laptop.attach(Data("cat".utf8))
    let albums = laptop.documents("albums", of: [String: Attached].self)
    try await albums.save("cats", ["cover": picture])
    try await phone.sync.exchange(with: laptop.sync, attachments: .onDemand)
    #expect(try await phone.sync.awaitedAttachments().count == 1)
    try await phone.sync.fetch(picture, from: laptop.sync)
    let data = try await phone.data(of: picture)
    #expect(data == Data("cat".utf8))
    try await phone.sync.exchange(with: laptop.sync, attachments: .eager(upTo: 1 << 20))
    #expect(try await phone.sync.awaitedAttachments().isEmpty)
  }

  @Test("a collection that stays on its device")
  func localCollection() async throws {
    try await laptop.sync.setSyncs(false, collection: "drafts")
    try await laptop.documents("drafts").save("a", ["text": "mine"])
    try await laptop.sync.exchange(with: phone.sync)
    #expect(try await phone.documentCollections.isEmpty)
    try await laptop.sync.disable()
    try await laptop.sync.enable()
    #expect(try await laptop.sync.syncs(collection: "drafts") == false)
    try await laptop.sync.exchange(with: phone.sync)
    #expect(try await phone.documentCollections.isEmpty)
  }

  @Test("the lines of the catalogue's first page")
  func firstPage() async throws {
    let url = folder.file("new")
    try await phone.insert(Note(id: "a", title: "A"))
    let laptop = try Store(at: url, for: Note.self, configuration: .init(sync: .on))
    try await laptop.sync.exchange(with: phone.sync)
    #expect(try await laptop.fetch(Note.all) == [Note(id: "a", title: "A")])
  }

  @Test("the lines of the README bring one note by an exchange, and one by a file")
  func readme() async throws {
    typealias Note = SyncReadme.Note
    // The README's relative paths lead into the test's folder.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    func Store(
      at name: String, for model: any Model.Type, configuration: Larder.Store.Configuration
    ) throws -> Larder.Store {
      try Larder.Store(at: folder.file(name), for: model, configuration: configuration)
    }
    // swift-format-ignore: AlwaysUseLowerCamelCase
    func URL(filePath name: String) -> Foundation.URL { folder.file(name) }

    let laptop = try Store(at: "laptop.larder", for: Note.self, configuration: .init(sync: .on))
    let phone = try Store(at: "phone.larder", for: Note.self, configuration: .init(sync: .on))
    try await laptop.save(Note(title: "Tea"))
    try await laptop.sync.exchange(with: phone.sync)

    #expect(try await phone.fetch(Note.all).map(\.title) == ["Tea"])

    let file = URL(filePath: "changes.larder-sync")
    try await laptop.save(Note(title: "Coffee"))
    try await laptop.sync.export(to: file, for: phone.sync.replica())
    try await phone.sync.import(from: file)

    #expect(try await phone.fetch(Note.all.sorted(by: \.title)).map(\.title) == ["Coffee", "Tea"])
  }

  @Test("what lost, and the history")
  func losing() async throws {
    func show(_ text: String) {}
    try await laptop.insert(Note(id: "a", title: "A"))
    try await laptop.sync.exchange(with: phone.sync)
    try await laptop.updateAll(Note.all) { $0.title.set("of the laptop") }
    try await phone.updateAll(Note.all) { $0.title.set("of the phone") }
    try await laptop.sync.exchange(with: phone.sync)
    for conflict in try await laptop.sync.conflicts() { try await laptop.sync.restore(conflict) }
    for row in try await laptop.sync.setAside() { print(row.table, row.reason) }
    try await laptop.sync.exchange(with: phone.sync)
    try await expectEqual()
    var cursor: ChangeCursor?
    let history = try await laptop.history(after: cursor)
    for change in history.changes { show("\(change.table) \(change.key) \(change.isDeleted ? "deleted" : "changed")") }
    cursor = history.cursor
    #expect(history.changes.count == 1)
    let own = try await laptop.sync.replica()
    #expect(cursor?.replica == own)
  }

  @Test("a simulation of a reader's own models")
  func simulating() async throws {
    let simulation = SyncSimulation(for: Page.self) { store, random in
      let key = "\(Int.random(in: 0..<4, using: &random))"
      switch Int.random(in: 0..<3, using: &random) {
      case 0: try await store.save(Page(id: key, title: "\(random.next())"))
      case 1: try await store.updateAll(Page.where { $0.id == key }) { $0.title.set("edited") }
      default: try await store.deleteAll(Page.where { $0.id == key })
      }
    }
    for seed in 0..<5 { try await simulation.run(seed: UInt64(seed)) }
  }

  @Test("a shared folder as a transport")
  func sharedFolder() async throws {
    let (folder, key) = (self.folder.url.appending(component: "shared"), GroupKey())
    let otherReplica = try await self.phone.sync.replica()
    try await laptop.insert(Note(id: "a", title: "A"))
    let phone = SharedFolder(folder: folder, own: try await laptop.sync.replica(), other: otherReplica, keys: [key])
    try await laptop.sync.exchange(with: phone)
    let other = SharedFolder(folder: folder, own: otherReplica, other: try await laptop.sync.replica(), keys: [key])
    try await self.phone.sync.exchange(with: other)
    try await expectEqual()
  }
}
