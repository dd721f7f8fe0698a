/// What an exchange did.
public struct ExchangeReport: Sendable, Hashable {
  /// The number of rows that changed here.
  public var received = 0
  /// The number of rows that were handed to the peer.
  public var sent = 0
  /// The number of rows that are set aside here afterwards, because a rule of the models keeps them from being visible.
  public var setAside = 0
  /// Whether this replica was away for longer than the peer keeps deletions, and has taken everything anew.
  ///
  /// Rows that were deleted meanwhile are gone, and what it had not sent is kept.
  public var startedAfresh = false
  /// Whether the peer was away for longer than this replica keeps deletions. Nothing was sent: the peer starts afresh when
  /// it begins an exchange with this replica.
  public var peerMustStartAfresh = false
}
