import Foundation

/// Runs the body with an empty folder that goes away afterwards.
func withTemporaryFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
  let folder = FileManager.default.temporaryDirectory.appending(
    path: "notes-\(UUID().uuidString)", directoryHint: .isDirectory)
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  return try await body(folder)
}

/// Bytes that arrive in pieces, as they do from a network.
func pieces(_ pieces: [Data]) -> AsyncThrowingStream<Data, any Error> {
  AsyncThrowingStream { stream in
    for piece in pieces { stream.yield(piece) }
    stream.finish()
  }
}

/// The smallest thing that passes for a PNG.
let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 0, 1, 2, 3])
