/// What an exchange did.
public struct ExchangeReport: Sendable, Hashable {
  /// The number of rows that changed here.
  public var received = 0
  /// The number of rows that were handed to the peer.
  public var sent = 0
  /// The number of rows that are set aside here afterwards, because a rule of the models keeps them from being visible.
  public var setAside = 0
}
