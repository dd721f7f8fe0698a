import ExampleWeb
import Foundation
import Hummingbird
import NIOCore

/// `api/creatures` and `api/events`: everything that the page asks about creatures.
struct CreatureRoutes {
  private static let requestLimit = PictureFile.maximumBytes + PictureFile.maximumThumbnailBytes

  let service: CreaturesService

  func add(to router: some RouterMethods<some RequestContext>) {
    let api = router.group("api").add(middleware: RefusalMiddleware(Refusal.init(creatures:)))
    addTrash(to: api)
    api.get("events") { request, _ in events(request) }
    api.post("check") { _, _ in
      let (creatures, damaged) = try await service.check()
      return try Response.json(["creatures": creatures, "damaged": damaged])
    }
    api.post("creatures") { request, context in
      let (content, picture) = try await form(of: request, context)
      let upload: PictureUpload? = if case .replace(let upload) = picture { upload } else { nil }
      return try await Response.json(service.add(content, upload), status: .created)
    }
    api.get("creatures/:name") { _, context in try await Response.json(service.card(context.creature)) }
    api.put("creatures/:name") { request, context in
      let (content, picture) = try await form(of: request, context)
      return try await Response.json(service.change(context.creature, to: content, picture, basedOn: request.basedOn))
    }
    api.put("creatures/:name/rating/:stars") { _, context in
      try await Response.json(service.rate(context.creature, context.parameters.require("stars", as: Int.self)))
    }
    api.delete("creatures/:name") { _, context in
      try await service.delete(context.creature)
      return HTTPResponse.Status.noContent
    }
    api.post("creatures/:name/undelete") { _, context in
      try await Response.json(service.undelete(context.creature))
    }
    api.post("creatures/:name/restore") { request, context in
      let body = try await request.body.collect(upTo: PictureFile.maximumThumbnailBytes)
      let thumbnail = try body.readableBytes == 0 ? nil : PictureFile.thumbnail(Data(body.readableBytesView))
      return try await Response.json(service.restore(context.creature, thumbnail: thumbnail))
    }
  }

  private func addTrash(to api: RouterGroup<some RequestContext>) {
    api.get("trash") { _, _ in try await Response.json(service.deletedCards()) }
    api.delete("trash") { _, _ in
      try await service.emptyTrash()
      return HTTPResponse.Status.noContent
    }
    api.delete("trash/:name") { _, context in
      try await service.deleteForGood(context.creature)
      return HTTPResponse.Status.noContent
    }
  }

  /// What the page sends beside the body, which is empty, or the thumbnail, of so many bytes, and after it the picture.
  private struct Form: Decodable {
    var title: String
    var rating: Int
    var thumbnail: Int?
    var removesPicture: Bool?
  }

  private func form(
    of request: Request, _ context: some RequestContext
  ) async throws -> (CreatureContent, CreaturesService.PictureChange) {
    if let length = request.headers[.contentLength].flatMap(Int.init), length > Self.requestLimit {
      throw PictureFile.tooLarge
    }
    let form = try request.uri.decodeQuery(as: Form.self, context: context)
    let body = try await request.body.collect(upTo: Self.requestLimit)
    let content = try CreatureContent(title: form.title, rating: form.rating)
    guard let bytes = form.thumbnail else { return (content, form.removesPicture == true ? .remove : .keep) }
    return (content, .replace(try PictureUpload(Data(body.readableBytesView), thumbnailBytes: bytes)))
  }

  /// Sends the list now and after every change.
  private func events(_ request: Request) -> Response {
    .events(named: "creatures", for: request) { try await service.listings() }
  }
}

extension RequestContext {
  /// The name of the package; the folder refuses everything that is none.
  var creature: String {
    get throws { try parameters.require("name") }
  }
}

extension Request {
  /// The version of the creature that the change is based on. Throws 428 if the request doesn't say it.
  fileprivate var basedOn: Date {
    get throws { try version(of: "the creature's modified") }
  }
}
