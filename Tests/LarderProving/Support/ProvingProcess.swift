import Foundation
import Synchronization

/// A run of the `LarderProof` executable: its lines are handed on as they come, and it can be ended at any moment.
final class ProvingProcess: Sendable {
  enum End: Sendable, Equatable, CustomStringConvertible {
    case exit(Int32)
    case signal(Int32)

    var description: String {
      switch self {
      case .exit(let status): "exit status \(status)"
      case .signal(let signal): "signal \(signal)"
      }
    }
  }

  private let identifier: Int32
  private let input = Pipe()
  private let ended: AsyncStream<End>
  /// What the process says, line by line, until its end.
  let lines: AsyncStream<String>

  /// - Parameters:
  ///   - environment: What is added to the environment of this process.
  ///   - includesErrors: Whether the lines are also those that are written to the standard error.
  init(
    _ executable: URL, _ arguments: [String], environment: [String: String] = [:], includesErrors: Bool = false
  ) throws {
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let output = Pipe()
    process.standardOutput = output
    if includesErrors { process.standardError = output }
    process.standardInput = input
    let (ended, end) = AsyncStream<End>.makeStream()
    process.terminationHandler = { process in
      end.yield(
        process.terminationReason == .exit ? .exit(process.terminationStatus) : .signal(process.terminationStatus))
      end.finish()
    }
    try process.run()
    identifier = process.processIdentifier
    self.ended = ended
    lines = Self.lines(of: output.fileHandleForReading)
  }

  /// Ends the process in the middle of whatever it does.
  func kill() {
    Foundation.kill(identifier, SIGKILL)
  }

  func send(_ line: String) {
    input.fileHandleForWriting.write(Data((line + "\n").utf8))
  }

  func end() async -> End {
    await ended.first { _ in true } ?? .exit(-1)
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
          continuation.yield(String(decoding: buffer[buffer.startIndex..<end], as: UTF8.self))
          buffer = Data(buffer[(end + 1)...])
        }
      }
      continuation.finish()
    }
    return lines
  }

  /// Writes a line at once: a pipe would keep what `print` writes.
  static func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    bytes.withUnsafeBytes { buffer in
      // A line is shorter than what a pipe takes in one piece: lines of several threads do not mix.
      _ = write(1, buffer.baseAddress, buffer.count)
    }
  }
}
