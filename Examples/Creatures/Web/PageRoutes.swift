import Hummingbird

/// The page and its files. They are part of the executable, which therefore runs from anywhere.
struct PageRoutes {
  private static let script = "text/javascript; charset=utf-8"

  private static let files: [(name: RouterPath, type: String, content: [UInt8])] = [
    ("", "text/html; charset=utf-8", PackageResources.creatures_html),
    ("creatures.css", "text/css; charset=utf-8", PackageResources.creatures_css),
    ("creatures.svg", "image/svg+xml", PackageResources.creatures_svg),
    ("creatures.js", script, PackageResources.creatures_js),
    ("api.js", script, PackageResources.api_js),
    ("card.js", script, PackageResources.card_js),
    ("form.js", script, PackageResources.form_js),
    ("picture.js", script, PackageResources.picture_js),
    ("stars.js", script, PackageResources.stars_js),
    ("text.js", script, PackageResources.text_js),
    ("toast.js", script, PackageResources.toast_js),
  ]

  func add(to router: some RouterMethods<some RequestContext>) {
    for (name, type, content) in Self.files {
      router.get(name) { _, _ in
        Response(status: .ok, headers: [.contentType: type, .cacheControl: "no-cache"], body: .init(byteBuffer: ByteBuffer(bytes: content)))
      }
    }
  }
}
