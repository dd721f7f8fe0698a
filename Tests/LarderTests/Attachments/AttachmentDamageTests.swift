import Foundation
import Testing

@testable import Larder

private typealias Attachment = Larder.Attachment

@Suite("Attachments: damage and full disks", .timeLimit(.minutes(20)))
struct AttachmentDamageTests {
  private let kept: AttachmentStore
  private var store: Store { kept.store }

  init() throws { kept = try AttachmentStore() }

  /// An attachment that letter 1 has and a card names, and the path of its file.
  private func saved(_ bytes: Data = .sample(1000)) async throws -> (Attachment, String) {
    let attachment = try await store.attach(bytes)
    try await store.save(Letter(id: 1, scan: attachment))
    try await store.documents("cards", of: LetterPage.self).save("a", LetterPage(number: 1, images: ["x": attachment]))
    return (attachment, try await store.url(for: attachment).path)
  }

  private let references: Set<AttachmentReport.Reference> = [
    AttachmentReport.Reference(table: "Letter", key: ["id": 1]),
    AttachmentReport.Reference(table: "cards", key: ["key": "a"]),
  ]

  @Test("a file that somebody deleted is reported with the rows that name it, and can be attached again")
  func missing() async throws {
    let (attachment, path) = try await saved()
    try FileManager.default.removeItem(atPath: path)
    let report = try await store.verifyAttachments()
    #expect(report.missing.map(\.digest) == [attachment.digest])
    #expect(Set(report.missing.flatMap(\.references)) == references)
    #expect(report.damaged.isEmpty)
    #expect(try store.blocking.verifyAttachments() == report)
    let error = await #expect(throws: StoreError.self) { try await store.data(of: attachment) }
    #expect(error?.code == .notFound)
    _ = try await store.attach(Data.sample(1000))
    #expect(try await store.verifyAttachments().isWhole)
    #expect(try await store.data(of: attachment) == Data.sample(1000))
  }

  @Test(
    "a damaged file is an error and is reported, whether it is shorter, longer, changed or a link", arguments: 0..<4)
  func damaged(kind: Int) async throws {
    let (attachment, path) = try await saved()
    try FileManager.default.removeItem(atPath: path)
    switch kind {
    case 0: try Data.sample(999).write(to: URL(filePath: path))
    case 1: try (Data.sample(1000) + [0]).write(to: URL(filePath: path))
    case 2: try (Data.sample(999) + [0]).write(to: URL(filePath: path))
    default:
      let target = kept.file.folder.appending(component: "target").path
      try Data.sample(1000).write(to: URL(filePath: target))
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
    }
    let report = try await store.verifyAttachments()
    #expect(report.missing.isEmpty)
    #expect(report.damaged.map(\.digest) == [attachment.digest])
    #expect(Set(report.damaged.flatMap(\.references)) == references)
    let error = await #expect(throws: StoreError.self) { try await store.data(of: attachment) }
    #expect(error?.code == .corrupt)
    await #expect(throws: StoreError.self) { for try await _ in store.bytes(of: attachment) {} }
    await #expect(throws: StoreError.self) { try await store.backup(to: kept.file.folder.appending(component: "copy")) }
    #expect(try kept.file.names.filter { $0.hasPrefix("copy") }.isEmpty)
    _ = try await store.attach(Data.sample(1000))
    #expect(try await store.verifyAttachments().isWhole)
    #expect(try await store.data(of: attachment) == Data.sample(1000))
  }

  @Test("bytes that were read are not checked again until their file changes, by whatever little")
  func checkedOnce() async throws {
    let (attachment, path) = try await saved()
    let checked = store.environment.attachments.checked
    func version() throws -> FileVersion { try #require(AttachmentFile(path, O_RDONLY).version) }
    _ = try await store.data(of: attachment)
    #expect(try checked.contains(attachment.digest, version()))
    #expect(try await store.data(of: attachment) == Data.sample(1000))

    chmod(path, 0o644)
    let file = try FileHandle(forWritingTo: URL(filePath: path))
    try file.write(contentsOf: Data([1]))
    try file.close()
    var times = [timespec(tv_sec: 0, tv_nsec: 0), timespec(tv_sec: 0, tv_nsec: 0)]
    utimensat(AT_FDCWD, path, &times, 0)
    #expect(try !checked.contains(attachment.digest, version()))
    let error = await #expect(throws: StoreError.self) { try await store.data(of: attachment) }
    #expect(error?.code == .corrupt)
  }

  @Test(
    "who attaches bytes that are known syncs the file and its folders too, for whoever placed them may not have got so far"
  )
  func knownBytesAreSynced() async throws {
    let (attachment, path) = try await saved()
    let folder = store.environment.attachments.folder
    let placement = try folder.placement(of: attachment.digest)
    #expect(try #require(placement.file?.version) == AttachmentFile(path, O_RDONLY).version)
    #expect(Set(placement.folders) == [folder.path, folder.shard(of: attachment.digest)])
    // The same holds for bytes that nobody has registered yet.
    let draft = try AttachmentDraft(in: folder, Data.sample(1000))
    let named = try folder.name(draft, draft.digest())
    #expect(named.file?.version == placement.file?.version)
    #expect(named.folders.contains(folder.shard(of: attachment.digest)))
  }

  @Test("a store forgets which files it has checked before they are too many")
  func checkedMany() {
    var status = stat()
    status.st_size = 1
    let checked = CheckedFiles(isKept: false)
    let second: Int64 = 1_000_000_000
    for number in 0..<10_001 { checked.insert("\(number)", FileVersion(status), resolution: second) }
    #expect(checked.contains("10000", FileVersion(status)))
    #expect(!checked.contains("0", FileVersion(status)))
    status.st_ino = 1
    #expect(!checked.contains("10000", FileVersion(status)))
    // A file that has just changed may change once more at the same time.
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    for (time, nanosecond) in [(now.tv_sec + 3600, 1), (now.tv_sec - 2, 1), (now.tv_sec - 2, 0)] {
      status.setChangeTime(to: time, nanosecond)
      checked.insert("young", FileVersion(status), resolution: FileVersion.coarsest)
      #expect(!checked.contains("young", FileVersion(status)))
    }
    // Whole seconds are those of a file system that has no others, whatever it could have.
    checked.insert("young", FileVersion(status), resolution: second)
    #expect(!checked.contains("young", FileVersion(status)))
    status.setChangeTime(to: now.tv_sec - 2, 1)
    checked.insert("young", FileVersion(status), resolution: second)
    #expect(checked.contains("young", FileVersion(status)))
    status.setChangeTime(to: now.tv_sec - 4, 0)
    checked.insert("old", FileVersion(status), resolution: second)
    #expect(checked.contains("old", FileVersion(status)))
  }

  @Test("files that nobody has registered are orphans, which opening collects; strangers are left alone")
  func orphans() async throws {
    let (attachment, path) = try await saved()
    let shard = kept.folder + "/0"
    try FileManager.default.createDirectory(atPath: shard, withIntermediateDirectories: true)
    let orphan = shard + "/" + String(repeating: "0", count: 63)
    for file in [orphan, kept.folder + "/tmp/left", shard + "/readme.txt"] {
      try Data("x".utf8).write(to: URL(filePath: file))
    }
    let store = try kept.reopen()
    #expect(try await store.verifyAttachments().orphaned.count == 2)
    #expect(try await store.collectAttachments() == 2)
    #expect(try await store.verifyAttachments().orphaned.isEmpty)
    #expect(FileManager.default.fileExists(atPath: shard + "/readme.txt"))
    #expect(FileManager.default.fileExists(atPath: path))
    #expect(try await store.data(of: attachment).count == 1000)
  }

  @Test(
    "bytes that are collected before they are registered are placed anew, whatever they were written from",
    arguments: [true, false])
  func placedAnew(atOnce: Bool) throws {
    let folder = AttachmentFolder(ofStore: kept.file.path)
    let bytes = Data.sample(100_000)
    let draft = atOnce ? try AttachmentDraft(in: folder, bytes) : try AttachmentDraft(in: folder)
    if !atOnce { try draft.append(bytes) }
    let digest = draft.digest()
    #expect(digest == Attachment.digest(of: bytes))
    for _ in 1...3 {
      try folder.place(draft, digest)
      #expect(try folder.isWhole(digest, size: bytes.count))
      #expect(AttachmentFolder.names(in: folder.temporary).isEmpty)
      try folder.remove(digest)
    }
    #expect(folder.content(of: digest) == .absent)
  }

  @Test("the whole folder can be missing")
  func noFolder() async throws {
    let (attachment, _) = try await saved()
    try FileManager.default.removeItem(atPath: kept.folder)
    #expect(try await store.verifyAttachments().missing.count == 1)
    try await store.deleteAll(Letter.all)
    let other = try await store.attach(Data.sample(7))
    #expect(try await store.data(of: other) == Data.sample(7))
    try await store.documents("cards", of: LetterPage.self).deleteCollection()
    withExtendedLifetime(attachment) {}
  }

  @Test("a backup has its attachments, of the moment at which it was made")
  func backup() async throws {
    let (attachment, _) = try await saved()
    _ = try await store.attach(Data.sample(5))
    let copy = kept.file.folder.appending(component: "copy.larder")
    try await store.backup(to: copy)
    try store.blocking.backup(to: kept.file.folder.appending(component: "second"))
    try await store.deleteAll(Letter.all)
    try await store.documents("cards").deleteCollection()
    for name in ["copy.larder", "second"] {
      let restored = try Store(at: kept.file.folder.appending(component: name), for: Letter.self, LetterBox.self)
      restored.attachmentCollector.stop()
      #expect(
        try await restored.verifyAttachments()
          == {
            var report = AttachmentReport(); report.count = 1; return report
          }())
      #expect(try await restored.data(of: attachment) == Data.sample(1000))
      #expect(try await restored.deleteAll(Letter.all) == 1)
      #expect(try await restored.collectAttachments() == 0)
      try await restored.documents("cards").deleteCollection()
      #expect(try await restored.collectAttachments() == 1)
    }
    let error = await #expect(throws: StoreError.self) { try await store.backup(to: copy) }
    #expect(error?.code == .duplicate)
    let names = try kept.file.names
    #expect(names.filter { $0.contains("partial") }.isEmpty)
  }

  @Test("migrations that drop tables and columns let go of what was in them, and what a model has left keeps its bytes")
  func migrations() async throws {
    let (_, _) = try await saved()
    try await store.save(
      Letter(id: 2, pages: [LetterPage(number: 1, images: ["x": try await store.attach(Data.sample(3))])]))
    func open(_ migrations: [Migration]) throws -> Store {
      let store = try Store(
        at: kept.file.path, for: ShortLetter.self, configuration: Store.Configuration(migrations: migrations))
      store.attachmentCollector.stop()
      return store
    }
    let uses: SQL = "select group_concat(uses) as uses from (select uses from _larder_attachments order by size)"
    #expect(try await open([]).sql(uses).first?["uses"]?.text == "1,2")
    let drop = Migration("drop") { db in
      try db.sql("alter table Letter drop column scan")
      try db.documents("cards").deleteCollection()
    }
    let migrated = try open([drop])
    #expect(try await migrated.sql(uses).first?["uses"]?.text == "1,0")
    try await migrated.deleteAll(ShortLetter.all)
    #expect(try await migrated.sql(uses).first?["uses"]?.text == "0,0", "a column that has left the model still counts")
  }

  @Test("an existing file takes no attachment, and answers what it has")
  func existing() async throws {
    let (attachment, _) = try await saved()
    let store = try Store(at: kept.file.path, for: Letter.self, LetterBox.self, schema: .existing)
    #expect(try await store.find(Letter.self, 1)?.scan == attachment)
    #expect(try await store.data(of: attachment).count == 1000)
    let error = await #expect(throws: StoreError.self) { try await store.attach(Data()) }
    #expect(error?.code == .unsupported)
    #expect(try Store.plan(at: kept.file.path, for: Letter.self, LetterBox.self).steps.isEmpty)
  }

  @Test("a stream that fails or is cancelled leaves nothing behind")
  func failing() async throws {
    struct Broken: Error {}
    let failing = AsyncThrowingStream<[UInt8], any Error> { continuation in
      continuation.yield([UInt8](repeating: 1, count: 300_000))
      continuation.finish(throwing: Broken())
    }
    await #expect(throws: Broken.self) { try await store.attach(failing) }
    let (endless, continuation) = AsyncStream<Data>.makeStream()
    let (started, start) = AsyncStream<Void>.makeStream()
    let task = Task { [store] in try await store.attach(endless) { _ in start.finish() } }
    continuation.yield(Data(count: 1 << 19))
    for await _ in started {}
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    // The thread that was writing lets go of its file a moment after the call has ended.
    while !kept.temporaryFiles.isEmpty { await Task.yield() }
    #expect(kept.files.isEmpty)
    for path in ["/nowhere/at/all", kept.file.folder.path] {
      await #expect(throws: StoreError.self) { try await store.attach(contentsOf: path) }
    }
    #expect(kept.temporaryFiles.isEmpty)
  }

  @Test("a hundred megabytes go in and out in bounded memory, with progress")
  func large() async throws {
    let file = kept.file
    let child = try ChildProcess("large", file.path, 100)
    let lines = await child.rest()
    #expect(await child.status() == 0)
    #expect(lines.first == "104857600 104857600")
    let growth = try #require(lines.last.flatMap(Int.init))
    #expect(growth < 24 << 20, "the memory grew by \(growth) bytes")
  }
}

@Model("Letter")
private struct ShortLetter {
  var id: Int
  var title: String = ""
}

extension stat {
  /// Sets when the file was changed, in seconds since 1970.
  fileprivate mutating func setChangeTime(to seconds: Int, _ nanosecond: Int) {
    let time = timespec(tv_sec: seconds, tv_nsec: nanosecond)
    #if canImport(Darwin)
    st_ctimespec = time
    #else
    st_ctim = time
    #endif
  }
}
