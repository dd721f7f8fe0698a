import Foundation
import Testing

@testable import Larder

private typealias Attachment = Larder.Attachment

/// What a store that is opened later knows of files: it doesn't compute the digest of one that hasn't changed.
@Suite("Attachments: files that are known", .timeLimit(.minutes(20)))
struct AttachmentVersionTests {
  private let file: StoreFile
  private let bytes = Data.sample(1000)

  init() throws { file = try StoreFile() }

  private func open(_ file: StoreFile? = nil, _ configuration: Store.Configuration = .init()) throws -> Store {
    let store = try Store(
      at: (file ?? self.file).path, for: Letter.self, LetterBox.self, configuration: configuration)
    store.attachmentCollector.stop()
    return store
  }

  /// An attachment that letter 1 has, in a store that has been closed since.
  private func saved() async throws -> (Attachment, path: String) {
    let store = try open()
    let attachment = try await store.attach(bytes)
    try await store.save(Letter(id: 1, scan: attachment))
    let path = try await store.url(for: attachment).path
    try await settle(path, store)
    #expect(try await store.data(of: attachment) == bytes)
    await store.close()
    return (attachment, path)
  }

  /// Waits until a change of the file is certain to have another time.
  private func settle(_ path: String, _ store: Store) async throws {
    while try !version(path).isSettled(store.environment.attachments.folder.resolution) { await Task.yield() }
  }

  private func version(_ path: String) throws -> FileVersion { try #require(AttachmentFile(path, O_RDONLY).version) }

  /// Reads the attachment of letter 1 in a new store, and returns how many digests that took.
  private func digestsOfReading(
    in file: StoreFile? = nil, _ configuration: Store.Configuration = .init(),
    _ read: (Store, Attachment) async throws -> Data
  ) async throws -> Int {
    let store = try open(file, configuration)
    let attachment = try #require(try await store.find(Letter.self, 1)?.scan)
    if store.configuration.access != .readOnly { try await settle(store.url(for: attachment).path, store) }
    #expect(try await read(store, attachment) == bytes)
    let count = store.environment.attachments.checked.computedDigests
    await store.close()
    return count
  }

  private func known(_ file: StoreFile? = nil) throws -> Int {
    try (file ?? self.file).sql("select digest from _larder_attachment_files").count
  }

  @Test("a store that is opened later reads without computing digests, by every way of reading")
  func reopened() async throws {
    let (_, _) = try await saved()
    #expect(try known() == 1)
    #expect(try await digestsOfReading { try await $0.data(of: $1) } == 0)
    #expect(try await digestsOfReading { try $0.blocking.data(of: $1) } == 0)
    #expect(
      try await digestsOfReading { store, attachment in try store.blocking.read { try $0.data(of: attachment) } } == 0)
    #expect(
      try await digestsOfReading { store, attachment in try await store.write { try $0.data(of: attachment) } } == 0)
    #expect(
      try await digestsOfReading { store, attachment in
        try #require(try await store.piece(ofAttachment: attachment.digest, size: attachment.size, from: 0))
      } == 0)
    #expect(
      try await digestsOfReading { store, attachment in
        try #require(try await store.attach(Data.sample(1000)) == attachment)
        return try await store.data(of: attachment)
      } == 0)
  }

  @Test("data is known from the moment it is attached, however it is, where files can be written without a name")
  func attached() async throws {
    let store = try open()
    let folder = store.environment.attachments.folder
    try folder.create()
    guard try folder.unnamedFile() != nil else { return }
    let source = file.folder.appending(component: "source")
    try Data.sample(2000).write(to: source)
    let chunks = AsyncStream { continuation in
      continuation.yield(Data.sample(500))
      continuation.finish()
    }
    var attachments = [
      try await store.attach(bytes), try await store.attach(contentsOf: source), try await store.attach(chunks),
      try store.blocking.attach(Data.sample(10)),
    ]
    attachments.append(try await store.write { try $0.attach(Data.sample(11)) })
    let images = Dictionary(uniqueKeysWithValues: attachments.map { ($0.digest, $0) })
    try await store.save(Letter(id: 1, pages: [LetterPage(number: 1, images: images)]))
    for attachment in attachments { #expect(try await store.data(of: attachment).count == attachment.size) }
    #expect(store.environment.attachments.checked.computedDigests == 0)
    await store.close()
    #expect(try known() == 5)
    let later = try open()
    #expect(try await later.count(Letter.all) == 1)
    for attachment in attachments { #expect(try await later.data(of: attachment).count == attachment.size) }
    #expect(later.environment.attachments.checked.computedDigests == 0)
  }

  @Test("what is known is saved while the store is open, without a call")
  func savedSoon() async throws {
    let store = try Store(at: file.path, for: Letter.self, LetterBox.self)
    let attachment = try await store.attach(bytes)
    try await store.save(Letter(id: 1, scan: attachment))
    try await settle(store.url(for: attachment).path, store)
    _ = try await store.data(of: attachment)
    while try known() == 0 { await Task.yield() }
  }

  @Test("what is known of data before it is registered is saved afterwards, and forgotten if nobody registers it")
  func early() async throws {
    let store = try open()
    let storage = store.environment.attachments
    try storage.folder.create()
    guard try storage.folder.unnamedFile() != nil else { return }
    let draft = try AttachmentDraft(in: storage.folder, bytes)
    var lease: AttachmentLease? = storage.leases.begin(draft.digest())
    storage.didSync(digest: draft.digest(), try storage.folder.place(draft, draft.digest()))
    #expect(try await !store.attachmentCollector.saveVersions())
    let attachment = try await store.attach(bytes)
    #expect(try await store.attachmentCollector.saveVersions())
    #expect(try known() == 1)
    withExtendedLifetime((lease, attachment)) {}

    let other = try AttachmentDraft(in: storage.folder, Data.sample(10))
    lease = storage.leases.begin(other.digest())
    storage.didSync(digest: other.digest(), try storage.folder.place(other, other.digest()))
    #expect(try await !store.attachmentCollector.saveVersions())
    lease = nil
    #expect(try await store.attachmentCollector.saveVersions())
    #expect(try known() == 1)
  }

  @Test("a change of the same size is found, even if the time of writing is set back", arguments: [true, false])
  func changed(setsBack: Bool) async throws {
    let (attachment, path) = try await saved()
    var status = stat()
    #expect(lstat(path, &status) == 0)
    chmod(path, 0o644)
    let handle = try FileHandle(forWritingTo: URL(filePath: path))
    try handle.write(contentsOf: Data([1]))
    try handle.close()
    if setsBack {
      #if canImport(Darwin)
      let times = [status.st_mtimespec, status.st_mtimespec]
      #else
      let times = [status.st_mtim, status.st_mtim]
      #endif
      #expect(utimensat(AT_FDCWD, path, times, 0) == 0)
    }
    let store = try open()
    #expect(try await store.count(Letter.all) == 1)
    let error = await #expect(throws: StoreError.self) { try await store.data(of: attachment) }
    #expect(error?.code == .corrupt)
    _ = try await store.attach(bytes)
    #expect(try await store.data(of: attachment) == bytes)
  }

  @Test("a write in the same moment as the placing of a file makes another version")
  func sameMoment() throws {
    let store = try open()
    let folder = store.environment.attachments.folder
    try folder.create()
    let path = folder.newTemporaryPath()
    let file = try AttachmentFile(path, O_RDWR | O_CREAT | O_EXCL)
    try Data([1]).withUnsafeBytes { try file.write($0) }
    let placed = try #require(file.backdate())
    #expect(file.version == placed)
    #expect(pwrite(file.descriptor, [2 as UInt8], 1, 0) == 1)
    let changed = try #require(file.version)
    #expect(changed.saved.modified > placed.saved.modified)
    #expect(!changed.hasContents(of: placed))
  }

  @Test("a file that was replaced is verified anew: once if it has the data, and found if it hasn't")
  func replaced() async throws {
    let (attachment, path) = try await saved()
    try FileManager.default.removeItem(atPath: path)
    try bytes.write(to: URL(filePath: path))
    #expect(try await digestsOfReading { try await $0.data(of: $1) } == 1)
    #expect(try await digestsOfReading { try await $0.data(of: $1) } == 0)
    try FileManager.default.removeItem(atPath: path)
    try Data.sample(1000, seed: 2).write(to: URL(filePath: path))
    let store = try open()
    #expect(try await store.count(Letter.all) == 1)
    await #expect(throws: StoreError.self) { try await store.data(of: attachment) }
  }

  @Test("in a copy of the store and its folder, each file is verified once")
  func copied() async throws {
    let (_, _) = try await saved()
    let copy = try StoreFile()
    try FileManager.default.copyItem(atPath: file.path, toPath: copy.path)
    try FileManager.default.copyItem(atPath: file.path + ".attachments", toPath: copy.path + ".attachments")
    #expect(try await digestsOfReading(in: copy) { try await $0.data(of: $1) } == 1)
    #expect(try await digestsOfReading(in: copy) { try await $0.data(of: $1) } == 0)
    #expect(try await digestsOfReading { try await $0.data(of: $1) } == 0)
  }

  @Test("in a file of an earlier version each file is verified once, and that is known from then on")
  func earlierVersion() async throws {
    let (_, _) = try await saved()
    _ = try file.sql("drop table _larder_attachment_files")
    #expect(try await digestsOfReading { try await $0.data(of: $1) } == 1)
    #expect(try known() == 1)
    #expect(try await digestsOfReading { try await $0.data(of: $1) } == 0)
  }

  @Test("a store that may not write, or whose tables are not Larder's, uses what is known and adds nothing")
  func readOnly() async throws {
    let (attachment, _) = try await saved()
    let readOnly = Store.Configuration(access: .readOnly)
    #expect(try await digestsOfReading(readOnly) { try await $0.data(of: $1) } == 0)
    _ = try file.sql("delete from _larder_attachment_files")
    #expect(try await digestsOfReading(readOnly) { try await $0.data(of: $1) } == 1)
    #expect(try known() == 0)
    let existing = try Store(at: file.path, for: Letter.self, LetterBox.self, schema: .existing)
    #expect(try await existing.data(of: attachment) == bytes)
    await existing.close()
    #expect(try known() == 0)
  }

  @Test("a backup knows its own files")
  func backup() async throws {
    let (_, _) = try await saved()
    let store = try open()
    let copy = try StoreFile()
    try await store.backup(to: copy.path)
    let folder = store.environment.attachments.folder
    let expected = try folder.unnamedFile() == nil ? 1 : 0
    #expect(try known(copy) == 1 - expected)
    #expect(try await digestsOfReading(in: copy) { try await $0.data(of: $1) } == expected)
    #expect(try await digestsOfReading(in: copy) { try await $0.data(of: $1) } == 0)
  }

  @Test("what is known of a file goes with it")
  func collected() async throws {
    let (_, _) = try await saved()
    let store = try open()
    try await store.deleteAll(Letter.all)
    #expect(try await store.collectAttachments() == 1)
    #expect(try known() == 0)
  }

  @Test("verifyAttachments() and check() read every file, whatever is known of it")
  func silentDamage() async throws {
    let (attachment, path) = try await saved()
    chmod(path, 0o644)
    let handle = try FileHandle(forWritingTo: URL(filePath: path))
    try handle.write(contentsOf: Data([1]))
    try handle.close()
    let store = try open()
    let version = try version(path)
    _ = try await store.writer.perform { try AttachmentTable($0).save([attachment.digest: version]) }
    #expect(try await store.verifyAttachments().damaged.map(\.digest) == [attachment.digest])
    #expect(try await store.check().findings.map(\.kind) == [.damagedAttachment])
  }
}
