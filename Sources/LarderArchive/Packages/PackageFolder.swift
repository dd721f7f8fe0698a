public import Foundation
internal import Synchronization

/// A folder of packages, each of which is a folder itself: `1.scarycreature`, `2.scarycreature`.
///
/// ```swift
/// let folder = try PackageFolder(at: url, extension: "scarycreature")
/// let package = try folder.add { parts in
///   try parts.setValue(creature, for: "data")
///   try parts.setData(picture, for: "full.png")
/// }
/// ```
///
/// Packages are created, changed and deleted atomically: a crash leaves the old or the new version. Several processes
/// can use the same folder. Its file system must support `flock`, hard links and, for changes, exchanging two folders
/// (ext4, XFS, Btrfs, tmpfs, APFS).
public final class PackageFolder: Sendable {
  /// The URL of the folder.
  public let url: URL
  /// The extension of the packages' names.
  public let pathExtension: String
  /// The limits of each part.
  public let limits: Archive.Limits

  let path: String
  let fileSystem: FileSystem
  /// The highest number that this process has seen.
  private let highest = Mutex<Int?>(nil)

  private static let lockName = ".larder-lock"
  static let trashName = ".larder-trash"

  /// Opens a folder, creates it if it doesn't exist, and deletes what a crash has left in it.
  ///
  /// A folder that this user can only read can be opened, listed and read.
  ///
  /// - Parameters:
  ///   - url: The URL of the folder.
  ///   - pathExtension: The extension of the packages' names, which follows the rules for names.
  ///   - limits: The limits of each part, and of the list of parts.
  /// - Throws: ``ArchiveError`` `.invalidName` for an invalid extension and for a URL that isn't a file URL, and errors
  ///   of the file system.
  /// - Complexity: Reads the names in the folder once.
  public convenience init(at url: URL, extension pathExtension: String, limits: Archive.Limits = .default) throws {
    try self.init(at: url, extension: pathExtension, limits: limits, fileSystem: .standard)
  }

  package init(
    at url: URL, extension pathExtension: String, limits: Archive.Limits = .default, fileSystem: FileSystem
  ) throws {
    try PartName.check(pathExtension)
    var path = try FileSystem.path(of: url)
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    guard !path.isEmpty else {
      throw ArchiveError(.invalidName, "The path cannot be that of a folder. Use another one.")
    }
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
    // A user that can only read the folder leaves the cleanup to others.
    do { _ = try clean() } catch let error as ArchiveError where error.code == .noPermission {}
  }

  private static func cannotCreate(_ error: any Error) -> ArchiveError {
    let remedy = "The folder of the packages cannot be created. Check its path, and that this user may write there."
    return switch (error as? CocoaError)?.code {
    case .fileWriteNoPermission, .fileWriteVolumeReadOnly: ArchiveError(.noPermission, remedy)
    case .fileWriteOutOfSpace:
      ArchiveError(.diskFull, "No space is left for the folder of the packages. Free some space and try again.")
    default: ArchiveError(.inputOutput, remedy)
    }
  }

  /// Deletes what crashes have left. What a living process is writing stays.
  ///
  /// - Returns: The number of incomplete packages that were deleted.
  /// - Throws: ``ArchiveError`` with errors of the file system.
  /// - Complexity: Reads the names in the folder once.
  @discardableResult
  public func clean() throws -> Int { try PackageStaging.clean(path, fileSystem) }

  /// Returns all packages, ordered by number and then by name.
  ///
  /// - Returns: The packages.
  /// - Throws: ``ArchiveError`` `.notFound` if the folder was deleted after it was opened, and errors of the file
  ///   system.
  /// - Complexity: O(*n* log *n*), where *n* is the number of packages. Reads the names in the folder but no package;
  ///   one `lstat` for each entry if the file system doesn't report which entries are folders.
  public func packages() throws -> [DocumentPackage] {
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

  /// Returns the package with a name.
  ///
  /// - Parameter name: The name without extension.
  /// - Returns: The package.
  /// - Throws: ``ArchiveError`` `.invalidName` or `.notFound`.
  /// - Complexity: One `lstat`.
  public func package(named name: String) throws -> DocumentPackage {
    try PartName.check(name)
    guard let name = try spelling(of: name) else {
      throw ArchiveError(.notFound, "There is no package of this name. Ask packages() for those that are there.")
    }
    return DocumentPackage(name: name, folder: self)
  }

  /// Returns the name of a package on disk, which may be in another normalization form.
  private func spelling(of name: String) throws -> String? {
    if fileSystem.isFolder(path(of: name)) { return name }
    if name.utf8.allSatisfy({ $0 < 0x80 }) { return nil }
    return try packages().first { $0.name == name }?.name
  }

  /// Adds a package with the next free number, which no other process gets.
  ///
  /// - Parameter make: Sets the parts.
  /// - Returns: The new package.
  /// - Throws: ``ArchiveError`` with errors of the file system, and what `make` throws. After an error there is no
  ///   package, unless only syncing the folder failed: then the package is there but may be lost in a power failure,
  ///   which the error says.
  /// - Complexity: Writes and syncs a file for each part and one for the list.
  public func add(_ make: (inout PackageParts) throws -> Void) throws -> DocumentPackage {
    try add(filesOf: 0o666, make)
  }

  /// Adds a package whose files are no more accessible than a mode says.
  package func add(
    filesOf mode: UInt16, _ make: (inout PackageParts) throws -> Void
  ) throws -> DocumentPackage {
    try publish(filesOf: mode, make) { staging in
      try self.locked {
        var number = try self.highest.withLock { $0 } ?? self.highestNumber()
        while true {
          // Another instance, or another process, may have deleted packages that this one hasn't seen.
          number = max(number, try self.highestDeletedNumber()) + 1
          if try self.place(staging, as: String(number)) { break }
          number = max(number, try self.highestNumber())
        }
        self.highest.withLock { [number] in $0 = max($0 ?? 0, number) }
        return String(number)
      }
    }
  }

  /// Adds a package with a name.
  ///
  /// - Parameters:
  ///   - name: The name without extension.
  ///   - make: Sets the parts.
  /// - Returns: The new package.
  /// - Throws: ``ArchiveError`` `.invalidName` if the name is invalid or taken, and the errors of ``add(_:)``.
  public func add(named name: String, _ make: (inout PackageParts) throws -> Void) throws -> DocumentPackage {
    try PartName.check(name)
    return try publish(filesOf: 0o666, make) { staging in
      guard try self.spelling(of: name) == nil, try self.place(staging, as: name) else {
        throw ArchiveError(.invalidName, "There is a package of this name. Choose another one, or edit that.")
      }
      return name
    }
  }

  private func publish(
    filesOf mode: UInt16, _ make: (inout PackageParts) throws -> Void, _ place: (String) throws -> String
  ) throws -> DocumentPackage {
    var parts = PackageParts(of: self)
    try make(&parts)
    // What is in the folder is no more accessible than the folder.
    let access = fileSystem.access(forFolderIn: path, ofFiles: .init(mode))
    let staging = try PackageStaging(in: path, access: access, fileSystem)
    do {
      try staging.fill(parts, over: nil)
      let name = try place(staging.path)
      try fileSystem.syncFolder(path, after: "The package is in its place")
      return DocumentPackage(name: name, folder: self)
    } catch {
      try? fileSystem.remove(staging.path)
      throw error
    }
  }

  /// Moves a folder to the path of a package, unless one exists.
  ///
  /// Renaming never replaces a nonempty folder (rename(2), ENOTEMPTY and EEXIST), and every package contains its list
  /// of parts.
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

  /// Returns the highest number of deleted packages, because one may be restored under its name.
  private func highestDeletedNumber() throws -> Int {
    try deletedPackages().reduce(0) { max($0, Self.number(of: $1.name) ?? 0) }
  }

  /// Returns the number that a name represents. A name with more than fifteen digits isn't a number, so that counting
  /// never overflows.
  private static func number(of name: some StringProtocol) -> Int? {
    name.utf8.count <= 15 && name.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      ? Int(name) : nil
  }

  func path(of name: String) -> String { path + "/" + name + "." + pathExtension }

  /// Calls a closure while no other process or task changes, deletes or restores a package of the folder.
  func locked<Result>(_ body: () throws -> Result) throws -> Result {
    let lockPath = path + "/" + Self.lockName
    let lock = try fileSystem.lock(file: lockPath, access: fileSystem.access(forFile: lockPath, in: path))
    defer { _ = lock.file }
    return try body()
  }
}
