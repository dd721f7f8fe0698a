import Foundation
import LarderArchive
import LarderArchiveMutation
import Synchronization
import Testing

@Suite("Packages")
struct PackageTests {
  private let temporary: TemporaryFolder
  private let reads = Reads()
  private let folder: PackageFolder

  /// The names of the files that were read.
  private final class Reads: Sendable {
    private let names = Mutex<[String]>([])
    func add(_ name: String) { names.withLock { $0.append(name) } }
    var parts: [String] { names.withLock { $0.filter { $0 != ".manifest" } } }
    var all: [String] { names.withLock { $0 } }
  }

  init() throws {
    temporary = try TemporaryFolder()
    let reads = reads
    folder = try PackageFolder(
      at: temporary.url, extension: "scarycreature",
      fileSystem: FileSystem { step, name in if step == "read" { reads.add(name) } })
  }

  private func add(_ number: Int) throws -> DocumentPackage {
    try folder.add { parts in
      try parts.setValue(Creature.sample(number), for: "data")
      try parts.setData(Data("picture \(number)".utf8), for: "full.png")
    }
  }

  private func names() throws -> [String] { try folder.packages().map(\.name) }

  @Test("D3: packages get the next free number, and are listed in its order")
  func numbers() throws {
    for number in 1...11 { #expect(try add(number).name == "\(number)") }
    #expect(try names() == (1...11).map(String.init))
    try folder.delete(try folder.package(named: "4"))
    #expect(try add(12).name == "12")
    #expect(FileManager.default.fileExists(atPath: temporary.file("12.scarycreature/full.png").path))
    #expect(throws: ArchiveError.self) { try folder.package(named: "4") }
  }

  @Test("D4: a part is read when it is first asked for, and once")
  func lazy() throws {
    _ = try add(1)
    let package = try #require(try folder.packages().first)
    #expect(reads.all.isEmpty)
    #expect(try package.partNames() == ["data", "full.png"])
    #expect(reads.parts.isEmpty)
    #expect(try package.data(for: "full.png") == Data("picture 1".utf8))
    _ = try package.data(for: "full.png")
    #expect(reads.parts == ["full.png"])
    #expect(try package.value(Creature.self, for: "data") == Creature.sample(1))
    #expect(reads.parts == ["full.png", "data"])
    package.reload()
    _ = try package.data(for: "full.png")
    #expect(reads.parts == ["full.png", "data", "full.png"])
  }

  @Test("D5: one part, or all, are replaced, and the others stay as they are")
  func replace() throws {
    let package = try add(1)
    try package.edit { try $0.setData(Data("small".utf8), for: "thumbnail.png") }
    try package.edit { try $0.setValue(Creature.sample(2), for: "data") }
    try package.edit { try $0.remove("full.png") }
    #expect(try package.partNames() == ["data", "thumbnail.png"])
    let again = try folder.package(named: "1")
    #expect(try again.value(Creature.self, for: "data") == Creature.sample(2))
    #expect(try again.data(for: "thumbnail.png") == Data("small".utf8))
    try again.replaceAll { try $0.setData(Data(), for: "only") }
    #expect(try again.partNames() == ["only"])
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: temporary.url.path).filter { $0.contains("staging") }.isEmpty)
  }

  @Test("D3: a deleted package comes back from the trash, unless that was emptied")
  func trash() throws {
    let package = try add(1)
    let deleted = try folder.delete(package)
    #expect(try names().isEmpty)
    #expect(try folder.deletedPackages() == [deleted])
    #expect(try folder.restore(deleted).value(Creature.self, for: "data") == Creature.sample(1))
    let again = try folder.delete(package)
    try folder.emptyTrash()
    let error = #expect(throws: ArchiveError.self) { try folder.restore(again) }
    #expect(error?.code == .notFound)
    let gone = #expect(throws: ArchiveError.self) { try folder.delete(package) }
    #expect(gone?.code == .notFound)
  }

  @Test("D3: one package in the trash is deleted for good, and the others stay")
  func removing() throws {
    let first = try folder.delete(try add(1))
    let second = try folder.delete(try add(2))
    #expect(FileManager.default.fileExists(atPath: folder.url(of: first).appending(path: "data").path))
    try folder.remove(first)
    #expect(try folder.deletedPackages() == [second])
    #expect(!FileManager.default.fileExists(atPath: folder.url(of: first).path))
    #expect(throws: ArchiveError.self) { try folder.restore(first) }
    let error = #expect(throws: ArchiveError.self) { try folder.remove(first) }
    #expect(error?.code == .notFound)
    #expect(try folder.restore(second).value(Creature.self, for: "data") == Creature.sample(2))
  }

  @Test("D3: the number of a deleted package is given to no other while it can come back, also after a restart")
  func numbersOfDeleted() throws {
    _ = try add(1)
    let deleted = try folder.delete(try add(2))
    let restarted = try PackageFolder(at: temporary.url, extension: "scarycreature")
    #expect(try restarted.add { try $0.setData(Data([3]), for: "a") }.name == "3")
    #expect(try restarted.restore(deleted).name == "2")
    #expect(try names() == ["1", "2", "3"])
  }

  @Test("D3: a restored package takes no other's place")
  func restoreTaken() throws {
    let deleted = try folder.delete(try folder.add(named: "Kraken") { try $0.setData(Data([1]), for: "a") })
    _ = try folder.add(named: "Kraken") { try $0.setData(Data([2]), for: "a") }
    #expect(throws: ArchiveError.self) { try folder.restore(deleted) }
    #expect(try folder.package(named: "Kraken").data(for: "a") == Data([2]))
    #expect(throws: ArchiveError.self) { try folder.add(named: "Kraken") { _ in } }
  }

  @Test("D3: a damaged package says what can still be read, and the others are listed")
  func damaged() throws {
    _ = try add(1)
    _ = try add(2)
    _ = try add(3)
    try Data("picture X".utf8).write(to: temporary.file("1.scarycreature/full.png"))
    try Data("junk".utf8).write(to: temporary.file("2.scarycreature/.manifest"))
    #expect(try names() == ["1", "2", "3"])
    let first = try folder.package(named: "1")
    let inspection = try first.inspect()
    #expect(inspection.isDamaged)
    #expect(inspection.readable == ["data"])
    #expect(inspection.problems["full.png"]?.code == .damaged)
    #expect(try first.value(Creature.self, for: "data") == Creature.sample(1))
    let error = #expect(throws: ArchiveError.self) { try first.data(for: "full.png") }
    #expect(error?.code == .damaged)
    let second = try folder.package(named: "2")
    #expect(try second.inspect().unverified == ["data", "full.png"])
    #expect(try second.unverifiedData(for: "full.png") == Data("picture 2".utf8))
    #expect(throws: ArchiveError.self) { try second.edit { try $0.setData(Data(), for: "a") } }
    try second.replaceAll { try $0.setData(Data([1]), for: "a") }
    #expect(try !second.inspect().isDamaged)
    #expect(try !folder.package(named: "3").inspect().isDamaged)
  }

  @Test(
    "D3: a name that is no plain name is refused",
    arguments: [
      "../x", "..", ".", "", "/a", "a/", "a//b", "a/../b", "a/.b", "/etc/passwd", "a\0b", ".manifest", ".hidden",
      "a\\b", "c:d", "a\nb",
      String(repeating: "x", count: 4096),
    ])
  func names(_ name: String) throws {
    let package = try add(1)
    func check(_ body: () throws -> Void) {
      #expect(#expect(throws: ArchiveError.self, performing: body)?.code == .invalidName)
    }
    check { _ = try package.data(for: name) }
    check { _ = try package.unverifiedData(for: name) }
    check { try package.edit { try $0.setData(Data(), for: name) } }
    check { try package.edit { try $0.setValue(1, for: name) } }
    check { try package.edit { try $0.remove(name) } }
    check { _ = try folder.add(named: name) { _ in } }
    check { _ = try folder.package(named: name) }
    check { _ = try PackageFolder(at: temporary.url, extension: name) }
    #expect(try package.partNames() == ["data", "full.png"])
  }

  @Test("D3: links, pipes and folders in the place of a part are not followed")
  func links() throws {
    let package = try add(1)
    let part = temporary.file("1.scarycreature/full.png")
    try FileManager.default.removeItem(at: part)
    try FileManager.default.createSymbolicLink(at: part, withDestinationURL: URL(filePath: "/etc/passwd"))
    #expect(throws: ArchiveError.self) { try package.data(for: "full.png") }
    #expect(throws: ArchiveError.self) { try package.unverifiedData(for: "full.png") }
    try FileManager.default.removeItem(at: part)
    #expect(mkfifo(part.path, 0o644) == 0)
    #expect(throws: ArchiveError.self) { try package.unverifiedData(for: "full.png") }
    #expect(try package.inspect().problems["full.png"]?.code == .damaged)
  }

  @Test("D3: what a crash has left is not listed, and is cleaned up when the folder is opened")
  func leftovers() throws {
    _ = try add(1)
    let left = temporary.file(".larder-staging-left")
    try FileManager.default.createDirectory(at: left, withIntermediateDirectories: true)
    try Data([1]).write(to: left.appending(path: "data"))
    #expect(try names() == ["1"])
    _ = try PackageFolder(at: temporary.url, extension: "scarycreature")
    #expect(!FileManager.default.fileExists(atPath: left.path))
  }

  @Test("D3: two processes that add 500 packages each end with 1,000")
  func twoProcesses() throws {
    let temporary = try TemporaryFolder(isInMemory: true)
    let processes = try (0..<2).map { _ in try TestProcess.start("add", temporary.url.path, "500") }
    for process in processes { process.waitUntilExit() }
    #expect(processes.allSatisfy { $0.terminationStatus == 0 })
    let packages = try PackageFolder(at: temporary.url, extension: "scarycreature").packages()
    #expect(packages.map(\.name) == (1...1000).map(String.init))
    #expect(Set(try packages.map { try $0.data(for: "data") }).count == 1000)
  }

  @Test("D3: listing 10,000 packages touches no part")
  func listing() throws {
    let temporary = try TemporaryFolder(isInMemory: true)
    let reads = Reads()
    let folder = try PackageFolder(
      at: temporary.url, extension: "scarycreature",
      fileSystem: FileSystem { step, name in if step == "read" { reads.add(name) } })
    // Folders with nothing in them: whoever looked inside would fail.
    let path = temporary.url.path(percentEncoded: false)
    #expect((1...10_000).allSatisfy { mkdir("\(path)/\($0).scarycreature", 0o000) == 0 })
    defer { for number in 1...10_000 { rmdir("\(path)/\(number).scarycreature") } }
    #expect(try folder.packages().count == 10_000)
    #expect(reads.all.isEmpty)
  }
}
