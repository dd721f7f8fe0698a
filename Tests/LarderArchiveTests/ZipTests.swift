import Foundation
import LarderArchive
import LarderArchiveMutation
import LarderRandom
import Testing

@Suite("Packages as zip files")
struct ZipTests {
  private let temporary: TemporaryFolder
  private let folder: PackageFolder

  init() throws {
    temporary = try TemporaryFolder()
    folder = try PackageFolder(at: temporary.file("packages"), extension: "x")
  }

  /// Parts of every kind: small, empty, in folders, with names beyond ASCII, compressible, and so compressible that
  /// they look like a bomb.
  private var parts: [String: Data] {
    var generator = SplitMix64(seed: 1)
    return [
      "data": Data("some text, some text, some text".utf8), "empty": Data(),
      "images/full.png": Data((0..<300_000).map { _ in UInt8.random(in: 0...255, using: &generator) }),
      "images/small/e\u{301}.png": Data([1, 2, 3]),
      "Ungeheuer № 1": Data((0..<400_000).map { UInt8(truncatingIfNeeded: $0 / 100) }),
      "zeros": Data(count: 3 << 20),
    ]
  }

  private func add(_ parts: [String: Data], to folder: PackageFolder) throws -> DocumentPackage {
    try folder.add { content in for (name, data) in parts { try content.setData(data, for: name) } }
  }

  private func content(of package: DocumentPackage) throws -> [String: Data] {
    Dictionary(uniqueKeysWithValues: try package.partNames().map { ($0, try package.data(for: $0)) })
  }

  private func tool(_ command: String...) throws -> (status: Int32, output: String) { try Tool.run(command) }

  @Test(
    "D5: a package becomes one file and a package again; the same parts give the same bytes",
    arguments: [UInt64(UInt32.max), 1000, 1])
  func roundTrip(_ largeLimit: UInt64) throws {
    let (first, second) = (temporary.file("first.zip"), temporary.file("second.zip"))
    let package = try add(parts, to: folder)
    try package.snapshot().writeZip(to: first, largeLimit: largeLimit)
    let copy = try folder.add { try $0.setParts(ofZip: first) }
    #expect(try content(of: copy) == parts)
    #expect(try !copy.inspect().isDamaged)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: copy.url.appending(path: "images").path).sorted() == [
        "full.png", "small",
      ])
    try copy.snapshot().writeZip(to: second, largeLimit: largeLimit)
    #expect(try Data(contentsOf: first) == Data(contentsOf: second))
    try package.replaceAll { try $0.setData(Data([1]), for: "other") }
    try package.replaceAll { try $0.setParts(ofZip: first) }
    #expect(try content(of: package) == parts)
    #expect(try Data(contentsOf: first).count < 1 << 22)
  }

  @Test(
    "D5: unzip and Python find the zip file whole, with the same content",
    .enabled(if: Tool.isThere("unzip", "-v") && Tool.isThere("python3", "-V")),
    arguments: [UInt64(UInt32.max), 1000])
  func otherReaders(_ largeLimit: UInt64) throws {
    let file = temporary.file("package.zip")
    try add(parts, to: folder).snapshot().writeZip(to: file, largeLimit: largeLimit)
    let test = try tool("unzip", "-tqq", file.path)
    #expect(test.status == 0, "\(test.output)")
    let target = temporary.file("unzipped")
    #expect(try tool("unzip", "-q", file.path, "-d", target.path).status == 0)
    for (name, data) in parts { #expect(try Data(contentsOf: target.appending(path: name)) == data) }
    let script = """
      import sys, zipfile
      with zipfile.ZipFile(sys.argv[1]) as file:
          assert file.testzip() is None
          print(sorted((entry.filename, entry.file_size) for entry in file.infolist()))
      """
    let expected = try tool(
      "python3", "-c", "print(sorted([\(parts.map { "(\"\($0.key)\", \($0.value.count))" }.joined(separator: ", "))]))")
    #expect(try tool("python3", "-c", script, file.path).output == expected.output)
  }

  @Test(
    "D5: zip files that zip and Python write, in each of their ways, are read",
    .enabled(if: Tool.isThere("zip", "-v") && Tool.isThere("python3", "-V")))
  func otherWriters() throws {
    let source = temporary.file("source")
    for (name, data) in parts {
      let file = source.appending(path: name)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try data.write(to: file)
    }
    let script = """
      import sys, os, zipfile
      source, target, way = sys.argv[1:4]
      class Pipe:
          def __init__(self, file): self.file = file
          def write(self, data): return self.file.write(data)
          def flush(self): self.file.flush()
      with open(target, "wb") as plain:
          with zipfile.ZipFile(Pipe(plain) if "pipe" in way else plain, "w", zipfile.ZIP_STORED if "stored" in way else zipfile.ZIP_DEFLATED) as file:
              for folder, _, names in os.walk(source):
                  if folder != source: file.write(folder, os.path.relpath(folder, source))
                  for name in names:
                      path = os.path.join(folder, name)
                      with open(path, "rb") as input, file.open(os.path.relpath(path, source), "w", force_zip64="large" in way) as output:
                          output.write(input.read())
              file.comment = b"PK a comment" if "comment" in way else b""
      """
    var files: [URL] = []
    for way in ["deflated", "stored", "large", "pipe", "pipe large", "pipe stored", "comment"] {
      files.append(temporary.file("\(way).zip"))
      let made = try tool("python3", "-c", script, source.path, files[files.count - 1].path, way)
      #expect(made.status == 0, "\(made.output)")
    }
    for (name, options) in [("zip", "-qr"), ("fast", "-qr1"), ("flat", "-qrD"), ("stored by zip", "-qr0")] {
      files.append(temporary.file("\(name).zip"))
      #expect(
        try Tool.run(["env", "LC_ALL=C.UTF-8", "zip", options, files[files.count - 1].path, "."], in: source).status
          == 0)
    }
    #expect(try Tool.run(["sh", "-c", "LC_ALL=C.UTF-8 zip -qr - . > ../streamed.zip"], in: source).status == 0)
    files.append(temporary.file("streamed.zip"))
    for file in files {
      let package = try folder.add { try $0.setParts(ofZip: file, limits: ZipLimits(ratio: 2000)) }
      #expect(try content(of: package) == parts, "\(file.lastPathComponent)")
    }
  }

  @Test("D5: of a folder that Finder compressed, the folder's content is taken, and what Finder adds is left out")
  func finder() throws {
    var entries = [
      "1.x/", "1.x/data", "1.x/.DS_Store", "1.x/images/a", "__MACOSX/", "__MACOSX/1.x/._data", "__MACOSX/._1.x",
    ].map { name in
      ZipBuilder.Entry(name, name.hasSuffix("/") ? [] : Array(name.utf8))
    }
    for index in entries.indices where !entries[index].content.isEmpty {
      let entry = entries[index]
      let size = UInt32(entry.content.count)
      entries[index].isDeflated = true
      (
        entries[index].flags, entries[index].localChecksum, entries[index].localSize, entries[index].localCompressedSize
      ) = (8, 0, 0, 0)
      entries[index].trailer = ZipBuilder.numbers(
        [0x0807_4b50, ZipBuilder.checksum(entry.content), size + 5, size], UInt32.self)
      entries[index].attributes = 0o100_644 << 16
    }
    let file = temporary.file("finder.zip")
    try ZipBuilder(entries).file().write(to: file)
    let package = try folder.add { try $0.setParts(ofZip: file, in: "1.x") }
    #expect(try content(of: package) == ["data": Data("1.x/data".utf8), "images/a": Data("1.x/images/a".utf8)])
    #expect(try folder.add { try $0.setParts(ofZip: file) }.partNames() == ["1.x/data", "1.x/images/a"])
    let error = #expect(throws: ArchiveError.self) { try folder.add { try $0.setParts(ofZip: file, in: "2.x") } }
    #expect(error?.code == .notFound)
  }

  @Test(
    "D5: a zip file is no more open than the package and its parts, and one that is replaced does not become more open"
  )
  func permissions() throws {
    let package = try add(["a": Data([1]), "b": Data([2])], to: folder)
    let file = temporary.file("package.zip")
    try package.snapshot().writeZip(to: file)
    #expect(try Tool.mode(file) == 0o644)
    #expect(chmod(file.path, 0o640) == 0)
    try package.snapshot().writeZip(to: file)
    #expect(try Tool.mode(file) == 0o640)
    try FileManager.default.removeItem(at: file)
    #expect(chmod(package.url.appending(path: "b").path, 0o600) == 0)
    try package.snapshot().writeZip(to: file)
    #expect(try Tool.mode(file) == 0o600)
    #expect(
      chmod(package.url.appending(path: "b").path, 0o644) == 0 && chmod(package.url.path, 0o700) == 0
        && chmod(file.path, 0o644) == 0)
    try package.snapshot().writeZip(to: file)
    #expect(try Tool.mode(file) == 0o600)
    #expect(chmod(temporary.file("packages").path, 0o700) == 0)
    let copy = try folder.add { try $0.setParts(ofZip: file) }
    #expect(try Tool.mode(copy.url) == 0o700 && Tool.mode(copy.url.appending(path: "a")) == 0o600)
  }

  @Test("D5: what is written within limits is read within them, and nothing is left where it does not keep within them")
  func limits() throws {
    let package = try add(parts, to: folder)
    let file = temporary.file("package.zip")
    for limits in [
      ZipLimits(entries: 5), ZipLimits(partSize: (3 << 20) - 1), ZipLimits(totalSize: (3 << 20) + 600_000),
    ] {
      let error = #expect(throws: ArchiveError.self) { try package.snapshot().writeZip(to: file, limits: limits) }
      #expect(error?.code == .limitExceeded)
      #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.url.path) == ["packages"])
    }
    for limits in [
      ZipLimits(entries: 6, partSize: 3 << 20, totalSize: (3 << 20) + 700_034, ratio: 2), ZipLimits(ratio: 2000),
    ] {
      try package.snapshot().writeZip(to: file, limits: limits)
      #expect(try content(of: folder.add { try $0.setParts(ofZip: file, limits: limits) }) == parts)
    }
    #expect(try folder.add { try $0.setParts(ofZip: file, limits: ZipLimits(ratio: 2000)) }.partNames().count == 6)
    let bomb = #expect(throws: ArchiveError.self) { try folder.add { try $0.setParts(ofZip: file) } }
    #expect(bomb?.code == .limitExceeded && bomb?.keyPath == "zeros")
  }

  @Test("D5: a damaged part does not become part of a zip file, and the old file stays")
  func damagedPart() throws {
    let package = try add(parts, to: folder)
    let file = temporary.file("package.zip")
    try Data("old".utf8).write(to: file)
    try Data("SOME text, some text, some text".utf8).write(to: package.url.appending(path: "data"))
    let error = #expect(throws: ArchiveError.self) { try package.snapshot().writeZip(to: file) }
    #expect(error?.code == .damaged && error?.keyPath == "data")
    #expect(try Data(contentsOf: file) == Data("old".utf8))
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: temporary.url.path).sorted() == ["package.zip", "packages"])
  }
}

/// Programs of the system that tests compare with.
enum Tool {
  static func run(_ command: [String], in folder: URL? = nil) throws -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = command
    process.currentDirectoryURL = folder
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
  }

  static func isThere(_ command: String...) -> Bool { (try? run(command))?.status == 0 }

  static func mode(_ url: URL) throws -> mode_t {
    var status = stat()
    guard lstat(url.path, &status) == 0 else { throw CocoaError(.fileNoSuchFile) }
    return status.st_mode & 0o777
  }
}
