public import Foundation
internal import Synchronization

/// A folder of documents, each of which is a folder of its own: `1.scarycreature`, `2.scarycreature`.
///
/// ```swift
/// let folder = try DocumentFolder(at: url, extension: "scarycreature")
/// let document = try folder.add { parts in
///   try parts.setValue(creature, for: "data")
///   try parts.setData(picture, for: "full.png")
/// }
/// ```
///
/// A document appears, changes and goes in one step: a crash at any point leaves the old or the new one. Several processes may work in the same
/// folder; it must be on a file system that knows `flock`, hard links and, for changes, exchanging two folders (ext4, XFS, Btrfs, tmpfs, APFS).
public final class DocumentFolder: Sendable {
  /// Where the folder is.
  public let url: URL
  /// What follows the point in the names of the documents.
  public let pathExtension: String
  /// What one part may cost its reader.
  public let limits: Archive.Limits

  let path: String
  let fileSystem: FileSystem
  /// The highest number that this process has seen.
  private let highest = Mutex<Int?>(nil)

  private static let lockName = ".larder-lock"
  static let trashName = ".larder-trash"

  /// Opens a folder, creates it where it is not there, and deletes what a crash has left in it.
  ///
  /// A folder that this user may only read can be opened, listed and read. Throws ``ArchiveError`` `.invalidName` for an extension that cannot be one
  /// and for a URL that is none of a file, and the file system's errors. Reads the names in the folder once.
  ///
  /// - Parameters:
  ///   - url: Where the folder is, or is to be.
  ///   - pathExtension: What follows the point in the names of the documents; it keeps to the rules for names.
  ///   - limits: What one part, and the list of parts, may cost their reader.
  public convenience init(at url: URL, extension pathExtension: String, limits: Archive.Limits = .default) throws {
    try self.init(at: url, extension: pathExtension, limits: limits, fileSystem: .standard)
  }

  package init(at url: URL, extension pathExtension: String, limits: Archive.Limits = .default, fileSystem: FileSystem) throws {
    try PartName.check(pathExtension)
    var path = try FileSystem.path(of: url)
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    guard !path.isEmpty else { throw ArchiveError(.invalidName, "The path cannot be that of a folder. Use another one.") }
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch {
      throw Self.cannotCreate(error)
    }
    self.url = url
    self.pathExtension = pathExtension
    self.limits = limits
    self.path = path
    self.fileSystem = fileSystem
    // Who may only read the folder leaves what a crash has left to those who may write.
    do { _ = try clean() } catch let error as ArchiveError where error.code == .noPermission {}
  }

  private static func cannotCreate(_ error: any Error) -> ArchiveError {
    let remedy = "The folder of the documents cannot be created. Check its path, and that this user may write there."
    return switch (error as? CocoaError)?.code {
    case .fileWriteNoPermission, .fileWriteVolumeReadOnly: ArchiveError(.noPermission, remedy)
    case .fileWriteOutOfSpace: ArchiveError(.diskFull, "No space is left for the folder of the documents. Free some space and try again.")
    default: ArchiveError(.inputOutput, remedy)
    }
  }

  /// Deletes what crashes have left, and says how many half-made documents that were; what a living process is making stays.
  ///
  /// Throws ``ArchiveError`` of the file system. Reads the names in the folder once.
  @discardableResult
  public func clean() throws -> Int { try DocumentStaging.clean(path, fileSystem) }

  /// All documents, ordered by number and then by name.
  ///
  /// Throws ``ArchiveError`` of the file system, `.notFound` where the folder was deleted since it was opened.
  /// Reads the names in the folder and touches no document; one `lstat` for an entry where the file system does not say what is a folder. O(documents
  /// × log documents).
  public func documents() throws -> [DocumentPackage] {
    let suffix = "." + pathExtension
    var found: [(number: Int, name: String)] = []
    for entry in try fileSystem.names(in: path) where entry.name.hasSuffix(suffix) && !entry.name.hasPrefix(".") {
      guard entry.isFolder ?? fileSystem.isFolder(path + "/" + entry.name) else { continue }
      let name = String(entry.name.dropLast(suffix.count))
      found.append((Self.number(of: name) ?? .max, name))
    }
    found.sort { ($0.number, $0.name) < ($1.number, $1.name) }
    return found.map { DocumentPackage(name: $0.name, folder: self) }
  }

  /// The document of a name. Throws ``ArchiveError`` `.invalidName` or `.notFound`; costs one `lstat`.
  public func document(named name: String) throws -> DocumentPackage {
    try PartName.check(name)
    guard let name = try spelling(of: name) else {
      throw ArchiveError(.notFound, "There is no document of this name. Ask documents() for those that are there.")
    }
    return DocumentPackage(name: name, folder: self)
  }

  /// The name that a document has on the disk: the same text may be written in two normal forms.
  private func spelling(of name: String) throws -> String? {
    if fileSystem.isFolder(path(of: name)) { return name }
    if name.utf8.allSatisfy({ $0 < 0x80 }) { return nil }
    return try documents().first { $0.name == name }?.name
  }

  /// Adds a document under the next free number, which no other process gets.
  ///
  /// Throws ``ArchiveError`` of the file system, and what `make` throws; then there is no document. Only where syncing the folder fails at the very
  /// end is the document there and may yet be lost in a power cut; the error says so. Costs a synced file for each part and one for the list.
  public func add(_ make: (inout DocumentParts) throws -> Void) throws -> DocumentPackage {
    try publish(make) { staging in
      try self.locked {
        var number = try self.highest.withLock { $0 } ?? self.highestNumber()
        while true {
          // Another instance, or another process, may have deleted documents that this one has not seen.
          number = max(number, try self.highestDeletedNumber()) + 1
          if try self.place(staging, as: String(number)) { break }
          number = max(number, try self.highestNumber())
        }
        self.highest.withLock { [number] in $0 = max($0 ?? 0, number) }
        return String(number)
      }
    }
  }

  /// Adds a document under a name. Throws as ``add(_:)`` does, and ``ArchiveError`` `.invalidName` for a name that is none, or is taken.
  public func add(named name: String, _ make: (inout DocumentParts) throws -> Void) throws -> DocumentPackage {
    try PartName.check(name)
    return try publish(make) { staging in
      guard try self.spelling(of: name) == nil, try self.place(staging, as: name) else {
        throw ArchiveError(.invalidName, "There is a document of this name. Choose another one, or edit that.")
      }
      return name
    }
  }

  private func publish(_ make: (inout DocumentParts) throws -> Void, _ place: (String) throws -> String) throws -> DocumentPackage {
    var parts = DocumentParts(of: self)
    try make(&parts)
    let staging = try DocumentStaging(in: path, access: fileSystem.access(forFolderIn: path), fileSystem)
    do {
      try staging.fill(parts, over: nil)
      let name = try place(staging.path)
      try fileSystem.syncFolder(path, after: "The document is in its place")
      return DocumentPackage(name: name, folder: self)
    } catch {
      try? fileSystem.remove(staging.path)
      throw error
    }
  }

  /// Moves a folder to the place of a document, unless there is one.
  ///
  /// Renaming replaces no folder that holds something (rename(2), ENOTEMPTY and EEXIST), and every document holds its list of parts.
  func place(_ staging: String, as name: String) throws -> Bool {
    let target = path(of: name)
    if fileSystem.exists(target) { return false }
    do {
      try fileSystem.rename(staging, to: target)
      return true
    } catch let error as ArchiveError where error.code != .diskFull && fileSystem.exists(target) {
      return false
    }
  }

  private func highestNumber() throws -> Int {
    let suffix = "." + pathExtension
    var highest = 0
    for entry in try fileSystem.names(in: path) where entry.name.hasSuffix(suffix) {
      highest = max(highest, Self.number(of: entry.name.dropLast(suffix.count)) ?? 0)
    }
    return max(highest, try highestDeletedNumber())
  }

  /// A deleted document may come back under its name.
  private func highestDeletedNumber() throws -> Int { try deletedDocuments().reduce(0) { max($0, Self.number(of: $1.name) ?? 0) } }

  /// The number that a name is; more digits than fifteen are a name like any other, so that counting on never ends.
  private static func number(of name: some StringProtocol) -> Int? {
    name.utf8.count <= 15 && name.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int(name) : nil
  }

  func path(of name: String) -> String { path + "/" + name + "." + pathExtension }

  /// Calls a closure while no other process or task changes, deletes or restores a document of the folder.
  func locked<Result>(_ body: () throws -> Result) throws -> Result {
    let lockPath = path + "/" + Self.lockName
    let lock = try fileSystem.lock(file: lockPath, access: fileSystem.access(forFile: lockPath, in: path))
    defer { _ = lock.file }
    return try body()
  }
}
