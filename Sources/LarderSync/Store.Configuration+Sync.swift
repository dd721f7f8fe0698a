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
  /// With `.on`, opening throws `StoreError` `.unsupported` for a model whose key is an integer, and for a file that
  /// Larder doesn't manage. A file that was tracked once stays tracked until ``StoreSync/disable()``, and then needs
  /// `.on` when its tables have to be migrated.
  public var sync: SyncMode {
    get { modules.contains { $0 == SyncFeature.self } ? .on : .off }
    set {
      modules.removeAll { $0 == SyncFeature.self }
      if newValue == .on { modules.append(SyncFeature.self) }
    }
  }
}
