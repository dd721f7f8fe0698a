import ExampleWeb
import Foundation
import Hummingbird

/// `api/creatures/:name/thumbnail`, `…/picture` and `api/trash/:name/thumbnail`: bytes that are read when a browser asks
/// for them.
struct PictureRoutes {
  let service: CreaturesService

  func add(to router: some RouterMethods<some RequestContext>) {
    let group = router.group("api/creatures/:name").add(middleware: RefusalMiddleware(Refusal.init(creatures:)))
    for part in [CreaturePart.thumbnail, .picture] {
      group.get(RouterPath(part.rawValue)) { _, context in
        let file = try await service.picture(part, of: context.creature)
        return response(file.format, file.content)
      }
    }
    let trash = router.group("api/trash/:name").add(middleware: RefusalMiddleware(Refusal.init(creatures:)))
    trash.get("thumbnail") { _, context in
      let file = try await service.deletedThumbnail(of: context.creature)
      return response(file.format, file.content)
    }
    group.get("remnant") { _, context in
      let (format, content) = try await service.remnant(of: context.creature)
      return response(format, content)
    }
  }

  /// The type is the one that the bytes tell. Nothing is kept by the browser, so that each look at a picture is a look
  /// at the package.
  private func response(_ format: PictureFormat, _ content: Data) -> Response {
    .content(content, mediaType: format.mediaType)
  }
}
