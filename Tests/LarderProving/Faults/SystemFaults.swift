public import Foundation
import Larder

/// Fails calls of the C library, by a shared library that stands before it: see `FaultInterposer.c`.
struct SystemFaults: FaultInjector {
  enum Failure: Int32, Sendable, CaseIterable {
    case inputOutput = 0
    case full = 1
    case denied = 2
    case short = 3
    case interrupted = 4
  }

  /// The scenarios in which Larder writes files itself.
  static let scenarios: Set<String> = [
    "attach", "attachments", "backup", "collecting", "creating", "migrating", "opening", "opening-after-crash",
    "sync-exchange", "sync-export", "sync-import",
  ]

  let kind: Failure
  let persists: Bool
  private let functions: Functions

  /// - Throws: ``InterposerMissing`` unless the library stands before the C library in this process.
  init(kind: Failure, persists: Bool) throws {
    self.kind = kind
    self.persists = persists
    functions = try Functions()
  }

  func arm(at number: Int, below folder: URL) {
    functions.arm(folder.path(percentEncoded: false), UInt64(number), kind.rawValue, persists)
  }

  func disarm() { functions.disarm() }
  var failures: Int { Int(functions.failed()) }
  var calls: Int { Int(functions.calls()) }

  /// SQLite takes EIO of a read for a damaged file system, and says SQLITE_CORRUPT. Source: SQLITE_IOERR_CORRUPTFS in
  /// os_unix.c and vdbe.c.
  var codes: Set<StoreError.Code> { kind == .inputOutput ? [.corrupt] : [] }

  var keepsFiles: Bool {
    [.inputOutput, .denied].contains(kind) && (persists || ["unlink", "rmdir"].contains(where: firstFailure.hasPrefix))
  }

  var firstFailure: String {
    var buffer = [CChar](repeating: 0, count: 192)
    functions.describe(&buffer, Int32(buffer.count))
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  struct InterposerMissing: Error {}

  private struct Functions: Sendable {
    let arm: @convention(c) @Sendable (UnsafePointer<CChar>, UInt64, Int32, Bool) -> Void
    let disarm: @convention(c) @Sendable () -> Void
    let calls: @convention(c) @Sendable () -> UInt64
    let failed: @convention(c) @Sendable () -> UInt64
    let describe: @convention(c) @Sendable (UnsafeMutablePointer<CChar>, Int32) -> Void

    init() throws {
      let program = dlopen(nil, RTLD_NOW)
      func function<Function>(_ name: String, as type: Function.Type) throws -> Function {
        guard let symbol = dlsym(program, "fault_interposer_" + name) else { throw InterposerMissing() }
        return unsafeBitCast(symbol, to: type)
      }
      arm = try function("arm", as: (@convention(c) @Sendable (UnsafePointer<CChar>, UInt64, Int32, Bool) -> Void).self)
      disarm = try function("disarm", as: (@convention(c) @Sendable () -> Void).self)
      calls = try function("calls", as: (@convention(c) @Sendable () -> UInt64).self)
      failed = try function("failed", as: (@convention(c) @Sendable () -> UInt64).self)
      describe = try function(
        "describe", as: (@convention(c) @Sendable (UnsafeMutablePointer<CChar>, Int32) -> Void).self)
    }
  }
}

/// The shared library that fails calls of the system, built when it is needed.
public struct FaultInterposer: Sendable {
  /// The library's file.
  public let library: URL

  /// Builds the library into the folder with the C compiler that comes with Swift.
  ///
  /// - Throws: ``Unavailable`` on other systems than Linux, and where there is no compiler.
  public init(in folder: URL) throws {
    #if os(Linux)
    let source = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
      .appending(components: "FaultInterposer", "FaultInterposer.c")
    library = folder.appending(component: "libFaultInterposer.so")
    for compiler in ["clang", "cc"] {
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = [
        compiler, "-O1", "-shared", "-fPIC", "-o", library.path(percentEncoded: false),
        source.path(percentEncoded: false), "-ldl",
      ]
      process.standardError = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      if process.terminationStatus == 0 { return }
    }
    throw Unavailable(description: "there is no C compiler to build \(source.lastPathComponent) with")
    #else
    throw Unavailable(description: "calls of the system are failed on Linux alone")
    #endif
  }

  public struct Unavailable: Error, CustomStringConvertible {
    public let description: String
  }
}
