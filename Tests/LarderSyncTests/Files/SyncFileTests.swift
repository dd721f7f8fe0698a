import Foundation
import Larder
import LarderRandom
import LarderTestSupport
import Synchronization
import Testing

@testable import LarderSync

@Suite("Sync: files")
struct SyncFileTests {
  private let a: Replica
  private let b: Replica
  private let folder: TemporaryFolder
  private let url: URL

  init() throws {
    (a, b, folder) = (try Replica(), try Replica(), try TemporaryFolder())
    url = folder.file("changes")
  }

  private func fill(_ replica: Replica, _ count: Int, _ prefix: String = "k") async throws {
    try await replica.store.insert((0..<count).map { SharedKind(id: "\(prefix)\($0)", title: "t") })
  }

  private func contents() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.url.path) }

  @Test("B13: a file has what its target lacks, without what it sent itself, and nobody has to say where to begin")
  func target() async throws {
    let (own, other) = (try await a.store.sync.replica(), try await b.store.sync.replica())
    try await fill(a, 3, "a")
    try await fill(b, 2, "b")
    let first = try await a.store.sync.export(to: url, for: other)
    #expect(first.rows == 3 && first.since.position == 0 && first.upTo.replica == own)
    #expect(first.size == (try Data(contentsOf: url)).count)
    let report = try await b.store.sync.import(from: url)
    #expect(report.sender == own && report.upTo == first.upTo && report.received == first.upTo)
    #expect(report.rows == 3 && report.changed == 3 && report.setAside == 0 && !report.leavesGap)
    let answer = try await b.store.sync.export(to: url, for: own)
    #expect(answer.rows == 2)
    try await a.store.sync.import(from: url)
    try await expectEqual([a, b])
    try await fill(a, 1, "c")
    let second = try await a.store.sync.export(to: url, for: other)
    #expect(second.rows == 1 && second.since == first.upTo)
    try await b.store.sync.import(from: url)
    try await expectEqual([a, b])
    #expect(try await a.store.sync.export(to: url).rows == 6)
    #expect(try await a.store.sync.export(to: url, since: second.upTo).rows == 0)
    #expect(try contents() == ["changes"])
  }

  @Test("an export replaces a file with changes or an empty one, and never the store or another file")
  func otherFiles() async throws {
    try await fill(a, 3)
    let text = folder.file("notes.txt")
    let others = [a.path, a.path + "-wal", b.path, text.path]
    for content in ["x", "\u{89}LSX", String(repeating: "long", count: 100)] {
      try Data(content.utf8).write(to: text)
      for path in others {
        let before = try Data(contentsOf: URL(filePath: path))
        let error = await #expect(throws: StoreError.self, "\(path)") {
          try await a.store.sync.export(to: URL(filePath: path))
        }
        #expect(error?.code == .invalidValue && error?.message.contains(path) == true)
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
      }
    }
    let link = folder.file("link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: URL(filePath: a.path))
    await #expect(throws: StoreError.self) { try await a.store.sync.export(to: link) }
    #expect(try await a.store.check().isHealthy)
    try Data().write(to: url)
    for _ in 0..<2 { #expect(try await a.store.sync.export(to: url).rows == 3) }
    // A part of one, as a full disk of another program leaves it.
    try Data(contentsOf: url).prefix(5).write(to: url)
    #expect(try await a.store.sync.export(to: url).rows == 3)
    #expect(try contents().sorted() == ["changes", "link", "notes.txt"])
  }

  @Test("B13: progress goes forward and reaches its end, in an empty file too", arguments: [0, 1, 499, 500, 501, 1700])
  func progress(count: Int) async throws {
    try await fill(a, count)
    try await a.store.sync.export(to: url)
    let seen = Mutex<[SyncProgress]>([])
    let report = try await b.store.sync.import(from: url) { progress in seen.withLock { $0.append(progress) } }
    let values = seen.withLock { $0 }
    #expect(values.map(\.completed) == values.map(\.completed).sorted())
    #expect(values.last?.fraction == 1 && values.last?.completed == count)
    #expect(values.allSatisfy { $0.total == count })
    #expect(values.count >= count / 500)
    #expect(report.changed == count && report.received == report.upTo)
    try await expectEqual([a, b])
  }

  @Test("B13: a file that comes again changes nothing")
  func again() async throws {
    try await fill(a, 600)
    try await a.store.sync.export(to: url)
    try await b.store.sync.import(from: url)
    let (state, rows) = (try await b.state(), try await b.rows())
    let report = try await b.store.sync.import(from: url)
    #expect(report.changed == 0 && report.rows == 600)
    #expect(try await b.state() == state)
    #expect(try await b.rows() == rows)
  }

  @Test("S10: files in any order count as received once none is missing", arguments: 0..<8 as Range<UInt64>)
  func order(seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    var files: [SyncFile] = []
    var cursor: ChangeCursor?
    for number in 0..<5 {
      let account = SharedAccount(name: "\(number)")
      try await a.store.insert(account)
      try await a.store.insert(SharedCost(amount: number, account: ToOne(account)))
      try await a.store.updateAll(SharedAccount.all) { $0.limit.set(Double(number)) }
      files.append(try await a.store.sync.export(to: folder.file("\(number)"), since: cursor))
      cursor = files.last?.upTo
    }
    let order = files.shuffled(using: &random)
    var arrived: Set<Int64> = []
    for (number, file) in order.enumerated() {
      let report = try await b.store.sync.import(from: file.url)
      arrived.insert(file.since.position)
      let whole = files.prefix { arrived.contains($0.since.position) }.last?.upTo.position ?? 0
      #expect(report.received.position == whole, "seed \(seed), file \(number)")
      #expect(report.leavesGap == (whole < file.upTo.position), "seed \(seed), file \(number)")
      #expect(try await b.store.check().isHealthy, "seed \(seed)")
    }
    try await expectEqual([a, b], "seed \(seed)")
    try await a.exchange(with: b)
    let silent = try await a.exchange(with: b)
    #expect(silent == ExchangeReport(), "seed \(seed)")
  }

  @Test("S22: a damaged file is refused with the byte, and nothing of it applied", arguments: 0..<12 as Range<UInt64>)
  func damage(seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    try await fill(a, 700)
    let key = seed % 2 == 0 ? GroupKey() : nil
    try await a.store.sync.export(to: url, key: key)
    var bytes = try Data(contentsOf: url)
    let place = Int.random(in: bytes.indices, using: &random)
    switch seed % 4 {
    case 0, 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 2: bytes = bytes.prefix(place)
    default: bytes.append(0)
    }
    try bytes.write(to: url)
    let error = await #expect(throws: BatchError.self, "seed \(seed)") {
      try await b.store.sync.import(from: url, keys: key.map { [$0] } ?? [])
    }
    // The frame that the place is in begins there, or the file ends there.
    let offset = try #require(error?.offset, "seed \(seed)")
    #expect(offset <= place || seed % 4 == 3 && offset == bytes.count - 1, "seed \(seed)")
    #expect(try await b.state().isEmpty, "seed \(seed)")
  }

  @Test("B13: a sealed file is opened with any of the group's keys, and refused without")
  func sealed() async throws {
    let (old, new) = (GroupKey(), GroupKey())
    try await fill(a, 10)
    try await a.store.sync.export(to: url, key: old)
    for keys in [[], [new]] {
      let error = await #expect(throws: BatchError.self) { try await b.store.sync.import(from: url, keys: keys) }
      #expect(error?.code == .unknownKey)
    }
    #expect(try await b.state().isEmpty)
    try await b.store.sync.import(from: url, keys: [new, old])
    try await expectEqual([a, b])
    try await a.store.sync.export(to: url)
    let error = await #expect(throws: BatchError.self) { try await b.store.sync.import(from: url, keys: [new]) }
    #expect(error?.code == .notSealed)
  }

  @Test("a row that can't come from a replica refuses the whole file, whatever its place")
  func impossibleRow() async throws {
    let (sender, own) = (ReplicaID(), try await b.store.sync.replica())
    let good = try #require(Stamp(milliseconds: 1, counter: 0, replica: sender))
    let bad = try #require(Stamp(milliseconds: Stamp.greatestMilliseconds, counter: 0, replica: own))
    let rows = (0..<1200).map { number in
      let stamp = number == 1100 ? bad : good
      return RowState(
        table: "SharedKind", key: [.init("\(number)")], causalLength: 1, stamp: stamp, insertion: stamp, properties: [])
    }
    let batch = ChangeBatch(
      since: ChangeCursor(replica: sender, position: 0), upTo: ChangeCursor(replica: sender, position: 2000),
      recipient: nil, isLast: true, modelsDigest: Data(), rows: rows, knowledge: [])
    try batch.encoded().write(to: url)
    let error = await #expect(throws: StoreError.self) { try await b.store.sync.import(from: url) }
    #expect(error?.code == .invalidValue)
    #expect(error?.message.contains("row 1101") == true)
    #expect(try await b.state().isEmpty)
  }

  @Test("a file for another replica, for the sender itself, and one that is nowhere are refused")
  func strangers() async throws {
    try await fill(a, 1)
    try await a.store.sync.export(to: url, for: ReplicaID())
    #expect(await #expect(throws: StoreError.self) { try await b.store.sync.import(from: url) }?.code == .invalidValue)
    try await a.store.sync.export(to: url)
    #expect(await #expect(throws: StoreError.self) { try await a.store.sync.import(from: url) }?.code == .invalidValue)
    let own = try await a.store.sync.replica()
    #expect(
      await #expect(throws: StoreError.self) { try await a.store.sync.export(to: url, for: own) }?.code == .invalidValue
    )
    let nowhere = folder.file("no folder").appending(component: "file")
    #expect(
      await #expect(throws: BatchError.self) { try await b.store.sync.import(from: nowhere) }?.code == .inputOutput)
    #expect(
      await #expect(throws: StoreError.self) { try await a.store.sync.export(to: nowhere) }?.code == .inputOutput)
    #expect(try contents() == ["changes"])
  }

  @Test(
    "a cancelled import leaves what was committed, and the next one completes it; a cancelled export leaves no file")
  func cancellation() async throws {
    try await fill(a, 3000)
    try await a.store.sync.export(to: url)
    let task = Mutex<Task<ImportReport, any Error>?>(nil)
    let (started, start) = AsyncStream<Void>.makeStream()
    let work = Task {
      for await _ in started { break }
      return try await b.store.sync.import(from: url) { progress in
        if progress.completed >= 1000 { task.withLock { $0?.cancel() } }
      }
    }
    task.withLock { $0 = work }
    start.yield()
    await #expect(throws: CancellationError.self) { try await work.value }
    let count = try await b.store.count(SharedKind.all)
    #expect((1000..<3000).contains(count))
    #expect(try await b.store.sync.cursor(of: a.store.sync.replica()).position == 0)
    #expect(try await b.store.check().isHealthy)
    try await b.store.sync.import(from: url)
    try await expectEqual([a, b])
    let export = Task { try await a.store.sync.export(to: folder.file("never")) }
    export.cancel()
    await #expect(throws: CancellationError.self) { try await export.value }
    #expect(try contents() == ["changes"])
  }

  @Test("others write between the transactions of an import")
  func writersGoOn() async throws {
    try await fill(a, 2000)
    try await a.store.sync.export(to: url)
    let written = Mutex(0)
    try await b.store.sync.import(from: url) { progress in
      guard progress.completed < progress.total else { return }
      #expect(throws: Never.self) {
        try b.store.blocking.insert(SharedKind(id: "mine \(progress.completed)", title: "t"))
      }
      written.withLock { $0 += 1 }
    }
    #expect(written.withLock { $0 } >= 3)
    try await a.exchange(with: b)
    try await expectEqual([a, b])
  }

  @Test("S17: a file that was put back from an older copy becomes a new replica when it imports what it has lost")
  func restored() async throws {
    try await fill(a, 1, "a")
    let copies = try TemporaryFolder()
    try await a.store.backup(to: copies.file("test.larder"))
    try await fill(a, 1, "lost")
    let own = try await a.store.sync.replica()
    try await a.store.sync.export(to: url, for: b.store.sync.replica())
    try await b.store.sync.import(from: url)
    let old = try Replica(folder: copies, configuration: .init())
    // As if the file had been put back in place: it still takes itself for the same replica.
    try await old.store.writingModule { connection in
      try connection.transaction {
        let place = try ReplicaFile(connection).place
        try connection.run("UPDATE \(SyncTables.clock) SET file = ?1", [place.map { .init($0) } ?? .null])
      }
    }
    try #require(try await old.store.sync.replica() == own)
    try await b.store.sync.export(to: url, for: own)
    let error = await #expect(throws: StoreError.self) { try await old.store.sync.import(from: url) }
    let new = try await old.store.sync.replica()
    #expect(new != own)
    #expect(error?.message.contains("\(new)") == true)
    try await b.store.sync.export(to: url, for: new)
    try await old.store.sync.import(from: url)
    try await old.store.sync.export(to: url, for: b.store.sync.replica())
    try await b.store.sync.import(from: url)
    try await expectEqual([old, b])
    #expect(try await old.store.count(SharedKind.all) == 2)
  }
}
