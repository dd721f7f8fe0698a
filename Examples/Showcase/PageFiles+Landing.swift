import ExampleWeb

extension PageFiles {
  /// The page that presents the apps.
  static let landing = PageFiles(
    page: PackageResources.index_html,
    files: ["index.css": PackageResources.index_css])
}
