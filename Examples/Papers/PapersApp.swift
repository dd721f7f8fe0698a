import ExampleWeb
public import Foundation
public import Hummingbird

/// The Documents page: JSON that is pasted, kept without a model, filtered, sorted, and gone when its time has come.
public struct PapersApp {
  private let service: PapersService

  /// Opens the documents of a folder and creates it if need be.
  ///
  /// Throws `StoreError` if the file there is no store, and what Foundation throws if the folder cannot be made.
  public init(folder: URL) throws {
    service = try PapersService(folder: folder)
  }

  /// Adds the page at the router's root, its files, and `api`.
  public func addRoutes(to router: some RouterMethods<some RequestContext>) {
    PageFiles.papers.addRoutes(to: router)
    PaperRoutes(service: service).add(to: router)
  }
}
