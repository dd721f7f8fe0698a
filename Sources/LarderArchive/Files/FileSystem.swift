internal import Foundation

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The system calls that archives and packages need, with errors that say what to do.
///
/// `willDo` is called before each call that changes something: a test can end the process there, or make the call fail.
package struct FileSystem: Sendable {
  /// A call, or a part of one, and the last component of its path.
  package typealias Observer = @Sendable (_ step: String, _ name: String) throws -> Void

  private let willDo: Observer
  /// The largest number of bytes for one call of `write`.
  let chunk: Int

  package init(chunk: Int = 1 << 20, willDo: @escaping Observer = { _, _ in }) {
    self.willDo = willDo
    self.chunk = chunk
  }

  package static let standard = FileSystem()

  func note(_ step: String, _ path: String) throws {
    try willDo(step, path.split(separator: "/").last.map(String.init) ?? "")
  }

  /// Creates a file that must not exist, with content that is synced when this returns.
  func create(_ path: String, in folder: Int32 = AT_FDCWD, _ content: UnsafeRawBufferPointer, access: Access) throws {
    let output = try createFile(path, in: folder, access: access)
    try write(content, to: output.file, at: 0, path)
    try access.apply(to: output.file, path, self)
    try sync(output.file, path)
  }

  /// Renames atomically. What was at the new path is replaced, unless it is a nonempty folder.
  func rename(_ old: String, to new: String) throws {
    try note("rename", new)
    #if canImport(Darwin)
    let result = Darwin.rename(old, new)
    #elseif canImport(Musl)
    let result = Musl.rename(old, new)
    #else
    let result = Glibc.rename(old, new)
    #endif
    try check(result, "replaced", new)
  }

  /// Atomically exchanges two paths.
  func exchange(_ first: String, _ second: String) throws {
    try note("exchange", second)
    #if canImport(Darwin)
    let result = renamex_np(first, second, UInt32(RENAME_SWAP))
    #else
    guard let rename = Self.renameWithFlags else { throw Self.cannotExchange }
    // RENAME_EXCHANGE of <linux/fs.h>.
    let result = rename(AT_FDCWD, first, AT_FDCWD, second, 2)
    #endif
    if result != 0, errno == EINVAL || errno == ENOSYS || errno == ENOTSUP {
      throw Self.cannotExchange
    }
    try check(result, "replaced", second)
  }

  private static var cannotExchange: ArchiveError {
    ArchiveError(
      .unsupported, "The file system cannot exchange two folders in one step. Keep packages on a local disk.")
  }

  #if !canImport(Darwin)
  /// The C function `renameat2`, whose declaration needs `_GNU_SOURCE`. Source of the signature: rename(2).
  private static let renameWithFlags:
    (@convention(c) (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32) -> Int32)? = {
      guard let symbol = dlsym(dlopen(nil, RTLD_NOW), "renameat2") else { return nil }
      return unsafeBitCast(
        symbol, to: (@convention(c) (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32) -> Int32).self)
    }()
  #endif

  /// Syncs the entries of a folder.
  func syncFolder(_ path: String) throws {
    try note("syncFolder", path)
    let folder = try check(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), "opened", path)
    defer { close(folder) }
    try check(fsync(folder), "written", path)
  }

  /// Syncs the entries of an open folder.
  func syncFolder(_ folder: Int32, _ name: String) throws {
    try note("syncFolder", name)
    try check(fsync(folder), "written", name)
  }

  /// Deletes an empty folder of an open one.
  func removeEmptyFolder(_ name: String, in folder: Int32) throws {
    try note("remove", name)
    try check(unlinkat(folder, name, Int32(AT_REMOVEDIR)), "deleted", name)
  }

  /// Like ``syncFolder(_:)``, after something was moved to its place; an error explains what that means.
  func syncFolder(_ path: String, after place: String) throws {
    do { try syncFolder(path) } catch let error as ArchiveError {
      throw ArchiveError(
        error.code,
        "\(place), but the disk does not confirm it, and a power cut may undo it. Check the disk, then write again. (\(error.message))"
      )
    }
  }

  func makeFolder(_ path: String, access: Access) throws {
    try note("makeFolder", path)
    try check(mkdir(path, access.modeToCreate), "created", path)
  }

  /// Creates a link in another folder to a file of an open folder, without following symbolic links.
  func link(_ name: String, in old: Int32, to new: Int32, as newName: String? = nil) throws {
    let newName = newName ?? name
    try note("link", newName)
    try check(linkat(old, name, new, newName, 0), "linked", newName)
  }

  /// Creates a folder in an open one, with the rights of another, and opens it.
  func makeFolder(_ name: String, in folder: Int32, like other: Int32) throws -> Folder {
    try note("makeFolder", name)
    try check(mkdirat(folder, name, 0o700), "created", name)
    let made = try openFolder(name, in: folder)
    try access(ofFolder: other).apply(to: made.file, name, self)
    return made
  }

  /// Moves an entry of an open folder to another one, unless the name is taken.
  func move(_ name: String, from old: Int32, to new: Int32) throws {
    guard !exists(name, in: new) else { return }
    try note("rename", name)
    try check(renameat(old, name, new, name), "moved", name)
  }

  func exists(_ path: String, in folder: Int32 = AT_FDCWD) -> Bool {
    var status = stat()
    return fstatat(folder, path, &status, AT_SYMLINK_NOFOLLOW) == 0
  }

  func isFolder(_ path: String, followsLinks: Bool = false) -> Bool {
    var status = stat()
    return (followsLinks ? stat(path, &status) : lstat(path, &status)) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Deletes a file, or a folder with its contents. It isn't an error if it doesn't exist, and symbolic links aren't
  /// followed.
  func remove(_ path: String) throws {
    try note("remove", path)
    if isFolder(path) {
      do {
        let folder = try openFolder(path)
        try removeContent(of: folder.file)
      } catch let error as ArchiveError where error.code == .notFound { return }
      try checkRemoval(rmdir(path), path)
    } else {
      try checkRemoval(unlink(path), path)
    }
  }

  /// The number of folders in one another that are opened at once: more than the parts of a package ever are.
  private static let mostOpenFolders = 32

  /// Deletes the contents of an open folder, however deep they are. Below some levels, folders are moved up first, so
  /// that they use up neither the stack nor the number of open files.
  ///
  /// Uses open folders, so that a folder that is replaced by a link meanwhile leads nowhere.
  private func removeContent(of folder: Int32, level: Int = 1) throws {
    var hasMoved: Bool
    repeat {
      hasMoved = false
      for name in try rawNames(in: folder) {
        let text = String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        try note("remove", text)
        guard isFolder(name, in: folder) else {
          try checkRemoval(unlinkat(folder, name, 0), text)
          continue
        }
        let opened = openat(folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
        if opened < 0 && errno == ENOENT { continue }
        let inner = Folder(file: try check(opened, "deleted", text))
        if level >= Self.mostOpenFolders {
          for name in try rawNames(in: inner.file) where isFolder(name, in: inner.file) {
            try check(renameat(inner.file, name, folder, UUID().uuidString), "deleted", text)
            hasMoved = true
          }
        }
        try removeContent(of: inner.file, level: level + 1)
        try checkRemoval(unlinkat(folder, name, Int32(AT_REMOVEDIR)), text)
      }
    } while hasMoved
  }

  private func isFolder(_ name: [CChar], in folder: Int32) -> Bool {
    var status = stat()
    return fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// It isn't an error if there is no such entry: another process may be deleting the same.
  private func checkRemoval(_ result: Int32, _ name: String) throws {
    if result != 0 && errno == ENOENT { return }
    try check(result, "deleted", name)
  }
}

extension FileSystem {
  /// Returns a number that isn't negative, or throws the error of `errno`.
  @discardableResult
  func check<Result: SignedInteger>(_ result: Result, _ verb: String, _ path: String) throws -> Result {
    guard result < 0 else { return result }
    throw Self.error(errno, verb, path)
  }

  /// Returns the last component of a path, the only one that errors show.
  static func name(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

  /// Throws ``ArchiveError`` `.invalidName` for a URL that isn't a file URL, and for a path with a zero byte, at which
  /// the system would truncate it.
  static func path(of url: URL) throws -> String {
    let path = url.path(percentEncoded: false)
    guard url.isFileURL, !path.utf8.contains(0) else {
      throw ArchiveError(.invalidName, "The URL is not that of a file or folder on this machine. Use URL(filePath:).")
    }
    return path
  }

  static func error(_ number: Int32, _ verb: String, _ path: String) -> ArchiveError {
    let name = name(path)
    let reason = String(cString: strerror(number))
    switch number {
    case ENOENT: return ArchiveError(.notFound, "\(name) is not there. Check the path, or create it first.")
    case ENOSPC, EDQUOT:
      return ArchiveError(
        .diskFull, "No space is left for \(name); what was there before is unchanged. Free some space and try again.")
    case EACCES, EPERM, EROFS:
      return ArchiveError(
        .noPermission, "\(name) cannot be \(verb) (\(reason)). Give this user access to the file and its folder.")
    case ELOOP:
      return ArchiveError(
        .inputOutput, "\(name) is a link, which is not followed here. Put the file itself in its place.")
    case ENAMETOOLONG:
      return ArchiveError(.invalidName, "The name is longer than the file system takes. Use a shorter one.")
    default:
      return ArchiveError(
        .inputOutput, "\(name) cannot be \(verb) (\(reason)). Check the path and the disk, then try again.")
    }
  }
}
