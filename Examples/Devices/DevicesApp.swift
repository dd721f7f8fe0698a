import ExampleWeb
public import Foundation
public import Hummingbird
public import Larder

/// Two devices: the same notes twice, each with a store of its own, and an exchange between them.
public struct DevicesApp: Sendable {
  private let service: DevicesService
  private let transfers: TransferFolder

  /// Opens the two stores of a folder and creates them if need be.
  ///
  /// Throws `StoreError` if a file there is no store of these notes, and what Foundation throws if the folder cannot be
  /// made.
  public init(folder: URL) throws {
    service = try DevicesService(folder: folder)
    transfers = try TransferFolder(in: folder)
  }

  /// The store of each device by its name, which is also the name of its file.
  public var stores: [String: Store] { service.stores }

  /// Adds the page at the router's root, its files, and `api`.
  public func addRoutes(to router: some RouterMethods<some RequestContext>) {
    PageFiles.devices.addRoutes(to: router)
    DeviceRoutes(service: service, transfers: transfers).add(to: router)
  }
}
