import Hummingbird

/// The page and its files. They are part of the executable, which therefore runs from anywhere.
struct PageRoutes {
  private static let script = "text/javascript; charset=utf-8"

  private static let files: [(name: RouterPath, type: String, content: [UInt8])] = [
    ("", "text/html; charset=utf-8", PackageResources.notes_html),
    ("notes.css", "text/css; charset=utf-8", PackageResources.notes_css),
    ("notes.svg", "image/svg+xml", PackageResources.notes_svg),
    ("notes.js", script, PackageResources.notes_js),
    ("api.js", script, PackageResources.api_js),
    ("editor.js", script, PackageResources.editor_js),
    ("list.js", script, PackageResources.list_js),
    ("pictures.js", script, PackageResources.pictures_js),
    ("stored.js", script, PackageResources.stored_js),
    ("style.js", script, PackageResources.style_js),
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
