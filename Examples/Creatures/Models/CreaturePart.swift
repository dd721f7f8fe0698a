import ExampleWeb
import LarderArchive

/// The parts of a creature's package. Pictures end in their format, so that every other program can open them too.
enum CreaturePart: String, Encodable, CaseIterable, Comparable, Sendable {
  /// The package's own list of its parts.
  case list
  /// The archived `Creature`.
  case data
  case thumbnail
  case picture

  /// The name of the part that holds a picture of this format.
  func name(_ format: PictureFormat) -> String { "\(rawValue).\(format.rawValue)" }

  /// The kind of a part, and nil for a part that is none of a creature.
  init?(partName: String) {
    switch partName {
    case Self.data.rawValue: self = .data
    case let name where Self.thumbnail.isPicture(name): self = .thumbnail
    case let name where Self.picture.isPicture(name): self = .picture
    default: return nil
    }
  }

  private func isPicture(_ name: String) -> Bool { PictureFormat.allCases.contains { self.name($0) == name } }

  static func < (left: Self, right: Self) -> Bool {
    (allCases.firstIndex(of: left) ?? 0) < (allCases.firstIndex(of: right) ?? 0)
  }
}

extension PackageParts {
  /// Sets the picture and its thumbnail, and takes away those that the package had before.
  mutating func setPicture(_ upload: PictureUpload?, replacing old: [String]) throws {
    for name in old where [.picture, .thumbnail].contains(CreaturePart(partName: name)) { try remove(name) }
    guard let upload else { return }
    try setData(upload.picture.content, for: CreaturePart.picture.name(upload.picture.format))
    if let thumbnail = upload.thumbnail {
      try setData(thumbnail.content, for: CreaturePart.thumbnail.name(thumbnail.format))
    }
  }
}
