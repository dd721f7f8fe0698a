import Synchronization

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

/// A subscriber's iteration over a live sequence: a task that waits for demand, and then for the next value.
final class LivePublisherSubscription<Value: Sendable>: Subscription, Sendable {
  private struct State {
    var demand = Subscribers.Demand.none
    var isCancelled = false
    /// The task, while it waits for demand.
    var waiter: CheckedContinuation<Void, Never>?
    var task: Task<Void, Never>?
    /// Nil once the subscription has ended, so that the subscriber is released.
    var receiver: Receiver<Value>?

    mutating func takeWaiter() -> CheckedContinuation<Void, Never>? {
      defer { waiter = nil }
      return waiter
    }
  }

  private let state: Mutex<State>

  init(_ receiver: Receiver<Value>) {
    state = Mutex(State(receiver: receiver))
  }

  /// Starts the task, unless the subscriber has cancelled already.
  func follow<Base: AsyncSequence & Sendable>(_ base: Base) where Base.Element == Value {
    state.withLock { state in
      guard !state.isCancelled else { return }
      state.task = Task { await self.run(base) }
    }
  }

  private func run<Base: AsyncSequence & Sendable>(_ base: Base) async where Base.Element == Value {
    do {
      var iterator = base.makeAsyncIterator()
      while await isWanted(), let value = try await iterator.next() {
        guard let receiver = take() else { return }
        let more = receiver.send(value)
        state.withLock { $0.demand += more }
      }
      end()?.complete(.finished)
    } catch {
      end()?.complete(.failure(error))
    }
  }

  /// Waits for demand. Returns false once the subscriber has cancelled.
  private func isWanted() async -> Bool {
    await withCheckedContinuation { continuation in
      let isReady = state.withLock { state in
        if state.isCancelled || state.demand > .none { return true }
        state.waiter = continuation
        return false
      }
      if isReady { continuation.resume() }
    }
    return state.withLock { !$0.isCancelled }
  }

  /// Returns the subscriber, and reduces its demand by one; nil once it has cancelled.
  private func take() -> Receiver<Value>? {
    state.withLock { state in
      guard !state.isCancelled else { return nil }
      state.demand -= 1
      return state.receiver
    }
  }

  /// Returns the subscriber for its completion; nil once it has cancelled.
  private func end() -> Receiver<Value>? {
    state.withLock { state in
      defer {
        state.receiver = nil
        state.task = nil
      }
      return state.isCancelled ? nil : state.receiver
    }
  }

  func request(_ demand: Subscribers.Demand) {
    let waiter = state.withLock { state in
      state.demand += demand
      return state.demand > .none ? state.takeWaiter() : nil
    }
    waiter?.resume()
  }

  func cancel() {
    let (task, waiter, receiver) = state.withLock { state in
      state.isCancelled = true
      defer {
        state.task = nil
        state.receiver = nil
      }
      return (state.task, state.takeWaiter(), state.receiver)
    }
    task?.cancel()
    waiter?.resume()
    // The subscriber is released outside of the lock.
    withExtendedLifetime(receiver) {}
  }
}
