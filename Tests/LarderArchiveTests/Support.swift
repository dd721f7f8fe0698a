import Foundation
import LarderArchive

/// A folder that is deleted with its last reference.
final class TemporaryFolder {
  let url: URL

  /// - Parameter isInMemory: Whether a file system in memory serves, where there is one: thousands of calls to `fsync`
  ///   take seconds on a disk.
  init(isInMemory: Bool = false) throws {
    let memory = URL(filePath: "/dev/shm", directoryHint: .isDirectory)
    let parent =
      isInMemory && FileManager.default.isWritableFile(atPath: memory.path)
      ? memory : FileManager.default.temporaryDirectory
    url = parent.appending(path: "larder-archive-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func file(_ name: String) -> URL { url.appending(path: name, directoryHint: .notDirectory) }
}

/// Runs of the second process.
enum TestProcess {
  static let executable = Bundle.main.executableURL?.deletingLastPathComponent().appending(
    path: "LarderArchiveTestProcess")

  /// Starts the process beside the tests.
  static func start(_ arguments: String...) throws -> Process {
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    try process.run()
    return process
  }

  /// The lines that the process prints, run by another command.
  static func output(within wrapper: [String], _ arguments: String...) throws -> [String] {
    guard let executable else { return [] }
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = wrapper + [executable.path] + arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// Whether the process went to its end; otherwise it was killed.
  static func finishes(_ command: String, _ path: String, _ number: Int) throws -> Bool {
    let process = try start(command, path, "\(number)")
    process.waitUntilExit()
    return process.terminationReason == .exit && process.terminationStatus == 0
  }
}

/// What this machine lets a test do to the second process.
enum Surroundings {
  /// A command that runs another as a user whom permissions bind; nil where there is none.
  static let unprivileged: [String]? = {
    if geteuid() != 0 { return [] }
    let wrapper = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"]
    guard let executable = TestProcess.executable, succeeds(wrapper + ["test", "-x", executable.path]) else {
      return nil
    }
    return wrapper
  }()

  /// Whether a process can have a small file system of its own.
  static let canMount = succeeds(smallDisk(at: "/tmp") + ["true"])

  /// A command that runs another with a file system of 1 MB, which nobody else sees, at the folder.
  static func smallDisk(at folder: String) -> [String] {
    [
      "unshare", "--map-root-user", "--mount", "sh", "-c", "mount -t tmpfs -o size=1000k tmpfs \"$0\" && exec \"$@\"",
      folder,
    ]
  }

  private static func succeeds(_ command: [String]) -> Bool {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = command
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }
}
