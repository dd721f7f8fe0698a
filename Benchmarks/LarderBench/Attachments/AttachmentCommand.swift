import ArgumentParser
import Foundation
import Larder
import LarderRandom

@Model
private struct Picture {
  var id: Int
  var content: Attachment
}

/// Measures what it costs to store and read attachments, next to plain files that are written, synced and read by hand.
struct AttachmentCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "attachments",
    abstract: "Time to store, save and read attachments, and plain files with fsync, one after another.")

  @Option(help: "How many files are stored in each round.")
  var count = 1000

  @Option(help: "The size of each file, in bytes.")
  var size = 100_000

  @Option(help: "How many rounds are measured; the median counts.")
  var rounds = 3

  @Option(help: "The folder for the files; it is made anew, and removed at the end.")
  var folder = ".build/bench-attachments"

  @Option(help: "The file for the figures, to which they are added.")
  var output = ".build/bench.json"

  func run() async throws {
    let folder = URL(filePath: folder)
    try? FileManager.default.removeItem(at: folder)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var larder: (write: [Double], read: [Double], readAgain: [Double]) = ([], [], [])
    var plain: (write: [Double], read: [Double]) = ([], [])
    /// Seconds for each file: by how much attaching takes longer than writing a plain file, a moment before.
    var beyondPlain: [Double] = []
    var (readAfterAttach, firstRead): ([Double], [Double]) = ([], [])
    for round in 0..<rounds {
      let contents = (0..<count).map { Self.content(round * count + $0, size) }
      // By turns, because the speed of a disk that others use changes from minute to minute.
      let store = try Store(at: folder.appending(path: "\(round).larder"), for: Picture.self)
      let files = folder.appending(path: "\(round)")
      try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
      var writes = (larder: 0.0, plain: 0.0)
      let part = 25
      for start in stride(from: 0, to: count, by: part) {
        let range = start..<min(start + part, count)
        var plainTimes: [Double] = []
        for number in range {
          let path = files.appending(path: "\(number)").path
          plainTimes.append(try await Self.time { try Self.write(contents[number], to: path) })
        }
        writes.plain += plainTimes.reduce(0, +)
        for (number, plainTime) in zip(range, plainTimes) {
          var attachment: Attachment?
          let time = try await Self.time {
            attachment = try await store.attach(contents[number], name: "\(number).bin")
          }
          beyondPlain.append(time - plainTime)
          guard let attachment else { continue }
          writes.larder +=
            time + (try await Self.time { try await store.save(Picture(id: number, content: attachment)) })
        }
      }
      larder.write.append(writes.larder)
      plain.write.append(writes.plain)
      plain.read.append(
        try await Self.time {
          for number in 0..<count { blackHole(try Data(contentsOf: files.appending(path: "\(number)")).count) }
        })
      func read() async throws -> Double {
        try await Self.time {
          for picture in try await store.fetch(Picture.all) {
            blackHole(try await store.data(of: picture.content).count)
          }
        }
      }
      func readWithoutRows(_ store: Store) async throws -> Double {
        let pictures = try await store.fetch(Picture.all)
        return try await Self.time {
          for picture in pictures { blackHole(try await store.data(of: picture.content).count) }
        }
      }
      readAfterAttach.append(try await readWithoutRows(store))
      larder.read.append(try await read())
      // Files that have changed within the last seconds are checked again.
      try await Task.sleep(for: .seconds(4))
      _ = try await read()
      larder.readAgain.append(try await read())
      await store.close()
      firstRead.append(
        try await readWithoutRows(try Store(at: folder.appending(path: "\(round).larder"), for: Picture.self)))
    }
    print("milliseconds for \(count) files of \(size) bytes     Larder     files   ratio")
    line("written, synced and saved", larder.write.median, plain.write.median)
    line("read and checked", larder.read.median, plain.read.median)
    line("read again", larder.readAgain.median, plain.read.median)
    line("written and read", larder.write.median + larder.read.median, plain.write.median + plain.read.median)
    line("read after attach", readAfterAttach.median, plain.read.median)
    line("first read by a newly opened store", firstRead.median, plain.read.median, goal: Self.firstReadGoal)
    let beyond = beyondPlain.median * 1e3
    print(
      "attach: plain file and fsync \(String(format: "%+.2f", beyond)) ms (goal \(String(format: "%+.1f", Self.attachGoal)))"
    )
    try add([
      "written": larder.write.median / plain.write.median, "read": larder.read.median / plain.read.median,
      "readAgain": larder.readAgain.median / plain.read.median,
      "readAfterAttach": readAfterAttach.median / plain.read.median,
      "firstRead": firstRead.median / plain.read.median, "firstReadGoal": Self.firstReadGoal,
      "attachBeyondPlainMilliseconds": beyond, "attachBeyondPlainGoal": Self.attachGoal,
    ])
  }

  /// The goal of the first read by a newly opened store, as a multiple of reading a plain file.
  private static let firstReadGoal = 1.5
  /// The goal of attaching, in milliseconds beyond writing and syncing a plain file.
  private static let attachGoal = 0.2

  /// Adds the figures to those of the other benchmarks.
  private func add(_ figures: [String: Double]) throws {
    let file = URL(filePath: output)
    let present = try? JSONSerialization.jsonObject(with: Data(contentsOf: file))
    var report = present as? [String: Any] ?? [:]
    report["attachments"] = figures
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try JSONSerialization.data(withJSONObject: report, options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
      .write(to: file, options: .atomic)
  }

  private func line(_ title: String, _ larder: Double, _ plain: Double, goal: Double? = nil) {
    let columns = [
      String(format: "%10.0f", larder * 1e3), String(format: "%10.0f", plain * 1e3),
      String(format: "%8.2f", larder / plain),
    ]
    print(title.left(42) + columns.joined() + (goal.map { String(format: "   goal %.1f", $0) } ?? ""))
  }

  private static func write(_ data: Data, to path: String) throws {
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0o644)
    guard file >= 0 else { throw POSIXError(.EIO) }
    defer { close(file) }
    let written = data.withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, 0) }
    guard written == data.count, fsync(file) == 0 else { throw POSIXError(.EIO) }
  }

  /// Bytes that differ from file to file.
  private static func content(_ number: Int, _ size: Int) -> Data {
    var generator = SplitMix64(seed: UInt64(number))
    var data = Data(capacity: size + 8)
    while data.count < size { withUnsafeBytes(of: generator.next()) { data.append(contentsOf: $0) } }
    return data.prefix(size)
  }

  private static func time(_ body: () async throws -> Void) async rethrows -> Double {
    let start = ContinuousClock.now
    try await body()
    return start.duration(to: .now) / .seconds(1)
  }
}
