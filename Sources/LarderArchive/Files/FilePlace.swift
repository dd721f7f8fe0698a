internal import Foundation

/// The path of a file that may not exist yet.
struct FilePlace {
  let path: String
  let name: String
  /// The path before the name; empty for a name alone.
  let folderPrefix: String
  let folder: String

  /// Throws ``ArchiveError`` `.invalidName` for a path that no file can have, and `.notFound` if the folder doesn't
  /// exist.
  init(_ url: URL, _ fileSystem: FileSystem) throws {
    path = try FileSystem.path(of: url)
    guard let last = path.split(separator: "/").last, last != ".", last != "..", !path.hasSuffix("/") else {
      throw ArchiveError(.invalidName, "The path cannot be that of a file. Use one that ends in a name.")
    }
    name = String(last)
    folderPrefix = String(path.dropLast(name.count))
    folder = folderPrefix.isEmpty ? "." : folderPrefix
    guard fileSystem.isFolder(folder, followsLinks: true) else {
      throw ArchiveError(.notFound, "The folder of \(name) is not there. Check the path, or create the folder first.")
    }
  }
}
