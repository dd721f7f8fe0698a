public import Hummingbird

/// The files of a page, which are part of the executable, so that it runs from anywhere.
public struct PageFiles: Sendable {
  private static let mediaTypes: [Substring: String] = [
    "css": "text/css; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
  ]

  private let page: [UInt8]?
  private let files: [String: [UInt8]]

  /// Creates the files of a page.
  ///
  /// - Parameters:
  ///   - page: The HTML that is served at the router's root, or `nil` if there is none.
  ///   - files: The contents of the other files by their names, whose extensions tell the media types.
  public init(page: [UInt8]? = nil, files: [String: [UInt8]]) {
    self.page = page
    self.files = files
  }

  /// Adds the page at the router's root, and its files beside it.
  public func addRoutes(to router: some RouterMethods<some RequestContext>) {
    if let page { Self.add(page, named: "", as: "html", to: router) }
    for (name, content) in files {
      Self.add(content, named: name, as: name.split(separator: ".").last ?? "", to: router)
    }
  }

  private static func add(
    _ content: [UInt8],
    named name: String,
    as fileExtension: Substring,
    to router: some RouterMethods<some RequestContext>
  ) {
    let mediaType = mediaTypes[fileExtension] ?? "application/octet-stream"
    router.get(RouterPath(name)) { _, _ in
      Response.content(content, mediaType: mediaType, caching: "no-cache")
    }
  }
}
