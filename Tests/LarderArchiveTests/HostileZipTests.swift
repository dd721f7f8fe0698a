import Foundation
import LarderArchive
import LarderArchiveMutation
import Synchronization
import Testing

@Suite("Zip files of attackers")
struct HostileZipTests {
  private let temporary: TemporaryFolder
  private let folder: PackageFolder
  private let writes = Writes()

  /// Counts the bytes that are written, in calls.
  private final class Writes: Sendable {
    let count = Atomic(0)
  }

  init() throws {
    temporary = try TemporaryFolder()
    let writes = writes
    folder = try PackageFolder(
      at: temporary.file("packages"), extension: "x",
      fileSystem: FileSystem { step, _ in
        if step == "write" || step == "create" { writes.count.add(1, ordering: .relaxed) }
      })
  }

  /// The error of a zip file; nothing of it may be left.
  ///
  /// - Parameter isSound: Whether only the contents of an entry are wrong. Otherwise nothing may be written at all.
  private func error(_ bytes: Data, limits: ZipLimits = .default, isSound: Bool = false) throws -> ArchiveError? {
    let file = temporary.file("a.zip")
    try bytes.write(to: file)
    let before = writes.count.load(ordering: .relaxed)
    defer { #expect(isSound || writes.count.load(ordering: .relaxed) == before, "something was written") }
    let error = #expect(throws: ArchiveError.self) { try folder.add { try $0.setParts(ofZip: file, limits: limits) } }
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: temporary.file("packages").path).allSatisfy {
        $0 == ".larder-lock"
      })
    #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.url.path).sorted() == ["a.zip", "packages"])
    return error
  }

  private func code(
    _ entries: ZipBuilder.Entry..., limits: ZipLimits = .default, isSound: Bool = false
  ) throws -> ArchiveError.Code? {
    try error(ZipBuilder(entries).file(), limits: limits, isSound: isSound)?.code
  }

  private func entry(_ name: String = "a", _ change: (inout ZipBuilder.Entry) -> Void = { _ in }) -> ZipBuilder.Entry {
    var entry = ZipBuilder.Entry(name, Array("content".utf8))
    change(&entry)
    return entry
  }

  private func isRead(_ builder: ZipBuilder) throws -> Bool {
    let file = temporary.file("a.zip")
    try builder.file().write(to: file)
    return try folder.add { try $0.setParts(ofZip: file) }.data(for: "a") == Data("content".utf8)
  }

  @Test(
    "D5: names that lead elsewhere are refused before anything is written, with the entry's number",
    arguments: [
      "../a", "a/../b", "..", ".", "./a", "/etc/passwd", "//a", "a//b", "C:/a", "C:a", "C:\\a", "..\\a", "a\\b", "",
      "/", "a\0b", "a\nb", ".hidden",
      "a/.hidden",
      "__MACOSX/../a", "__MACOSX/../../.DS_Store", "../.DS_Store", "/.DS_Store",
    ])
  func names(_ name: String) throws {
    let error = try error(ZipBuilder([entry("good"), entry(name)]).file())
    #expect(error?.code == .invalidName && error?.keyPath == "entry 1")
  }

  @Test("D5: names that are long, deep or not UTF-8 are refused")
  func longNames() throws {
    #expect(try code(entry(String(repeating: "x", count: 201))) == .invalidName)
    #expect(try code(entry(String(repeating: "x/", count: 16) + "a")) == .invalidName)
    #expect(try code(entry { $0.name = [0x61, 0xff] }) == .unsupported)
    #expect(try code(entry { $0.name = [0xc0, 0xae, 0xc0, 0xae, 0x2f, 0x61] }) == .unsupported)
  }

  @Test(
    "D5: names that are one on some file system, and files in files, are refused",
    arguments: [
      ["a", "a"], ["a", "A"], ["e\u{301}", "\u{e9}"], ["E\u{301}", "\u{e9}"], ["a", "a/b"], ["a/b", "a"], ["a", "A/b"],
      ["a/", "a"], ["a", "a/"],
      ["a/", "a/"], ["a/b", "A"],
    ])
  func duplicates(_ names: [String]) throws {
    let entries = names.map { ZipBuilder.Entry($0, $0.hasSuffix("/") ? [] : [1]) }
    #expect(try error(ZipBuilder(entries).file())?.code == .invalidName)
  }

  @Test(
    "D5: links, devices, folders by one mark alone, encryption and unknown methods are refused with the entry's name")
  func kinds() throws {
    for kind: UInt32 in [0o120_777, 0o060_644, 0o020_644, 0o010_644, 0o140_644, 0o040_755] {
      let error = try error(ZipBuilder([entry { $0.attributes = kind << 16 }]).file())
      #expect(error?.code == .unsupported && error?.keyPath == "a")
    }
    #expect(try code(entry { $0.attributes = 0x10 }) == .unsupported)
    #expect(try code(ZipBuilder.Entry("a/", [1])) == .damaged)
    #expect(
      try code(
        { () in
          var entry = ZipBuilder.Entry("a/"); entry.attributes = 0o100_644 << 16; return entry
        }()) == .unsupported)
    for bit in [0, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 15] {
      #expect(try code(entry { $0.flags = 1 << UInt16(bit) }) == .unsupported, "\(bit)")
    }
    for method: UInt16 in [1, 6, 9, 12, 14, 93, 95, 99] {
      #expect(try code(entry { $0.method = method }) == .unsupported)
    }
    #expect(try code(entry { $0.version = 51 }) == .unsupported)
    #expect(try code(entry { $0.disk = 1 }) == .unsupported)
  }

  @Test("D5: a header that is not what the directory says is damage")
  func disagreement() throws {
    let changes: [(inout ZipBuilder.Entry) -> Void] = [
      { $0.localName = Array("b".utf8) }, { $0.localName = Array("../b".utf8) }, { $0.localMethod = 8 },
      { $0.localFlags = 2 },
      { $0.localChecksum = 1 },
      { $0.localSize = 1 }, { $0.localCompressedSize = 6 }, { $0.localSize = 0 }, { $0.localFlags = 8 },
      { $0.localExtra = [1, 0, 16, 0, 1] }, { $0.extra = [1, 0, 16, 0, 1] }, { $0.size = .max },
      { $0.compressedSize = 8 }, { $0.size = 8 },
      { $0.extra = [0x75, 0x70, 6, 0, 1, 0, 0, 0, 0, 0x62] },
      { $0.localExtra = [0x75, 0x70, 6, 0, 1, 0, 0, 0, 0, 0x62] },
      { $0.trailer = [0] }, { ($0.flags, $0.trailer) = (8, ZipBuilder.numbers([1, 7, 7], UInt32.self)) },
      { $0.flags = 8 }, { $0.offset = 1 },
      { $0.extra = [1, 0, 0, 0, 1, 0, 0, 0] }, { $0.checksum = 1 },
    ]
    for (number, change) in changes.enumerated() {
      // The last one is found when the content is read.
      let isSound = number == changes.count - 1
      #expect(try code(entry("a", change), isSound: isSound) == .damaged, "\(number)")
    }
    #expect(try isRead(ZipBuilder([entry()])))
  }

  @Test("D5: entries that overlap, lie in one another or leave room between them are damage")
  func overlaps() throws {
    #expect(try code(entry("a"), entry("b") { $0.offset = 0 }) == .damaged)
    #expect(try code(entry("a"), entry("b"), entry("c") { $0.offset = 38 }) == .damaged)
    #expect(try code(entry { $0.offset = 1 << 30 }) == .damaged)
    // A file within the content of another one.
    let inner = ZipBuilder([entry("b")]).file()
    #expect(try code(entry { $0.content = Array(inner) }, entry("b") { $0.offset = 31 }) == .damaged)
    for change: (inout ZipBuilder) -> Void in [
      { $0.prefix = [0] }, { $0.gap = [0] }, { $0.directoryOffset = 0 }, { $0.directorySize = 1 }, { $0.count = 2 },
      { $0.count = 0 },
    ] {
      var builder = ZipBuilder([entry()])
      change(&builder)
      #expect(try error(builder.file())?.code == .damaged)
    }
  }

  @Test("D5: a second directory in the comment, or a zip file behind another, is refused, and a plain comment is not")
  func comments() throws {
    var builder = ZipBuilder([entry()])
    builder.comment = Array(ZipBuilder([entry("b")]).file())
    #expect(try error(builder.file())?.code == .damaged)
    #expect(try error(ZipBuilder([entry("b")]).file() + ZipBuilder([entry()]).file())?.code == .damaged)
    // Python takes the last signature for the end, whatever stands behind it.
    builder.comment = Array("a comment with PK\u{5}\u{6} in it, that is no end".utf8)
    #expect(try error(builder.file())?.code == .damaged)
    builder.comment = Array("a plain comment".utf8)
    #expect(try isRead(builder))
  }

  @Test("D5: bombs are refused by what they say, and by what they unfold to")
  func bombs() throws {
    let zeros = ZipBuilder.zeros(40_000)
    func bomb(_ name: String, says size: Int) -> ZipBuilder.Entry {
      entry(name) { ($0.raw, $0.isDeflated, $0.size, $0.checksum) = (zeros.raw, true, UInt32(size), 1) }
    }
    #expect(zeros.count > 150 * zeros.raw.count)
    let limits = ZipLimits(entries: 3, partSize: 20 << 20, totalSize: 20 << 20, ratio: 100)
    #expect(try code(bomb("a", says: zeros.count), limits: limits) == .limitExceeded)
    #expect(try code(bomb("a", says: 10), limits: limits, isSound: true) == .damaged)
    // Unfolding stops at the size that the entry says.
    let reader = try ZipReader(temporary.file("a.zip"), limits: limits)
    var size = 0
    #expect(throws: ArchiveError.self) { for entry in reader.entries { try reader.read(entry) { size += $0.count } } }
    #expect(size <= 10)
    #expect(
      try code(bomb("a", says: zeros.count), limits: ZipLimits(partSize: zeros.count - 1, ratio: 2000))
        == .limitExceeded)
    #expect(
      try code(
        bomb("a", says: zeros.count), bomb("b", says: zeros.count),
        limits: ZipLimits(totalSize: 2 * zeros.count - 1, ratio: 2000))
        == .limitExceeded)
    #expect(try code(entry("a"), entry("b"), entry("c"), entry("d"), limits: limits) == .limitExceeded)
    #expect(try code(entry { ($0.isDeflated, $0.size) = (true, .max - 1) }) == .limitExceeded)
    var builder = ZipBuilder([entry()])
    builder.count = .max
    #expect(try error(builder.file())?.code == .limitExceeded)
    #expect(
      try code(entry("a"), limits: ZipLimits(entries: -1, partSize: -1, totalSize: -1, ratio: -1)) == .limitExceeded)
  }

  @Test("D5: numbers for large files that no file can have are errors, whatever the limits are")
  func largeNumbers() throws {
    let none = ZipLimits(entries: .max, partSize: .max, totalSize: .max, ratio: .max)
    for (count, size, offset): (UInt64, UInt64, UInt64) in [
      (1 << 60, 0, 0), (.max, .max, .max), (0, .max, 1), (0, 1, .max), (1, 0, 0), (1 << 62, 1 << 63, 1 << 63),
    ] {
      let record =
        ZipBuilder.numbers([0x0606_4b50], UInt32.self) + ZipBuilder.numbers([44], UInt64.self) + [
          45, 3, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        ]
      let locator = ZipBuilder.numbers([0x0706_4b50, 0, 0, 0, 1], UInt32.self)
      let end = ZipBuilder.numbers([0x0605_4b50, 0, .max, .max, .max], UInt32.self) + [0, 0]
      let file = Data(record + ZipBuilder.numbers([count, count, size, offset], UInt64.self) + locator + end)
      #expect(try error(file, limits: none)?.code == .damaged)
    }
    let sizes: [UInt64] = [0, 1, 7, 1 << 32, 1 << 62, 1 << 63, .max]
    for size in sizes {
      for compressedSize in sizes where size != 7 || compressedSize != 7 {
        let extra =
          ZipBuilder.numbers([1, 24], UInt16.self) + ZipBuilder.numbers([size, compressedSize, 0], UInt64.self)
        let large = entry {
          ($0.isDeflated, $0.size, $0.compressedSize, $0.offset, $0.extra, $0.localExtra) = (
            true, .max, .max, .max, extra, Array(extra)
          )
        }
        #expect(try [.damaged, .limitExceeded].contains(code(large, limits: none)), "\(size) \(compressedSize)")
      }
    }
  }

  @Test("D5: a zip file that is cut at any byte, or has any bit flipped, is an error or the same content")
  func everyByte() throws {
    var deflated = entry("folder/b")
    deflated.isDeflated = true
    let bytes = ZipBuilder([entry(), deflated]).file()
    let file = temporary.file("a.zip")
    func content() throws -> [Data] {
      let reader = try ZipReader(file, limits: .default)
      return try reader.entries.map { entry in
        var data = Data()
        try reader.read(entry) { data.append(contentsOf: $0) }
        return data
      }
    }
    for size in 0..<bytes.count {
      try bytes.prefix(size).write(to: file)
      let error = #expect(throws: ArchiveError.self) { try content() }
      #expect(error?.code == .notAnArchive || error?.code == .damaged)
    }
    var errors = 0
    for bit in 0..<bytes.count * 8 {
      var bytes = bytes
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      try bytes.write(to: file)
      do {
        let content = try content()
        #expect(content == [Data("content".utf8), Data("content".utf8)], "bit \(bit)")
      } catch is ArchiveError { errors += 1 }
    }
    // The rest are times, names, versions and attributes, which change no content.
    #expect(errors > bytes.count * 8 / 2)
  }
}
