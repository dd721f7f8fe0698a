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
