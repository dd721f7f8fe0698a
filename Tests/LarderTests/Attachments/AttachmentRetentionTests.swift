import Foundation
import Testing

@testable import Larder

// The testing library has a type of the same name.
private typealias Attachment = Larder.Attachment

/// How long data stays after its last reference has gone, by a clock that the test sets.
@Suite("Attachments: what waits to be deleted", .timeLimit(.minutes(20)))
struct AttachmentRetentionTests {
  private let file: StoreFile
  private let clock = TestClock()
  private let day = 24 * 60 * 60.0

  init() throws { file = try StoreFile() }

  private func open(retention: Duration? = nil) throws -> Store {
    var configuration = Store.Configuration(now: { [clock] in clock.now })
    if let retention { configuration.attachmentRetention = retention }
    let store = try Store(at: file.path, for: Letter.self, LetterBox.self, configuration: configuration)
    store.attachmentCollector.stop()
    return store
  }

  /// The names of the files that record how long data has waited.
  private var waiting: [String] { AttachmentFolder.names(in: AttachmentFolder(ofStore: file.path).waiting) }

  /// The file of the store, whose folder of attachments stays where it is.
  private var place: URL { URL(filePath: file.path) }

  /// Puts another file in the place of the closed store's.
  private func replace(with other: URL, keeping current: URL? = nil) throws {
    if let current { try FileManager.default.moveItem(at: place, to: current) }
    try? FileManager.default.removeItem(at: place)
    try FileManager.default.moveItem(at: other, to: place)
  }

  private func save(_ text: String, _ id: Int, _ store: Store) async throws -> Attachment {
    try await store.save(Letter(id: id, scan: try await store.attach(Data(text.utf8))))
    return try #require(try await store.find(Letter.self, id)?.scan)
  }

  @Test("data stays for a day after its last reference has gone, whichever process sees that")
  func day() async throws {
    let store = try open()
    let scan = try await save("scan", 1, store)
    try await store.delete(Letter.self, 1)
    #expect(try await store.collectAttachments(waits: true) == 0)
    clock.advance(by: day - 1)
    #expect(try await store.collectAttachments(waits: true) == 0)
    #expect(try await store.data(of: scan) == Data("scan".utf8))
    clock.advance(by: 1)
    let other = try open()
    #expect(try await other.collectAttachments(waits: true) == 1)
    await #expect(throws: StoreError.self) { try await store.data(of: scan) }
    #expect(waiting.isEmpty)
  }

  @Test("a reference that comes back ends the waiting; the next time begins anew")
  func again() async throws {
    let store = try open()
    let scan = try await save("scan", 1, store)
    try await store.delete(Letter.self, 1)
    #expect(try await store.collectAttachments(waits: true) == 0)
    clock.advance(by: day / 2)
    try await store.save(Letter(id: 2, scan: scan))
    clock.advance(by: day)
    #expect(try await store.collectAttachments(waits: true) == 0)
    try await store.delete(Letter.self, 2)
    #expect(try await store.collectAttachments(waits: true) == 0)
    clock.advance(by: day - 1)
    #expect(try await store.collectAttachments(waits: true) == 0)
    clock.advance(by: 1)
    #expect(try await store.collectAttachments(waits: true) == 1)
  }

  @Test("an older file that takes the place of a newer one loses nothing of the newer one for a day")
  func olderFile() async throws {
    let (older, newer) = (file.folder.appending(component: "older"), file.folder.appending(component: "newer"))
    var store = try open()
    _ = try await save("one", 1, store)
    try store.blocking.checkpoint()
    await store.close()
    try FileManager.default.copyItem(at: place, to: older)
    store = try open()
    let two = try await save("two", 2, store)
    await store.close()
    try replace(with: older, keeping: newer)

    store = try open()
    #expect(try await store.collectAttachments(waits: true) == 0)
    clock.advance(by: day - 1)
    #expect(try await store.collectAttachments(waits: true) == 0)
    await store.close()
    try replace(with: newer)
    store = try open()
    #expect(try await store.data(of: two) == Data("two".utf8))
    #expect(try await store.verifyAttachments().isWhole)
  }

  @Test("an older file in which data had long waited loses nothing that a newer file uses again")
  func olderFileWithTimes() async throws {
    let (older, newer) = (file.folder.appending(component: "older"), file.folder.appending(component: "newer"))
    var store = try open()
    let scan = try await save("scan", 1, store)
    try await store.delete(Letter.self, 1)
    #expect(try await store.collectAttachments(waits: true) == 0)
    #expect(waiting.count == 1)
    try store.blocking.checkpoint()
    try FileManager.default.copyItem(at: place, to: older)
    clock.advance(by: day / 2)
    try await store.save(Letter(id: 2, scan: scan))
    #expect(try await store.collectAttachments(waits: true) == 0)
    #expect(waiting.isEmpty)
    clock.advance(by: day)
    await store.close()
    try replace(with: older, keeping: newer)

    store = try open()
    #expect(try await store.collectAttachments(waits: true) == 0)
    await store.close()
    try replace(with: newer)
    store = try open()
    #expect(try await store.data(of: scan) == Data("scan".utf8))
    #expect(try await store.verifyAttachments().isWhole)
  }

  @Test("more data than one page waits, goes in its time, and nothing is left of the times")
  func many() async throws {
    let store = try open()
    let count = 2_100
    try await store.write { transaction in
      for number in 0..<count {
        let scan = try transaction.attach(Data("\(number)".utf8))
        try transaction.save(Letter(id: number, scan: scan))
      }
    }
    try await store.deleteAll(Letter.where { $0.id % 2 == 0 })
    #expect(try await store.collectAttachments(waits: true) == 0)
    #expect(waiting.count == count / 2)
    clock.advance(by: day / 2)
    try await store.deleteAll(Letter.all)
    #expect(try await store.collectAttachments(waits: true) == 0)
    clock.advance(by: day / 2)
    #expect(try await store.collectAttachments(waits: true) == count / 2)
    #expect(waiting.count == count / 2)
    clock.advance(by: day / 2)
    #expect(try await store.collectAttachments(waits: true) == count / 2)
    #expect(waiting.isEmpty)
  }

  @Test("a round that waits for nothing deletes all, wherever one that waits has left off")
  func mixed() async throws {
    let store = try open()
    try await store.write { transaction in
      for number in 0..<300 {
        try transaction.save(Letter(id: number, scan: try transaction.attach(Data("\(number)".utf8))))
      }
    }
    try await store.deleteAll(Letter.all)
    #expect(try await store.collectAttachments(waits: true) == 0)
    clock.advance(by: day)
    // One round of several: the next that waits goes on after it.
    let first = try await store.attachmentCollector.round()
    #expect(first.hasMore && first.count > 0)
    // What was attached since sorts anywhere.
    try await store.write { transaction in
      for number in 300..<600 {
        try transaction.save(Letter(id: number, scan: try transaction.attach(Data("\(number)".utf8))))
      }
    }
    try await store.deleteAll(Letter.all)
    #expect(try await store.collectAttachments() == 600 - first.count)
    // The first goes on after the round, the second begins anew and removes the times that are left.
    for _ in 1...2 { #expect(try await store.collectAttachments(waits: true) == 0) }
    #expect(waiting.isEmpty)
  }

  @Test("strangers' names among the times are removed, and a clock at any time is no trap")
  func strangers() async throws {
    let store = try open()
    _ = try await save("scan", 1, store)
    try await store.delete(Letter.self, 1)
    #expect(try await store.collectAttachments(waits: true) == 0)
    let folder = AttachmentFolder(ofStore: file.path)
    for name in ["notes.txt", "-", "\(String(repeating: "0", count: 64))-x", String(repeating: "0", count: 64)] {
      try Data().write(to: URL(filePath: "\(folder.waiting)/\(name)"))
    }
    for leap in [1e300, -1e300, 0] {
      clock.advance(by: leap)
      _ = try await store.collectAttachments(waits: true)
    }
    #expect(waiting.count <= 1)
    #expect(try await store.verifyAttachments().isWhole)
  }

  @Test("what is due is deleted although no time can be recorded, and the rest waits")
  func unrecordable() async throws {
    let store = try open()
    for number in 1...3 { _ = try await save("\(number)", number, store) }
    try await store.delete(Letter.self, 1)
    #expect(try await store.collectAttachments(waits: true) == 0)
    clock.advance(by: day)
    try await store.delete(Letter.self, 2)
    // The times are those of a folder in which nothing new can be created.
    let folder = AttachmentFolder(ofStore: file.path)
    let due = try #require(waiting.first)
    let elsewhere = folder.path + "/elsewhere"
    try FileManager.default.moveItem(atPath: folder.waiting, toPath: elsewhere)
    try Data().write(to: URL(filePath: folder.waiting))
    #expect(try await store.collectAttachments(waits: true) == 0)
    try FileManager.default.removeItem(atPath: folder.waiting)
    try FileManager.default.moveItem(atPath: elsewhere, toPath: folder.waiting)
    let other = try #require(
      try await store.sql("select digest, version from _larder_attachments where uses = 0").first {
        $0["digest"]?.text.map { !due.hasPrefix($0) } == true
      })
    let mark = "\(folder.waiting)/\(other["digest"]?.text ?? "")-\(other["version"]?.integer ?? 0)"
    try FileManager.default.createDirectory(atPath: mark + "/full", withIntermediateDirectories: true)
    #expect(try await store.collectAttachments(waits: true) == 1)
    #expect(folder.content(of: other["digest"]?.text ?? "") != .absent)
  }

  @Test("files that no row ever refers to go after a day, also while the store stays open")
  func unregistered() async throws {
    var store = try open()
    _ = try await save("one", 1, store)
    let folder = AttachmentFolder(ofStore: file.path)
    let digest = String(repeating: "ab", count: 32)
    try FileManager.default.createDirectory(atPath: folder.shard(of: digest), withIntermediateDirectories: true)
    try Data("left".utf8).write(to: URL(filePath: folder.path(of: digest)))
    #expect(try await store.collectAttachments(waits: true) == 0)
    clock.advance(by: day - 1)
    #expect(try await store.collectAttachments(waits: true) == 0)
    #expect(folder.content(of: digest) == .file(size: 4))
    clock.advance(by: 3601)
    #expect(try await store.collectAttachments(waits: true) == 1)
    #expect(folder.content(of: digest) == .absent)
    await store.close()
    store = try open()
    #expect(try await store.verifyAttachments().isWhole)
  }

  @Test("a clock that was ahead keeps data no longer than a day from now, and one that returns deletes nothing early")
  func clocks() async throws {
    let store = try open()
    let scan = try await save("scan", 1, store)
    clock.advance(by: 365 * day)
    try await store.delete(Letter.self, 1)
    #expect(try await store.collectAttachments(waits: true) == 0)
    clock.advance(by: -365 * day)
    #expect(try await store.collectAttachments(waits: true) == 0)
    clock.advance(by: day - 1)
    #expect(try await store.collectAttachments(waits: true) == 0)
    #expect(try await store.data(of: scan) == Data("scan".utf8))
    clock.advance(by: 1)
    #expect(try await store.collectAttachments(waits: true) == 1)
  }

  @Test("the collector that works by itself lets data wait, as the store is configured by default")
  func byItself() async throws {
    func open() throws -> Store { try Store(at: file.path, for: Letter.self, LetterBox.self) }
    let (older, newer) = (file.folder.appending(component: "older"), file.folder.appending(component: "newer"))
    var store = try open()
    _ = try await save("one", 1, store)
    try store.blocking.checkpoint()
    await store.close()
    try FileManager.default.copyItem(at: place, to: older)
    store = try open()
    let two = try await save("two", 2, store)
    let folder = AttachmentFolder(ofStore: file.path)
    await store.close()
    try replace(with: older, keeping: newer)
    #expect(waiting.isEmpty)

    store = try open()
    // Its first rounds find data that nothing refers to: it is deleted, or its time begins.
    while waiting.isEmpty, folder.content(of: two.digest) != .absent { await Task.yield() }
    await store.close()
    try replace(with: newer)
    store = try open()
    #expect(try await store.data(of: two) == Data("two".utf8))
    #expect(try await store.verifyAttachments().isWhole)
  }

  @Test("data stays for the time that the store is configured with", arguments: [3_600.0, 604_800.0])
  func configured(seconds: Double) async throws {
    let store = try open(retention: .seconds(seconds))
    _ = try await save("scan", 1, store)
    try await store.delete(Letter.self, 1)
    #expect(try await store.collectAttachments(waits: true) == 0)
    clock.advance(by: seconds - 1)
    #expect(try await store.collectAttachments(waits: true) == 0)
    clock.advance(by: 1)
    #expect(try await store.collectAttachments(waits: true) == 1)
  }

  @Test("without a time, data goes at once")
  func none() async throws {
    let store = try open(retention: .zero)
    _ = try await save("scan", 1, store)
    try await store.delete(Letter.self, 1)
    #expect(try await store.collectAttachments(waits: true) == 1)
  }

  @Test("a backup has no data that waits, and no times")
  func backups() async throws {
    let store = try open()
    _ = try await save("one", 1, store)
    _ = try await save("two", 2, store)
    try await store.delete(Letter.self, 1)
    #expect(try await store.collectAttachments(waits: true) == 0)
    let copy = file.folder.appending(component: "copy.larder").path
    try await store.backup(to: copy)
    let restored = try Store(at: copy, for: Letter.self, LetterBox.self)
    #expect(AttachmentFolder.names(in: AttachmentFolder(ofStore: copy).waiting).isEmpty)
    #expect(try await restored.verifyAttachments().isWhole)
    let digests = AttachmentFolder(ofStore: copy)
    #expect(digests.shards().flatMap(digests.digests).count == 1)
  }
}
