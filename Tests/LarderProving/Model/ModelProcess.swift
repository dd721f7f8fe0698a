import Foundation
import Larder
import Synchronization

/// An operation for the other process of a model run.
struct ModelRequest: Codable, Sendable {
  var folder: String
  var version: GadgetVersion
  /// The time of the stores.
  var now: Double
  var world: World
  var operation: Episode.Operation
  var seed: UInt64
}

/// What came of it.
struct ModelAnswer: Codable, Sendable {
  var world: World
  var failure: String?
  var log: String
  var kinds: [String: Int]
  /// How many operations were done besides the first.
  var operations: Int
  var checks: Int
}

/// The other process that has the files of a model run open, and does one operation after another to them.
final class ModelProcess: Sendable {
  struct Ended: Error, CustomStringConvertible {
    let description: String
  }

  private let executable: URL
  private let process = Mutex<ProvingProcess?>(nil)

  init(_ executable: URL) {
    self.executable = executable
  }

  func perform(_ request: ModelRequest) async throws -> ModelAnswer {
    let process = try running()
    process.send(String(decoding: try JSONEncoder().encode(request), as: UTF8.self))
    return try JSONDecoder().decode(ModelAnswer.self, from: Data(try await answer(of: process).utf8))
  }

  /// Closes the store that the process has open, if it has.
  func close() async throws {
    guard let process = process.withLock({ $0 }) else { return }
    process.send("close")
    _ = try await answer(of: process)
  }

  /// Ends the process at once. The next operation is done by a new one.
  func kill() async {
    guard let process = take() else { return }
    process.kill()
    _ = await process.end()
  }

  /// Ends the process when it is done.
  func end() async {
    guard let process = take() else { return }
    process.send("end")
    _ = await process.end()
  }

  private func take() -> ProvingProcess? {
    process.withLock { process in
      defer { process = nil }
      return process
    }
  }

  private func running() throws -> ProvingProcess {
    try process.withLock { process in
      if let process { return process }
      let new = try ProvingProcess(executable, ["model-worker"])
      process = new
      return new
    }
  }

  private func answer(of process: ProvingProcess) async throws -> String {
    if let line = await process.lines.first(where: { _ in true }) { return line }
    _ = take()
    throw Ended(description: "the other process ended with \(await process.end())")
  }
}

/// The other process: does the operations that it is given, a line each, and says what came of them.
public struct ModelWorker: Sendable {
  public init() {}

  public func run() async throws {
    var open: (episode: Episode, folder: String, version: GadgetVersion)?
    while let line = readLine(), line != "end" {
      if line == "close" {
        for store in open?.episode.stores ?? [] { await store.close() }
        open = nil
        ProvingProcess.say("closed")
        continue
      }
      let request = try JSONDecoder().decode(ModelRequest.self, from: Data(line.utf8))
      if open?.folder != request.folder || open?.version != request.version {
        open = (try Episode(for: request), request.folder, request.version)
      }
      guard let episode = open?.episode else { return }
      let answer = await episode.answer(request)
      ProvingProcess.say(String(decoding: try JSONEncoder().encode(answer), as: UTF8.self))
    }
  }
}
