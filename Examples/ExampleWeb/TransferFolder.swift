public import Foundation
public import Hummingbird
import NIOCore

/// A folder for files on their way between a browser and a store. Nobody but the user can look into it.
public struct TransferFolder: Sendable {
  /// The greatest number of bytes that a sync file may have: more than people ever write.
  public static let maximumSyncFileBytes = 1 << 30

  private let folder: URL

  /// Creates the folder if need be, and deletes what a server that was killed has left in it.
  ///
  /// - Parameter parent: The folder of the app's data.
  /// - Throws: What Foundation throws if the folder can't be made.
  public init(in parent: URL) throws {
    folder = parent.appending(path: "transfers", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
      try? FileManager.default.removeItem(at: file)
    }
  }

  /// Calls the closure with the place of a new file, and deletes the file afterwards.
  public func withFile<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
    let file = folder.appending(path: UUID().uuidString, directoryHint: .notDirectory)
    defer { try? FileManager.default.removeItem(at: file) }
    return try await body(file)
  }

  /// Writes the body of a request to a file as it arrives, calls the closure with the file, and deletes it afterwards.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - limit: The greatest number of bytes that the body may have.
  ///   - body: Called once the whole body is in the file.
  /// - Throws: `NIOTooManyBytesError` if the body is too long; what Foundation throws if the file can't be written.
  public func withBody<Result>(
    of request: Request, upTo limit: Int, _ body: (URL) async throws -> Result
  ) async throws -> Result {
    if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > limit {
      throw NIOTooManyBytesError(maxBytes: limit)
    }
    return try await withFile { file in
      try await Self.write(request.body, to: file, upTo: limit)
      return try await body(file)
    }
  }

  private static func write(_ body: RequestBody, to file: URL, upTo limit: Int) async throws {
    try Data().write(to: file)
    let handle = try FileHandle(forWritingTo: file)
    defer { try? handle.close() }
    var size = 0
    for try await bytes in body {
      size += bytes.readableBytes
      guard size <= limit else { throw NIOTooManyBytesError(maxBytes: limit) }
      try handle.write(contentsOf: Data(bytes.readableBytesView))
    }
  }
}
