public import Larder

/// Whether a store takes part in sync.
public enum SyncMode: Sendable, Hashable {
  /// Nothing is tracked, unless the file is tracked already.
  case off
  /// Every write is tracked, from the first opening on.
  case on
}

extension Store.Configuration {
  /// Creates a configuration with sync switched on or off, and the defaults for everything else.
  ///
  /// - Parameter sync: Whether the store takes part in sync.
  public init(sync: SyncMode) {
    self.init()
    self.sync = sync
  }

  /// Whether the store takes part in sync; `.off` by default, which costs nothing.
  ///
  /// With `.on`, opening throws `StoreError` `.unsupported` for a model whose key is an integer or has a `Decimal`, for a
  /// counter in a unique index, for a reference that can't be kept between a model that takes part and one that doesn't, and
  /// for a file that Larder doesn't manage. A file that was tracked once stays tracked until ``StoreSync/disable()``. As long
  /// as it is, a migration of its tables needs `.on`.
  public var sync: SyncMode {
    get { modules.contains { $0 == SyncFeature.self } ? .on : .off }
    set {
      modules.removeAll { $0 == SyncFeature.self }
      if newValue == .on { modules.append(SyncFeature.self) }
    }
  }
}
