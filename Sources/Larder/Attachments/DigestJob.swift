import Dispatch
import Foundation
import Synchronization

/// A SHA-256 digest, computed on another thread, or on the thread that waits for it if the computation hasn't begun.
final class DigestJob: Sendable {
  private let data: Data
  private let isTaken = Atomic<Bool>(false)
  private let result = Mutex("")
  private let isDone = DispatchSemaphore(value: 0)

  private static let queue = DispatchQueue(label: "larder.attachments.digest", attributes: .concurrent)
  /// Below this size, waking another thread isn't worth it.
  private static let minimum = 1 << 14

  init(_ data: Data) {
    self.data = data
    if data.count >= Self.minimum { Self.queue.async { self.compute() } }
  }

  private func compute() {
    guard !isTaken.exchange(true, ordering: .relaxed) else { return }
    let digest = Attachment.digest(of: data)
    result.withLock { $0 = digest }
    isDone.signal()
  }

  /// Waits for the digest. May be called once.
  func value() -> String {
    // Never waits for a thread that has yet to start, because all threads may be waiting here.
    compute()
    isDone.wait()
    return result.withLock(\.self)
  }
}
