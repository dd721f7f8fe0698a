import Dispatch

/// Work on files, on a thread that may block.
enum AttachmentWork {
  private static let queue = DispatchQueue(label: "larder.attachments", attributes: .concurrent)

  static func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try Task.checkCancellation()
    return try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Swift.Result { try body() }) }
    }
  }
}
