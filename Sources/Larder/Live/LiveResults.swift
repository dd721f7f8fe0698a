/// An asynchronous sequence of the results of a read: the current one, and a new one after each commit that affects it.
///
/// See ``Store/live(_:)-(Query<M>)`` and its overloads. Each iterator is a subscription, which ends when the iterator
/// is released.
public struct LiveResults<Element: Sendable>: AsyncSequence, Sendable {
  let store: Store
  let read: @Sendable (Connection) throws -> Element

  /// Returns an iterator with its own subscription.
  ///
  /// - Returns: The iterator, which observes commits from now on.
  public func makeAsyncIterator() -> Iterator {
    Iterator(LiveSubscription(store, read))
  }

  /// The iterator of a ``LiveResults`` sequence.
  public struct Iterator: AsyncIteratorProtocol {
    /// Nil after the end.
    private var subscription: LiveSubscription<Element>?
    private var isShort = false

    /// After a read that took less than this, the next one runs on the consumer's own thread.
    private static var shortRead: Duration { .microseconds(500) }

    init(_ subscription: LiveSubscription<Element>) {
      self.subscription = subscription
    }

    /// Waits for the next result, and returns it.
    ///
    /// - Returns: The newest result, or nil once the task is cancelled and after an error.
    /// - Throws: The errors of the read. After an error the sequence has ended.
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
