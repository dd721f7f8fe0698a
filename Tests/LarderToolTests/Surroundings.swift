#if os(Linux)
import Foundation

/// What this machine lets a test do to the command.
enum Surroundings {
  private static let user = 65_534

  /// A command that runs another as a user whom permissions bind; nil if there is none.
  static let unprivileged: [String]? = {
    if geteuid() != 0 { return [] }
    let wrapper = ["setpriv", "--reuid=\(user)", "--regid=\(user)", "--clear-groups", "--"]
    guard let executable = try? ToolProcess.executable().path else { return nil }
    return (try? succeeds(wrapper + ["test", "-x", executable])) == true ? wrapper : nil
  }()

  /// Runs the command as a user whom permissions bind.
  static func unprivilegedRun(_ arguments: String...) async throws -> ToolRun {
    let process = try ToolProcess(arguments, wrapper: unprivileged ?? [])
    process.closeInput()
    return try await process.result()
  }

  /// Lets everybody read and write what is in a folder.
  static func open(_ folder: String) throws { _ = try succeeds(["chmod", "-R", "a+rwX", folder]) }

  /// Makes the user that ``unprivileged`` runs commands as the owner of a file, or of a folder with all in it.
  static func give(_ path: String) throws { _ = try succeeds(["chown", "-R", "\(user):\(user)", path]) }

  private static func succeeds(_ command: [String]) throws -> Bool {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = command
    (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus == 0
  }
}
#endif
