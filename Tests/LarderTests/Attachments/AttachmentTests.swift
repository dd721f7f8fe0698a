import Foundation
import Testing

@testable import Larder

// The testing library has a type of the same name.
private typealias Attachment = Larder.Attachment

@Suite("Attachments", .timeLimit(.minutes(20)))
struct AttachmentTests {
  private let kept: AttachmentStore
  private var store: Store { kept.store }

  init() throws { kept = try AttachmentStore() }

  @Test(
    "D5: bytes come back whole, by range, as a stream and as a file; nil and empty ones too",
    arguments: [0, 1, 100_000, 1_000_003])
  func reading(size: Int) async throws {
    let bytes = Data.sample(size)
    let attachment = try await store.attach(bytes, name: "scan.png", mediaType: "image/png")
    #expect(attachment.size == size)
    try await store.save(Letter(id: 1, scan: attachment))
    try await store.save(Letter(id: 2))
    let letter = try #require(try await store.find(Letter.self, 1))
    let scan = try #require(letter.scan)
    #expect(scan == attachment)
    #expect(scan.fileName == "scan.png")
    #expect(scan.mediaType == "image/png")
    #expect(try await store.data(of: scan) == bytes)
    #expect(try store.blocking.data(of: scan) == bytes)
    #expect(try await store.read { try $0.data(of: scan) } == bytes)
    #expect(try Data(contentsOf: await store.url(for: scan)) == bytes)
    var streamed = Data()
    for try await chunk in store.bytes(of: scan) { streamed += chunk }
    #expect(streamed == bytes)
    let range = size / 3..<size - size / 4
    #expect(try await store.data(of: scan, range: range) == bytes[range])
    await #expect(throws: StoreError.self) { try await store.data(of: scan, range: 0..<size + 1) }
    await #expect(throws: StoreError.self) { try await store.data(of: scan, range: -1..<0) }
    #expect(try await store.find(Letter.self, 2)?.scan == nil)
    #expect(try await store.verifyAttachments().isWhole)
    #expect(try await store.fetch(Letter.where { $0.scan == attachment }).map(\.id) == [1])
  }

  @Test("equal bytes are stored once, however they come")
  func once() async throws {
    let bytes = Data.sample(700_000)
    let path = kept.file.folder.appending(component: "in.bin")
    try bytes.write(to: path)
    let (chunks, continuation) = AsyncStream<ArraySlice<UInt8>>.makeStream()
    for start in stride(from: 0, to: bytes.count, by: 9_999) {
      continuation.yield(Array(bytes)[start..<min(start + 9_999, bytes.count)])
    }
    continuation.finish()
    let all = [
      try await store.attach(bytes), try await store.attach(contentsOf: path), try await store.attach(chunks),
      try store.blocking.attach(bytes), try store.blocking.attach(contentsOf: path.path),
    ]
    #expect(Set(all.map(\.digest)).count == 1)
    #expect(all.map(\.fileName) == [nil, "in.bin", nil, nil, "in.bin"])
    #expect(kept.files == [all[0].digest])
    #expect(kept.temporaryFiles.isEmpty)
    #expect(try Data(contentsOf: path) == bytes)
  }

  @Test("bytes that are in their place leave no temporary file, although their draft is still kept")
  func placed() throws {
    let folder = AttachmentFolder(ofStore: kept.file.path)
    let drafts = try (0..<2).map { _ in try AttachmentDraft(in: folder, Data("kept".utf8)) }
    // Where the file system has files without names, drafts have none.
    #expect([0, 2].contains(kept.temporaryFiles.count))
    for draft in drafts { try folder.place(draft, draft.digest()) }
    #expect(kept.temporaryFiles.isEmpty)
    // A draft whose file was deleted meanwhile is written again.
    try folder.remove(drafts[1].digest())
    try folder.place(drafts[1], drafts[1].digest())
    #expect(try folder.isWhole(drafts[1].digest(), size: 4))
    #expect(kept.temporaryFiles.isEmpty)
    withExtendedLifetime(drafts) {}
  }

  @Test("the bytes go when the last of models, nested JSON and documents lets go, and not before")
  func collected() async throws {
    let attachment = try await store.attach(Data.sample(1000))
    let page = LetterPage(number: 1, images: ["left": attachment, "right": attachment])
    try await store.save(LetterBox(id: 1))
    try await store.save(Letter(id: 1, scan: attachment, box: ToOne(1)))
    try await store.save(Letter(id: 2, pages: [page, page]))
    let documents = store.documents("cards", of: LetterPage.self)
    try await documents.save("a", page)
    #expect(try kept.uses(attachment) == 7)
    try await store.save(Letter(id: 2, pages: [page]))
    #expect(try kept.uses(attachment) == 5)
    try await documents.save("a", LetterPage(number: 1, images: ["left": attachment]))
    #expect(try kept.uses(attachment) == 4)
    try await store.delete(LetterBox.self, 1)
    #expect(try kept.uses(attachment) == 3, "a row that went by a delete rule lets go")
    try await store.sql("update \(Letter.self) set pages = '[]'")
    #expect(try kept.uses(attachment) == 1)
    #expect(try await store.collectAttachments() == 0)
    #expect(try await store.data(of: attachment).count == 1000)
    try await documents.deleteCollection()
    #expect(try kept.uses(attachment) == 0)
    #expect(try await store.collectAttachments() == 0, "the value that attach returned still lives")
    withExtendedLifetime(attachment) {}
  }

  @Test("values that were attached and never saved keep their bytes while they live")
  func leases() async throws {
    var attachment: Attachment? = try await store.attach(Data.sample(10))
    let digest = try #require(attachment?.digest)
    #expect(try await store.collectAttachments() == 0)
    let other = try kept.reopen()
    #expect(try await other.collectAttachments() == 0, "another process knows of it, too")
    #expect(kept.files == [digest])
    attachment = nil
    #expect(try await store.collectAttachments() == 1)
    #expect(kept.files.isEmpty)
    #expect(try await store.sql("select count(*) as n from _larder_attachments").first?["n"] == 0)
    #expect(try await store.sql("select count(*) as n from _larder_attachment_leases").first?["n"] == 0)
  }

  @Test("an open snapshot keeps what it can still name, and so does an open stream")
  func snapshots() async throws {
    try await store.save(Letter(id: 1, scan: try await store.attach(Data.sample(600_000))))
    let scan = try #require(try await store.find(Letter.self, 1)?.scan)
    // So many that the other one's cursor stays open after its first rows.
    try await store.save((2...1000).map { Letter(id: $0) })
    let reader = try kept.reopen()
    var stream = store.bytes(of: scan).makeAsyncIterator()
    var streamed = try #require(try await stream.next())
    let (opened, open) = AsyncStream<Void>.makeStream()
    let (closed, close) = AsyncStream<Void>.makeStream()
    let cursor = Task {
      for try await letter in reader.stream(Letter.all) where letter.id == 1 {
        open.finish()
        for await _ in closed {}
        return try await reader.data(of: try #require(letter.scan)).count
      }
      return 0
    }
    for await _ in opened {}
    try await store.delete(Letter.self, 1)
    #expect(try await store.collectAttachments() == 0)
    #expect(try await store.attachmentCollector.round(waits: false).isBlocked)
    close.finish()
    #expect(try await cursor.value == 600_000)
    #expect(try await store.collectAttachments() == 1)
    while let chunk = try await stream.next() { streamed += chunk }
    #expect(streamed == Data.sample(600_000))
    let error = await #expect(throws: StoreError.self) { try await store.data(of: scan) }
    #expect(error?.code == .notFound)
  }

  @Test("a row that names bytes which the store does not have is refused, by model and property")
  func refused() async throws {
    let other = try AttachmentStore()
    let foreign = try await other.store.attach(Data.sample(5))
    let error = await #expect(throws: StoreError.self) { try await store.save(Letter(id: 1, scan: foreign)) }
    #expect(error?.code == .referenced)
    #expect(error?.model == "Letter")
    #expect(error?.property == "scan")
    let nested = await #expect(throws: StoreError.self) {
      try await store.save(Letter(id: 1, pages: [LetterPage(number: 1, images: ["a": foreign])]))
    }
    #expect(nested?.property == "pages")
    let document = await #expect(throws: StoreError.self) {
      try await store.documents("cards", of: LetterPage.self).save("a", LetterPage(number: 1, images: ["a": foreign]))
    }
    #expect(document?.model == "cards")
    let context = Context(store)
    context.insert(Letter(id: 3, scan: foreign))
    #expect(throws: StoreError.self) { try context.save() }
    #expect(try await store.count(Letter.all) == 0)
    try await store.save(Letter(id: 1, scan: try await store.attach(Data.sample(5))))
  }

  @Test(
    "names of files are kept as they are and never become paths",
    arguments: ["../x", "/etc/passwd", "a\u{0}b", String(repeating: "é", count: 4096), "CON", "", "."])
  func names(name: String) async throws {
    let before = try kept.file.names
    let attachment = try await store.attach(Data(name.utf8), name: name, mediaType: name)
    try await store.save(Letter(id: 1, scan: attachment, pages: [LetterPage(number: 1, images: [name: attachment])]))
    let letter = try #require(try await store.find(Letter.self, 1))
    #expect(letter.scan?.fileName == name)
    #expect(letter.pages.first?.images[name]?.mediaType == name)
    #expect(try kept.uses(attachment) == 2)
    #expect(try Set(kept.file.names) == Set(before + ["test.larder.attachments"]))
    #expect(kept.files == [attachment.digest])
    try await store.delete(letter)
    #expect(try kept.uses(attachment) == 0)
  }

  @Test(
    "a digest that is none is not decoded",
    arguments: ["../../../etc/passwd", String(repeating: "A", count: 64), String(repeating: "a", count: 63), ""])
  func digests(digest: String) throws {
    let json = Data("{\"larder.attachment\":\"\(digest)\",\"size\":1}".utf8)
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(Attachment.self, from: json) }
  }

  @Test("in memory the bytes live until the store is closed")
  func inMemory() async throws {
    let memory = try Store(inMemoryFor: Letter.self, LetterBox.self)
    memory.attachmentCollector.stop()
    let attachment = try await memory.attach(Data.sample(100))
    try await memory.save(Letter(id: 1, scan: attachment))
    let url = try await memory.url(for: attachment)
    #expect(try await memory.verifyAttachments().isWhole)
    try await memory.backup(to: kept.file.folder.appending(component: "copy"))
    await memory.close()
    #expect(!FileManager.default.fileExists(atPath: url.path))
    let copy = try Store(at: kept.file.folder.appending(component: "copy"), for: Letter.self, LetterBox.self)
    #expect(try await copy.data(of: attachment) == Data.sample(100))
  }
}
