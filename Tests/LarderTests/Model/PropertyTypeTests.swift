#if os(Linux)
import Foundation
import LarderTestSupport
import Testing

/// What the compiler says of properties that can't be stored. The compiler is the one that built the tests.
@Suite("Properties that can't be stored", .timeLimit(.minutes(20)))
struct PropertyTypeTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
  private static let build = root.appending(path: ".build/debug")

  /// Returns the compiler's messages for a file that begins with `import Larder`.
  private func messages(_ source: String) async throws -> String {
    let folder = try TemporaryFolder()
    let file = folder.file("Models.swift")
    try "import Larder\n\(source)\n".write(to: file, atomically: true, encoding: .utf8)
    let maps = Self.moduleMaps.flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] }
    let sqlite = Self.root.appending(path: ".build/checkouts/GRDB.swift/Sources/GRDBSQLite").path
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    let modules = Self.build.appending(path: "Modules").path
    let plugin = Self.build.appending(path: "LarderMacros-tool").path + "#LarderMacros"
    var arguments = ["swiftc", "-typecheck", "-swift-version", "6", "-I", modules, "-load-plugin-executable", plugin]
    arguments += ["-Xcc", "-I\(sqlite)"]
    arguments += maps
    arguments.append(file.path)
    process.arguments = arguments
    let output = folder.file("messages.txt")
    _ = FileManager.default.createFile(atPath: output.path, contents: nil)
    process.standardError = try FileHandle(forWritingTo: output)
    process.standardOutput = process.standardError
    try process.run()
    process.waitUntilExit()
    return try String(contentsOf: output, encoding: .utf8)
  }

  /// The maps of the C modules that Larder's modules need.
  private static var moduleMaps: [String] {
    ["Sources", ".build/debug", ".build/checkouts"].flatMap { folder -> [String] in
      let base = root.appending(path: folder)
      let files = FileManager.default.enumerator(at: base, includingPropertiesForKeys: nil)
      var maps: [String] = []
      while let file = files?.nextObject() as? URL {
        // Build folders of targets have their maps one level down, and checkouts those of their sources.
        if folder == ".build/debug", files?.level ?? 0 > 1 { files?.skipDescendants() }
        guard file.lastPathComponent == "module.modulemap" else { continue }
        if folder != ".build/checkouts" || file.path.contains("/GRDBSQLite/") || file.path.contains("/CSystem/") {
          maps.append(file.path)
        }
      }
      return maps
    }
  }

  @Test("models compile, so that the following messages are about their properties")
  func valid() async throws {
    let found = try await messages("@Model struct Stop { var id: Int; var name: String }")
    #expect(found.isEmpty, "\(found)")
  }

  @Test("rows of other models as plain properties are answered with ToMany and ToOne")
  func relationships() async throws {
    let plain = try await messages(
      """
      @Model struct Stop { var id: Int }
      @Model struct Trip { var id: Int; var stops: [Stop]; var best: Stop? }
      """)
    #expect(plain.contains("error: 'init(_:_:column:)' is unavailable: the type of this property can't be stored"))
    #expect(plain.contains("for rows of another model, declare a ToMany or a ToOne"))
    let codable = try await messages(
      """
      @Model struct Stop: Codable { var id: Int }
      @Model struct Trip { var id: Int; var stops: [Stop]; var best: Stop? }
      """)
    #expect(codable.contains("declare the property as a ToMany") && codable.contains("as an optional ToOne"))
  }

  @Test("a type that can't be stored is answered with what to add")
  func types() async throws {
    let found = try await messages(
      """
      struct Place { var name: String }
      enum Kind { case one, two }
      @Model struct Trip { var id: Int; var place: Place; var kind: Kind }
      """)
    #expect(found.contains("Make it Codable and Sendable, give it a raw value"))
    #expect(!found.contains("could not be inferred") && !found.contains("no exact matches"))
  }

  @Test("a file may import GRDB as well")
  func besideGRDB() async throws {
    let found = try await messages(
      """
      import GRDB
      @Model struct Note { var id: Int; var name: String; var folder: String? }
      func use(_ store: Store) async throws {
        let query = Note.where { ["a", "b"].contains($0.name) && ["x"].contains($0.folder) && $0.name.like("x%") }
        let rows: [Store.Row] = try await store.rows(query.where { $0.id > 3 || $0.folder != nil }.sorted(by: \\.name))
        try await store.write { (db: Store.Transaction) in try db.insert(Note(id: rows.count, name: "a")) }
        print(Note.select(\\.name).distinct())
        let named: Store.SQL = "select name from \\(Note.self)"
        print(try await store.sql(named), Note.where { Store.SQL("\\($0.id) % 2 = 0") })
      }
      """)
    #expect(found.isEmpty, "\(found)")
  }

  @Test("what the compiler says of a misuse has no names of GRDB's, nor of what is internal")
  func misuse() async throws {
    let found = try await messages(
      """
      @Model struct Note { var id: Int; var name: String }
      func use(_ store: Store) async throws {
        _ = Note.select(\\.title)
        _ = Note.all.select { 5 }
        _ = Note.where { $0.name > 5 }
        _ = try await store.fetch(Note.select)
        _ = try await store.sql(5)
      }
      """)
    #expect(found.contains("error:"))
    #expect(!found.contains("GRDB") && !found.contains("inaccessible") && !found.contains("to 'internal'"), "\(found)")
  }
}
#endif
