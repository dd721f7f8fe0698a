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
  init(_ arguments: String..., input: String = "") async throws {
    let run = try ToolProcess(arguments)
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

  init(_ arguments: [String], environment: [String: String] = [:]) throws {
    let process = Process()
    process.executableURL = try Self.executable()
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let (out, err) = (Pipe(), Pipe())
    (process.standardInput, process.standardOutput, process.standardError) = (input, out, err)
    let (ended, end) = AsyncStream<Int32>.makeStream()
    process.terminationHandler = { process in
      let isExit = process.terminationReason == .exit
      end.yield(isExit ? process.terminationStatus : 128 + process.terminationStatus)
      end.finish()
    }
    try process.run()
    identifier = process.processIdentifier
    self.process = Mutex(process)
    self.ended = ended
    let (memory, identifier) = (memory, identifier)
    output = Self.chunks(of: out.fileHandleForReading) { memory.note(of: identifier) }
    errors = Self.chunks(of: err.fileHandleForReading) {}
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

  /// Returns the parts of what a process writes. The closure is called after each, while the process waits or goes on: who
  /// takes the parts may come later.
  private static func chunks(
    of handle: FileHandle, _ isRead: @escaping @Sendable () -> Void
  ) -> AsyncStream<Data> {
    let (chunks, continuation) = AsyncStream<Data>.makeStream()
    // Reading blocks, which a thread of Swift's pool must not.
    Thread.detachNewThread {
      while true {
        let chunk = handle.availableData
        if chunk.isEmpty { break }
        isRead()
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
