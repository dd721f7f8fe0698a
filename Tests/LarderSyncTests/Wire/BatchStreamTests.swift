import Foundation
import LarderRandom
import Testing

@testable import LarderSync

@Suite("Batches as bytes: streams and files")
struct BatchStreamTests {
  @Test("30,000 rows need no more memory at a time than a frame, on both sides")
  func boundedMemory() throws {
    var random = SplitMix64(seed: 11)
    let sender = ReplicaID(using: &random)
    let header = BatchHeader(
      since: ChangeCursor(replica: sender, position: 0), upTo: ChangeCursor(replica: sender, position: 30_000),
      recipient: nil, isLast: true)
    var writer = try BatchWriter(header, modelsDigest: Data(), knowledge: [], compression: .off)
    var reader = BatchReader()
    var (count, frames, largest, largestPart, size) = (0, 0, 0, 0, 0)
    func receive(_ bytes: Data) throws {
      frames += 1
      size += bytes.count
      largest = max(largest, bytes.count)
      reader.append(bytes)
      while let part = try reader.next() {
        guard case .rows(let rows) = part else { continue }
        count += rows.count
        largestPart = max(largestPart, rows.count)
      }
      #expect(reader.bufferedSize == 0)
    }
    for index in 0..<30_000 {
      if let bytes = try writer.append(Self.row(index, sender, &random)) { try receive(bytes) }
    }
    try receive(try writer.finish())
    try reader.finish()
    #expect(count == 30_000)
    #expect(size > 3_000_000)
    // A row with another 100 bytes at most comes after the frame is full.
    #expect(largest < BatchWriter.frameSize + 4096)
    #expect(largestPart <= BatchWriter.frameRows)
    #expect(frames > 7)
  }

  @Test("a row larger than a frame has one of its own, and one above the limit isn't sent")
  func largeRow() throws {
    var random = SplitMix64(seed: 12)
    let sender = ReplicaID(using: &random)
    let header = BatchHeader(
      since: ChangeCursor(replica: sender, position: 0), upTo: ChangeCursor(replica: sender, position: 1),
      recipient: nil, isLast: true)
    let row = Self.row(1, sender, &random, size: 3 << 20)
    func bytes(limit: Int, key: GroupKey? = nil) throws -> Data {
      var writer = try BatchWriter(
        header, modelsDigest: Data(), knowledge: [], key: key, compression: .off,
        limits: BatchLimits(frameSize: limit))
      return try (writer.append(row) ?? Data()) + (try writer.finish())
    }
    #expect(try ChangeBatch(decoding: bytes(limit: 4 << 20)).rows == [row])
    #expect(try #require(throws: BatchError.self) { try bytes(limit: 3 << 20) }.code == .limitExceeded)
    // What a writer may write, a reader with the same limits reads, to the byte.
    let key = GroupKey()
    var taken = 0
    for limit in (3 << 20)..<(3 << 20) + 400 {
      guard let sealed = try? bytes(limit: limit, key: key) else { continue }
      taken += 1
      let read = try ChangeBatch(decoding: sealed, keys: [key], limits: BatchLimits(frameSize: limit))
      #expect(read.rows == [row])
      if taken == 3 { break }
    }
    #expect(taken == 3)
  }

  @Test("a batch that is too large as a whole is refused before all of it is in memory")
  func wholeSize() throws {
    var random = RandomBatch(seed: 13)
    let bytes = try random.batch(rowCount: 200).encoded()
    #expect(refusal(of: bytes, limits: BatchLimits(wholeSize: 1000))?.code == .limitExceeded)
  }

  @Test("a file is read in parts, with its header and the number of its rows")
  func file() throws {
    let folder = try TemporaryBatchFolder()
    var random = RandomBatch(seed: 14)
    let batch = random.batch(rowCount: 9000)
    let key = GroupKey()
    for (name, keys) in [("plain", []), ("sealed", [key])] {
      let url = folder.file(name)
      try batch.encoded(key: keys.first).write(to: url)
      var file = try BatchFile(at: url, keys: keys)
      #expect(file.header.upTo == batch.upTo)
      #expect(file.rowCount == batch.rows.count)
      var (rows, parts): ([RowState], Int) = ([], 0)
      while let part = try file.next() {
        parts += 1
        if case .rows(let some) = part { rows += some }
      }
      #expect(rows == batch.rows)
      #expect(parts > 5)
    }
  }

  @Test("of a file that is damaged at its very end, nothing is handed out")
  func damagedFile() throws {
    let folder = try TemporaryBatchFolder()
    var random = RandomBatch(seed: 15)
    let bytes = try random.batch(rowCount: 5000).encoded()
    let url = folder.file("damaged")
    var changed = bytes
    changed[bytes.count - 1] ^= 1
    for damaged in [changed, bytes.dropLast(), bytes + [0], Data()] {
      try damaged.write(to: url)
      #expect(throws: BatchError.self) { try BatchFile(at: url) }
    }
    #expect(try #require(throws: BatchError.self) { try BatchFile(at: folder.file("none")) }.code == .inputOutput)
    #expect(try #require(throws: BatchError.self) { try BatchFile(at: folder.url) }.code == .inputOutput)
  }

  @Test("parts arrive from an asynchronous sequence of chunks, and an error where it is cut")
  func asyncChunks() async throws {
    var random = RandomBatch(seed: 16)
    let batch = random.batch(rowCount: 300)
    let key = GroupKey()
    let bytes = try batch.encoded(key: key)
    func chunks(_ bytes: Data) -> AsyncStream<Data> {
      AsyncStream { continuation in
        for start in stride(from: 0, to: bytes.count, by: 777) {
          continuation.yield(bytes.dropFirst(start).prefix(777))
        }
        continuation.finish()
      }
    }
    var rows: [RowState] = []
    for try await part in chunks(bytes).batchParts(keys: [key]) {
      if case .rows(let some) = part { rows += some }
    }
    #expect(rows == batch.rows)

    await #expect(throws: BatchError.self) {
      for try await _ in chunks(bytes.dropLast()).batchParts(keys: [key]) {}
    }
  }

  @Test("a verifier finds damage without the key, and says who sends")
  func verifier() throws {
    var random = RandomBatch(seed: 17)
    let batch = random.batch(rowCount: 3)
    let bytes = try batch.encoded(key: GroupKey())
    func check(_ bytes: Data) throws -> BatchHeader {
      var verifier = BatchVerifier()
      for start in stride(from: 0, to: bytes.count, by: 50) { try verifier.append(bytes.dropFirst(start).prefix(50)) }
      return try verifier.finish()
    }
    #expect(try check(bytes).sender == batch.sender)
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= 4
      #expect(throws: BatchError.self) { try check(changed) }
      #expect(throws: BatchError.self) { try check(bytes.prefix(index)) }
    }
    #expect(throws: BatchError.self) { try check(bytes + [0]) }
  }

  private static func row(
    _ index: Int, _ sender: ReplicaID, _ random: inout SplitMix64, size: Int = 100
  ) -> RowState {
    guard let stamp = Stamp(milliseconds: 1_700_000_000_000 + UInt64(index), counter: 0, replica: sender) else {
      preconditionFailure("the time is in the range")
    }
    let text = Data(repeating: UInt8.random(in: 32...126, using: &random), count: size)
    return RowState(
      table: "Note", key: [.integer(Int64(index))], causalLength: 1, stamp: stamp, insertion: stamp,
      properties: [PropertyState(name: "text", value: .text(text), stamp: stamp, causalLength: 1)])
  }
}

/// A folder that is deleted with its last reference.
private final class TemporaryBatchFolder {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(
      path: "larder-batch-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func file(_ name: String) -> URL { url.appending(path: name, directoryHint: .notDirectory) }
}
