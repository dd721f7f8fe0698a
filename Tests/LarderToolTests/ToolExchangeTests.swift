import Foundation
import Larder
import LarderArchive
import LarderSync
import LarderTestSupport
import Testing

@Model
private struct ToolReplicated: Hashable {
  var id: UUID = .v7()
  var title: String
}

@Model("ToolLamp")
private struct ToolFormerLamp: Hashable {
  var id: UUID = .v7()
  var title: String
}

@Model("ToolLamp")
private struct ToolLamp: Hashable {
  var id: UUID = .v7()
  var title: String
  var color = "red"
  @Attribute(.counter) var views = 0
}

@Model("ToolLamp")
private struct ToolRenamedLamp: Hashable {
  var id: UUID = .v7()
  @Attribute(originalName: "title") var name: String
  var color = "red"
  @Attribute(.counter) var views = 0
}

@Suite("larder sync and archive", .timeLimit(.minutes(20)))
struct ToolExchangeTests {
  private func open(_ path: String) throws -> Store {
    try Store(at: path, for: ToolReplicated.self, configuration: Store.Configuration(sync: .on))
  }

  @Test("sync export replaces no store, and no file that has something else than changes")
  func otherFiles() async throws {
    let folder = try TemporaryFolder()
    let (first, second) = (folder.file("a.larder").path, folder.file("b.larder").path)
    for path in [first, second] { await (try open(path)).close() }
    let before = try Data(contentsOf: URL(filePath: second))
    for path in [first, second] {
      let run = try await ToolRun("sync", "export", first, path)
      #expect(run.status != 0 && run.errors.contains(path), "\(run.errors)")
    }
    #expect(try Data(contentsOf: URL(filePath: second)) == before)
    let store = try open(first)
    #expect(try await store.check().isHealthy)
    await store.close()
  }

  @Test("the models of a synced file say what counts, and which names properties had")
  func models() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("a.larder").path
    for model in [ToolFormerLamp.self, ToolRenamedLamp.self] as [any Model.Type] {
      let store = try Store(at: path, for: [model], configuration: Store.Configuration(sync: .on))
      await store.close()
    }
    let source = try await ToolRun("model", path).output
    #expect(source.contains("@Attribute(originalName: \"title\") var name: String\n"), "\(source)")
    #expect(source.contains("@Attribute(.counter) var views: Int"), "\(source)")
  }

  @Test("changes travel from one file to another, and what lost is listed")
  func exchange() async throws {
    let folder = try TemporaryFolder()
    let (first, second) = (folder.file("a.larder").path, folder.file("b.larder").path)
    let (changes, others) = (folder.file("changes").path, folder.file("others").path)
    let row = ToolReplicated(title: "old")
    let a = try open(first)
    try await a.insert(row)
    await a.close()
    let b = try open(second)
    await b.close()
    #expect(try await ToolRun("sync", "export", first, changes).status == 0)
    let imported = try await ToolRun("sync", "import", second, changes, "--json")
    #expect(imported.status == 0, "\(imported.errors)")
    #expect(try DocumentValue(json: imported.output)["changed"] == 1)
    for (path, title) in [(first, "mine\u{1B}"), (second, "theirs")] {
      let store = try open(path)
      try await store.update(ToolReplicated(id: row.id, title: title))
      await store.close()
    }
    #expect(try await ToolRun("sync", "conflicts", first).output == "There are no conflicts.\n")
    #expect(try await ToolRun("sync", "export", second, others).status == 0)
    #expect(try await ToolRun("sync", "import", first, others).status == 0)
    let conflicts = try await ToolRun("sync", "conflicts", first, "--json")
    #expect(conflicts.status == 1)
    #expect(try DocumentValue(json: conflicts.output)[0]?["property"] == "title")
    #expect(!(try await ToolRun("sync", "conflicts", first).output.contains("\u{1B}")))
    let status = try await ToolRun("sync", "status", first, "--json")
    #expect(status.status == 0, "\(status.errors)")
    #expect(try DocumentValue(json: status.output)["conflicts"] == 1)
    #expect(try await ToolRun("sync", "status", first).output.contains("Conflicts: 1"))
  }

  @Test("what a counter has in a copy counts once, though the copy and the original are both handed out")
  func countedInCopy() async throws {
    let folder = try TemporaryFolder()
    let (path, copy) = (folder.file("a.larder").path, folder.file("copy.larder").path)
    let files = [folder.file("first").path, folder.file("second").path]
    let configuration = Store.Configuration(sync: .on)
    let store = try Store(at: path, for: ToolLamp.self, configuration: configuration)
    try await store.insert(ToolLamp(title: "Desk", views: 10))
    await store.close()
    #expect(try await ToolRun("backup", path, copy).status == 0)
    for (source, file) in zip([copy, path], files) {
      #expect(try await ToolRun("sync", "export", source, file).status == 0)
    }
    let other = try Store(at: folder.file("b.larder"), for: ToolLamp.self, configuration: configuration)
    for file in files { try await other.sync.import(from: URL(filePath: file)) }
    #expect(try await other.fetch(ToolLamp.all).map(\.views) == [10])
    await other.close()
  }

  @Test("rows of an older program that lacks a property come in with the property's default")
  func olderModels() async throws {
    let folder = try TemporaryFolder()
    let (old, new, changes) = (
      folder.file("old.larder").path, folder.file("new.larder").path, folder.file("changes").path
    )
    let configuration = Store.Configuration(sync: .on)
    let item = ToolFormerLamp(title: "Lamp")
    let former = try Store(at: old, for: ToolFormerLamp.self, configuration: configuration)
    try await former.insert(item)
    await former.close()
    let empty = try Store(at: new, for: ToolLamp.self, configuration: configuration)
    await empty.close()
    #expect(try await ToolRun("sync", "export", old, changes).status == 0)
    let imported = try await ToolRun("sync", "import", new, changes, "--json")
    #expect(imported.status == 0, "\(imported.errors)")
    #expect(try DocumentValue(json: imported.output)["changed"] == 1)
    #expect(try DocumentValue(json: imported.output)["setAside"] == 0)
    let current = try Store(at: new, for: ToolLamp.self, configuration: configuration)
    #expect(try await current.fetch(ToolLamp.all) == [ToolLamp(id: item.id, title: "Lamp")])
    await current.close()
  }

  @Test("what another program wrote without sync hearing of it is found by check, and recorded by repair")
  func untracked() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("a.larder").path
    let store = try open(path)
    try await store.insert([ToolReplicated(title: "one"), ToolReplicated(title: "two")])
    let triggers = try await store.sql(
      "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'ToolReplicated'")
    for trigger in triggers { try await store.sql(SQL(raw: "DROP TRIGGER \(trigger["name"]?.text ?? "")")) }
    try await store.sql("DELETE FROM ToolReplicated WHERE title = 'one'")
    await store.close()
    let check = try await ToolRun("check", path, "--json")
    #expect(check.status == 1, "\(check.errors)")
    let report = try DocumentValue(json: check.output)
    #expect(report["isHealthy"] == false)
    #expect(report["sync"]?[0]?["lacksTriggers"] == true)
    #expect(report["sync"]?[0]?["missingRows"] == 1)
    #expect(try await ToolRun("check", path).output.contains("sync: ToolReplicated: triggers"))
    let repair = try await ToolRun("repair", path)
    #expect(repair.status == 0, "\(repair.output) \(repair.errors)")
    #expect(repair.output.contains("1 of 1 problems are repaired."))
    #expect(try await ToolRun("check", path).output == "The file is healthy.\n")
  }

  @Test("a file without sync is refused with the remedy, and a damaged file of changes changes nothing")
  func refused() async throws {
    let file = try await ToolFile.withNotes()
    let run = try await ToolRun("sync", "status", file.path)
    #expect(run.status == 1)
    #expect(run.errors.contains("Store.Configuration(sync: .on)"))
    let path = file.side("a.larder")
    let store = try open(path)
    await store.close()
    let text = try file.write("no changes", to: "changes")
    let imported = try await ToolRun("sync", "import", path, text)
    #expect(imported.status == 1)
    #expect(imported.errors.hasPrefix("larder: "))
    let keyless = try ToolProcess(
      ["sync", "export", path, file.side("out")], environment: ["LARDER_SYNC_KEY": "no key"])
    keyless.closeInput()
    #expect(try await keyless.result().status == 1)
    #expect(!FileManager.default.fileExists(atPath: file.side("out")))
  }

  private struct Creature: Codable {
    var name: String
    var born: Date
    var data: Data
    var friends: [String: Double]
  }

  @Test("an archive is shown as JSON without its types")
  func archive() async throws {
    let folder = try TemporaryFolder()
    let value = Creature(
      name: "Ada\u{1B}", born: Date(timeIntervalSinceReferenceDate: 0), data: Data([1, 2]),
      friends: ["x": .infinity, "y": 1.5])
    try Archive.write(value, to: folder.file("a"))
    let run = try await ToolRun("archive", "show", folder.file("a").path, "--json")
    #expect(run.status == 0, "\(run.errors)")
    let json = try DocumentValue(json: run.output)
    #expect(json["types"]?[0]?["version"] == 1)
    #expect(
      json["value"]
        == [
          "name": "Ada\u{1B}", "born": "2001-01-01T00:00:00.000000000Z", "data": "AQI=",
          "friends": ["x": "inf", "y": 1.5],
        ])
    #expect(!run.output.contains("\u{1B}"))
    let text = try await ToolRun("archive", "show", folder.file("a").path)
    #expect(try DocumentValue(json: text.output) == json)
    let data = try Data(contentsOf: folder.file("a"))
    try (data.dropLast() + [7]).write(to: folder.file("damaged"))
    let damaged = try await ToolRun("archive", "show", folder.file("damaged").path)
    #expect(damaged.status == 1)
    #expect(damaged.errors.contains("checksum"))
  }

  @Test("D: an archive by NSKeyedArchiver is shown with its classes, and one that unfolds without end is refused")
  func keyedArchive() async throws {
    let folder = try TemporaryFolder()
    let objects = """
      <string>$null</string>
      <dict><key>$class</key><dict><key>CF$UID</key><integer>3</integer></dict><key>name</key><dict><key>CF$UID</key><integer>2</integer></dict>
      <key>itself</key><dict><key>CF$UID</key><integer>1</integer></dict><key>none</key><dict><key>CF$UID</key><integer>0</integer></dict></dict>
      <string>Ada</string>
      <dict><key>$classname</key><string>App.Creature</string></dict>
      """
    func write(_ objects: String, _ root: Int, to name: String) throws {
      let text = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0"><dict><key>$archiver</key><string>NSKeyedArchiver</string><key>$version</key><integer>100000</integer>
        <key>$top</key><dict><key>root</key><dict><key>CF$UID</key><integer>\(root)</integer></dict></dict>
        <key>$objects</key><array>\(objects)</array></dict></plist>
        """
      try Data(text.utf8).write(to: folder.file(name))
    }
    try write(objects, 1, to: "a.plist")
    let run = try await ToolRun("archive", "show", folder.file("a.plist").path, "--json")
    #expect(run.status == 0, "\(run.errors)")
    #expect(
      try DocumentValue(json: run.output)["value"]
        == ["$class": "App.Creature", "itself": ["$object": 1], "name": "Ada", "none": nil])
    // Each object holds the one before it ten times.
    var bomb = "<string>$null</string><string>x</string>"
    for number in 1..<20 {
      let reference = "<dict><key>CF$UID</key><integer>\(number)</integer></dict>"
      bomb += "<array>\(String(repeating: reference, count: 10))</array>"
    }
    try write(bomb, 20, to: "bomb.plist")
    let refused = try await ToolRun("archive", "show", folder.file("bomb.plist").path)
    #expect(refused.status == 1)
    #expect(refused.errors.contains("unfolds to more than"))
  }
}
