extension StoreFeatures {
  /// Creates the features of a store. No other place of the floors names a feature.
  ///
  /// The order matters: observers come last, so that they wake when all others have been told of a commit or a close.
  init(path: String?, isManaged: Bool, _ configuration: Store.Configuration) {
    let storage = AttachmentStorage(
      storePath: path, isManaged: isManaged, isReadOnly: configuration.access == .readOnly,
      retention: configuration.attachmentRetention / .seconds(1), now: configuration.now)
    self.init([
      ExpiryFeature(ExpiryClock(configuration.now, elapsed: configuration.elapsed)),
      AttachmentsFeature(storage, isInMemory: path == nil),
      DocumentsFeature(),
      ModuleFeatures(configuration.modules.map { $0.init() }),
      LiveRegistry(isShared: path != nil),
    ])
  }
}
