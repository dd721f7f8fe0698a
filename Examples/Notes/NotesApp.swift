public import Foundation
public import Hummingbird
import Larder

/// The Notes app: its page, and the requests that the page makes.
public struct NotesApp: Sendable {
  private let service: NotesService

  /// Opens the notes of a folder and creates it if need be.
  public init(folder: URL) async throws {
    service = try NotesService(folder: folder)
    try await service.tidy()
  }

  /// Adds the app's routes: the page at `/`, its files, the pictures, and `api`.
  public func addRoutes(to router: some RouterMethods<some RequestContext>) {
    PageRoutes().add(to: router)
    PictureRoutes(service: service).add(to: router)
    NoteRoutes(service: service).add(to: router)
  }
}
