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

  func run() async throws {
    let folder = URL(filePath: folder)
    try? FileManager.default.removeItem(at: folder)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var larder: (write: [Double], read: [Double], readAgain: [Double]) = ([], [], [])
    var plain: (write: [Double], read: [Double]) = ([], [])
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
        writes.plain += try await Self.time {
          for number in range { try Self.write(contents[number], to: files.appending(path: "\(number)").path) }
        }
        writes.larder += try await Self.time {
          for number in range {
            try await store.save(
              Picture(id: number, content: try await store.attach(contents[number], name: "\(number).bin")))
          }
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
      larder.read.append(try await read())
      // Files that have changed within the last seconds are checked again.
      try await Task.sleep(for: .seconds(4))
      _ = try await read()
      larder.readAgain.append(try await read())
    }
    print("milliseconds for \(count) files of \(size) bytes     Larder     files   ratio")
    line("written, synced and saved", larder.write.median, plain.write.median)
    line("read and checked", larder.read.median, plain.read.median)
    line("read again", larder.readAgain.median, plain.read.median)
    line("written and read", larder.write.median + larder.read.median, plain.write.median + plain.read.median)
  }

  private func line(_ title: String, _ larder: Double, _ plain: Double) {
    let columns = [
      String(format: "%10.0f", larder * 1e3), String(format: "%10.0f", plain * 1e3),
      String(format: "%8.2f", larder / plain),
    ]
    print(title.left(42) + columns.joined())
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
