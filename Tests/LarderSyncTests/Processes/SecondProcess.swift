import Foundation

/// A run of `LarderSyncTestProcess`, which lies beside the tests.
enum SecondProcess {
  struct End: Sendable, Hashable {
    let lines: [String]
    let status: Int32
    let wasKilled: Bool
  }

  /// A command that runs another with a file system of that size, which nobody else sees, at the folder.
  static func smallDisk(at folder: URL, kilobytes: Int) -> [String] {
    [
      "unshare", "--map-root-user", "--mount", "sh", "-c",
      "mount -t tmpfs -o size=\(kilobytes)k tmpfs \"$0\" && exec \"$@\"", folder.path,
    ]
  }

  /// Whether a process can have a small file system of its own.
  static let canMount: Bool = {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = smallDisk(at: URL(filePath: "/tmp"), kilobytes: 100) + ["true"]
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }()

  /// Runs a command to its end.
  static func run(_ command: String, _ folder: URL, _ number: Int, within wrapper: [String] = []) async throws -> End {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = wrapper + [try executable(), command, folder.path, "\(number)"]
    let output = Pipe()
    process.standardOutput = output
    return try await withCheckedThrowingContinuation { continuation in
      // Reading blocks, which a thread of Swift's pool must not.
      Thread.detachNewThread {
        do {
          try process.run()
          let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
          process.waitUntilExit()
          continuation.resume(
            returning: End(
              lines: text.split(separator: "\n").map(String.init), status: process.terminationStatus,
              wasKilled: process.terminationReason == .uncaughtSignal))
        } catch {
          continuation.resume(throwing: error)
        }
      }
    }
  }

  private struct MissingExecutable: Error {}

  private static func executable() throws -> String {
    let places = [Bundle.main.executableURL, Bundle.main.bundleURL] + Bundle.allBundles.map { Optional($0.bundleURL) }
    let folders = places.compactMap { $0 }.flatMap { [$0, $0.deletingLastPathComponent()] }
    let paths = folders.map { $0.appending(component: "LarderSyncTestProcess").path(percentEncoded: false) }
    guard let path = paths.first(where: FileManager.default.isExecutableFile) else { throw MissingExecutable() }
    return path
  }
}
