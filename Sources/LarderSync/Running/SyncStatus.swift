/// What ``StoreSync/run(with:every:attachments:)`` does.
public enum SyncStatus: Sendable {
  /// An exchange is under way, with what it has done so far.
  case exchanging(ExchangeReport)
  /// An exchange has ended. The next one begins when something changes, or after the interval.
  case upToDate(ExchangeReport)
  /// An exchange has failed. The next one completes it, and begins after the duration.
  case failed(any Error, retryIn: Duration)
}
