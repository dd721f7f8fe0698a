import Foundation

/// SQLite without Larder, as other programs use it.
enum OtherProgram {
  private struct Refusal: Error {
    let status: Int32
  }

  /// Executes SQL on a file. References aren't checked.
  static func execute(_ sql: String, on path: String) throws {
    let process = python(
      "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.executescript(sys.argv[2])", path, sql)
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Refusal(status: process.terminationStatus) }
  }

  static func python(_ script: String, _ arguments: String...) -> Process {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", "-c", script] + arguments
    return process
  }
}

/// A program that has written to a file, and keeps it open with what it wrote in the log.
final class OpenElsewhere {
  private let process: Process
  private let input = Pipe()

  private struct Refusal: Error {}

  /// - Parameters:
  ///   - path: The file.
  ///   - sql: What the program writes.
  init(_ path: String, writing sql: String) throws {
    process = OtherProgram.python(
      """
      import sqlite3, sys
      c = sqlite3.connect(sys.argv[1], isolation_level=None)
      c.execute("pragma wal_autocheckpoint = 0")
      c.executescript(sys.argv[2])
      print("ready", flush=True)
      sys.stdin.read()
      """, path, sql)
    let output = Pipe()
    (process.standardInput, process.standardOutput) = (input, output)
    try process.run()
    guard !output.fileHandleForReading.availableData.isEmpty else { throw Refusal() }
  }

  deinit {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }
}
