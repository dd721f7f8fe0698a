extension PageFiles {
  /// The style and the icon that the pages of several apps use, for the root of the server.
  public static let shared = PageFiles(files: [
    "showcase.css": PackageResources.showcase_css,
    "jar.svg": PackageResources.jar_svg,
  ])
}
