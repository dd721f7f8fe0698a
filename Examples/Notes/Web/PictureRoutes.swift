import Foundation
import Hummingbird

/// Pictures go up to `api/notes/:id/pictures` and come down from `pictures/:file`.
struct PictureRoutes {
  let service: NotesService

  func add(to router: some RouterMethods<some RequestContext>) {
    let group = router.group().add(middleware: RefusalMiddleware())
    group.post("api/notes/:id/pictures") { request, context in
      try await Response.json(upload(request, to: context.noteID, context), status: .created)
    }
    group.get("pictures/:file") { _, context in
      try picture(context.parameters.require("file", as: PictureFile.self))
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
    if let length = request.headers[.contentLength].flatMap(Int.init), length > PictureFolder.maximumBytes { throw PictureFolder.tooLarge }
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

  /// The type is the one that the bytes told on import. A file never changes, so the browser may keep it.
  private func picture(_ file: PictureFile) throws -> Response {
    guard service.pictures.contains(file) else { throw HTTPError(.notFound) }
    let bytes = try Data(contentsOf: service.pictures.url(of: file), options: .mappedIfSafe)
    return Response(
      status: .ok,
      headers: [.contentType: file.format.mediaType, .cacheControl: "private, max-age=31536000, immutable"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
    )
  }
}
