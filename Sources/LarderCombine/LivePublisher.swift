#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif

/// A publisher of a live sequence. Each subscriber iterates over the sequence independently, at the pace of its demand.
public struct LivePublisher<Base: AsyncSequence & Sendable>: Publisher, Sendable where Base.Element: Sendable {
  public typealias Output = Base.Element
  public typealias Failure = any Error

  private let base: Base

  init(_ base: Base) {
    self.base = base
  }

  /// Attaches a subscriber, which gets its own iterator.
  ///
  /// - Parameter subscriber: The subscriber.
  public func receive<Downstream: Subscriber>(subscriber: Downstream)
  where Downstream.Input == Output, Downstream.Failure == Failure {
    let subscription = LivePublisherSubscription(Receiver(subscriber))
    subscriber.receive(subscription: subscription)
    subscription.follow(base)
  }
}

/// `@unchecked Sendable`: a subscriber is only called from the subscription's task, one value after another, as its
/// protocol requires.
struct Receiver<Value>: @unchecked Sendable {
  let send: (Value) -> Subscribers.Demand
  let complete: (Subscribers.Completion<any Error>) -> Void

  init<Downstream: Subscriber>(_ subscriber: Downstream)
  where Downstream.Input == Value, Downstream.Failure == any Error {
    send = { subscriber.receive($0) }
    complete = { subscriber.receive(completion: $0) }
  }
}
