import Foundation
import Synchronization
import Testing

@testable import Larder

@Suite("Closures that are called for every commit")
struct ListenerTests {
  /// More calls than frames fit on a stack: what grows with each call ends the process here.
  private static let calls = 300_000

  @Test(
    "the clock and the attachments call theirs as often as they are told to, and no call costs more than the one before"
  )
  func manyCalls() {
    let count = Mutex(0)
    let countUp: @Sendable () -> Void = { count.withLock { $0 += 1 } }
    let clock = ExpiryClock()
    clock.note(1)
    clock.onNewTime { _ in countUp() }
    for _ in 0..<Self.calls { clock.note(1) }
    #expect(count.withLock(\.self) == Self.calls)

    let attachments = AttachmentStorage(storePath: nil, isManaged: true, retention: 0, now: { Date() })
    attachments.onChange(countUp)
    attachments.activate()
    for _ in 1..<Self.calls { attachments.didCommit() }
    #expect(count.withLock(\.self) == 2 * Self.calls)
  }
}
