import Foundation

/// Where the data lies if nobody says otherwise.
enum DataFolder {
  /// `larder-showcase` in the user's data folder: `$XDG_DATA_HOME`, `~/.local/share`, or Application Support on Apple's
  /// systems.
  static var standard: URL { parent.appending(path: "larder-showcase", directoryHint: .isDirectory) }

  private static var parent: URL {
    #if canImport(Darwin)
    URL.applicationSupportDirectory
    #else
    if let path = ProcessInfo.processInfo.environment["XDG_DATA_HOME"], path.hasPrefix("/") {
      URL(fileURLWithPath: path, isDirectory: true)
    } else {
      URL.homeDirectory.appending(path: ".local/share", directoryHint: .isDirectory)
    }
    #endif
  }

  /// Creates the folder, for the user's own eyes, if it is not there. Throws `CannotCreate`.
  static func create(_ folder: URL) throws {
    guard !FileManager.default.fileExists(atPath: folder.path) else { return }
    do {
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw CannotCreate(path: folder.path)
    }
  }

  struct CannotCreate: Error, CustomStringConvertible {
    let path: String
    var description: String { "The folder \(path) cannot be created. Choose another one with --data." }
  }
}
