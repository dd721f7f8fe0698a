internal import Foundation

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

extension FileSystem {
  /// The access rights of a file or a folder.
  ///
  /// A replacement has the rights of what it replaces; something new is never more accessible than its folder.
  struct Access {
    fileprivate let mode: mode_t
    /// The owner and group of what is replaced; nil for something new.
    private let owner: (user: uid_t, group: gid_t)?

    /// A new file is only accessible to its user until it has the rights of what it replaces.
    var modeToCreate: mode_t { owner == nil ? mode : mode & 0o700 }

    fileprivate init(replacing status: stat) {
      mode = status.st_mode & 0o777
      owner = (status.st_uid, status.st_gid)
    }

    fileprivate init(mode: mode_t) {
      self.mode = mode
      owner = nil
    }

    /// The rights of a private folder.
    static let ofUserAlone = Access(mode: 0o700)

    fileprivate init(newIn folder: stat?, isFolder: Bool) {
      mode = (isFolder ? 0o755 : 0o644) & ((folder?.st_mode ?? 0o755) | 0o600)
      owner = nil
    }

    /// Sets these rights on an open file or folder, as far as this user may. A group that can't be set gets no access.
    func apply(to file: Int32, _ path: String, _ fileSystem: FileSystem) throws {
      guard let owner else { return }
      var status = stat()
      try fileSystem.check(fstat(file, &status), "read", path)
      var mode = mode
      if status.st_uid != owner.user || status.st_gid != owner.group, fchown(file, owner.user, owner.group) != 0,
        status.st_gid != owner.group, fchown(file, uid_t.max, owner.group) != 0
      {
        mode &= ~0o070
      }
      try fileSystem.check(fchmod(file, mode), "written", path)
    }

    /// Sets the rights that a file would have if it had been created with these.
    func applyToMoved(_ file: Int32, _ path: String, _ fileSystem: FileSystem) throws {
      guard owner == nil else { return try apply(to: file, path, fileSystem) }
      var status = stat()
      try fileSystem.check(fstat(file, &status), "read", path)
      try fileSystem.check(fchmod(file, status.st_mode & mode), "written", path)
    }
  }

  /// Returns the rights of a file that replaces what is at a path, or is new there.
  func access(forFile path: String, in folder: String) -> Access {
    var status = stat()
    if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG { return Access(replacing: status) }
    return Access(newIn: self.status(of: folder), isFolder: false)
  }

  /// Returns the rights of a new folder in another one.
  func access(forFolderIn folder: String) -> Access { Access(newIn: status(of: folder), isFolder: true) }

  /// Returns the rights of a new folder for files of a mode: who may not read the files may not enter it.
  func access(forFolderIn folder: String, ofFiles mode: mode_t) -> Access {
    let access = self.access(forFolderIn: folder)
    return Access(mode: access.mode & (mode | (mode & 0o444) >> 2 | 0o700))
  }

  /// Returns the rights of a file that replaces a file of an open folder, or is new in it.
  func access(forFile name: String, in folder: Int32) -> Access {
    var status = stat()
    if fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0, status.st_mode & S_IFMT == S_IFREG {
      return Access(replacing: status)
    }
    return Access(newIn: fstat(folder, &status) == 0 ? status : nil, isFolder: false)
  }

  /// Returns the rights of a new file in an open folder.
  func access(forNewFileIn folder: Int32) -> Access {
    var status = stat()
    return Access(newIn: fstat(folder, &status) == 0 ? status : nil, isFolder: false)
  }

  /// Returns the rights of an open folder, for its replacement.
  func access(ofFolder folder: Int32) throws -> Access {
    var status = stat()
    try check(fstat(folder, &status), "read", "")
    return Access(replacing: status)
  }

  /// Returns the rights of an open file.
  func mode(of file: Int32) throws -> mode_t {
    var status = stat()
    try check(fstat(file, &status), "read", "")
    return status.st_mode & 0o777
  }

  /// Returns the number of links of a file in an open folder.
  func linkCount(_ name: String, in folder: Int32) -> Int {
    var status = stat()
    return fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? Int(status.st_nlink) : 0
  }

  private func status(of folder: String) -> stat? {
    var status = stat()
    return stat(folder, &status) == 0 ? status : nil
  }
}
