import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The folder beside a store's file with the data of attachments. Files are named `a/bcdef…` by their digests; nothing
/// else ever becomes a path.
struct AttachmentFolder: Sendable {
  let path: String
  /// The path of the store's file, whose permissions limit those of the attachments; nil for a store in memory.
  private let storePath: String?
  /// Whether nothing in it is created, changed or deleted.
  let isReadOnly: Bool

  /// Locks between processes, on empty files.
  enum Lock: String {
    /// Shared by callers that attach; exclusive for the one that deletes unregistered files.
    case staging
    /// Shared by callers that copy or list files; exclusive for the one that deletes data without references.
    case reading
  }

  /// Whether a path exists, and its kind.
  enum Content: Equatable {
    case absent
    /// A file of this size.
    case file(size: Int)
    case somethingElse
  }

  init(_ path: String, ofStore storePath: String?, isReadOnly: Bool = false) {
    self.path = path
    self.storePath = storePath
    self.isReadOnly = isReadOnly
  }

  /// Creates the folder value of the store at the path.
  init(ofStore path: String, isReadOnly: Bool = false) {
    self.init(Self.path(ofStore: path), ofStore: path, isReadOnly: isReadOnly)
  }

  static func path(ofStore path: String) -> String { path + ".attachments" }

  // MARK: Permissions

  /// What others than the owner may do with the store's file; nothing if it isn't known.
  private var permissions: mode_t {
    guard let storePath, let mode = Self.status(storePath)?.st_mode else { return 0 }
    return mode & 0o066
  }

  /// The permissions of a file with data, which nobody changes.
  var dataMode: mode_t { 0o400 | permissions & 0o044 }
  /// The permissions of other files.
  var fileMode: mode_t { 0o600 | permissions }
  /// The permissions of folders: who may read the store may look for files.
  private var folderMode: mode_t { 0o700 | permissions | (permissions & 0o044) >> 2 }

  /// The permissions that files outside may have at most; any, for a store in memory.
  var exportMode: UInt16 { storePath == nil ? 0o666 : UInt16(fileMode) }

  private static func status(_ path: String) -> stat? {
    var status = stat()
    return stat(path, &status) == 0 ? status : nil
  }

  var temporary: String { path + "/tmp" }
  var holders: String { path + "/holders" }
  /// The folder of the empty files that ``AttachmentWaiting`` writes.
  var waiting: String { path + "/waiting" }

  func shard(of digest: String) -> String { "\(path)/\(digest.prefix(1))" }
  func path(of digest: String) -> String { "\(shard(of: digest))/\(digest.dropFirst())" }

  func newTemporaryPath() -> String {
    "\(temporary)/\(String(UInt64.random(in: .min ... .max), radix: 16))-\(String(UInt64.random(in: .min ... .max), radix: 16))"
  }

  /// Whether there is a folder, or a link to one.
  var exists: Bool { Self.status(path).map { $0.st_mode & S_IFMT == S_IFDIR } ?? false }

  // MARK: Looking

  func content(of digest: String) -> Content {
    var status = stat()
    guard lstat(path(of: digest), &status) == 0 else { return .absent }
    return status.st_mode & S_IFMT == S_IFREG ? .file(size: Int(status.st_size)) : .somethingElse
  }

  /// Returns how many bytes of data have arrived; nil if none is arriving.
  func arrivedSize(of digest: String) -> Int? {
    var status = stat()
    return lstat(arrivalPath(of: digest), &status) == 0 ? Int(status.st_size) : nil
  }

  /// Opens the file of a digest. Throws `.notFound` if there is none, `.corrupt` if it isn't a regular file.
  func open(_ digest: String) throws -> AttachmentFile {
    let file = try AttachmentFile(path(of: digest), O_RDONLY)
    guard file.isRegular else { throw StoreError(systemCall: ELOOP, "opened") }
    return file
  }

  /// Opens the file of a digest, and returns its version. Throws the errors of ``open(_:)``.
  func openVersion(_ digest: String) throws -> (file: AttachmentFile, version: FileVersion) {
    let file = try AttachmentFile(path(of: digest), O_RDONLY)
    guard let version = file.regularVersion else { throw StoreError(systemCall: ELOOP, "opened") }
    return (file, version)
  }

  /// Returns whether the file of a digest has its data. Reads all of it.
  ///
  /// - Throws: ``StoreError`` if the file is there and can't be opened, which says nothing of its data.
  func isWhole(_ digest: String, size: Int) throws -> Bool {
    try ifPresent(digest) { file in file.size == size && (try? file.digest()) == digest } ?? false
  }

  /// Calls the closure with the file of a digest; returns nil if there is no file.
  func ifPresent<Result>(_ digest: String, _ body: (AttachmentFile) throws -> Result) throws -> Result? {
    let file: AttachmentFile
    do {
      file = try open(digest)
    } catch let error as StoreError where [.notFound, .corrupt].contains(error.code) {
      return nil
    }
    return try body(file)
  }

  /// Returns the names of the subfolders, which are the beginnings of digests.
  func shards() -> [String] {
    Self.names(in: path).filter { $0.utf8.count == 1 && Attachment.isDigest(String(repeating: $0, count: 64)) }.sorted()
  }

  /// Returns the digests whose paths exist in one of these subfolders.
  func digests(in shard: String) -> [String] {
    Self.names(in: "\(path)/\(shard)").map { shard + $0 }.filter(Attachment.isDigest).sorted()
  }

  static func names(in path: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
  }

  private static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  // MARK: Changing

  func create() throws {
    try limitPermissions()
    // Creates all of them, because the process that created one may have died before the next.
    if Self.isFolder(temporary), Self.isFolder(holders) { return }
    if !exists { try make(path) }
    for folder in [temporary, holders] { try make(folder) }
    try Self.sync(path)
    try Self.sync(URL(fileURLWithPath: path).deletingLastPathComponent().path)
  }

  /// Closes a folder that is more open than the store, which it may have been opened for before.
  private func limitPermissions() throws {
    guard let mode = Self.status(path)?.st_mode, mode & 0o077 & ~folderMode != 0 else { return }
    // Another user's folder stays as it is.
    _ = chmod(path, mode & 0o7700 | mode & folderMode)
  }

  func make(_ folder: String) throws {
    if mkdir(folder, folderMode) == 0 { return }
    let number = errno
    guard number == EEXIST, Self.isFolder(folder) else {
      throw StoreError(systemCall: number == ENOENT ? EIO : number, "created")
    }
  }

  private static func sync(_ folder: String) throws {
    try AttachmentFile(folder, O_RDONLY | O_DIRECTORY).sync()
  }

  /// Opens the file that records since when data has waited to be deleted, and creates it.
  func waitingFile(_ name: String) throws -> AttachmentFile {
    let path = "\(waiting)/\(name)"
    do {
      return try AttachmentFile(path, O_WRONLY | O_CREAT, mode: fileMode)
    } catch let error as StoreError where error.code == .notFound {
      try create()
      try make(waiting)
      return try AttachmentFile(path, O_WRONLY | O_CREAT, mode: fileMode)
    }
  }

  func lockFile(_ lock: Lock) throws -> AttachmentFile {
    try AttachmentFile("\(path)/\(lock.rawValue).lock", isReadOnly ? O_RDONLY : O_RDWR | O_CREAT, mode: fileMode)
  }

  /// Takes a shared lock. Returns nil if there is no folder, or if this user can't write to it and therefore can't
  /// collect.
  func lockForReading() throws -> AttachmentFile? {
    guard exists else { return nil }
    if isReadOnly {
      // A collector creates the file first.
      let lock = try? lockFile(.reading)
      try lock?.lockShared()
      return lock
    }
    do {
      let lock = try lockFile(.reading)
      try lock.lockShared()
      return lock
    } catch let error as StoreError where error.code == .readOnly {
      let lock = try? AttachmentFile("\(path)/\(Lock.reading.rawValue).lock", O_RDONLY)
      try lock?.lockShared()
      return lock
    }
  }

  /// A placed file that may not have reached the disk yet.
  struct Placement: Sendable {
    /// The file, if its data is to be synced.
    let file: AttachmentFile?
    /// The folders with a new directory entry.
    let folders: [String]
    /// The version of a file that nobody else could change before; nil if its data has to be verified.
    var version: FileVersion?
  }

  /// Moves a draft to its place, synced to the disk when this returns. Returns how it was placed.
  @discardableResult
  func place(_ draft: AttachmentDraft, _ digest: String) throws -> Placement {
    let placement = try name(draft, digest)
    try sync(placement)
    return placement
  }

  /// Moves a draft to its place.
  ///
  /// An existing file is used if it has the same data: a process may have died before it registered the file, and
  /// another may be about to.
  func name(_ draft: AttachmentDraft, _ digest: String) throws -> Placement {
    let shard = shard(of: digest)
    let isNew = !Self.isFolder(shard)
    if isNew { try make(shard) }
    let isOrdered = isOrdered
    if isOrdered, draft.linkUnnamed(to: path(of: digest)) {
      FaultPoint.placed.reach()
      return Placement(file: draft.file, folders: [], version: draft.placedVersion)
    }
    let temporary = try draft.temporaryPath()
    if !isOrdered { try draft.file.sync() }
    let placed = try link(draft, temporary, digest)
    FaultPoint.placed.reach()
    let isOwn = placed === draft.file
    return Placement(
      file: isOrdered || !isOwn ? placed : nil, folders: isOrdered && isOwn ? [] : isNew ? [shard, path] : [shard])
  }

  /// Creates a file for a draft that has no name until it is placed: one directory entry instead of three changes of
  /// directories, and no other program can open it before. Returns nil where that isn't certain to be possible.
  ///
  /// Only where the file is synced after it got its name (``isOrdered``): Btrfs doesn't write files without names at all.
  /// Source: `btrfs_log_inode_parent` in the kernel's fs/btrfs/tree-log.c.
  func unnamedFile() throws -> AttachmentFile? {
    #if os(Linux)
    guard AttachmentDraft.canLinkUnnamed, isOrdered else { return nil }
    return try AttachmentFile(unnamedIn: temporary, mode: dataMode)
    #else
    return nil
    #endif
  }

  /// Returns what to sync if another caller has placed the same data, and may be about to sync it.
  func placement(of digest: String) throws -> Placement {
    Placement(file: try open(digest), folders: [shard(of: digest), path])
  }

  func sync(_ placement: Placement) throws {
    try placement.file?.sync()
    FaultPoint.synced.reach()
    for folder in placement.folders { try Self.sync(folder) }
    FaultPoint.folderSynced.reach()
  }

  /// Whether syncing a new file with one name also syncs its directory entry.
  ///
  /// ext4 and XFS have one journal whose transactions are committed in order, so all earlier changes are on the disk
  /// when `fsync` returns; ext4 without a journal syncs the folder of a new file with it. Sources:
  /// <https://docs.kernel.org/filesystems/ext4/journal.html>,
  /// <https://docs.kernel.org/filesystems/xfs/xfs-delayed-logging-design.html>, `ext4_sync_parent` in the kernel's
  /// fs/ext4/fsync.c.
  private var isOrdered: Bool {
    // EXT4_SUPER_MAGIC and XFS_SUPER_MAGIC of <linux/magic.h>.
    systemType.map { [0xEF53, 0x5846_5342].contains($0) } ?? false
  }

  /// How long the time of a change may stay the same for later changes, in nanoseconds.
  ///
  /// Linux takes the times of its own file systems from a clock that moves at least every 10 ms, which they keep in
  /// nanoseconds (``FileVersion/isSettled(_:)`` sees to those that don't). Of others nothing is known: FAT has steps of
  /// two seconds. Sources: `current_time` and `ktime_get_coarse_real_ts64` in the kernel;
  /// <https://learn.microsoft.com/windows/win32/sysinfo/file-times>.
  var resolution: Int64 {
    // BTRFS_SUPER_MAGIC of <linux/magic.h>, beside the two above.
    let isFine = systemType.map { [0xEF53, 0x5846_5342, 0x9123_683E].contains($0) } ?? false
    return isFine ? 20_000_000 : FileVersion.coarsest
  }

  /// The type of the file system; nil if it isn't known.
  private var systemType: Int? {
    #if os(Linux)
    var system = [Int](repeating: 0, count: 64)
    guard let statfs = Self.statfs, statfs(path, &system) == 0 else { return nil }
    return system[0]
    #else
    return nil
    #endif
  }

  #if os(Linux)
  /// The C function `statfs`, which Swift's Glibc doesn't declare. The first word of its result is the type of the file
  /// system. Source: statfs(2).
  private static let statfs: (@convention(c) (UnsafePointer<CChar>, UnsafeMutablePointer<Int>) -> Int32)? = {
    guard let symbol = dlsym(dlopen(nil, RTLD_NOW), "statfs") else { return nil }
    return unsafeBitCast(symbol, to: (@convention(c) (UnsafePointer<CChar>, UnsafeMutablePointer<Int>) -> Int32).self)
  }()
  #endif

  /// Renames the data to its digest, and returns the file that now has the name. A link never replaces an existing
  /// file.
  private func link(_ draft: AttachmentDraft, _ temporary: String, _ digest: String) throws -> AttachmentFile {
    let target = path(of: digest)
    if linkat(AT_FDCWD, temporary, AT_FDCWD, target, 0) == 0 {
      draft.removeTemporaryName()
      return draft.file
    }
    let number = errno
    switch number {
    case EEXIST:
      // A file that is deleted meanwhile is replaced below.
      if (try? isWhole(digest, size: draft.size)) == true, let placed = try? open(digest) {
        draft.removeTemporaryName()
        return placed
      }
    case EPERM, ENOTSUP, ENOSYS, EMLINK: break
    default: throw StoreError(systemCall: number, "written")
    }
    // Replaces a damaged file, and is used on file systems without links.
    try draft.rename(to: target)
    return draft.file
  }

  /// Deletes the file of a digest. It isn't an error if it doesn't exist.
  func remove(_ digest: String) throws {
    guard unlink(path(of: digest)) != 0, errno != ENOENT else { return }
    throw StoreError(systemCall: errno, "deleted")
  }

  /// Deletes the remains of drafts. No process attaches meanwhile.
  func removeTemporaryFiles() -> Int {
    Self.names(in: temporary).count { unlink("\(temporary)/\($0)") == 0 }
  }
}
