import Dispatch
import Foundation
import Synchronization

/// A worker in a process of its own, which is ended when it says nothing for too long.
final class FaultProcess: Sendable {
  /// How it ended.
  enum End: Sendable, Equatable {
    case exit(Int32)
    case signal(Int32)
    /// It said nothing for so many seconds.
    case hung(Int)
  }

  /// How long a case may take.
  static let limit = 60

  private let process: Mutex<Process>
  private let output = Pipe()
  private let lastLine = Mutex(ContinuousClock.now)
  private let isHung = Atomic<Bool>(false)

  init(_ executable: URL, _ arguments: [String], preloading library: URL?, log: URL) throws {
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    process.standardOutput = output
    _ = FileManager.default.createFile(atPath: log.path(percentEncoded: false), contents: nil)
    process.standardError = try FileHandle(forWritingTo: log)
    var environment = ProcessInfo.processInfo.environment
    if let library { environment["LD_PRELOAD"] = library.path(percentEncoded: false) }
    process.environment = environment
    self.process = Mutex(process)
  }

  /// Runs it to its end, and hands on each line that it says. Blocks.
  func run(_ line: (String) -> Void) throws -> End {
    let identifier = try process.withLock { process in
      try process.run()
      return process.processIdentifier
    }
    let timer = DispatchSource.makeTimerSource()
    timer.schedule(deadline: .now() + 1, repeating: 1)
    timer.setEventHandler {
      guard self.lastLine.withLock({ ContinuousClock.now - $0 > .seconds(Self.limit) }) else { return }
      self.isHung.store(true, ordering: .relaxed)
      kill(identifier, SIGKILL)
    }
    timer.resume()
    defer { timer.cancel() }
    var buffer = Data()
    while true {
      let chunk = output.fileHandleForReading.availableData
      if chunk.isEmpty { break }
      lastLine.withLock { $0 = .now }
      buffer += chunk
      while let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
        line(String(decoding: buffer[..<end], as: UTF8.self))
        buffer = Data(buffer[(end + 1)...])
      }
    }
    return process.withLock { process in
      process.waitUntilExit()
      if isHung.load(ordering: .relaxed) { return .hung(Self.limit) }
      return process.terminationReason == .exit ? .exit(process.terminationStatus) : .signal(process.terminationStatus)
    }
  }
}
