import ExampleWeb
public import Foundation
public import Hummingbird
public import Larder
public import ServiceLifecycle

/// The Notes app: its page, the requests that the page makes, and its housekeeping.
public struct NotesApp: Service {
  private let service: NotesService

  /// Opens the notes of a folder and creates it if need be.
  ///
  /// Throws `StoreError` if the file there is not a store of notes, and what Foundation throws if the folder cannot be
  /// made.
  public init(folder: URL) throws {
    service = try NotesService(folder: folder)
  }

  /// The notes, for whoever wants to look into them.
  public var store: Store { service.store }

  /// Adds the app's routes: the page at the router's root, its files, the pictures, and `api`.
  public func addRoutes(to router: some RouterMethods<some RequestContext>) {
    PageFiles.notes.addRoutes(to: router)
    PictureRoutes(service: service).add(to: router)
    NoteRoutes(service: service).add(to: router)
  }

  /// Tidies up now and every ten minutes, until the server ends.
  public func run() async {
    await Housekeeping.run(label: "notes") { try await service.tidy() }
  }
}
