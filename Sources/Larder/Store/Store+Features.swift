extension StoreFeatures {
  /// Creates the features of a store. No other place of the floors names a feature.
  ///
  /// The order matters: observers come last, so that they wake when all others have been told of a commit or a close.
  init(path: String?, _ configuration: Store.Configuration) {
    let storage = AttachmentStorage(
      storePath: path, isManaged: configuration.schema == .managed, isReadOnly: configuration.access == .readOnly,
      retention: configuration.attachmentRetention / .seconds(1), now: configuration.now)
    self.init([
      ExpiryFeature(ExpiryClock(configuration.now, elapsed: configuration.elapsed)),
      AttachmentsFeature(storage, isInMemory: path == nil),
      DocumentsFeature(),
      LiveRegistry(isShared: path != nil),
    ])
  }
}

/// The running services of a store's features.
struct StoreServices: Sendable {
  private let list: [any StoreService]

  init(_ list: [any StoreService]) {
    self.list = list
  }

  /// The service of the type, which must be one of the store's.
  subscript<Service: StoreService>(_ type: Service.Type) -> Service {
    for case let service as Service in list { return service }
    preconditionFailure("\(type) is not among the services of this store")
  }

  func stop() {
    for service in list { service.stop() }
  }
}
