import Foundation
import LarderArchive

/// A folder that is deleted with its last reference.
final class TemporaryFolder {
  let url: URL

  /// - Parameter isInMemory: Whether a file system in memory serves, where there is one: thousands of calls to `fsync` take seconds on a disk.
  init(isInMemory: Bool = false) throws {
    let memory = URL(filePath: "/dev/shm", directoryHint: .isDirectory)
    let parent = isInMemory && FileManager.default.isWritableFile(atPath: memory.path) ? memory : FileManager.default.temporaryDirectory
    url = parent.appending(path: "larder-archive-\(UUID().uuidString)", directoryHint: .isDirectory)
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
