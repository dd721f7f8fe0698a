import Hummingbird

/// The page that presents the apps.
struct LandingPage {
  private static let files: [(name: RouterPath, type: String, content: [UInt8])] = [
    ("", "text/html; charset=utf-8", PackageResources.index_html),
    ("index.css", "text/css; charset=utf-8", PackageResources.index_css),
    ("showcase.css", "text/css; charset=utf-8", PackageResources.showcase_css),
    ("index.svg", "image/svg+xml", PackageResources.index_svg),
  ]

  func addRoutes(to router: some RouterMethods<some RequestContext>) {
    for (name, type, content) in Self.files {
      router.get(name) { _, _ in
        Response(status: .ok, headers: [.contentType: type, .cacheControl: "no-cache"], body: .init(byteBuffer: ByteBuffer(bytes: content)))
      }
    }
  }
}
