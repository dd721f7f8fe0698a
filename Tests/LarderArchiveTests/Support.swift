import Foundation
import LarderArchive

/// A folder that is deleted with its last reference.
final class TemporaryFolder {
  let url = FileManager.default.temporaryDirectory.appending(path: "larder-archive-\(UUID().uuidString)", directoryHint: .isDirectory)

  init() throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func file(_ name: String) -> URL { url.appending(path: name, directoryHint: .notDirectory) }
}

/// Runs of the second process.
enum TestProcess {
  /// Starts the process beside the tests.
  static func start(_ arguments: String...) throws -> Process {
    let process = Process()
    process.executableURL = Bundle.main.executableURL?.deletingLastPathComponent().appending(path: "LarderArchiveTestProcess")
    process.arguments = arguments
    try process.run()
    return process
  }

  /// Whether the process went to its end; otherwise it was killed.
  static func finishes(_ command: String, _ path: String, _ number: Int) throws -> Bool {
    let process = try start(command, path, "\(number)")
    process.waitUntilExit()
    return process.terminationReason == .exit && process.terminationStatus == 0
  }
}
