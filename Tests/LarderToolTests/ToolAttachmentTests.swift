import Foundation
import Larder
import LarderTestSupport
import Testing

@Suite("larder and attachments", .timeLimit(.minutes(20)))
struct ToolAttachmentTests {
  private static let sea = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
  private static let pictures = ["sea": sea, "hill": Data("hill".utf8), "nothing": Data()]
  private static let others = ["sea": Data("another sea".utf8), "town": Data(repeating: 7, count: 5000)]

  @Test("a backup has the bytes of the attachments, and its size and theirs are said")
  func backup() async throws {
    let file = try await ToolFile.withPictures(Self.pictures)
    let copy = file.side("copy.larder")
    let run = try await ToolRun("backup", file.path, copy, "--json")
    #expect(run.status == 0, "\(run)")
    let json = try DocumentValue(json: run.output)
    #expect(json["attachmentSize"] == 300_004)
    #expect(json["attachmentCount"] == 3)
    #expect(try await ToolFile.pictures(at: copy) == Self.pictures)
    #expect(try ToolFile.attachments(of: copy) == ToolFile.attachments(of: file.path))
    #expect(try file.names == ["copy.larder", "copy.larder.attachments", "notes.larder", "notes.larder.attachments"])
  }

  @Test("info counts attachments and their bytes, but no locks and no unfinished parts, also through a link")
  func info() async throws {
    let file = try await ToolFile.withPictures(Self.pictures)
    try Data("unfinished".utf8).write(to: URL(filePath: file.path + ".attachments/tmp/part"))
    let link = file.side("link.larder")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "notes.larder")
    for path in [file.path, link] {
      let json = try DocumentValue(json: try await ToolRun("info", path, "--json").output)
      #expect(json["attachmentSize"] == 300_004)
      #expect(json["attachmentCount"] == 3)
      #expect(try await ToolRun("info", path).output.contains(", attachments 300.0 kB in 3 files\n"))
    }
    let plain = try await ToolFile.withNotes()
    #expect(try await ToolRun("info", plain.path).output.contains(", no attachments\n"))
    #expect(try DocumentValue(json: try await ToolRun("info", plain.path, "--json").output)["attachmentCount"] == .null)
  }

  @Test("compact leaves attachments as they are")
  func compact() async throws {
    let file = try await ToolFile.withPictures(Self.pictures)
    let before = try ToolFile.attachments(of: file.path)
    #expect(try await ToolRun("compact", file.path).status == 0)
    #expect(try ToolFile.attachments(of: file.path) == before)
    #expect(try await ToolFile.pictures(at: file.path) == Self.pictures)
    #expect(try await ToolRun("check", file.path).status == 0)
  }

  @Test("an exported row keeps its attachment in the file that has the bytes, and is refused by one that hasn't")
  func exchange() async throws {
    let file = try await ToolFile.withPictures(Self.pictures)
    let other = try await ToolFile.withPictures([:])
    let rows = try await ToolRun("export", file.path, "ToolPicture", "--format", "jsonl").output
    let refused = try await ToolRun("import", other.path, "ToolPicture", "-", "--format", "jsonl", input: rows)
    #expect(refused.status == 1)
    #expect(refused.errors.contains("-:1: ") && refused.errors.contains("attach"), "\(refused.errors)")
    #expect(try await ToolFile.pictures(at: other.path).isEmpty)
    #expect(try await ToolRun("sql", file.path, "delete from ToolPicture", "--write").status == 0)
    let taken = try await ToolRun("import", file.path, "ToolPicture", "-", "--format", "jsonl", input: rows)
    #expect(taken.output == "3 inserted, 0 updated, 0 refused\n", "\(taken.errors)")
    #expect(try await ToolFile.pictures(at: file.path) == Self.pictures)
  }

  // MARK: Check and repair

  @Test("check finds missing and damaged bytes, repair can't make them anew and says what to do, and restore can")
  func check() async throws {
    let file = try await ToolFile.withPictures(Self.pictures)
    let copy = file.side("copy.larder")
    #expect(try await ToolRun("backup", file.path, copy).status == 0)
    try FileManager.default.removeItem(atPath: try ToolFile.attachment(Data("hill".utf8), of: file.path))
    let damaged = try ToolFile.attachment(Self.sea, of: file.path)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: damaged)
    try (Self.sea.dropLast() + [0]).write(to: URL(filePath: damaged))
    let before = try ToolFile.attachments(of: file.path)

    let text = try await ToolRun("check", file.path)
    #expect(text.status == 1)
    #expect(text.lines.contains { $0.hasPrefix("missingAttachment: ToolPicture.picture of a row ") }, "\(text)")
    #expect(text.lines.contains { $0.hasPrefix("damagedAttachment: ToolPicture.picture of a row ") }, "\(text)")
    #expect(text.lines.count { $0.hasPrefix("  id = ") } == 2)
    #expect(text.lines.last == "Found: 1 missingAttachment, 1 damagedAttachment.")
    let json = try DocumentValue(json: try await ToolRun("check", file.path, "--json").output)
    #expect(json["counts"] == ["missingAttachment": 1, "damagedAttachment": 1])

    let repair = try await ToolRun("repair", file.path)
    #expect(repair.status == 1)
    #expect(repair.lines == text.lines)
    #expect(repair.output.contains("Attach the bytes again, or restore the attachments of a backup"))
    let left = try DocumentValue(json: try await ToolRun("repair", file.path, "--json").output)
    #expect(left["found"] == 2)
    #expect(left["repaired"] == 0)
    #expect(left["left"]?["counts"] == json["counts"])
    #expect(try ToolFile.attachments(of: file.path) == before)

    let refused = try await ToolRun("backup", file.path, file.side("again.larder"))
    #expect(refused.status == 1)
    #expect(refused.errors.hasPrefix("larder: "))
    #expect(try await ToolRun("restore", copy, file.path, "--force").status == 0)
    #expect(try await ToolRun("check", file.path).output == "The file is healthy.\n")
    #expect(try file.names == ["copy.larder", "copy.larder.attachments", "notes.larder", "notes.larder.attachments"])
  }
}
