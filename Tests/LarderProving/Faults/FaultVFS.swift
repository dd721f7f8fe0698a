import CFaultVFS
public import Foundation

/// The file system under SQLite's connections, whose calls fail when a test says so.
public enum FaultVFS {
  /// The calls that are counted and can fail.
  public struct Calls: OptionSet, Sendable, Hashable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) {
      self.rawValue = rawValue
    }

    public static let open = Calls(rawValue: UInt32(CFAULT_OPEN))
    public static let read = Calls(rawValue: UInt32(CFAULT_READ))
    public static let write = Calls(rawValue: UInt32(CFAULT_WRITE))
    public static let sync = Calls(rawValue: UInt32(CFAULT_SYNC))
    public static let truncate = Calls(rawValue: UInt32(CFAULT_TRUNCATE))
    public static let size = Calls(rawValue: UInt32(CFAULT_SIZE))
    public static let lock = Calls(rawValue: UInt32(CFAULT_LOCK))
    public static let sharedMemoryMap = Calls(rawValue: UInt32(CFAULT_SHM_MAP))
    public static let sharedMemoryLock = Calls(rawValue: UInt32(CFAULT_SHM_LOCK))
    public static let delete = Calls(rawValue: UInt32(CFAULT_DELETE))
    public static let access = Calls(rawValue: UInt32(CFAULT_ACCESS))
    public static let all = Calls(rawValue: UInt32(CFAULT_ALL))
    /// The calls that a full disk refuses.
    public static let space: Calls = [.write, .truncate, .sync, .sharedMemoryMap]
  }

  /// How a call fails.
  public enum Failure: Int32, Sendable, CaseIterable {
    /// With the input/output error of its kind.
    case inputOutput = 0
    /// With a full disk.
    case full = 1
    /// With a part of the bytes written or read.
    case short = 2
    /// With a lock that somebody else has.
    case busy = 3
  }

  /// Puts the shim between SQLite and the system; connections that are opened from now on use it.
  public static func register() throws {
    let code = cfault_register()
    guard code == 0 else { throw FaultVFSError(code: code) }
  }

  /// Confines counting, failing and recording to the files below the folder.
  ///
  /// - Parameter includesTemporaryFiles: Whether SQLite's temporary files count. They have no path: those of all
  ///   connections of the process do.
  public static func confine(to folder: URL, includesTemporaryFiles: Bool = false) {
    cfault_confine(folder.path(percentEncoded: false), includesTemporaryFiles)
  }

  /// Fails the n-th call of the set from now on, counted from 1.
  public static func arm(_ calls: Calls = .all, at number: Int, _ failure: Failure, persists: Bool = false) {
    cfault_arm(calls.rawValue, UInt64(number), failure.rawValue, persists)
  }

  public static func disarm() { cfault_disarm() }
  public static func startCounting() { cfault_start_counting() }
  public static func count(_ calls: Calls = .all) -> Int { Int(cfault_count(calls.rawValue)) }

  /// How many calls were failed since the last arming.
  public static var failures: Int { Int(cfault_failed()) }

  /// What the first call that failed was, say `write -wal`.
  public static var firstFailure: String {
    var buffer = [CChar](repeating: 0, count: 96)
    cfault_describe(&buffer, Int32(buffer.count))
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Calls the closure and returns what it did to files, in order.
  public static func recording(_ body: () async throws -> Void) async throws -> [FileEvent] {
    cfault_start_recording()
    defer { cfault_start_recording(); cfault_stop_recording() }
    do {
      try await body()
    } catch {
      cfault_stop_recording()
      throw error
    }
    cfault_stop_recording()
    return (0..<cfault_event_count()).map { FileEvent(cfault_event_at($0)) }
  }

  /// Puts a mark into the recording.
  public static func mark(_ number: Int) { cfault_mark(Int64(number)) }
}

struct FaultVFSError: Error {
  let code: Int32
}

/// What happened to a file.
public enum FileEvent: Sendable, Hashable {
  case create(String)
  case write(String, offset: Int, [UInt8])
  case truncate(String, size: Int)
  case sync(String)
  case remove(String)
  /// The folder of the file was synced: the names in it are as they should be after a power cut.
  case syncFolder(String)
  /// Something that the recording program says of itself, such as an acknowledgement.
  case mark(Int)

  init(_ event: cfault_event) {
    let path = event.path.map { String(cString: $0) } ?? ""
    switch Int(event.kind) {
    case CFAULT_EVENT_CREATE: self = .create(path)
    case CFAULT_EVENT_WRITE:
      self = .write(
        path, offset: Int(event.offset), Array(UnsafeBufferPointer(start: event.bytes, count: Int(event.size))))
    case CFAULT_EVENT_TRUNCATE: self = .truncate(path, size: Int(event.offset))
    case CFAULT_EVENT_SYNC: self = .sync(path)
    case CFAULT_EVENT_REMOVE: self = .remove(path)
    case CFAULT_EVENT_SYNC_FOLDER: self = .syncFolder(path)
    default: self = .mark(Int(event.number))
    }
  }
}
