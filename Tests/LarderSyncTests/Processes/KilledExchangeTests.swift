import Foundation
import Larder
import LarderRandom
import LarderTestSupport
import Testing

@testable import LarderSync

/// The model of `LarderSyncTestProcess`.
@Model("Page")
private struct SentPage: Hashable {
  var id: UUID = .v7()
  @Attribute(.unique) var number: Int
  var text: String = ""
  @Relationship(deleteRule: .cascade) var parent: ToOne<SentPage>?
}

@Suite("Sync: processes that are killed, and disks that are full", .timeLimit(.minutes(20)))
struct KilledExchangeTests {
  private let folder: TemporaryFolder
  private let left: Replica
  private let right: Replica

  init() throws {
    folder = try TemporaryFolder()
    (left, right) = (try Self.open(folder, "left"), try Self.open(folder, "right"))
  }

  private static func open(_ folder: TemporaryFolder, _ name: String) throws -> Replica {
    try Replica(folder: folder, [SentPage.self], name: name)
  }

  private func fill(_ replica: Replica, _ count: Int, _ random: inout SplitMix64) async throws {
    var pages: [SentPage] = []
    for number in 0..<count {
      // Every third number is on both sides: one of the two is set aside.
      let unique = number % 3 == 0 ? number : Int.random(in: 1000..<1_000_000_000, using: &random)
      let parent = pages.randomElement(using: &random)
      pages.append(SentPage(number: unique, text: "\(number)", parent: parent.map { ToOne($0) }))
    }
    try await replica.store.insert(pages)
    let albums = replica.store.documents("albums", of: [String: Attached].self)
    for _ in 0..<3 {
      let image = try await replica.store.attach(randomBytes(Self.imageSize, seed: random.next()))
      try await albums.save("\(random.next())", ["cover": image])
    }
  }

  /// When the next process dies, in microseconds: the first one at once, and the others in a span that doubles, so that a slow machine sees hardly more deaths than a fast one.
  private static func delay(after kills: Int, _ random: inout SplitMix64) -> Int {
    if kills == 0 { return 0 }
    return Int.random(in: 0..<100_000, using: &random) << min(kills / 2, 12)
  }

  /// Two pieces.
  private static let imageSize = 300 << 10

  private func expectAlbums(_ replica: Replica, _ count: Int, _ seed: UInt64) async throws {
    let albums = replica.store.documents("albums", of: [String: Attached].self)
    let keys = try await albums.keys()
    #expect(keys.count == count, "seed \(seed)")
    for key in keys {
      let image = try #require(try await albums.find(key)?["cover"])
      #expect(try await replica.store.data(of: image).count == Self.imageSize, "seed \(seed)")
    }
  }

  @Test(
    "S19: a process that dies anywhere in an exchange leaves both sides whole, and the next exchange completes it",
    arguments: 0..<1 as Range<UInt64>)
  func exchange(seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    try await fill(left, 300, &random)
    try await fill(right, 300, &random)
    let states = [try await left.state(), try await right.state()]
    var kills = 0
    while true {
      let delay = Self.delay(after: kills, &random)
      let end = try await SecondProcess.run("exchange", folder.url, delay)
      #expect(try await left.store.check().isHealthy, "seed \(seed)")
      #expect(try await right.store.check().isHealthy, "seed \(seed)")
      guard end.wasKilled else {
        #expect(end.lines == ["done"], "seed \(seed)")
        break
      }
      kills += 1
    }
    #expect(kills > 0, "seed \(seed)")
    try await expectEqual([left, right], "seed \(seed)")
    let merged = try await left.state()
    #expect(merged.count == Set(states.flatMap(\.keys)).count, "seed \(seed)")
    for state in states {
      for (key, row) in state { #expect(merged[key]?.merging(row) == merged[key], "seed \(seed)") }
    }
    #expect(try await left.exchange(with: right).received == 0, "seed \(seed)")
    for replica in [left, right] { try await expectAlbums(replica, 6, seed) }
  }

  @Test(
    "S19: a process that dies anywhere in an export or import leaves a whole file or none, and a store that goes on",
    arguments: 0..<1 as Range<UInt64>)
  func files(seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    try await fill(left, 700, &random)
    let url = folder.file("file")
    for command in ["export", "import"] {
      var kills = 0
      while true {
        let delay = Self.delay(after: kills, &random)
        let end = try await SecondProcess.run(command, folder.url, delay)
        if FileManager.default.fileExists(atPath: url.path) { _ = try BatchFile(at: url) }
        #expect(try await right.store.check().isHealthy, "seed \(seed)")
        guard end.wasKilled else {
          #expect(end.lines == ["done"], "seed \(seed)")
          break
        }
        kills += 1
      }
      #expect(kills > 0, "seed \(seed)")
    }
    try await expectEqual([left, right], "seed \(seed)")
    #expect(try await right.store.count(SentPage.all) == 700, "seed \(seed)")
    try await expectAlbums(right, 3, seed)
  }

  @Test(
    "a disk that is full in the middle of an import or export leaves what was committed, and no part of a file",
    .enabled("small file systems can't be made here", { SecondProcess.canMount }))
  func fullDisk() async throws {
    let place = try TemporaryFolder()
    let end = try await SecondProcess.run(
      "fullDisk", place.url, 0, within: SecondProcess.smallDisk(at: place.url, kilobytes: 16_000))
    #expect(
      end.lines == [
        "import: diskFull", "healthy", "export: diskFull", "nothing is left", "400 rows", "exported",
      ])
    #expect(end.status == 0)
  }

  @Test("an export and an import need memory for a part of the file only")
  func memory() async throws {
    let place = try TemporaryFolder()
    let end = try await SecondProcess.run("memory", place.url, 150)
    let numbers = end.lines.compactMap { Int($0) }
    try #require(numbers.count == 2)
    #expect(numbers[0] > 20_000)
    #expect(numbers[1] < numbers[0])
  }
}
