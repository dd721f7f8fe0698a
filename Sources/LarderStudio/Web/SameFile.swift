import Foundation
import HTTPTypes
import Hummingbird

/// Refuses requests once another file has the path of the one that the studio has opened: what is shown is no longer
/// what the user's programs see, and what is written would go with the old file.
struct SameFile<Context: RequestContext>: RouterMiddleware {
  let file: OpenedFile

  func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    guard file.isThere else {
      throw Refusal(
        .gone,
        "The file was removed, or another one has its name since the studio was started. Start the studio again to see what is there now."
      )
    }
    return try await next(request, context)
  }
}

/// The file that the studio has opened, by more than its name.
struct OpenedFile: Sendable {
  private let path: String
  private let identity: FileIdentity?

  /// - Parameter path: The file, before it is opened.
  init(path: String) {
    self.path = path
    identity = FileIdentity(path)
  }

  /// Whether its path still leads to it.
  var isThere: Bool { identity == FileIdentity(path) }
}

/// What tells a file apart from any other, whatever its name.
private struct FileIdentity: Equatable {
  private let volume: Int
  private let number: Int

  /// Nil if there is no file. A symbolic link stands for what it leads to.
  init?(_ path: String) {
    let file = URL(filePath: path).resolvingSymlinksInPath().path
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: file),
      let volume = (attributes[.systemNumber] as? NSNumber)?.intValue,
      let number = (attributes[.systemFileNumber] as? NSNumber)?.intValue
    else { return nil }
    (self.volume, self.number) = (volume, number)
  }
}
