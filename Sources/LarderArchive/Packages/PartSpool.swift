internal import Foundation
internal import Synchronization

/// A hidden folder for parts that are written before their package; deleted with its last part.
final class PartSpool: Sendable {
  let folderPath: String
  private let fileSystem: FileSystem
  private let staging: PackageStaging
  private let opened: FileSystem.Folder
  private let access: FileSystem.Access
  private let count = Mutex(0)

  init(in folder: PackageFolder) throws {
    folderPath = folder.path
    fileSystem = folder.fileSystem
    staging = try PackageStaging(in: folder.path, access: .ofUserAlone, folder.fileSystem)
    do {
      opened = try folder.fileSystem.openFolder(staging.path)
      access = folder.fileSystem.access(forFile: "", in: folder.path)
    } catch {
      try? folder.fileSystem.remove(staging.path)
      throw error
    }
  }

  deinit { try? fileSystem.remove(staging.path) }

  func remove(_ fileName: String) { try? fileSystem.remove(staging.path + "/" + fileName) }

  /// Returns the part that a closure writes.
  func write(_ body: (PackagePartWriter) throws -> Void) throws -> StagedPart {
    let writer = try makeWriter()
    do { try body(writer) } catch {
      writer.cancel()
      throw error
    }
    return writer.finish()
  }

  func makeWriter() throws -> PackagePartWriter {
    let name = count.withLock { count in
      count += 1
      return String(count)
    }
    return PackagePartWriter(
      try fileSystem.createFile(name, in: opened.file, access: access), name: name, in: self, fileSystem)
  }

  /// Moves the file of a part to an open folder, with a name and access rights.
  func place(_ part: StagedPart, as name: String, in folder: Int32, access: FileSystem.Access) throws {
    // A file that is already in a package is copied: two packages never share one.
    if fileSystem.linkCount(part.fileName, in: opened.file) == 1 {
      try fileSystem.link(part.fileName, in: opened.file, to: folder, as: name)
      let file = try fileSystem.openFile(name, in: folder)
      try access.applyToMoved(file.file, name, fileSystem)
      return try fileSystem.sync(file.file, name)
    }
    let source = try fileSystem.openFile(part.fileName, in: opened.file)
    let target = try fileSystem.createFile(name, in: folder, access: access)
    var offset = 0
    while offset < part.size {
      let piece = try fileSystem.bytes(of: source.file, at: offset, count: FileSystem.pieceSize, name)
      if piece.isEmpty { break }
      try piece.withUnsafeBytes { try fileSystem.write($0, to: target.file, at: offset, name) }
      offset += piece.count
    }
    try access.apply(to: target.file, name, fileSystem)
    try fileSystem.sync(target.file, name)
  }
}
