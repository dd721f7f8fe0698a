import ExampleWeb
import Foundation
import Larder

/// The pictures of older versions: files of the folder `pictures`, which the rows named by `"file":"6f9619ff-….png"`.
///
/// A migration attaches them and puts the attachments in the place of the names, in one transaction; the files go last.
/// If the program ends between the two, the next opening does the rest.
struct OldPictures {
  private let folder: URL
  private let names: [String]

  /// Looks into the folder. Without such a folder there is nothing to do.
  init(in folder: URL) throws {
    self.folder = folder
    // A folder that cannot be read is no folder without pictures.
    let isThere = FileManager.default.fileExists(atPath: folder.path)
    names = isThere ? try FileManager.default.contentsOfDirectory(atPath: folder.path).filter(Self.isOurs) : []
  }

  /// The files are removed as soon as the rows are written, so the rows must be on the disk by then.
  var durability: Store.Configuration.Durability { names.isEmpty ? .normal : .full }

  /// Pictures, and uploads that were broken off.
  private static func isOurs(_ name: String) -> Bool {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, UUID(uuidString: String(parts[0])) != nil else { return false }
    return parts[1] == "unfinished" || PictureFormat(rawValue: String(parts[1])) != nil
  }

  var migration: Migration {
    Migration("2026-11 pictures are attachments") { db in
      let attachments = try attach(in: db)
      for row in try db.sql("select id, images from \(Note.self) where images <> '[]'") {
        let images = try Self.images(row, attachments)
        try db.sql("update \(Note.self) set images = \(images) where id = \(row["id"] ?? .null)")
      }
      for row in try db.sql(
        "select id, note ->> 'images' as images from \(DeletedNote.self) where json_array_length(note, '$.images') > 0")
      {
        let images = try Self.images(row, attachments)
        try db.sql(
          """
          update \(DeletedNote.self) set note = json_set(note, '$.images', json(\(images)))
          where id = \(row["id"] ?? .null)
          """)
      }
    }
  }

  /// The pictures of the folder by their names.
  private func attach(in db: Transaction) throws -> [String: Attachment] {
    var attachments: [String: Attachment] = [:]
    for name in names {
      guard let format = PictureFormat(rawValue: String(name.drop { $0 != "." }.dropFirst())) else { continue }
      var picture = try db.attach(contentsOf: folder.appending(path: name), mediaType: format.mediaType)
      picture.fileName = nil
      attachments[name] = picture
    }
    return attachments
  }

  private struct OldImage: Decodable {
    let name: String
    let file: String
    let frame: PlacedImage.Frame
  }

  /// The images of a row as they are kept now, as JSON. A picture whose file is lost is none.
  private static func images(_ row: Row, _ attachments: [String: Attachment]) throws -> String {
    let old = try JSONDecoder().decode([OldImage].self, from: Data((row["images"]?.text ?? "[]").utf8))
    let images = old.compactMap { image in
      attachments[image.file].map { PlacedImage(name: image.name, picture: $0, frame: image.frame) }
    }
    return String(decoding: try JSONEncoder().encode(images), as: UTF8.self)
  }

  /// Removes the files, and the folder unless there is something of somebody else in it.
  func removeFiles() throws {
    for name in names { try FileManager.default.removeItem(at: folder.appending(path: name)) }
    rmdir(folder.path)
  }
}
