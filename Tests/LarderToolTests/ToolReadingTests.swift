import Foundation
import Larder
import LarderSync
import LarderTestSupport
import Testing

@Suite("verbs of larder that only read", .timeLimit(.minutes(20)))
struct ToolReadingTests {
  /// The verbs that may change the file. An archive is no store's file.
  private static let others = [
    ["import"], ["repair"], ["restore"], ["compact"], ["sync", "export"], ["sync", "import"], ["archive"],
  ]
  private static let commands = ToolRefusalTests.commands.filter { command in
    !others.contains { command.starts(with: $0) }
  }

  /// Creates a file with rows, documents, attachments and a row that has expired.
  private func makeFile(syncs: Bool) async throws -> ToolFile {
    let file = try ToolFile()
    // Sync takes no keys that are integers.
    let models: [any Model.Type] = [ToolNote.self, ToolPicture.self] + (syncs ? [] : [ToolTicket.self])
    let store = try Store(at: file.path, for: models, configuration: Store.Configuration(sync: syncs ? .on : .off))
    try await store.insert([ToolNote(title: "Milk", count: 1), ToolNote(title: "Bread", count: 2)])
    try await store.documents("people").save("ada", ["name": "Ada"])
    try await store.insert(ToolPicture(title: "sea", picture: store.attach(Data("sea".utf8))))
    await store.close()
    return file
  }

  /// The bytes of a file, of its log and of its attachments, by their paths.
  private func bytes(_ file: ToolFile) throws -> [String: Data] {
    var bytes: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: file.folder.url.path)
    where name.hasPrefix("notes.larder") && !name.hasSuffix("-shm") {
      bytes[name] = FileManager.default.contents(atPath: file.side(name))
    }
    // Whoever reads a file creates a log if there is none.
    return bytes.filter { !$0.key.hasSuffix("-wal") || !$0.value.isEmpty }
  }

  private func run(_ command: [String], on file: ToolFile) async throws -> ToolRun {
    let process = try ToolProcess(command.map { $0 == "FILE" ? file.path : $0 == "TO" ? file.side("to") : $0 })
    process.closeInput()
    switch command[0] {
    case "watch":
      _ = await process.nextError()
      process.signal(SIGINT)
    case "studio":
      let address = try #require(await process.next()).dropFirst("Studio: ".count).trimmingCharacters(in: .newlines)
      let request = OtherProgram.python(
        """
        import sys, urllib.request
        page, token = sys.argv[1].split("?token=")
        headers = {"Authorization": f"Bearer {token}"}
        for path in ["store?", "rows?table=ToolTicket&"]:
            urllib.request.urlopen(urllib.request.Request(f"{page}api/{path}session=test", headers=headers)).read()
        """, address)
      try request.run()
      request.waitUntilExit()
      #expect(request.terminationStatus == 0)
      process.signal(SIGTERM)
    default: break
    }
    return try await process.result()
  }

  @Test(
    "they leave every byte of the file and of its log, also of a row that has expired and of a file that is open",
    arguments: commands, [true, false])
  func unchanged(command: [String], isOpen: Bool) async throws {
    let file = try await makeFile(syncs: command[0] == "sync")
    // What sync tracks can't be written without Larder.
    let expiry = command[0] == "sync" ? "" : "insert into ToolTicket (id, text, _expires) values (2, 'gone', 1);"
    let sql = "\(expiry) pragma user_version = 7"
    let other = isOpen ? try OpenElsewhere(file.path, writing: sql) : nil
    if !isOpen { try OtherProgram.execute(sql, on: file.path) }
    let before = try bytes(file)
    #expect((before["notes.larder-wal"] != nil) == isOpen)
    #expect(before.keys.contains { $0.contains(".attachments/") })
    let run = try await run(command, on: file)
    #expect(run.status == (command[0] == "watch" ? 128 + SIGINT : 0), "\(command): \(run)")
    let after = try bytes(file)
    #expect(before.keys.sorted() == after.keys.sorted(), "\(command)")
    for (name, data) in before { #expect(after[name] == data, "\(command) has changed \(name)") }
    withExtendedLifetime(other) {}
  }
}
