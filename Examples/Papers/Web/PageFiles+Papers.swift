import ExampleWeb

extension PageFiles {
  /// The page of documents.
  static let papers = PageFiles(
    page: PackageResources.papers_html,
    files: [
      "papers.css": PackageResources.papers_css,
      "papers.js": PackageResources.papers_js,
    ])
}
