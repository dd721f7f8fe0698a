import Dispatch
import Foundation
import Synchronization

/// The SHA-256 of some bytes, computed on another thread, or on the one that asks for it where no other has begun yet.
final class DigestJob: Sendable {
  private let data: Data
  private let isTaken = Atomic<Bool>(false)
  private let result = Mutex("")
  private let isDone = DispatchSemaphore(value: 0)

  private static let queue = DispatchQueue(label: "larder.attachments.digest", attributes: .concurrent)
  /// For fewer bytes another thread is not worth waking.
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

  /// Waits for the digest. It may be asked for once.
  func value() -> String {
    // Never for a thread that is still to come: all may be waiting here.
    compute()
    isDone.wait()
    return result.withLock(\.self)
  }
}
