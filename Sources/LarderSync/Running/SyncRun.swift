import Larder

extension StoreSync {
  /// Exchanges with a peer again and again, until the iteration ends: when something changes here, when the peer has
  /// news, and after an interval.
  ///
  /// ```swift
  /// for await status in store.sync.run(with: peer) { … }
  /// ```
  ///
  /// An error doesn't end it. The next exchange begins after a second, and after each further error twice as long, up
  /// to the interval.
  ///
  /// - Parameters:
  ///   - peer: The other side.
  ///   - interval: How long to wait for changes before the peer is asked.
  ///   - attachments: Whether the bytes of attachments travel.
  /// - Returns: What is done, until the task is cancelled or the iterator released. Who reads slowly misses some values,
  ///   but not the last one.
  public func run(
    with peer: some SyncPeer, every interval: Duration = .seconds(60), attachments: AttachmentTransfer = .eager
  ) -> SyncRun {
    SyncRun(sync: self, peer: peer, interval: interval, attachments: attachments) { try await Task.sleep(for: $0) }
  }
}

/// The exchanges with a peer, as a sequence of what is done.
public struct SyncRun: AsyncSequence, Sendable {
  let sync: StoreSync
  let peer: any SyncPeer
  let interval: Duration
  var attachments = AttachmentTransfer.eager
  let sleep: @Sendable (Duration) async throws -> Void

  /// How long to wait after the first error.
  static let shortestDelay = Duration.seconds(1)
  /// The number of values that are kept for a consumer that is slow.
  private static let kept = 64

  /// Begins to exchange.
  ///
  /// - Returns: The iterator. When it is released, the exchanges end.
  public func makeAsyncIterator() -> Iterator {
    let (statuses, continuation) = AsyncStream<SyncStatus>.makeStream(bufferingPolicy: .bufferingNewest(Self.kept))
    let task = Task {
      await run(continuation)
      continuation.finish()
    }
    continuation.onTermination = { _ in task.cancel() }
    return Iterator(base: statuses.makeAsyncIterator())
  }

  /// The iterator of a ``SyncRun`` sequence.
  public struct Iterator: AsyncIteratorProtocol {
    var base: AsyncStream<SyncStatus>.Iterator

    /// Waits for the next status, and returns it; nil once the task is cancelled.
    public mutating func next() async -> SyncStatus? { await base.next() }
  }

  private func run(_ statuses: AsyncStream<SyncStatus>.Continuation) async {
    let (signals, signal) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    // Cancelling this task ends the stream of signals, too.
    await withTaskGroup { group in
      for peer in [sync, peer] as [any SyncPeer] {
        group.addTask { for await _ in peer.changeSignals() { signal.yield() } }
      }
      await exchange(statuses, signals, signal)
      group.cancelAll()
    }
  }

  private func exchange(
    _ statuses: AsyncStream<SyncStatus>.Continuation, _ signals: AsyncStream<Void>,
    _ signal: AsyncStream<Void>.Continuation
  ) async {
    var iterator = signals.makeAsyncIterator()
    var delay = Self.shortestDelay
    while !Task.isCancelled {
      do {
        let report = try await exchange(with: peer, statuses)
        statuses.yield(.upToDate(report))
        delay = Self.shortestDelay
        let timer = Task {
          try await sleep(interval)
          signal.yield()
        }
        _ = await iterator.next()
        timer.cancel()
      } catch {
        if Task.isCancelled { return }
        let current = Swift.min(delay, interval)
        statuses.yield(.failed(error, retryIn: current))
        delay = current * 2
        try? await sleep(current)
      }
    }
  }

  private func exchange(
    with peer: some SyncPeer, _ statuses: AsyncStream<SyncStatus>.Continuation
  ) async throws -> ExchangeReport {
    try await sync.exchange(with: peer, attachments: attachments) { statuses.yield(.exchanging($0)) }
  }
}

extension StoreSync {
  /// Returns a sequence with an element for each commit that may have something for other replicas, including those of
  /// other processes.
  public func changeSignals() -> AsyncStream<Void> {
    let times = store.liveModule { connection -> Int64 in
      guard try SyncTables.exist(connection) else { return 0 }
      return try connection.first("SELECT now FROM \(SyncTables.clock)") { $0.integer(0) } ?? 0
    }
    let (signals, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let task = Task {
      // After an error the interval remains.
      var iterator = times.makeAsyncIterator()
      while (try? await iterator.next()) != nil { continuation.yield() }
      continuation.finish()
    }
    continuation.onTermination = { _ in task.cancel() }
    return signals
  }
}
