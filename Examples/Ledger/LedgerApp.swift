import ExampleWeb
public import Foundation
public import Hummingbird
public import Larder

/// The Ledger app: its page and the requests that the page makes.
public struct LedgerApp: Sendable {
  private let service: LedgerService
  private let transfers: TransferFolder

  /// Opens the ledger of a folder and creates it if need be.
  ///
  /// Throws `StoreError` if the file there is not a store of a ledger, and what Foundation throws if the folder cannot
  /// be made.
  public init(folder: URL) throws {
    service = try LedgerService(folder: folder)
    transfers = try TransferFolder(in: folder)
  }

  /// The accounts and costs, for whoever wants to look into them.
  public var store: Store { service.store }

  /// Adds the app's routes: the page at the router's root, its files, and `api`.
  public func addRoutes(to router: some RouterMethods<some RequestContext>) {
    PageFiles.ledger.addRoutes(to: router)
    LedgerRoutes(service: service).add(to: router)
    FileRoutes(service: service, transfers: transfers).add(to: router)
  }
}
