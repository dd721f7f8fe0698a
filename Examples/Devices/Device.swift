import Foundation
import Larder
import LarderSync

/// One of the two devices: a store of its own.
struct Device: Sendable {
  enum ID: String, CaseIterable, Encodable, Sendable {
    case laptop, phone

    var name: String {
      switch self {
      case .laptop: "Laptop"
      case .phone: "Phone"
      }
    }
  }

  let id: ID
  let store: Store

  /// Opens the device's file and creates it if need be. Sync is switched on by one word of the configuration.
  init(_ id: ID, folder: URL) throws {
    self.id = id
    store = try Store(
      at: folder.appending(path: "\(id.rawValue).larder", directoryHint: .notDirectory),
      for: Folder.self, Note.self, Label.self, Author.self, Tag.self,
      configuration: Store.Configuration(sync: .on))
  }
}
