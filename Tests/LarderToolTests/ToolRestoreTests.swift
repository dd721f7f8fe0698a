import Foundation
import Larder
import LarderTestSupport
import Testing

@Suite("larder restore over a file with attachments", .timeLimit(.minutes(20)))
struct ToolRestoreTests {
  private static let old = ["sea": Data("old sea".utf8), "hill": Data("hill".utf8)]
  private static let new = ["sea": Data(repeating: 9, count: 100_000), "hill": Data("hill".utf8), "none": Data()]

  /// A file, and a backup of another one beside it.
  private func makeFiles(
    _ new: [String: Data] = new
  ) async throws -> (file: ToolFile, backup: String) {
    let file = try await ToolFile.withPictures(Self.old)
    let other = try await ToolFile.withPictures(new)
    let backup = file.side("backup.larder")
    #expect(try await ToolRun("backup", other.path, backup).status == 0)
    return (file, backup)
  }

  private static let names = [
    "backup.larder", "backup.larder.attachments", "notes.larder", "notes.larder.attachments",
  ]

  /// The bytes of a file and of all in the folder of its attachments.
  private func bytes(of file: ToolFile) throws -> [String: Data] {
    var bytes = ["": try #require(FileManager.default.contents(atPath: file.path))]
    for (digest, data) in try ToolFile.attachments(of: file.path) { bytes[digest] = data }
    return bytes
  }

  @Test("the attachments of the file go with it, and those of the backup come")
  func replaces() async throws {
    let (file, backup) = try await makeFiles()
    #expect(try await ToolRun("restore", backup, file.path).status == 1)
    #expect(try await ToolFile.pictures(at: file.path) == Self.old)
    let run = try await ToolRun("restore", backup, file.path, "--force")
    #expect(run.status == 0 && run.errors.isEmpty, "\(run)")
    #expect(try await ToolFile.pictures(at: file.path) == Self.new)
    #expect(try ToolFile.attachments(of: file.path) == ToolFile.attachments(of: backup))
    #expect(try file.names == Self.names)
    #expect(try await ToolRun("check", file.path).status == 0)
  }

  @Test("of a backup without attachments, the file has none")
  func replacesWithoutAttachments() async throws {
    let (file, backup) = try await makeFiles([:])
    #expect(try await ToolRun("restore", backup, file.path, "--force").status == 0)
    #expect(try await ToolFile.pictures(at: file.path).isEmpty)
    #expect(try file.names == ["backup.larder", "notes.larder"])
  }

  @Test("attachments without their file are replaced only with --force, too")
  func attachmentsAlone() async throws {
    let (file, backup) = try await makeFiles()
    try FileManager.default.removeItem(atPath: file.path)
    let refused = try await ToolRun("restore", backup, file.path)
    #expect(refused.status == 1 && refused.errors.contains("There is already \(file.path).attachments"), "\(refused)")
    #expect(try await ToolRun("restore", backup, file.path, "--force").status == 0)
    #expect(try await ToolFile.pictures(at: file.path) == Self.new)
    #expect(try file.names == Self.names)
  }

  @Test("the file that a link leads to is replaced, and the link stays")
  func link() async throws {
    let (file, backup) = try await makeFiles()
    let link = file.side("link.larder")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "notes.larder")
    let run = try await ToolRun("restore", backup, link, "--force", "--json")
    #expect(run.status == 0, "\(run)")
    #expect(try DocumentValue(json: run.output)["attachmentCount"] == 3)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "notes.larder")
    for path in [file.path, link] { #expect(try await ToolFile.pictures(at: path) == Self.new) }
    #expect(try file.names == (Self.names + ["link.larder"]).sorted())
  }

  @Test("a file isn't restored from itself")
  func itself() async throws {
    let (file, _) = try await makeFiles()
    let run = try await ToolRun("restore", file.path, file.path, "--force")
    #expect(run.status == 1 && run.errors.contains("is the backup itself"), "\(run)")
    #expect(try await ToolFile.pictures(at: file.path) == Self.old)
    #expect(try file.names == Self.names)
  }

  // MARK: What fails

  @Test("a backup whose attachments are missing or damaged leaves every byte of the file", arguments: [true, false])
  func brokenBackup(isMissing: Bool) async throws {
    let (file, backup) = try await makeFiles()
    let attachment = try ToolFile.attachment(Data("hill".utf8), of: backup)
    if isMissing {
      try FileManager.default.removeItem(atPath: attachment)
    } else {
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: attachment)
      try Data("hall".utf8).write(to: URL(filePath: attachment))
    }
    let before = try bytes(of: file)
    let run = try await ToolRun("restore", backup, file.path, "--force")
    #expect(run.status == 1)
    #expect(run.errors.hasPrefix("larder: ") && run.errors.contains("ttach"), "\(run.errors)")
    #expect(try bytes(of: file) == before)
    #expect(try await ToolFile.pictures(at: file.path) == Self.old)
    #expect(try file.names == Self.names)
  }

  #if os(Linux)
  @Test("a folder that can't be written leaves every byte of the file", .enabled(if: Surroundings.unprivileged != nil))
  func unwritableFolder() async throws {
    let (file, backup) = (try await ToolFile.withPictures(Self.old), try await ToolFile.withPictures(Self.new))
    let before = try bytes(of: file)
    // Everybody may read and write the files, but nobody may name new ones.
    for folder in [file.folder, backup.folder] { try Surroundings.open(folder.url.path) }
    try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: file.folder.url.path)
    let run = try await Surroundings.unprivilegedRun("restore", backup.path, file.path, "--force")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.folder.url.path)
    #expect(run.status == 1)
    #expect(run.errors.hasPrefix("larder: ") && run.errors.hasSuffix(".\n"), "\(run.errors)")
    #expect(try bytes(of: file) == before)
    #expect(try await ToolFile.pictures(at: file.path) == Self.old)
    #expect(try file.names == ["notes.larder", "notes.larder.attachments"])
  }

  @Test(
    "if only a part can be moved aside, it goes back", .enabled(if: geteuid() == 0 && Surroundings.unprivileged != nil),
    arguments: [".attachments", ""])
  func partlyMovable(suffix: String) async throws {
    let (file, backup) = try await makeFiles()
    try Surroundings.open(file.folder.url.path)
    // In a folder like /tmp, users may rename what they own alone.
    try FileManager.default.setAttributes([.posixPermissions: 0o1777], ofItemAtPath: file.folder.url.path)
    try Surroundings.give(file.path + suffix)
    let before = try bytes(of: file)
    let run = try await Surroundings.unprivilegedRun("restore", backup, file.path, "--force")
    #expect(run.status == 1)
    #expect(run.errors.contains("can't be replaced") && run.errors.contains("It is as it was."), "\(run.errors)")
    #expect(try bytes(of: file) == before)
    #expect(try await ToolFile.pictures(at: file.path) == Self.old)
    #expect(try file.names == Self.names)
  }

  // MARK: What is interrupted

  /// Returns whether the file at a path is one of the two, with all of its attachments.
  private func isWhole(_ path: String) async -> Bool {
    guard FileManager.default.fileExists(atPath: path), let pictures = try? await ToolFile.pictures(at: path) else {
      return false
    }
    return pictures == Self.old || pictures == Self.many
  }

  /// So many that a restore takes a while.
  private static let many = Dictionary(
    uniqueKeysWithValues: (0..<40).map { ("\($0)", Data(repeating: UInt8($0), count: 50_000)) })

  private func startRestore(_ backup: String, _ file: ToolFile) async throws -> ToolProcess {
    let process = try ToolProcess(["restore", backup, file.path, "--force"])
    process.closeInput()
    return process
  }

  @Test(
    "a signal leaves the old file or the new one whole in its place, and nothing else", arguments: [SIGINT, SIGTERM])
  func signal(number: Int32) async throws {
    let (file, backup) = try await makeFiles(Self.many)
    var stopped = 0
    for _ in 0..<10 {
      let process = try await startRestore(backup, file)
      while process.isRunning, try file.names.count == Self.names.count { await Task.yield() }
      process.signal(number)
      let run = try await process.result()
      #expect(run.status == 128 + number || run.status == 0, "\(run)")
      stopped += run.status == 0 ? 0 : 1
      #expect(try await ToolFile.pictures(at: file.path) == (run.status == 0 ? Self.many : Self.old))
      #expect(try file.names == Self.names)
      guard run.status == 0 else { continue }
      for name in ["notes.larder", "notes.larder.attachments"] {
        try FileManager.default.removeItem(atPath: file.side(name))
      }
      try await file.add(Self.old)
    }
    #expect(stopped > 0)
  }

  @Test("a process that is killed leaves the old file or the new one whole, in its place or beside it")
  func killed() async throws {
    let (file, backup) = try await makeFiles(Self.many)
    for delay in 0..<12 {
      let process = try await startRestore(backup, file)
      while process.isRunning, try file.names.count == Self.names.count { await Task.yield() }
      // The attachments are copied one after another; the last moments are those of the moves.
      let parts = { (try? FileManager.default.subpathsOfDirectory(atPath: file.folder.url.path).count) ?? 0 }
      let first = parts()
      while process.isRunning, parts() < first + delay * 4 { await Task.yield() }
      process.signal(SIGKILL)
      _ = try await process.result()
      var wholes = 0
      for name in try file.names where !name.hasSuffix(".attachments") && name.hasPrefix("notes.larder") {
        wholes += await isWhole(file.side(name)) ? 1 : 0
      }
      let names = try file.names
      #expect(wholes > 0, "\(names)")
      for name in try FileManager.default.contentsOfDirectory(atPath: file.folder.url.path)
      where name.hasPrefix("notes.larder") {
        try FileManager.default.removeItem(atPath: file.side(name))
      }
      try await file.add(Self.old)
    }
  }

  @Test("a backup that a signal ends leaves no part of a file")
  func signalDuringBackup() async throws {
    let (file, backup) = try await makeFiles(Self.many)
    let names = try file.names
    for _ in 0..<5 {
      let process = try ToolProcess(["backup", backup, file.side("copy.larder")])
      process.closeInput()
      while process.isRunning, try file.names == names { await Task.yield() }
      process.signal(SIGINT)
      let run = try await process.result()
      #expect(run.status == 128 + SIGINT || run.status == 0, "\(run)")
      if run.status == 0 {
        #expect(try await ToolFile.pictures(at: file.side("copy.larder")) == Self.many)
        for name in try file.names where name.hasPrefix("copy.larder") {
          try FileManager.default.removeItem(atPath: file.side(name))
        }
      }
      let left = try file.names
      #expect(left == names, "\(run)")
    }
  }
  #endif
}
