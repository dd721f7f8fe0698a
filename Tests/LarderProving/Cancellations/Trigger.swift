import Dispatch
import Foundation
import Synchronization

/// What cancels one operation at its moment.
final class Trigger: Sendable {
  private struct State {
    var cancel: (@Sendable () -> Void)?
    var isFired = false
  }

  let moment: Moment
  private let state = Mutex(State())
  private let reached = Atomic<Int>(0)
  private let isOver = Atomic<Bool>(false)

  init(_ moment: Moment) {
    self.moment = moment
  }

  var isFired: Bool { state.withLock { $0.isFired } }

  func arm(_ cancel: @escaping @Sendable () -> Void) {
    let isFired = state.withLock { state in
      state.cancel = cancel
      return state.isFired
    }
    if isFired { cancel() }
  }

  func fire() {
    let cancel = state.withLock { state in
      state.isFired = true
      return state.cancel
    }
    cancel?()
  }

  /// Said when the operation begins, and by its closure between its statements.
  func reach() {
    note(reached.load(ordering: .relaxed) + 1)
  }

  /// Said by the operation's closure when all that is left is to return or to throw.
  func reachEnd() {
    note(Moment.end)
  }

  private func note(_ step: Int) {
    reached.store(step, ordering: .releasing)
    switch moment {
    case .inside(step): fire()
    case .beside(step, let spin):
      DispatchQueue.global().async {
        Moment.spin(spin)
        self.fire()
      }
    default: break
    }
  }

  /// Ends the watching for a step that never comes.
  func end() {
    isOver.store(true, ordering: .relaxed)
  }

  /// Waits without giving the thread away until the operation has come to the step; false where it does not come soon.
  fileprivate func watch(for step: Int) -> Bool {
    for _ in 0..<200_000 where !isOver.load(ordering: .relaxed) {
      if reached.load(ordering: .acquiring) >= step { return true }
    }
    return false
  }
}

/// A thread that watches one operation at a time, and cancels it the moment it has come to a step.
final class Marksman: Sendable {
  private let target = Mutex<(trigger: Trigger, step: Int, spin: Int)?>(nil)
  private let wake = DispatchSemaphore(value: 0)
  private let isOver = Atomic<Bool>(false)

  init() {
    let thread = Thread { [self] in
      while true {
        wake.wait()
        if isOver.load(ordering: .acquiring) { return }
        guard let (trigger, step, spin) = target.withLock({ $0 }) else { continue }
        if trigger.watch(for: step) {
          Moment.spin(spin)
          trigger.fire()
        }
        target.withLock { $0 = nil }
      }
    }
    thread.start()
  }

  /// Takes aim at the operation, if no other is aimed at.
  func aim(at trigger: Trigger) {
    guard case .aimed(let step, let spin) = trigger.moment else { return }
    let isFree = target.withLock { target in
      guard target == nil else { return false }
      target = (trigger, step, spin)
      return true
    }
    if isFree { wake.signal() }
  }

  func end() {
    isOver.store(true, ordering: .releasing)
    wake.signal()
  }
}
