import Foundation

/// What this machine lets a test do to a second process.
enum Surroundings {
  /// A command that runs another as a user whom permissions bind; nil where there is none.
  static let unprivileged: [String]? = {
    if geteuid() != 0 { return [] }
    let wrapper = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"]
    guard let executable = try? ChildProcess.executable(), succeeds(wrapper + ["test", "-x", executable]) else {
      return nil
    }
    return wrapper
  }()

  /// Whether a process can have a small file system of its own.
  static let canMount = succeeds(smallDisk(at: "/tmp", kilobytes: 100) + ["true"])

  /// A command that runs another with a file system of that size, which nobody else sees, at the folder.
  static func smallDisk(at folder: String, kilobytes: Int) -> [String] {
    [
      "unshare", "--map-root-user", "--mount", "sh", "-c",
      "mount -t tmpfs -o size=\(kilobytes)k tmpfs \"$0\" && exec \"$@\"", folder,
    ]
  }

  /// A command that runs another which can write no file beyond that size.
  static func smallFiles(kilobytes: Int) -> [String] {
    // The unit of ulimit is 512 bytes in sh.
    ["sh", "-c", "trap '' XFSZ; ulimit -f \(kilobytes * 2) && exec \"$0\" \"$@\""]
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
