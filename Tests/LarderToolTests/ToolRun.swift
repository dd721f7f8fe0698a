import Foundation
import Synchronization

/// A run of the `larder` executable, which lies beside the tests.
struct ToolRun {
  let output: String
  let errors: String
  /// The exit status; that of a shell, 128 and the signal's number, for a process that a signal ended.
  let status: Int32

  var lines: [String] { output.split(separator: "\n", omittingEmptySubsequences: true).map(String.init) }

  /// Runs the command to its end.
  ///
  /// - Parameters:
  ///   - arguments: The arguments.
  ///   - input: What it reads from standard input.
  ///   - terminal: The terminal that shows what it writes; nil for pipes.
  init(_ arguments: String..., input: String = "", on terminal: PseudoTerminal? = nil) async throws {
    let run = try ToolProcess(arguments, on: terminal)
    run.send(input)
    run.closeInput()
    self = try await run.result()
  }
}

/// A process of the `larder` executable that is running.
final class ToolProcess: Sendable {
  private let process: Mutex<Process>
  private let input = Pipe()
  private let ended: AsyncStream<Int32>
  let identifier: Int32
  private let output: AsyncStream<Data>
  private let errors: AsyncStream<Data>
  private let memory = PeakMemory()

  /// - Parameters:
  ///   - arguments: The arguments.
  ///   - environment: What its environment has beyond that of the tests; nil for what it lacks.
  ///   - wrapper: A command that runs another, whose words follow its own.
  ///   - terminal: The terminal that shows what it writes, which are then no errors; nil for pipes.
  ///   - isPiped: Whether output goes to a pipe although there is a terminal, which then shows the errors.
  init(
    _ arguments: [String], environment: [String: String?] = [:], wrapper: [String] = [],
    on terminal: PseudoTerminal? = nil, isPiped: Bool = false
  ) throws {
    let process = Process()
    let executable = try Self.executable()
    process.executableURL = wrapper.isEmpty ? executable : URL(filePath: "/usr/bin/env")
    process.arguments = wrapper.isEmpty ? arguments : wrapper + [executable.path] + arguments
    process.environment = environment.reduce(into: ProcessInfo.processInfo.environment) { $0[$1.key] = $1.value }
    process.standardInput = input
    let (ended, end) = AsyncStream<Int32>.makeStream()
    process.terminationHandler = { process in
      let isExit = process.terminationReason == .exit
      end.yield(isExit ? process.terminationStatus : 128 + process.terminationStatus)
      end.finish()
    }
    // A pipe without a process that writes to it would never end.
    let out = terminal == nil || isPiped ? Pipe() : nil
    let err = terminal == nil ? Pipe() : nil
    process.standardOutput = out.map { $0 as Any } ?? terminal?.device
    process.standardError = err.map { $0 as Any } ?? terminal?.device
    try process.run()
    terminal?.closeDevice()
    identifier = process.processIdentifier
    self.process = Mutex(process)
    self.ended = ended
    let (memory, identifier) = (memory, identifier)
    let shown = Self.chunks { terminal?.next() ?? Data() }
    let written = out?.fileHandleForReading
    output =
      written.map { handle in
        Self.chunks {
          let chunk = Self.next(of: handle)
          if !chunk.isEmpty { memory.note(of: identifier) }
          return chunk
        }
      } ?? shown
    let failures = err?.fileHandleForReading
    errors =
      failures.map { handle in Self.chunks { Self.next(of: handle) } } ?? (isPiped ? shown : Self.chunks { Data() })
  }

  deinit {
    // One that a failed test left waiting.
    process.withLock { if $0.isRunning { $0.terminate() } }
  }

  func send(_ text: String) {
    // A process that has ended reads nothing more.
    try? input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
  }

  func closeInput() { try? input.fileHandleForWriting.close() }

  func signal(_ number: Int32) { kill(identifier, number) }

  /// Returns the next part of what it writes; nil at the end.
  func next() async -> String? { await output.first { _ in true }.map { String(decoding: $0, as: UTF8.self) } }

  /// Returns the next part of what it writes to standard error; nil at the end.
  func nextError() async -> String? { await errors.first { _ in true }.map { String(decoding: $0, as: UTF8.self) } }

  /// Reads all that it writes, and calls a closure with the size of each part.
  func consume(_ body: (Int) -> Void) async {
    for await chunk in output { body(chunk.count) }
  }

  var isRunning: Bool { process.withLock { $0.isRunning } }

  /// The greatest size of its memory, in bytes, while it wrote and now.
  var peakMemory: Int {
    memory.note(of: identifier)
    return memory.peak.withLock { $0 }
  }

  func result() async throws -> ToolRun {
    async let output = output.reduce(into: Data()) { $0 += $1 }
    async let errors = errors.reduce(into: Data()) { $0 += $1 }
    let (out, err) = (await output, await errors)
    return ToolRun(
      output: String(decoding: out, as: UTF8.self), errors: String(decoding: err, as: UTF8.self),
      status: await ended.first { _ in true } ?? -1)
  }

  /// Returns the next part of what comes through a pipe; none at its end, where the pipe is closed. Foundation keeps processes
  /// with their pipes, and notices the end of none once there are more than a thousand files.
  private static func next(of handle: FileHandle) -> Data {
    let chunk = handle.availableData
    if chunk.isEmpty { try? handle.close() }
    return chunk
  }

  /// Returns the parts of what a process writes, as the closure reads them until it returns none. Who takes the parts may
  /// come later.
  private static func chunks(_ read: @escaping @Sendable () -> Data) -> AsyncStream<Data> {
    let (chunks, continuation) = AsyncStream<Data>.makeStream()
    // Reading blocks, which a thread of Swift's pool must not.
    Thread.detachNewThread {
      while true {
        let chunk = read()
        if chunk.isEmpty { break }
        continuation.yield(chunk)
      }
      continuation.finish()
    }
    return chunks
  }

  private struct MissingExecutable: Error, CustomStringConvertible {
    let folders: [String]
    var description: String {
      "larder is in none of \(folders.joined(separator: ", ")); build the package's tests first"
    }
  }

  static func executable() throws -> URL {
    let places = [Bundle.main.executableURL, Bundle.main.bundleURL] + Bundle.allBundles.map { Optional($0.bundleURL) }
    let folders = places.compactMap { $0 }.flatMap { [$0, $0.deletingLastPathComponent()] }
    for folder in folders {
      let file = folder.appending(component: "larder", directoryHint: .notDirectory)
      var isFolder: ObjCBool = false
      if FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder), !isFolder.boolValue,
        FileManager.default.isExecutableFile(atPath: file.path)
      {
        return file
      }
    }
    throw MissingExecutable(folders: folders.map(\.path))
  }
}

/// The greatest size of a process's memory that was seen.
private final class PeakMemory: Sendable {
  let peak = Mutex(0)

  func note(of process: Int32) {
    guard let text = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8),
      let line = text.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }),
      let size = line.split(whereSeparator: \.isWhitespace).compactMap({ Int($0) }).first
    else { return }
    peak.withLock { $0 = max($0, size * 1024) }
  }
}

extension ToolRun {
  init(output: String, errors: String, status: Int32) {
    self.output = output
    self.errors = errors
    self.status = status
  }
}
