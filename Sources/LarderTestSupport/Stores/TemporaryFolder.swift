public import Foundation

/// A new folder in the system's temporary folder, deleted with its contents when the value is released.
///
/// ```swift
/// let folder = try TemporaryFolder()
/// let store = try Store(at: folder.file("notes.larder"), for: Note.self)
/// ```
///
/// Keep a reference as long as the files are needed; a store that is still open continues with files that are already
/// deleted.
public final class TemporaryFolder: Sendable {
  /// The folder.
  public let url: URL

  /// Creates the folder.
  ///
  /// - Throws: Foundation's error if the system's temporary folder can't be written.
  public convenience init() throws {
    try self.init(in: FileManager.default.temporaryDirectory)
  }

  /// Creates the folder in another one.
  init(in parent: URL) throws {
    url = parent.appending(
      component: "larder-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    // A test may have deleted the folder itself.
    try? FileManager.default.removeItem(at: url)
  }

  /// Returns the URL of a file in the folder, which need not exist.
  ///
  /// - Parameter name: The name of the file.
  public func file(_ name: String) -> URL {
    url.appending(component: name, directoryHint: .notDirectory)
  }
}
