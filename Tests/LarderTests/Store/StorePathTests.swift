import Foundation
import LarderTestSupport
import Testing

@testable import Larder

/// Paths that SQLite, the system and Foundation would each take for another file.
@Suite("Paths of stores and backups")
struct StorePathTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: folder.url.path(percentEncoded: false)) }
  }

  private static let paths: [(path: String, code: StoreError.Code, remedy: String)] = [
    ("", .unsupported, "empty"), (":memory:", .unsupported, "inMemoryFor"), ("file:a.larder", .unsupported, "URI"),
    ("file:///tmp/a.larder?mode=memory", .unsupported, "URI"), ("/tmp/a\0b.larder", .unsupported, "NUL"),
    ("/tmp/a.larder/", .notAStore, "folder"), ("/tmp/", .notAStore, "folder"), ("/", .notAStore, "folder"),
  ]

  @Test("a path that is no file's is refused with the remedy, by opening, planning and backing up", arguments: paths)
  func refused(path: String, code: StoreError.Code, remedy: String) throws {
    let store = try Store(at: folder.file("a.larder"), for: Parcel.self)
    for body in [
      { _ = try Store(at: path, for: Parcel.self) }, { _ = try Store.plan(at: path, for: Parcel.self) },
      { try store.blocking.backup(to: path) },
    ] as [() throws -> Void] {
      let error = #expect(throws: StoreError.self, performing: body)
      #expect(error?.code == code)
      #expect(error?.message.contains(remedy) == true, "\(error?.message ?? "")")
    }
    #expect(try names.allSatisfy { $0.hasPrefix("a.larder") })
  }

  @Test(
    "a name with any other character is that of one file, whose backup has its name",
    arguments: [" ", "%20", "?mode=memory", "#", "é", "e\u{301}", "\"'`", "a\nb", ":memory", "-", "\\"])
  func unusual(name: String) throws {
    let path = folder.url.path(percentEncoded: false) + name
    do {
      let store = try Store(at: path, for: Parcel.self)
      try store.blocking.insert(Parcel(id: 1))
      try store.blocking.backup(to: path + " copy")
    }
    #expect(try Set(names.map { Array($0.utf8) }) == [Array(name.utf8), Array("\(name) copy".utf8)])
    #expect(try Store(at: path + " copy", for: Parcel.self).blocking.count(Parcel.all) == 1)
  }

  @Test("the real path of a file follows links to the folder and to the file, also before the file exists")
  func realPaths() throws {
    let path = RealPath.of(folder.url.path(percentEncoded: false))
    let manager = FileManager.default
    try manager.createDirectory(atPath: path + "/in", withIntermediateDirectories: true)
    try manager.createSymbolicLink(atPath: path + "/link", withDestinationPath: "in")
    try manager.createSymbolicLink(atPath: path + "/in/file", withDestinationPath: "../link/later")
    try manager.createSymbolicLink(atPath: path + "/in/circle", withDestinationPath: "circle")
    #expect(RealPath.of(path + "/link/new") == path + "/in/new")
    #expect(RealPath.of(path + "/link/file") == path + "/in/later")
    #expect(RealPath.of(path + "/link/../in/./file") == path + "/in/later")
    #expect(RealPath.of(path + "/link/circle") == path + "/in/circle")
    try manager.createDirectory(atPath: path + "/in/deep", withIntermediateDirectories: true)
    try manager.createSymbolicLink(atPath: path + "/far", withDestinationPath: "in/deep")
    #expect(RealPath.of(path + "/far/../new") == path + "/in/new")
    #expect(RealPath.of(path + "/far//new") == path + "/in/deep/new")
    #expect(RealPath.of(path + "/nothing/new") == path + "/nothing/new")
    #expect(RealPath.of("/new") == "/new")
    #expect(throws: StoreError.self) { try Store(at: path + "/link/circle", for: Parcel.self) }
  }

  @Test("a file that is read without its log has the path of the file, whose permissions a backup takes over")
  func immutable() throws {
    let path = folder.file("a.larder").path(percentEncoded: false)
    _ = try Store(at: path, for: Parcel.self)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    let opening = StoreOpening(path: path, models: [], configuration: Store.Configuration(access: .readOnly))
    let connection = try opening.openReader(
      StoreEnvironment(
        features: StoreFeatures(path: path, isManaged: true, Store.Configuration()), isManaged: true, isImmutable: true)
    )
    #expect(connection.filePath == path)
    let copy = folder.file("copy").path(percentEncoded: false)
    try StoreBackup.write(connection, to: copy)
    let mode = try FileManager.default.attributesOfItem(atPath: copy)[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }
}
