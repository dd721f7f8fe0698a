import Foundation
import LarderTestSupport
import Testing

@testable import LarderProving

@Suite("The disk that a power cut leaves")
struct PowerDiskTests {
  private let folder: TemporaryFolder
  private let old = [UInt8](repeating: 1, count: 4096)
  private let new = [UInt8](repeating: 2, count: 4096)

  init() throws {
    folder = try TemporaryFolder()
    try Data(old).write(to: folder.file("a"))
  }

  /// The files after the events and a cut.
  private func files(_ events: [FileEvent], _ fate: PowerDisk.Fate, seed: UInt64 = 1) throws -> [String: [UInt8]] {
    var disk = try PowerDisk(folder.url)
    for event in events { disk.apply(event) }
    let cut = folder.file(UUID().uuidString)
    var random = SplitMix64(seed: seed)
    try disk.cut(fate, &random, to: cut)
    let names = try FileManager.default.contentsOfDirectory(atPath: cut.path(percentEncoded: false))
    return try Dictionary(
      uniqueKeysWithValues: names.map { ($0, Array(try Data(contentsOf: cut.appending(component: $0)))) })
  }

  @Test("what was synced is there, whatever becomes of the rest", arguments: PowerDisk.Fate.allCases)
  func synced(fate: PowerDisk.Fate) throws {
    #expect(try files([.write("/x/a", offset: 0, new), .sync("/x/a")], fate)["a"] == new)
  }

  @Test("what was not synced is lost or kept")
  func unsynced() throws {
    let events = [FileEvent.write("/x/a", offset: 0, new)]
    #expect(try files(events, .lost)["a"] == old)
    #expect(try files(events, .kept)["a"] == new)
  }

  @Test("a torn page has sectors of both")
  func torn() throws {
    let bytes = try #require(try files([.write("/x/a", offset: 0, new)], .torn)["a"])
    let sectors = stride(from: 0, to: bytes.count, by: 512).map { Array(bytes[$0..<($0 + 512)]) }
    #expect(sectors.allSatisfy { Set($0).count == 1 })
    #expect(Set(sectors.map { $0[0] }) == [1, 2])
  }

  @Test("damage stays within what was written")
  func garbage() throws {
    var damaged = 0
    for seed in UInt64(1)...20 {
      let bytes = try #require(
        try files([.write("/x/a", offset: 1000, [UInt8](repeating: 2, count: 2000))], .garbage, seed: seed)["a"])
      #expect(Array(bytes[..<1000]) == Array(old[..<1000]))
      #expect(Array(bytes[3000...]) == Array(old[3000...]))
      if Set(bytes[1000..<3000]).count > 2 { damaged += 1 }
    }
    #expect(damaged > 5)
  }

  @Test("a truncation, a creation and a removal are lost until they are synced")
  func names() throws {
    #expect(try files([.truncate("/x/a", size: 10)], .lost)["a"]?.count == 4096)
    #expect(try files([.truncate("/x/a", size: 10), .sync("/x/a")], .lost)["a"]?.count == 10)
    let creation: [FileEvent] = [.create("/x/b"), .write("/x/b", offset: 0, new), .sync("/x/b")]
    #expect(try files(creation, .lost)["b"] == nil)
    #expect(try files(creation + [.syncFolder("/x/b")], .lost)["b"] == new)
    #expect(try files([.remove("/x/a")], .lost)["a"] == old)
    #expect(try files([.remove("/x/a"), .syncFolder("/x/a")], .lost).isEmpty)
  }

  @Test("shared memory is no file of the disk")
  func memory() throws {
    #expect(
      try files(
        [.create("/x/a-shm"), .write("/x/a-shm", offset: 0, new), .sync("/x/a-shm"), .syncFolder("/x/a-shm")], .kept)[
          "a-shm"] == nil)
  }
}
