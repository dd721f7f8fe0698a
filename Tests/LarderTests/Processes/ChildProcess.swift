import Foundation
import Synchronization

/// A run of `LarderTestProcess`, which lies beside the tests.
final class ChildProcess: Sendable {
  private let process: Mutex<Process>
  private let input = Pipe()
  private let ended: AsyncStream<Int32>
  private let identifier: Int32
  /// What the process says, line by line.
  let lines: AsyncStream<String>

  /// - Parameters:
  ///   - wrapper: A command that runs the process in surroundings of its own.
  init(_ command: String, _ path: String, _ number: Int? = nil, within wrapper: [String] = []) throws {
    let arguments = wrapper + [try Self.executable(), command, path] + (number.map { ["\($0)"] } ?? [])
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = arguments
    process.standardInput = input
    let output = Pipe()
    process.standardOutput = output
    let (ended, end) = AsyncStream<Int32>.makeStream()
    process.terminationHandler = { process in
      end.yield(process.terminationStatus)
      end.finish()
    }
    try process.run()
    identifier = process.processIdentifier
    self.process = Mutex(process)
    self.ended = ended
    lines = Self.lines(of: output.fileHandleForReading)
  }

  deinit {
    // One that a failed test left waiting.
    process.withLock { if $0.isRunning { $0.terminate() } }
  }

  func send(_ line: String) {
    input.fileHandleForWriting.write(Data((line + "\n").utf8))
  }

  /// Ends the process in the middle of whatever it does.
  func kill() {
    Foundation.kill(identifier, SIGKILL)
  }

  /// Waits for the end, and answers the exit status.
  @discardableResult
  func status() async -> Int32? {
    await ended.first { _ in true }
  }

  /// The next line, or nil after the last.
  func line() async -> String? {
    await lines.first { _ in true }
  }

  /// All lines until the end.
  func rest() async -> [String] {
    await lines.reduce(into: []) { $0.append($1) }
  }

  private static func lines(of handle: FileHandle) -> AsyncStream<String> {
    let (lines, continuation) = AsyncStream<String>.makeStream()
    // Reading blocks, which a thread of Swift's pool must not.
    Thread.detachNewThread {
      var buffer = Data()
      while true {
        let chunk = handle.availableData
        if chunk.isEmpty { break }
        buffer += chunk
        while let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
          continuation.yield(String(decoding: buffer[..<end], as: UTF8.self))
          buffer = Data(buffer[(end + 1)...])
        }
      }
      continuation.finish()
    }
    return lines
  }

  private struct MissingExecutable: Error, CustomStringConvertible {
    let folders: [String]
    var description: String {
      "LarderTestProcess is in none of \(folders.joined(separator: ", ")); build the package's tests first"
    }
  }

  static func executable() throws -> String {
    let places = [Bundle.main.executableURL, Bundle.main.bundleURL] + Bundle.allBundles.map { Optional($0.bundleURL) }
    let folders = places.compactMap { $0 }.flatMap { [$0, $0.deletingLastPathComponent()] }
    for folder in folders {
      let path = folder.appending(component: "LarderTestProcess").path(percentEncoded: false)
      if FileManager.default.isExecutableFile(atPath: path) { return path }
    }
    throw MissingExecutable(folders: folders.map { $0.path(percentEncoded: false) })
  }
}
