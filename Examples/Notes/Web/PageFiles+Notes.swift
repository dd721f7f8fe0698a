import ExampleWeb

extension PageFiles {
  /// The page of Notes.
  static let notes = PageFiles(
    page: PackageResources.notes_html,
    files: [
      "notes.css": PackageResources.notes_css,
      "notes.js": PackageResources.notes_js,
      "api.js": PackageResources.api_js,
      "deleted.js": PackageResources.deleted_js,
      "editor.js": PackageResources.editor_js,
      "list.js": PackageResources.list_js,
      "pictures.js": PackageResources.pictures_js,
      "row.js": PackageResources.row_js,
      "stored.js": PackageResources.stored_js,
      "style.js": PackageResources.style_js,
      "text.js": PackageResources.text_js,
    ])
}
