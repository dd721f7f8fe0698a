internal import Foundation

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

extension FileSystem {
  /// Who may read and write a file or a folder.
  ///
  /// What replaces something has the access of that; what is new is never more open than the folder that it belongs to.
  struct Access {
    private let mode: mode_t
    /// Owner and group of what is replaced; nil for something new.
    private let owner: (user: uid_t, group: gid_t)?

    /// What is created is open to its user alone, until it has the access of what it replaces.
    var modeToCreate: mode_t { owner == nil ? mode : mode & 0o700 }

    fileprivate init(replacing status: stat) {
      mode = status.st_mode & 0o777
      owner = (status.st_uid, status.st_gid)
    }

    private init(mode: mode_t) {
      self.mode = mode
      owner = nil
    }

    /// The access of a folder that nobody else is to look into.
    static let ofUserAlone = Access(mode: 0o700)

    fileprivate init(newIn folder: stat?, isFolder: Bool) {
      mode = (isFolder ? 0o755 : 0o644) & ((folder?.st_mode ?? 0o755) | 0o600)
      owner = nil
    }

    /// Gives an open file or folder this access, as far as this user may: a group that it cannot give gets nothing.
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

    /// Gives a file that was created elsewhere the access that it would have if it had been created with this one.
    func applyToMoved(_ file: Int32, _ path: String, _ fileSystem: FileSystem) throws {
      guard owner == nil else { return try apply(to: file, path, fileSystem) }
      var status = stat()
      try fileSystem.check(fstat(file, &status), "read", path)
      try fileSystem.check(fchmod(file, status.st_mode & mode), "written", path)
    }
  }

  /// The access of a file that is to replace what is at a path, or to be new there.
  func access(forFile path: String, in folder: String) -> Access {
    var status = stat()
    if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG { return Access(replacing: status) }
    return Access(newIn: self.status(of: folder), isFolder: false)
  }

  /// The access of a folder that is to be new in another one.
  func access(forFolderIn folder: String) -> Access { Access(newIn: status(of: folder), isFolder: true) }

  /// The access of a file that is to replace a file of an open folder, or to be new in it.
  func access(forFile name: String, in folder: Int32) -> Access {
    var status = stat()
    if fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0, status.st_mode & S_IFMT == S_IFREG { return Access(replacing: status) }
    return Access(newIn: fstat(folder, &status) == 0 ? status : nil, isFolder: false)
  }

  /// The access of a file that is to be new in an open folder.
  func access(forNewFileIn folder: Int32) -> Access {
    var status = stat()
    return Access(newIn: fstat(folder, &status) == 0 ? status : nil, isFolder: false)
  }

  /// The access of an open folder, for one that is to replace it.
  func access(ofFolder folder: Int32) throws -> Access {
    var status = stat()
    try check(fstat(folder, &status), "read", "")
    return Access(replacing: status)
  }

  /// Who may read and write an open file.
  func mode(of file: Int32) throws -> mode_t {
    var status = stat()
    try check(fstat(file, &status), "read", "")
    return status.st_mode & 0o777
  }

  /// The number of names that a file of an open folder has.
  func linkCount(_ name: String, in folder: Int32) -> Int {
    var status = stat()
    return fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? Int(status.st_nlink) : 0
  }

  private func status(of folder: String) -> stat? {
    var status = stat()
    return stat(folder, &status) == 0 ? status : nil
  }
}
