extension PageFiles {
  /// The styles, scripts and the icon that the pages of several apps use, for the root of the server.
  public static let shared = PageFiles(files: [
    "showcase.css": PackageResources.showcase_css,
    "controls.css": PackageResources.controls_css,
    "jar.svg": PackageResources.jar_svg,
    "dates.js": PackageResources.dates_js,
    "elements.js": PackageResources.elements_js,
    "requests.js": PackageResources.requests_js,
    "streams.js": PackageResources.streams_js,
    "toast.js": PackageResources.toast_js,
    "updates.js": PackageResources.updates_js,
  ])
}
