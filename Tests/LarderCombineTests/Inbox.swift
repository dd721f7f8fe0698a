import Synchronization

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

/// A subscriber that asks for as many values as a test says, and keeps what comes until the test takes it.
final class Inbox<Value: Sendable & Equatable>: Subscriber, Sendable {
  typealias Input = Value
  typealias Failure = any Error

  enum Event: Equatable, Sendable {
    case value(Value)
    case finished
    /// The type of the error.
    case failure(String)
  }

  /// `@unchecked Sendable`: the protocol cannot say it, but a subscription of LarderCombine may be called from any
  /// thread.
  private struct Held: @unchecked Sendable {
    let subscription: any Subscription
  }

  private struct State {
    var events: [Event] = []
    var waiter: CheckedContinuation<Event, Never>?
    var subscription: Held?
  }

  private let state = Mutex(State())
  private let initial: Subscribers.Demand

  init(demand: Subscribers.Demand) {
    initial = demand
  }

  var isEmpty: Bool { state.withLock { $0.events.isEmpty } }

  func next() async -> Event {
    await withCheckedContinuation { continuation in
      let event = state.withLock { state -> Event? in
        if !state.events.isEmpty { return state.events.removeFirst() }
        state.waiter = continuation
        return nil
      }
      if let event { continuation.resume(returning: event) }
    }
  }

  func request(_ demand: Subscribers.Demand) {
    state.withLock { $0.subscription }?.subscription.request(demand)
  }

  func cancel() {
    let subscription = state.withLock { state in
      defer { state.subscription = nil }
      return state.subscription
    }
    subscription?.subscription.cancel()
  }

  func receive(subscription: any Subscription) {
    let held = Held(subscription: subscription)
    state.withLock { $0.subscription = held }
    subscription.request(initial)
  }

  func receive(_ input: Value) -> Subscribers.Demand {
    receive(.value(input))
    return .none
  }

  func receive(completion: Subscribers.Completion<any Error>) {
    switch completion {
    case .finished: receive(.finished)
    case .failure(let error): receive(.failure("\(type(of: error))"))
    }
  }

  private func receive(_ event: Event) {
    let waiter = state.withLock { state -> CheckedContinuation<Event, Never>? in
      if state.waiter == nil { state.events.append(event) }
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume(returning: event)
  }
}
