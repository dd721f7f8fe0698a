import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The folder beside a store's file that holds the bytes: `a/bcdef…` by their digests, which are all that ever becomes a path.
struct AttachmentFolder: Sendable {
  let path: String
  /// Whether nothing in it is created, changed or deleted.
  let isReadOnly: Bool

  /// What processes agree on by locks on empty files.
  enum Lock: String {
    /// Shared by those who attach; alone by the one who deletes what nobody has registered.
    case staging
    /// Shared by those who copy or list files; alone by the one who deletes bytes that no row names.
    case reading
  }

  /// Whether there is something at a path, and what.
  enum Content: Equatable {
    case absent
    /// A file with so many bytes.
    case file(size: Int)
    case somethingElse
  }

  init(_ path: String, isReadOnly: Bool = false) {
    self.path = path
    self.isReadOnly = isReadOnly
  }

  /// The folder of the store at the path.
  static func path(ofStore path: String) -> String { path + ".attachments" }

  var temporary: String { path + "/tmp" }
  var holders: String { path + "/holders" }

  func shard(of digest: String) -> String { "\(path)/\(digest.prefix(1))" }
  func path(of digest: String) -> String { "\(shard(of: digest))/\(digest.dropFirst())" }

  func newTemporaryPath() -> String {
    "\(temporary)/\(String(UInt64.random(in: .min ... .max), radix: 16))-\(String(UInt64.random(in: .min ... .max), radix: 16))"
  }

  var exists: Bool { Self.isFolder(path) }

  // MARK: Looking

  func content(of digest: String) -> Content {
    var status = stat()
    guard lstat(path(of: digest), &status) == 0 else { return .absent }
    return status.st_mode & S_IFMT == S_IFREG ? .file(size: Int(status.st_size)) : .somethingElse
  }

  /// The bytes of a digest. Throws `.notFound` if there are none, `.corrupt` for what is no file.
  func open(_ digest: String) throws -> AttachmentFile {
    let file = try AttachmentFile(path(of: digest), O_RDONLY)
    guard file.isRegular else { throw StoreError(systemCall: ELOOP, "opened") }
    return file
  }

  /// Whether the file of a digest has its bytes. Reads all of it.
  func isWhole(_ digest: String, size: Int) -> Bool {
    guard let file = try? open(digest), file.size == size else { return false }
    return (try? file.digest()) == digest
  }

  /// The names of the folders that the digests begin with.
  func shards() -> [String] {
    Self.names(in: path).filter { $0.utf8.count == 1 && Attachment.isDigest(String(repeating: $0, count: 64)) }.sorted()
  }

  /// The digests that have something in their places, in one of those folders.
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
    // All of them: what made one may have ended before it made the next.
    if Self.isFolder(temporary), Self.isFolder(holders) { return }
    for folder in [path, temporary, holders] { try Self.make(folder) }
    try Self.sync(path)
    try Self.sync(URL(fileURLWithPath: path).deletingLastPathComponent().path)
  }

  private static func make(_ folder: String) throws {
    if mkdir(folder, 0o755) == 0 { return }
    let number = errno
    guard number == EEXIST, isFolder(folder) else { throw StoreError(systemCall: number == ENOENT ? EIO : number, "created") }
  }

  private static func sync(_ folder: String) throws {
    try AttachmentFile(folder, O_RDONLY | O_DIRECTORY).sync()
  }

  func lockFile(_ lock: Lock) throws -> AttachmentFile {
    try AttachmentFile("\(path)/\(lock.rawValue).lock", isReadOnly ? O_RDONLY : O_RDWR | O_CREAT)
  }

  /// Shares a lock with others who read; nil where there is no folder, or this user may not write there: then he is nobody who could collect.
  func lockForReading() throws -> AttachmentFile? {
    guard exists else { return nil }
    if isReadOnly {
      // Whoever would collect makes the file first.
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

  /// What is in its place, and may not be on the disk yet.
  struct Placement: Sendable {
    /// The file, where its bytes are to be synced.
    let file: AttachmentFile?
    /// The folders that have a new name.
    let folders: [String]
  }

  /// Gives the bytes of a draft their place, on the disk when this returns.
  func place(_ draft: AttachmentDraft, _ digest: String) throws {
    try sync(try name(draft, digest))
  }

  /// Gives the bytes of a draft their place.
  ///
  /// A file that is there already is used if it has these very bytes: a process may have died before it registered them, and another may be about to.
  func name(_ draft: AttachmentDraft, _ digest: String) throws -> Placement {
    let shard = shard(of: digest)
    let isNew = !Self.isFolder(shard)
    if isNew { try Self.make(shard) }
    let isOrdered = isOrdered
    let temporary = try draft.temporaryPath()
    if !isOrdered { try draft.file.sync() }
    let placed = try link(draft, temporary, digest)
    FaultPoint.placed.reach()
    let isOwn = placed === draft.file
    return Placement(file: isOrdered || !isOwn ? placed : nil, folders: isOrdered && isOwn ? [] : isNew ? [shard, path] : [shard])
  }

  /// What is to be synced of bytes that somebody else has put in their place, and may be about to sync.
  func placement(of digest: String) throws -> Placement {
    Placement(file: try open(digest), folders: [shard(of: digest), path])
  }

  func sync(_ placement: Placement) throws {
    try placement.file?.sync()
    FaultPoint.synced.reach()
    for folder in placement.folders { try Self.sync(folder) }
    FaultPoint.folderSynced.reach()
  }

  /// Whether syncing a file that is new, and has one name, syncs this name as well.
  ///
  /// ext4 and XFS have one journal whose transactions are committed in order, so all that was changed before is on the disk when `fsync` returns;
  /// ext4 without a journal syncs the folder of a new file with it. Sources: <https://docs.kernel.org/filesystems/ext4/journal.html>,
  /// <https://docs.kernel.org/filesystems/xfs/xfs-delayed-logging-design.html>, `ext4_sync_parent` in the kernel's fs/ext4/fsync.c.
  private var isOrdered: Bool {
    #if os(Linux)
    var system = [Int](repeating: 0, count: 64)
    guard let statfs = Self.statfs, statfs(path, &system) == 0 else { return false }
    // EXT4_SUPER_MAGIC and XFS_SUPER_MAGIC of <linux/magic.h>.
    return [0xEF53, 0x5846_5342].contains(system[0])
    #else
    return false
    #endif
  }

  #if os(Linux)
  /// The C library's `statfs`, which Swift's Glibc does not declare; the first word of what it fills is the kind of file system. Source: statfs(2).
  private static let statfs: (@convention(c) (UnsafePointer<CChar>, UnsafeMutablePointer<Int>) -> Int32)? = {
    guard let symbol = dlsym(dlopen(nil, RTLD_NOW), "statfs") else { return nil }
    return unsafeBitCast(symbol, to: (@convention(c) (UnsafePointer<CChar>, UnsafeMutablePointer<Int>) -> Int32).self)
  }()
  #endif

  /// Names the bytes by their digest, and answers the file that has the name now. A link never takes the place of what is there.
  private func link(_ draft: AttachmentDraft, _ temporary: String, _ digest: String) throws -> AttachmentFile {
    let target = path(of: digest)
    if linkat(AT_FDCWD, temporary, AT_FDCWD, target, 0) == 0 {
      draft.removeTemporaryName()
      return draft.file
    }
    let number = errno
    switch number {
    case EEXIST:
      if isWhole(digest, size: draft.size) { return try open(digest) }
    case EPERM, ENOTSUP, ENOSYS, EMLINK: break
    default: throw StoreError(systemCall: number, "written")
    }
    // In the place of a damaged file, and on file systems without links.
    try draft.rename(to: target)
    return draft.file
  }

  /// Deletes the bytes of a digest; what is not there is no error.
  func remove(_ digest: String) throws {
    guard unlink(path(of: digest)) != 0, errno != ENOENT else { return }
    throw StoreError(systemCall: errno, "deleted")
  }

  /// Deletes what drafts have left behind. Nobody attaches meanwhile.
  func removeTemporaryFiles() -> Int {
    Self.names(in: temporary).count { unlink("\(temporary)/\($0)") == 0 }
  }
}
