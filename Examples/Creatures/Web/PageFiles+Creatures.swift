import ExampleWeb

extension PageFiles {
  /// The page of Creatures.
  static let creatures = PageFiles(
    page: PackageResources.creatures_html,
    files: [
      "creatures.css": PackageResources.creatures_css,
      "creatures.svg": PackageResources.creatures_svg,
      "creatures.js": PackageResources.creatures_js,
      "api.js": PackageResources.api_js,
      "card.js": PackageResources.card_js,
      "form.js": PackageResources.form_js,
      "picture.js": PackageResources.picture_js,
      "stars.js": PackageResources.stars_js,
      "text.js": PackageResources.text_js,
      "trash.js": PackageResources.trash_js,
    ])
}
