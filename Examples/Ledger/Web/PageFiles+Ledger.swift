import ExampleWeb

extension PageFiles {
  /// The page of Ledger.
  static let ledger = PageFiles(
    page: PackageResources.ledger_html,
    files: [
      "ledger.css": PackageResources.ledger_css,
      "ledger.svg": PackageResources.ledger_svg,
      "ledger.js": PackageResources.ledger_js,
      "api.js": PackageResources.api_js,
      "charts.js": PackageResources.charts_js,
      "costs.js": PackageResources.costs_js,
      "filter.js": PackageResources.filter_js,
      "forms.js": PackageResources.forms_js,
      "import.js": PackageResources.import_js,
      "pages.js": PackageResources.pages_js,
      "row.js": PackageResources.row_js,
      "sidebar.js": PackageResources.sidebar_js,
      "sync.js": PackageResources.sync_js,
      "text.js": PackageResources.text_js,
    ])
}
