import Hummingbird

/// The page and its files. They are part of the executable, which therefore runs from anywhere.
struct PageRoutes {
  private static let script = "text/javascript; charset=utf-8"

  private static let files: [(name: RouterPath, type: String, content: [UInt8])] = [
    ("", "text/html; charset=utf-8", PackageResources.ledger_html),
    ("ledger.css", "text/css; charset=utf-8", PackageResources.ledger_css),
    ("ledger.svg", "image/svg+xml", PackageResources.ledger_svg),
    ("ledger.js", script, PackageResources.ledger_js),
    ("api.js", script, PackageResources.api_js),
    ("charts.js", script, PackageResources.charts_js),
    ("costs.js", script, PackageResources.costs_js),
    ("forms.js", script, PackageResources.forms_js),
    ("import.js", script, PackageResources.import_js),
    ("sidebar.js", script, PackageResources.sidebar_js),
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
