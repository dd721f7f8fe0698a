/// An asynchronous sequence of what a read gives: now, and again after each commit that touches what it reads.
///
/// Made by ``Store/live(_:)-(Query<M>)`` and its siblings. Each loop is a subscription of its own; it ends with its iterator.
public struct LiveResults<Element: Sendable>: AsyncSequence, Sendable {
  let store: Store
  let read: @Sendable (Connection) throws -> Element

  public func makeAsyncIterator() -> Iterator {
    Iterator(LiveSubscription(store, read))
  }

  /// What waits for the next result.
  public struct Iterator: AsyncIteratorProtocol {
    /// Nil after the end.
    private var subscription: LiveSubscription<Element>?
    private var isShort = false

    /// Reads that took less than this happen on the consumer's own thread from then on, until one takes longer.
    private static var shortRead: Duration { .microseconds(500) }

    init(_ subscription: LiveSubscription<Element>) {
      self.subscription = subscription
    }

    /// The newest result, as soon as there is one that was not yet given; nil once the task is cancelled, and after an error.
    public mutating func next() async throws -> Element? {
      guard let subscription, await subscription.waitForChange() else { return end() }
      do {
        let start = ContinuousClock.now
        let value = try await subscription.value(isShort: isShort)
        isShort = start.duration(to: .now) < Self.shortRead
        return value
      } catch is CancellationError where Task.isCancelled {
        return end()
      } catch {
        _ = end()
        throw error
      }
    }

    private mutating func end() -> Element? {
      subscription = nil
      return nil
    }
  }
}
