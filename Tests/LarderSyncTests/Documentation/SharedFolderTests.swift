import Foundation
import Larder
import LarderTestSupport
import Testing

@testable import LarderSync

@Suite("Sync: a shared folder as a transport")
struct SharedFolderTests {
  private let folder: TemporaryFolder
  private let replicas: [Replica]

  init() throws {
    folder = try TemporaryFolder()
    replicas = try (0..<3).map { _ in try Replica() }
  }

  private func peer(of place: Int, for own: Int) async throws -> SharedFolder {
    SharedFolder(
      folder: folder.url, own: try await replicas[own].store.sync.replica(),
      other: try await replicas[place].store.sync.replica(), keys: [])
  }

  /// Each replica exchanges with the folder, as it would without knowing whether the others are there.
  private func visit(_ place: Int) async throws {
    for other in replicas.indices where other != place {
      try await replicas[place].store.sync.exchange(with: peer(of: other, for: place))
    }
  }

  @Test("the article says how long its code is: less than 50 lines for changes, and less than 50 for attachments")
  func length() throws {
    let here = URL(filePath: #filePath).deletingLastPathComponent()
    let sources = here.appending(path: "../../../Sources/LarderSync/Documentation.docc/YourOwnTransport.md")
      .standardized
    let article = try String(contentsOf: sources, encoding: .utf8)
    for (name, start, phrase) in [
      ("SharedFolder.swift", "struct", "takes # lines"),
      ("SharedFolder+Attachments.swift", "extension", "in # more lines"),
    ] {
      let lines = try String(contentsOf: here.appending(component: name), encoding: .utf8)
        .split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      let length = lines.drop { !$0.hasPrefix(start) }.count
      #expect(length < 50)
      #expect(article.contains(phrase.replacing("#", with: "\(length)")))
    }
  }

  @Test("three replicas that are never there at the same time end with the same rows")
  func three() async throws {
    for place in replicas.indices {
      try await replicas[place].store.insert((0..<700).map { SharedKind(id: "\(place) \($0)", title: "t") })
    }
    for _ in 0..<3 { for place in replicas.indices { try await visit(place) } }
    try await expectEqual(replicas)
    #expect(try await replicas[0].store.count(SharedKind.all) == 2100)
  }

  @Test("parts that were read are removed, and nothing new leaves the folder as it is")
  func parts() async throws {
    for number in 0..<5 {
      try await replicas[0].store.insert(SharedKind(id: "\(number)", title: "t"))
      for place in 0..<2 { try await visit(place) }
    }
    for _ in 0..<4 { for place in replicas.indices { try await visit(place) } }
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder.url.path).filter { $0.contains("/") }
    #expect(files.count <= 6)
    for place in replicas.indices { try await visit(place) }
    let after = try FileManager.default.subpathsOfDirectory(atPath: folder.url.path).filter { $0.contains("/") }
    #expect(after == files)
  }

  @Test("a part that was damaged is an error, and once the folder is deleted, everything is sent again")
  func damage() async throws {
    try await replicas[0].store.insert(SharedKind(id: "a", title: "t"))
    try await visit(0)
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder.url.path).filter({ $0.contains("/") }) {
      let url = folder.url.appending(path: name)
      try Data(contentsOf: url).dropLast().write(to: url)
    }
    await #expect(throws: BatchError.self) { try await visit(1) }
    try removeFolder()
    for _ in 0..<3 { for place in replicas.indices { try await visit(place) } }
    try await expectEqual(replicas)
    #expect(try await replicas[2].store.count(SharedKind.all) == 1)
  }

  @Test("S23: once the folder is deleted, who has missed nothing goes on, also if both have forgotten deletions")
  func newFolder() async throws {
    let (a, b) = (replicas[0], replicas[1])
    for replica in [a, b] { try await replica.forgetOne() }
    try await a.store.insert((0..<700).map { SharedKind(id: "\($0)", title: "t") })
    for _ in 0..<3 { for place in 0..<2 { try await visit(place) } }
    try await expectEqual([a, b])
    try removeFolder()
    try await a.store.insert(SharedKind(id: "new of a", title: "t"))
    try await b.store.insert(SharedKind(id: "new of b", title: "t"))
    for _ in 0..<3 { for place in 0..<2 { try await visit(place) } }
    try await expectEqual([a, b])
    #expect(try await !b.store.sync.exchange(with: peer(of: 0, for: 1)).startedAfresh)
    #expect(try await a.store.count(SharedKind.all) == 702)
  }

  private func removeFolder() throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.url.path) {
      try FileManager.default.removeItem(at: folder.url.appending(component: name))
    }
  }

  /// Takes all but the first parts of the first replica for the second one away, as if they were still to come.
  private func hideParts(after count: Int) async throws -> [(url: URL, bytes: Data)] {
    let (own, other) = (try await replicas[0].store.sync.replica(), try await replicas[1].store.sync.replica())
    let chain = folder.url.appending(component: "\(own)-\(other)")
    let parts = try FileManager.default.contentsOfDirectory(atPath: chain.path).sorted {
      Int64($0.split(separator: "-")[1]) ?? 0 < Int64($1.split(separator: "-")[1]) ?? 0
    }
    return try parts.dropFirst(count).map { name in
      let url = chain.appending(component: name)
      let bytes = try Data(contentsOf: url)
      try FileManager.default.removeItem(at: url)
      return (url: url, bytes: bytes)
    }
  }

  @Test("S23: a fresh start waits for what is still to come, and nothing that it needs is removed until then")
  func lastPartMissing() async throws {
    let (a, b) = (replicas[0], replicas[1])
    try await a.store.insert((0..<1200).map { SharedKind(id: "\($0)", title: "t") })
    for _ in 0..<2 { for place in 0..<2 { try await visit(place) } }
    try await a.store.deleteAll(SharedKind.where { $0.id == "0" })
    try await a.forgetAll()
    try await a.store.insert(SharedKind(id: "new of a", title: "t"))
    try await b.store.insert(SharedKind(id: "new of b", title: "t"))
    try removeFolder()
    try await visit(0)
    let hidden = try await hideParts(after: 2)
    #expect(hidden.count == 1)
    for _ in 0..<2 {
      let error = await #expect(throws: StoreError.self) {
        try await b.store.sync.exchange(with: peer(of: 0, for: 1))
      }
      #expect(error?.code == .invalidValue)
    }
    for part in hidden { try part.bytes.write(to: part.url) }
    #expect(try await b.store.sync.exchange(with: peer(of: 0, for: 1)).startedAfresh)
    for _ in 0..<3 { for place in replicas.indices { try await visit(place) } }
    try await expectEqual(replicas)
    #expect(try await b.store.count(SharedKind.all) == 1201)
    #expect(try await b.store.find(SharedKind.self, "0") == nil)
  }

  @Test("S2, S23: after a fresh start from a part of what there is, what is still to come isn't taken as known")
  func missingPart() async throws {
    let (a, b) = (replicas[0], replicas[1])
    try await a.store.insert(["kept", "deleted"].map { SharedKind(id: $0, title: "t") })
    for _ in 0..<2 { for place in 0..<2 { try await visit(place) } }
    try await a.store.deleteAll(SharedKind.where { $0.id == "deleted" })
    try await a.forgetAll()
    try await a.store.updateAll(SharedKind.all) { $0.title.set("of a") }
    try await a.store.insert(SharedSlot(shelf: "first", number: 0, row: "r", column: 1))
    try await a.store.insert((0..<700).map { SharedKind(id: "\($0)", title: "t") })
    // So the row comes with the second part, and its shelf was written before the end of the first one.
    try await a.store.updateAll(SharedSlot.all) { $0.number.set(1) }
    try await a.store.insert((700..<1400).map { SharedKind(id: "\($0)", title: "t") })
    try removeFolder()
    try await visit(0)
    let hidden = try await hideParts(after: 1)
    #expect(hidden.count == 2)
    #expect(try await b.store.sync.exchange(with: peer(of: 0, for: 1)).startedAfresh)
    let slot = SharedSlot(shelf: "second", number: 2, row: "r", column: 1)
    try await b.setClock(past: a)
    try await b.store.insert(slot)
    for part in hidden { try part.bytes.write(to: part.url) }
    for _ in 0..<3 { for place in replicas.indices { try await visit(place) } }
    try await expectEqual(replicas)
    #expect(try await b.store.fetch(SharedSlot.all).map(\.shelf) == ["second"])
    #expect(Set(try await b.store.sync.conflicts().map(\.lost)) == [.text("first"), .integer(1)])
  }

  /// A folder whose sender forgets deletions after it has written some parts.
  private actor ForgettingFolder: SyncPeer {
    private let folder: any SyncPeer
    private let sender: Replica
    private var rest: Int

    init(_ folder: SharedFolder, of sender: Replica, after parts: Int) {
      (self.folder, self.sender, rest) = (folder, sender, parts)
    }

    func replica() async throws -> ReplicaID { try await folder.replica() }
    func cursor(of replica: ReplicaID) async throws -> ChangeCursor { try await folder.cursor(of: replica) }
    func forgotten() async throws -> Int64 { try await folder.forgotten() }

    func changes(after cursor: ChangeCursor, for recipient: ReplicaID, limit: Int) async throws -> ChangeBatch {
      try await folder.changes(after: cursor, for: recipient, limit: limit)
    }

    func apply(_ batch: ChangeBatch) async throws -> Int {
      let count = try await folder.apply(batch)
      rest -= 1
      if rest == 0 { try await sender.forgetAll() }
      return count
    }
  }

  @Test("S23: who forgets deletions while it sends stops, and says until the folder is deleted that others lack them")
  func forgettingWhileSending() async throws {
    let (a, b) = (replicas[0], replicas[1])
    try await a.store.insert((0..<1400).map { SharedKind(id: "\($0)", title: "t") })
    try await a.store.deleteAll(SharedKind.where { $0.id == "1399" })
    try await b.store.insert(SharedKind(id: "of b", title: "t"))
    let peer = try await ForgettingFolder(self.peer(of: 1, for: 0), of: a, after: 2)
    let error = await #expect(throws: StoreError.self) { try await a.store.sync.exchange(with: peer) }
    #expect(error?.code == .notFound)
    for _ in 0..<2 {
      let folder = try await self.peer(of: 1, for: 0)
      #expect(try await a.store.sync.exchange(with: folder).peerMustStartAfresh)
      try await b.store.sync.exchange(with: self.peer(of: 0, for: 1))
    }
    try removeFolder()
    for _ in 0..<3 { for place in replicas.indices { try await visit(place) } }
    for replica in replicas { #expect(try await replica.rows() == a.rows()) }
    #expect(try await b.store.count(SharedKind.all) == 1400)
  }

  @Test(
    "S23: once the folder is deleted, who was away for longer than deletions are kept starts afresh",
    arguments: [(0, false), (700, false), (700, true)])
  func absence(others: Int, forgetsLater: Bool) async throws {
    let (a, b) = (replicas[0], replicas[1])
    try await a.store.insert((0..<others).map { SharedKind(id: "\($0)", title: "t") })
    try await a.store.insert(["kept", "later", "deleted"].map { SharedKind(id: $0, title: "t") })
    for _ in 0..<2 { for place in 0..<2 { try await visit(place) } }
    try await a.store.deleteAll(SharedKind.where { $0.id == "deleted" })
    try await a.forgetAll()
    try await b.store.insert(SharedKind(id: "new", title: "t"))
    try removeFolder()
    try await a.store.deleteAll(SharedKind.where { $0.id == "later" })
    try await visit(0)
    if forgetsLater {
      // What comes next begins after the deletion, so nobody who has the first parts needs it.
      try await a.forgetAll()
      try await a.store.insert(SharedKind(id: "kept too", title: "t"))
      try await visit(0)
    }
    let report = try await b.store.sync.exchange(with: peer(of: 0, for: 1))
    #expect(report.startedAfresh)
    #expect(try await !b.store.sync.exchange(with: peer(of: 0, for: 1)).startedAfresh)
    for _ in 0..<3 { for place in replicas.indices { try await visit(place) } }
    // The others have heard of the deletion that was forgotten later.
    if !forgetsLater { try await expectEqual(replicas) }
    for replica in replicas { #expect(try await replica.rows() == a.rows()) }
    let names = Set(try await b.store.fetch(SharedKind.all).map(\.id)).subtracting((0..<others).map { "\($0)" })
    #expect(names == (forgetsLater ? ["kept", "kept too", "new"] : ["kept", "new"]))
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder.url.path).filter { $0.contains("/") }
    #expect(files.count <= 9)
  }
}
