import Foundation
import LarderArchive
import LarderArchiveMutation
import Synchronization
import Testing

@Suite("Archives and packages: places at the edges")
struct HostilePlaceTests {
  private let temporary: TemporaryFolder

  init() throws { temporary = try TemporaryFolder() }

  private func code(_ body: () throws -> Void) -> ArchiveError.Code? {
    #expect(throws: ArchiveError.self, performing: body)?.code
  }

  @Test("D1: a place that cannot hold an archive is an error with a code, and nothing is written")
  func places() throws {
    #expect(code { try Archive.write(1, to: try #require(URL(string: "https://example.org/a"))) } == .invalidName)
    #expect(
      code { _ = try Archive.read(Int.self, from: try #require(URL(string: "https://example.org/etc/passwd"))) }
        == .invalidName)
    #expect(code { try Archive.write(1, to: URL(filePath: "/")) } == .invalidName)
    #expect(code { try Archive.write(1, to: temporary.url.appending(path: "..")) } == .invalidName)
    #expect(code { try Archive.write(1, to: temporary.file("a\0b")) } == .invalidName)
    #expect(code { try Archive.write(1, to: temporary.file(String(repeating: "x", count: 4096))) } == .invalidName)
    #expect(code { try Archive.write(1, to: temporary.file("none/a")) } == .notFound)
    #expect(code { _ = try Archive.read(Int.self, from: temporary.url) } == .inputOutput)
    #expect(code { _ = try Archive.read(Int.self, from: URL(filePath: "/dev/zero")) } == .inputOutput)
    #expect(
      code { _ = try PackageFolder(at: try #require(URL(string: "https://example.org/a")), extension: "x") }
        == .invalidName)
    try Data().write(to: temporary.file("file"))
    #expect(code { _ = try PackageFolder(at: temporary.file("file"), extension: "x") } == .inputOutput)
    #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.url.path) == ["file"])
  }

  @Test("D1: names with quotes, signs and letters of all kinds are names, and a link to an archive is followed")
  func names() throws {
    let url = temporary.file("a\"'% ä#?b")
    try Archive.write(1, to: url)
    #expect(try Archive.read(Int.self, from: url) == 1)
    try FileManager.default.createSymbolicLink(at: temporary.file("link"), withDestinationURL: url)
    #expect(try Archive.read(Int.self, from: temporary.file("link")) == 1)
    try Archive.write(2, to: temporary.file("link"))
    #expect(try Archive.read(Int.self, from: temporary.file("link")) == 2)
    #expect(try Archive.read(Int.self, from: url) == 1)
  }

  @Test("D3: names that are nearly numbers, or numbers without end, do not stop the counting")
  func numbers() throws {
    let folder = try PackageFolder(at: temporary.url, extension: "a b'\"%ä")
    for name in ["9223372036854775807", "9223372036854775806", "-5", "+9", "007", "con'\"%", "1e9", "٤"] {
      #expect(try folder.add(named: name) { try $0.setData(Data(), for: "x y'\"%ä") }.name == name)
    }
    #expect(try folder.add { _ in }.name == "8")
    #expect(try PackageFolder(at: temporary.url, extension: "a b'\"%ä").add { _ in }.name == "9")
    #expect(try folder.packages().count == 10)
    #expect(try folder.packages().prefix(3).map(\.name) == ["007", "8", "9"])
  }

  @Test("D3: names that are too long together, or differ in case alone, are errors, and leave nothing")
  func longNames() throws {
    let long = String(repeating: "ä", count: 100)
    let folder = try PackageFolder(at: temporary.url, extension: String(repeating: "e", count: 200))
    #expect(code { _ = try folder.add(named: long) { _ in } } == .invalidName)
    #expect(
      code {
        _ = try folder.add {
          try $0.setData(Data(), for: "A"); try $0.setData(Data(), for: "a")
        }
      } == .invalidName)
    #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.url.path).isEmpty)
    struct Refusal: Error {}
    #expect(throws: Refusal.self) { try folder.add { _ in throw Refusal() } }
    #expect(try folder.packages().isEmpty)
  }

  @Test(
    "D3: a list of parts with a name that leads elsewhere is damaged, and nothing that it names is read or changed",
    arguments: [
      "../secret", "../1.x/a", "images/../../secret", "/etc/passwd", "..", ".", "", "a//b", "/a", "a/", ".manifest",
      "a\\b", "C:a", "a\0b", String(repeating: "x", count: 201),
    ])
  func namesInList(_ name: String) throws {
    let folder = try PackageFolder(at: temporary.url, extension: "x")
    let package = try folder.add { try $0.setData(Data([1]), for: "a") }
    try Data([1]).write(to: temporary.file("secret"))
    let part = Manifest.Part(size: 1, checksum: CRC64.checksum([1]))
    try Archive.encode(Manifest(parts: ["a": part, name: part])).write(to: temporary.file("1.x/.manifest"))
    package.reload()
    #expect(code { _ = try package.partNames() } == .damaged)
    #expect(code { _ = try package.data(for: "a") } == .damaged)
    #expect(code { _ = try package.snapshot() } == .damaged)
    #expect(code { try package.edit { try $0.setData(Data([2]), for: "b") } } == .damaged)
    #expect(code { _ = try package.data(for: name) } != nil)
    #expect(try package.inspect().problems[".manifest"]?.code == .damaged)
    try package.replaceAll { try $0.setData(Data([2]), for: "b") }
    #expect(try package.partNames() == ["b"] && Data(contentsOf: temporary.file("secret")) == Data([1]))
  }

  @Test("D3: nothing behind a link in the place of a part or of the folder of packages is read, changed or deleted")
  func behindLinks() throws {
    let outside = try TemporaryFolder(isInMemory: true)
    try Data([1]).write(to: outside.file("a"))
    let folder = try PackageFolder(at: temporary.url, extension: "x")
    let package = try folder.add {
      try $0.setData(Data([1]), for: "a")
      try $0.setData(Data([1]), for: "b")
    }
    try FileManager.default.removeItem(at: temporary.file("1.x/a"))
    try FileManager.default.createSymbolicLink(at: temporary.file("1.x/a"), withDestinationURL: outside.file("a"))
    // The file behind the link has the size and the checksum of the part.
    #expect(code { _ = try package.data(for: "a") } == .damaged)
    #expect(code { _ = try package.snapshot().reader(for: "a") } == .damaged)
    #expect(code { _ = try package.unverifiedData(for: "a") } == .inputOutput)
    try package.edit { try $0.setData(Data([2]), for: "b") }
    #expect(try package.data(for: "b") == Data([2]))
    #expect(try package.inspect().problems["a"]?.code == .damaged)
    try package.edit { try $0.setData(Data([2]), for: "a") }
    #expect(try package.data(for: "a") == Data([2]) && Data(contentsOf: outside.file("a")) == Data([1]))
    try FileManager.default.removeItem(at: temporary.file("1.x/b"))
    try FileManager.default.createSymbolicLink(at: temporary.file("1.x/b"), withDestinationURL: outside.url)
    try folder.delete(package)
    try folder.emptyTrash()
    #expect(try Data(contentsOf: outside.file("a")) == Data([1]))
    // A package that is a link isn't one.
    try FileManager.default.createSymbolicLink(at: temporary.file("7.x"), withDestinationURL: outside.url)
    #expect(try folder.packages().isEmpty)
    #expect(code { _ = try folder.package(named: "7") } == .notFound)
    #expect(try FileManager.default.contentsOfDirectory(atPath: outside.url.path) == ["a"])
  }

  @Test(
    "D5: folders of others in one another, deeper than a small stack, stop a change but neither reading nor deleting",
    arguments: [3, 3000])
  func deepStrangers(levels: Int) throws {
    let temporary = try TemporaryFolder()
    let lines = try TestProcess.output(within: [], "deep", temporary.url.path, "\(levels)")
    #expect(
      lines == [
        "edit \(levels > 100 ? "limitExceeded" : "done")", "read done", "delete done", "empty done",
        "[\".larder-lock\"]",
      ])
  }

  #if os(Linux)
  @Test(
    "D5: a file whose name is not UTF-8 stops a change and is not lost, and does not keep a package from being deleted",
    arguments: ["", "images", "images/small"])
  func otherNames(_ place: String) throws {
    let temporary = try TemporaryFolder()
    let folder = try PackageFolder(at: temporary.url, extension: "x")
    let package = try folder.add { parts in
      for name in ["a", "images/a", "images/small/a"] { try parts.setData(Data([1]), for: name) }
    }
    let path = package.url.path + "/" + place + "/"
    // é in Latin-1.
    let name = Array(path.utf8).map(CChar.init(bitPattern:)) + [CChar(bitPattern: 0xe9), 0]
    let file = open(name, O_WRONLY | O_CREAT, 0o600)
    #expect(file >= 0)
    close(file)
    let changes: [() throws -> Void] = [
      { try package.edit { try $0.setData(Data([2]), for: "a") } },
      { try package.replaceAll { try $0.setData(Data([2]), for: "images") } },
      { try package.replaceAll { try $0.setData(Data([2]), for: "b") } },
    ]
    for change in changes {
      let error = #expect(throws: ArchiveError.self, performing: change)
      #expect(error?.code == .unsupported)
      #expect(access(name, F_OK) == 0)
      #expect(try !package.inspect().isDamaged && package.data(for: "a") == Data([1]))
    }
    try folder.delete(package)
    try folder.emptyTrash()
    #expect(try PackageFolder(at: temporary.url, extension: "x").packages().isEmpty)
    #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.url.path) == [".larder-lock"])
  }
  #endif

  @Test("D5: a package of a newer program says so, and is not called damaged")
  func newer() throws {
    let folder = try PackageFolder(at: temporary.url, extension: "x")
    let package = try folder.add { try $0.setData(Data([1]), for: "a") }
    let list = temporary.file("1.x/.manifest")
    var bytes = try Data(contentsOf: list)
    bytes[9] = 3
    try bytes.write(to: list)
    #expect(code { _ = try folder.package(named: "1").data(for: "a") } == .newerVersion)
    #expect(code { try package.edit { try $0.remove("a") } } == .newerVersion)
    #expect(try Data(contentsOf: list) == bytes)
  }

  @Test(
    "D5: where the disk does not confirm a name, the error says that the change is there",
    arguments: ["write", "add", "edit"])
  func unconfirmed(_ change: String) throws {
    let folder = try PackageFolder(at: temporary.url, extension: "x")
    _ = try folder.add { try $0.setData(Data([1]), for: "a") }
    let place = temporary.url.lastPathComponent
    let failing = FileSystem { step, name in
      if step == "syncFolder", name == place { throw ArchiveError(.inputOutput, "The disk fails.") }
    }
    let broken = try PackageFolder(at: temporary.url, extension: "x", fileSystem: failing)
    let error = #expect(throws: ArchiveError.self) {
      switch change {
      case "write": try Archive.write(try Archive.encode(2), to: temporary.file("number"), through: failing)
      case "add": _ = try broken.add { try $0.setData(Data([2]), for: "a") }
      default: try broken.package(named: "1").edit { try $0.setData(Data([2]), for: "a") }
      }
    }
    #expect(error?.code == .inputOutput && error?.message.contains("in its place") == true)
    switch change {
    case "write": #expect(try Archive.read(Int.self, from: temporary.file("number")) == 2)
    case "add": #expect(try folder.package(named: "2").data(for: "a") == Data([2]))
    default: #expect(try folder.package(named: "1").data(for: "a") == Data([2]))
    }
    #expect(try PackageFolder(at: temporary.url, extension: "x").clean() == 0)
  }

  @Test("D5: cleaning up leaves alone what somebody is making at this moment")
  func cleanedMeanwhile() throws {
    let other = try PackageFolder(at: temporary.url, extension: "x")
    let counts = Mutex<[Int]>([])
    let watched = FileSystem { step, _ in
      guard step == "create" else { return }
      let count = try other.clean()
      counts.withLock { $0.append(count) }
    }
    let folder = try PackageFolder(at: temporary.url, extension: "x", fileSystem: watched)
    let package = try folder.add { try $0.setData(Data([1]), for: "a") }
    try package.edit { try $0.setData(Data([2]), for: "b") }
    #expect(counts.withLock { $0 } == [0, 0, 0, 0])
    #expect(try other.package(named: "1").partNames() == ["a", "b"])
  }

  @Test(
    "D5: on a full disk a change is refused, what was there is whole, and the folder goes on once there is space",
    .enabled(if: Surroundings.canMount, "this user cannot mount a small file system of its own"))
  func fullDisk() throws {
    let lines = try TestProcess.output(
      within: Surroundings.smallDisk(at: temporary.url.path), "fill", temporary.url.path, "600")
    #expect(lines == ["add diskFull", "edit diskFull", "write diskFull", "all whole", "nothing is left over", "ok"])
  }

  @Test(
    "D5: a folder that may only be read can be listed and read; changes are refused, and nothing is changed",
    .enabled(
      if: Surroundings.unprivileged != nil,
      "permissions do not bind this user, and it cannot run the process as another"))
  func readOnly() throws {
    let url = temporary.url.appending(path: "folder", directoryHint: .isDirectory)
    let folder = try PackageFolder(at: url, extension: "scarycreature")
    _ = try folder.add { try $0.setData(Data([1]), for: "a") }
    try FileManager.default.createDirectory(
      at: url.appending(path: ".larder-staging-left"), withIntermediateDirectories: true)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: temporary.url.path)
    try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: url.path)
    defer { try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: url.path) }
    let names = try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
    let lines = try TestProcess.output(within: Surroundings.unprivileged ?? [], "try", url.path, "0")
    #expect(
      lines == [
        "1 packages", "1 bytes", "add noPermission", "edit noPermission", "delete noPermission", "write noPermission",
        "open noPermission",
      ])
    #expect(try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() == names)
  }
}
