import Hummingbird

/// The page and its files. They are part of the executable, which therefore runs from anywhere.
struct PageRoutes {
  private static let files: [(name: RouterPath, type: String, content: [UInt8])] = [
    ("", "text/html; charset=utf-8", PackageResources.papers_html),
    ("papers.css", "text/css; charset=utf-8", PackageResources.papers_css),
    ("papers.js", "text/javascript; charset=utf-8", PackageResources.papers_js),
    ("papers.svg", "image/svg+xml", PackageResources.papers_svg),
  ]

  func add(to router: some RouterMethods<some RequestContext>) {
    for (name, type, content) in Self.files {
      router.get(name) { _, _ in
        Response(status: .ok, headers: [.contentType: type, .cacheControl: "no-cache"], body: .init(byteBuffer: ByteBuffer(bytes: content)))
      }
    }
  }
}
