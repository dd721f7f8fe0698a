#if os(Linux)
import Foundation
import LarderTestSupport
import Testing

/// A program of the source of models. The compiler that built the tests builds it with the objects of the library.
///
/// The program opens a file with `schema: .existing`, reads all rows of each model, and then creates a file of its own.
struct ModelSourceProgram {
  /// What a model of the program found in the file.
  struct Found: Codable, Hashable {
    var table: String
    /// The rows that it counted.
    var count: Int
    /// The rows that it read.
    var rows: Int
  }

  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  private static let build = root.appending(path: ".build/debug")
  /// The objects of a small program of the package, among which are all of the library.
  private static let objects = build.appending(path: "LarderTestProcess.product/Objects.LinkFileList")
  static let canBuild = FileManager.default.fileExists(atPath: objects.path)

  private let folder: TemporaryFolder
  private var program: URL { folder.file("program") }

  /// Builds the program.
  ///
  /// - Parameters:
  ///   - source: The source of the models.
  ///   - folder: Where the program is built.
  /// - Throws: An issue with the compiler's messages.
  init(_ source: String, in folder: TemporaryFolder) throws {
    self.folder = folder
    let models = folder.file("Models.swift")
    let main = folder.file("Program.swift")
    let list = folder.file("objects.txt")
    try source.write(to: models, atomically: true, encoding: .utf8)
    try Self.main.write(to: main, atomically: true, encoding: .utf8)
    let objects = try String(contentsOf: Self.objects, encoding: .utf8).split(separator: "\n")
    try objects.filter { !$0.contains("LarderTestProcess.build/") }.joined(separator: "\n")
      .write(to: list, atomically: true, encoding: .utf8)
    var arguments = [
      "swiftc", "-o", program.path, "-module-name", "Program", "-parse-as-library", "-swift-version", "6",
    ]
    arguments += ["-warnings-as-errors", "-I", Self.build.appending(path: "Modules").path]
    for feature in ["ExistentialAny", "MemberImportVisibility", "InternalImportsByDefault"] {
      arguments += ["-enable-upcoming-feature", feature]
    }
    arguments += ["-load-plugin-executable", Self.build.appending(path: "LarderMacros-tool").path + "#LarderMacros"]
    arguments += ["-Xcc", "-I\(Self.root.path)/.build/checkouts/GRDB.swift/Sources/GRDBSQLite"]
    arguments += Self.moduleMaps.flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] }
    arguments += [models.path, main.path, "@\(list.path)", "-lsqlite3", "-lz", "-lstdc++"]
    let (status, output) = try Self.run(URL(filePath: "/usr/bin/env"), arguments, in: folder)
    try #require(status == 0, "The compiler refuses the source:\n\(output)\n\(source)")
  }

  /// Runs the program.
  ///
  /// - Parameters:
  ///   - file: The file that the models open.
  ///   - new: A file that they create.
  /// - Returns: What each model found.
  func run(_ file: String, creating new: String? = nil) throws -> [Found] {
    let (status, output) = try Self.run(program, [file] + (new.map { [$0] } ?? []), in: folder)
    try #require(status == 0, "The program fails: \(output)")
    return try JSONDecoder().decode([Found].self, from: Data(output.utf8))
  }

  private static let main = """
    import Foundation
    import Larder

    struct Found: Codable {
      var table: String
      var count: Int
      var rows: Int
    }

    @main
    struct Program {
      static func main() throws {
        let arguments = CommandLine.arguments
        let store = try Store(at: arguments[1], for: models, configuration: .init(schema: .existing))
        func look<M: Model>(_ model: M.Type) throws -> Found {
          let rows = try store.blocking.fetch(M.all)
          return Found(table: M.schema.table, count: try store.blocking.count(M.all), rows: rows.count)
        }
        let found = try models.map { try look($0) }
        print(String(decoding: try JSONEncoder().encode(found), as: UTF8.self))
        if arguments.count > 2 { _ = try Store(at: arguments[2], for: models) }
      }
    }
    """

  private static func run(
    _ program: URL, _ arguments: [String], in folder: TemporaryFolder
  ) throws -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    let output = folder.file("output.txt")
    _ = FileManager.default.createFile(atPath: output.path, contents: nil)
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = process.standardOutput
    try process.run()
    process.waitUntilExit()
    return (process.terminationStatus, try String(contentsOf: output, encoding: .utf8))
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
}
#endif
