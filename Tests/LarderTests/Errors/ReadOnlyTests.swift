import Foundation
import Testing

@testable import Larder

@Suite(
  "Files and folders that may not be written", .timeLimit(.minutes(20)),
  .enabled(
    if: Surroundings.unprivileged != nil, "permissions do not bind this user, and it cannot run the helper as another"))
struct ReadOnlyTests {
  private let file: StoreFile
  private let wrapper = Surroundings.unprivileged ?? []

  init() throws {
    file = try StoreFile()
    try file.write([ProcessEntry(number: 1)])
  }

  private func setPermissions(file permissions: Int, folder folderPermissions: Int) throws {
    try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: file.path)
    try FileManager.default.setAttributes(
      [.posixPermissions: folderPermissions], ofItemAtPath: file.folder.path(percentEncoded: false))
  }

  private func use(_ path: String? = nil) async throws -> [String] {
    try await ChildProcess("use", path ?? file.path, within: wrapper).rest()
  }

  @Test("a file that may not be written is refused as a store, and read as an existing file")
  func readOnlyFile() async throws {
    try setPermissions(file: 0o444, folder: 0o777)
    let lines = try await use()
    #expect(lines == ["readOnly", "opened", "1 rows", "readOnly", "1 rows"])
    try setPermissions(file: 0o644, folder: 0o755)
    #expect(try file.open(ProcessEntry.self).blocking.count(ProcessEntry.all) == 1)
  }

  @Test("a store in a folder that may not be written is refused; an existing file without a log is read")
  func readOnlyFolder() async throws {
    try setPermissions(file: 0o444, folder: 0o555)
    #expect(try await use() == ["readOnly", "readOnly"])
    let remedy = try await ChildProcess("explain", file.path, within: wrapper).rest().joined()
    #expect(remedy.contains("journal_mode = DELETE") && !remedy.contains("schema: .existing"), "\(remedy)")
    try setPermissions(file: 0o644, folder: 0o755)
    try Store(at: file.path, for: ProcessEntry.self).withWriter { try $0.change("PRAGMA journal_mode = DELETE") }
    try setPermissions(file: 0o444, folder: 0o555)
    #expect(try await use() == ["readOnly", "opened", "1 rows", "readOnly", "1 rows"])
    try setPermissions(file: 0o644, folder: 0o755)
    #expect(try file.open(ProcessEntry.self).blocking.count(ProcessEntry.all) == 1)
  }

  @Test("no store is made in a folder that may not be written")
  func newFile() async throws {
    try setPermissions(file: 0o644, folder: 0o555)
    #expect(
      try await use(file.folder.appending(component: "new.larder").path(percentEncoded: false)) == [
        "readOnly", "notFound",
      ])
    try setPermissions(file: 0o644, folder: 0o755)
    #expect(try file.names == ["test.larder"])
  }
}
