public import Foundation

/// A new folder in the system's folder for temporary files, removed with all that is in it when the value goes away.
///
/// ```swift
/// let folder = try TemporaryFolder()
/// let store = try Store(at: folder.file("notes.larder"), for: Note.self)
/// ```
///
/// Keep a reference for as long as the files are needed; a store that is still open keeps working on files that have no name any more.
public final class TemporaryFolder: Sendable {
  /// The folder.
  public let url: URL

  /// Makes the folder. Throws Foundation's error where the system's folder for temporary files cannot be written.
  public init() throws {
    url = FileManager.default.temporaryDirectory.appending(component: "larder-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    // A test may have taken the folder away itself.
    try? FileManager.default.removeItem(at: url)
  }

  /// The path of a file in the folder, which need not exist.
  public func file(_ name: String) -> URL {
    url.appending(component: name, directoryHint: .notDirectory)
  }
}
