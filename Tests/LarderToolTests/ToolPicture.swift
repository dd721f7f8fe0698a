import Foundation
import Larder
import LarderTestSupport

@Model
struct ToolPicture: Hashable {
  var id: UUID = .v7()
  var title: String
  var picture: Attachment?
}

extension ToolFile {
  /// Creates a file with pictures, by their titles.
  static func withPictures(_ pictures: [String: Data], _ name: String = "notes.larder") async throws -> ToolFile {
    let file = try ToolFile(name)
    try await file.add(pictures)
    return file
  }

  /// Saves pictures, by their titles.
  func add(_ pictures: [String: Data]) async throws {
    let store = try Store(at: path, for: ToolPicture.self)
    for (title, data) in pictures {
      let attachment = try await store.attach(data, name: "\(title).jpg", mediaType: "image/jpeg")
      try await store.insert(ToolPicture(title: title, picture: attachment))
    }
    await store.close()
  }

  /// Returns the pictures of a file, by their titles.
  ///
  /// - Throws: `StoreError` if the bytes of one are missing or damaged.
  static func pictures(at path: String) async throws -> [String: Data] {
    let store = try Store(at: path, for: ToolPicture.self, configuration: Store.Configuration(access: .readOnly))
    return try await store.closingAfterwards { store in
      var pictures: [String: Data] = [:]
      for row in try await store.fetch(ToolPicture.all) {
        if let picture = row.picture { pictures[row.title] = try await store.data(of: picture) }
      }
      return pictures
    }
  }

  /// Returns the files with the bytes of a file's attachments, by their digests.
  static func attachments(of path: String) throws -> [String: Data] {
    let folder = path + ".attachments"
    guard FileManager.default.fileExists(atPath: folder) else { return [:] }
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.count == 65 }
    return Dictionary(
      uniqueKeysWithValues: names.map { name in
        (name.replacing("/", with: ""), FileManager.default.contents(atPath: "\(folder)/\(name)") ?? Data())
      })
  }

  /// Returns the path of the file with the bytes of one of the file's attachments.
  static func attachment(_ data: Data, of path: String) throws -> String {
    struct Missing: Error {}
    guard let digest = try attachments(of: path).first(where: { $0.value == data })?.key else { throw Missing() }
    return "\(path).attachments/\(digest.prefix(1))/\(digest.dropFirst())"
  }

  /// The names of everything beside the file, without logs: a connection that only reads can't remove its own.
  var names: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        .filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }.sorted()
    }
  }
}

extension Store {
  fileprivate func closingAfterwards<Result>(_ body: (Store) async throws -> Result) async throws -> Result {
    do {
      let result = try await body(self)
      await close()
      return result
    } catch {
      await close()
      throw error
    }
  }
}
