import ExampleWeb

extension PageFiles {
  /// The page of the two devices.
  static let devices = PageFiles(
    page: PackageResources.devices_html,
    files: [
      "devices.css": PackageResources.devices_css,
      "devices.js": PackageResources.devices_js,
      "device.js": PackageResources.device_js,
      "note.js": PackageResources.note_js,
    ])
}
