import Foundation

/// The name of a picture's file. It is made here and parsed strictly, so no text from outside ever becomes a path.
struct PictureFile: RawRepresentable, Hashable, Codable, Sendable {
  let id: UUID
  let format: PictureFormat

  init(id: UUID = UUID(), format: PictureFormat) {
    self.id = id
    self.format = format
  }

  /// Takes what `rawValue` gives and nothing else.
  init?(rawValue: String) {
    let parts = rawValue.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, let id = UUID(uuidString: String(parts[0])), let format = PictureFormat(rawValue: String(parts[1])) else { return nil }
    self.init(id: id, format: format)
    guard self.rawValue == rawValue else { return nil }
  }

  /// For example `6f9619ff-8b86-d011-b42d-00cf4fc964ff.png`.
  var rawValue: String { "\(id.uuidString.lowercased()).\(format.rawValue)" }
}
