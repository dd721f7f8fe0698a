import ExampleWeb
public import Foundation
public import Hummingbird
public import ServiceLifecycle

/// The Creatures app: its page, the requests that the page makes, and its housekeeping.
public struct CreaturesApp: Service {
  private let service: CreaturesService

  /// Opens the creatures of a folder and creates it if need be; throws `ArchiveError` where that cannot be done.
  public init(folder: URL) throws {
    service = try CreaturesService(folder: folder)
  }

  /// Adds the page at the router's root, its files, and `api`.
  public func addRoutes(to router: some RouterMethods<some RequestContext>) {
    PageFiles.creatures.addRoutes(to: router)
    PictureRoutes(service: service).add(to: router)
    CreatureRoutes(service: service).add(to: router)
  }

  /// Tidies up now and every ten minutes, until the server ends.
  public func run() async {
    await Housekeeping.run(label: "creatures") { try await service.tidy() }
  }
}
