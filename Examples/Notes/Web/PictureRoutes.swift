import ExampleWeb
import Foundation
import Hummingbird
import Larder

/// Pictures go up to `api/notes/:id/pictures` and come down from `pictures/:id/:digest`.
struct PictureRoutes {
  let service: NotesService

  func add(to router: some RouterMethods<some RequestContext>) {
    let group = router.group().add(middleware: RefusalMiddleware(Refusal.init(notes:)))
    group.post("api/notes/:id/pictures") { request, context in
      try await Response.json(upload(request, to: context.noteID, context), status: .created)
    }
    group.get("pictures/:id/:digest") { _, context in
      try await picture(context.parameters.require("digest"), of: context.noteID)
    }
  }

  private struct Placement: Decodable {
    var name: String
    var x: Double
    var y: Double
    var width: Double
    var height: Double
  }

  private func upload(_ request: Request, to id: Note.ID, _ context: some RequestContext) async throws -> Note {
    if let length = request.headers[.contentLength].flatMap(Int.init), length > PictureFormat.maximumBytes {
      throw NoteProblem.pictureIsTooLarge
    }
    let version = try request.basedOn
    let placement = try request.uri.decodeQuery(as: Placement.self, context: context)
    return try await service.addPicture(
      request.body.map { Data($0.readableBytesView) },
      named: placement.name,
      frame: PlacedImage.Frame(x: placement.x, y: placement.y, width: placement.width, height: placement.height),
      to: id,
      basedOn: version
    )
  }

  /// The type is the one that the bytes told on import. What has a digest never changes, so the browser may keep it.
  private func picture(_ digest: String, of id: Note.ID) async throws -> Response {
    let (picture, bytes) = try await service.picture(digest, of: id)
    return .content(
      bytes,
      mediaType: picture.mediaType ?? "application/octet-stream",
      caching: "private, max-age=31536000, immutable")
  }
}
