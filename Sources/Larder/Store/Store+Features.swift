extension StoreFeatures {
  /// Creates the features of a store: the only place that names them all.
  ///
  /// The order matters in one respect: rows of a feature that comes later may refer to those of an earlier one.
  init(path: String?, _ configuration: Store.Configuration) {
    let storage = AttachmentStorage(
      storePath: path, isManaged: configuration.schema == .managed, isReadOnly: configuration.access == .readOnly)
    self.init([
      LiveRegistry(isShared: path != nil),
      ExpiryFeature(ExpiryClock(configuration.now, elapsed: configuration.elapsed)),
      AttachmentsFeature(storage, isInMemory: path == nil),
      DocumentsFeature(),
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
