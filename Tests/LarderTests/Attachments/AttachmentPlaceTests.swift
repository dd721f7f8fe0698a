import Foundation
import LarderArchive
import Testing

@testable import Larder

// The testing library has a type of the same name.
private typealias Attachment = Larder.Attachment

@Model(expires: true)
private struct Ticket {
  var id: Int
  var pages: [LetterPage] = []
  var scan: Attachment?
}

/// Where the data of attachments is, who may read it, and what stands in for the tables that refer to it.
@Suite("Attachments: places and permissions", .timeLimit(.minutes(20)))
struct AttachmentPlaceTests {
  private let file: StoreFile

  init() throws { file = try StoreFile() }

  private func open(_ path: String? = nil) throws -> Store {
    let store = try Store(at: path ?? file.path, for: Letter.self, LetterBox.self)
    store.attachmentCollector.stop()
    return store
  }

  private func mode(_ path: String) throws -> Int {
    try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
  }

  @Test("the first attachment of a store whose rows expire is counted, also in rows that have expired")
  func expiring() async throws {
    let store = try Store(at: file.path, for: Ticket.self)
    store.attachmentCollector.stop()
    try await store.save(Ticket(id: 1), expires: .now.addingTimeInterval(1000))
    let scan = try await store.attach(Data("scan".utf8))
    try await store.save(
      [Ticket(id: 1, scan: scan), Ticket(id: 2, pages: [LetterPage(number: 1, images: ["a": scan])])],
      expires: .now.addingTimeInterval(1000))
    let uses = SQL("select uses from _larder_attachments")
    #expect(try await store.sql(uses).first?["uses"] == 2)
    #expect(try await store.setExpiry(of: Ticket.self, 1, to: .now.addingTimeInterval(-1)))
    _ = try await store.removeExpired()
    #expect(try await store.sql(uses).first?["uses"] == 1)
  }

  @Test("a backup follows a link to the folder of attachments")
  func linkedFolder() async throws {
    let elsewhere = file.folder.appending(component: "elsewhere").path
    let bytes = Data.sample(100_000)
    let store = try open()
    try await store.save(Letter(id: 1, scan: try await store.attach(bytes)))
    try FileManager.default.moveItem(atPath: file.path + ".attachments", toPath: elsewhere)
    try FileManager.default.createSymbolicLink(atPath: file.path + ".attachments", withDestinationPath: elsewhere)
    let copy = file.folder.appending(component: "copy.larder").path
    try await store.backup(to: copy)
    let restored = try open(copy)
    let scan = try #require(try await restored.find(Letter.self, 1)?.scan)
    #expect(try await restored.data(of: scan) == bytes)
    // Through the link, more can be attached as well.
    try await store.save(Letter(id: 2, scan: try await store.attach(Data("more".utf8))))
    #expect(try await store.verifyAttachments().isWhole)
  }

  @Test(
    "a backup of a store whose folder, or one of whose files, is missing is an error, and leaves nothing",
    arguments: [true, false])
  func missing(isFolder: Bool) async throws {
    let store = try open()
    let scan = try await store.attach(Data("bytes".utf8))
    try await store.save(Letter(id: 1, scan: scan))
    let folder = file.path + ".attachments"
    try FileManager.default.removeItem(
      atPath: isFolder ? folder : "\(folder)/\(scan.digest.prefix(1))/\(scan.digest.dropFirst())")
    let names = try file.names
    let error = await #expect(throws: StoreError.self) {
      try await store.backup(to: file.folder.appending(component: "copy.larder").path)
    }
    #expect(error?.code == .notFound)
    #expect(try file.names == names)
  }

  @Test("a store that is opened by a link, or before the file that a link names exists, has one folder")
  func links() async throws {
    let (link, folder) = (
      file.folder.appending(component: "link.larder").path, file.folder.appending(component: "folder")
    )
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "test.larder")
    try FileManager.default.createSymbolicLink(atPath: folder.path, withDestinationPath: file.folder.path)
    let store = try open(link)
    #expect(store.path == file.path)
    let scan = try await store.attach(Data("bytes".utf8))
    try await store.save(Letter(id: 1, scan: scan))
    for path in [file.path, link, folder.appending(component: "test.larder").path] {
      #expect(try await open(path).data(of: scan) == Data("bytes".utf8))
    }
    #expect(try file.names.filter { $0.hasSuffix(".attachments") } == ["test.larder.attachments"])
  }

  @Test("a store that was opened by a relative path keeps its place when the process goes to another folder")
  func relative() async throws {
    let child = try ChildProcess("moveAway", file.path)
    #expect(await child.line() == "saved")
    let store = try open()
    let content = try #require(try await store.sql("select content from Parcel").first?["content"]?.text)
    #expect(content.contains("larder.attachment"))
    #expect(try file.names.contains("test.larder.attachments"))
    #expect(try await store.verifyAttachments().isWhole)
  }

  @Test("attachments and backups are no more open than the store", arguments: [0o600, 0o640, 0o644])
  func permissions(mode storeMode: Int) async throws {
    _ = try open()
    try FileManager.default.setAttributes([.posixPermissions: storeMode], ofItemAtPath: file.path)
    let store = try open()
    let scan = try await store.attach(Data("bytes".utf8))
    try await store.save(Letter(id: 1, scan: scan))
    let copy = file.folder.appending(component: "copy.larder").path
    try await store.backup(to: copy)
    // Data that waits to be deleted.
    try await store.save(Letter(id: 2, scan: try await store.attach(Data("unused".utf8))))
    try await store.delete(Letter.self, 2)
    func waiting() -> [String] { AttachmentFolder.names(in: AttachmentFolder(ofStore: file.path).waiting) }
    // As long as a reader is about to end, nothing is found.
    for _ in 0..<1000 where waiting().isEmpty {
      #expect(try await store.collectAttachments(waits: true) == 0)
    }
    #expect(waiting().count == 1)
    for path in [file.path, copy] {
      #expect(try mode(path) & ~storeMode == 0, "\(path)")
      let places = try #require(FileManager.default.enumerator(atPath: path + ".attachments"))
      // A folder may be entered by those who may read.
      let folderMode = storeMode | 0o100 | (storeMode & 0o044) >> 2
      #expect(try mode(path + ".attachments") & ~folderMode == 0, "\(path)")
      var count = 0
      for case let name as String in places {
        count += 1
        #expect(try mode("\(path).attachments/\(name)") & ~folderMode == 0, "\(name)")
      }
      #expect(count >= 2)
    }
  }

  @Test("an exported package is no more open than the store and its folder", arguments: [0o600, 0o640, 0o644])
  func exported(mode storeMode: Int) async throws {
    let store = try open()
    let letter = Letter(id: 1, scan: try await store.attach(Data("bytes".utf8)))
    try await store.save(letter)
    try FileManager.default.setAttributes([.posixPermissions: storeMode], ofItemAtPath: file.path)
    let folder = try PackageFolder(at: file.folder.appending(component: "letters"), extension: "letter")
    let package = try await store.export(letter, to: folder)
    #expect(try mode(package.url.path) == storeMode & 0o644 | 0o100 | (storeMode & 0o044) >> 2)
    let places = try #require(FileManager.default.enumerator(atPath: package.url.path))
    var count = 0
    for case let name as String in places {
      count += 1
      #expect(try mode(package.url.appending(path: name).path) == storeMode & 0o644, "\(name)")
    }
    // The row, the attachment and the list of parts.
    #expect(count == 3)
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.url.path)
    let closed = try await store.export(letter, to: folder)
    #expect(try mode(closed.url.path) == 0o700 && mode(closed.url.appending(path: "row").path) == 0o600)
  }

  @Test("a folder that was more open than its store is closed with the next attachment")
  func closed() async throws {
    let store = try open()
    try await store.save(Letter(id: 1, scan: try await store.attach(Data("one".utf8))))
    let folder = file.path + ".attachments"
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    try await store.save(Letter(id: 2, scan: try await store.attach(Data("two".utf8))))
    #expect(try mode(folder) == 0o700)
  }
}
