import Foundation
import Testing

@testable import Larder

@Model("Parcel")
private struct Consignment: Hashable {
  var id: Int
  var content: Larder.Attachment?
}

@Suite("Attachments of processes that die, and of several", .timeLimit(.minutes(20)))
struct AttachmentCrashTests {
  private static let steps =
    FaultPoint.allCases.map(\.rawValue).filter { !$0.hasPrefix("backup") } + ["rowSaving", "rowSaved", "rowDeleted"]

  private func open(_ file: StoreFile, _ name: String? = nil) throws -> Store {
    let store = try Store(
      at: name.map { file.folder.appending(component: $0).path } ?? file.path, for: Consignment.self)
    store.attachmentCollector.stop()
    return store
  }

  private func files(_ path: String) -> [String] {
    let folder = AttachmentFolder(ofStore: path)
    return folder.shards().flatMap(folder.digests) + AttachmentFolder.names(in: folder.temporary)
  }

  @Test(
    "a process that is killed at any step leaves no row without its bytes, and orphans at most, which opening collects",
    arguments: steps)
  func killed(step: String) async throws {
    let file = try StoreFile()
    let child = try ChildProcess("attach", file.path, within: ["LARDER_FAULT_POINT=\(step)"])
    for await _ in child.lines {}
    #expect(await child.status() == SIGKILL)
    let store = try open(file)
    let report = try await store.verifyAttachments()
    #expect(report.isWhole)
    let letters = try await store.fetch(Consignment.all.sorted(by: \.id))
    for case let content? in letters.map(\.content) { #expect(try await store.data(of: content).count == content.size) }
    // Nothing is known of the file of data that the store doesn't have.
    let known = try file.sql("select name from sqlite_master where name = '_larder_attachment_files'")
    if !known.isEmpty {
      #expect(
        try file.sql(
          "select digest from _larder_attachment_files where digest not in (select digest from _larder_attachments)"
        ).isEmpty)
    }
    let orphans = report.orphaned.count
    #expect(try await store.collectAttachments() >= orphans)
    let clean = try await store.verifyAttachments()
    #expect(clean.isWhole)
    #expect(clean.orphaned.isEmpty)
    #expect(Set(files(file.path)) == Set(letters.compactMap { $0.content?.digest }))
    // What was left must not be in the way of the same bytes.
    let again = try await store.attach(Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0) }))
    try await store.save(Consignment(id: 9, content: again))
    #expect(try await store.data(of: again).count == 300_000)
  }

  @Test(
    "what a context's undo needs is not collected by another process, and goes once the context's process is killed")
  func killedContext() async throws {
    let file = try StoreFile()
    let store = try open(file)
    try await store.save(Consignment(id: 1, content: try await store.attach(Data("kept".utf8))))
    let child = try ChildProcess("undoAttachment", file.path)
    #expect(await child.line() == "saved")
    #expect(try await store.collectAttachments() == 0)
    child.send("undo")
    #expect(await child.line() == "saved")
    #expect(try await store.count(Consignment.all) == 0)
    #expect(try await store.collectAttachments() == 0)
    child.kill()
    #expect(await child.status() == SIGKILL)
    #expect(try await store.collectAttachments() == 1)
    #expect(files(file.path).isEmpty)
  }

  @Test(
    "a backup that is killed at any step is there whole, or not at all",
    arguments: FaultPoint.allCases.filter { $0.rawValue.hasPrefix("backup") })
  func killedBackup(step: FaultPoint) async throws {
    let file = try StoreFile()
    let child = try ChildProcess("attach", file.path, within: ["LARDER_FAULT_POINT=\(step.rawValue)"])
    for await _ in child.lines {}
    #expect(await child.status() == SIGKILL)
    #expect(!FileManager.default.fileExists(atPath: file.path + ".copy"))
    let store = try open(file)
    #expect(try await store.verifyAttachments().isWhole)
    try await store.backup(to: file.path + ".another")
    let copy = try open(file, "test.larder.another")
    #expect(try await copy.verifyAttachments().isWhole)
    #expect(files(file.path + ".another").count == 1)
  }

  @Test("processes that attach, save and delete the same bytes side by side never miss any")
  func sideBySide() async throws {
    let file = try StoreFile()
    let store = try Store(at: file.path, for: Consignment.self)
    let children = [try ChildProcess("share", file.path, 60), try ChildProcess("share", file.path, 60)]
    for child in children { #expect(await child.line() == "ready") }
    for child in children { child.send("go") }
    for number in 0..<60 {
      let bytes = Data("shared \(number % 3)".utf8)
      let content = try await store.attach(bytes)
      try await store.save(Consignment(id: number, content: content))
      try await store.collectAttachments()
      #expect(try await store.data(of: content) == bytes)
      try await store.delete(Consignment.self, number)
      try await store.collectAttachments()
    }
    for child in children {
      #expect(await child.line() == "done")
      #expect(await child.status() == 0)
    }
    let report = try await store.verifyAttachments()
    #expect(report.isWhole)
    #expect(report.count == 3)
    try await store.deleteAll(Consignment.all)
    try await store.collectAttachments()
    #expect(files(file.path).isEmpty)
  }

  @Test("what another process keeps unsaved is not collected while it lives, and goes once it is dead")
  func holders() async throws {
    let file = try StoreFile()
    let child = try ChildProcess("keep", file.path)
    let digest = try #require(await child.line())
    let store = try open(file)
    #expect(try await store.collectAttachments() == 0)
    #expect(files(file.path) == [digest])
    child.kill()
    await child.status()
    #expect(try await store.collectAttachments() == 1)
    #expect(files(file.path).isEmpty)
  }

  @Test(
    "on a full disk the bytes are refused, nothing half written is left, and the store goes on once there is space",
    .enabled(if: Surroundings.canMount, "this user cannot mount a small file system of its own"),
    arguments: [3000, 4200])
  func fullDisk(kilobytes: Int) async throws {
    let file = try StoreFile()
    let child = try ChildProcess(
      "fillAttachments", file.path,
      within: Surroundings.smallDisk(at: file.folder.path(percentEncoded: false), kilobytes: kilobytes))
    #expect(await child.rest() == ["diskFull", "true 0 true", "300000"])
    #expect(await child.status() == 0)
  }

  @Test(
    "a folder that may not be written is read and verified, and takes no attachment",
    .enabled(
      if: Surroundings.unprivileged != nil, "permissions do not bind this user, and it cannot run the helper as another"
    ))
  func readOnly() async throws {
    let file = try StoreFile()
    var store: Store? = try open(file)
    if let content = try await store?.attach(Data.sample(10)) {
      try await store?.save(Consignment(id: 1, content: content))
    }
    store = nil
    for (path, permissions) in [(file.folder.path, 0o777), (file.path, 0o666)] {
      try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: path)
    }
    let child = try ChildProcess("readAttachment", file.path, within: Surroundings.unprivileged ?? [])
    #expect(await child.rest() == ["10", "true", "readOnly"])
  }

  @Test("a process that never met an attachment leaves no table, trigger or folder for them")
  func nothing() async throws {
    let file = try StoreFile()
    let child = try ChildProcess("insert", file.path, 3)
    child.send("go")
    #expect(await child.rest() == ["ready", "done"])
    #expect(try file.sql("select name from sqlite_master where name like '%attachment%'").isEmpty)
    #expect(try file.names.filter { $0.hasSuffix(".attachments") }.isEmpty)
  }
}
