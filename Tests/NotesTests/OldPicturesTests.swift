import Foundation
import Larder
import Testing

@testable import Notes

@Suite("Pictures of older versions")
struct OldPicturesTests {
  private let frame = PlacedImage.Frame(x: 1, y: 2, width: 30, height: 40)

  /// A folder as older versions left it: a note with the first name, a deleted one with the second, and these files.
  private func makeOldFolder(
    _ folder: URL, _ names: (String, String), files: [String: Data]
  ) async throws -> (Note, Note) {
    let pictures = folder.appending(path: "pictures", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: pictures, withIntermediateDirectories: true)
    for (name, bytes) in files { try bytes.write(to: pictures.appending(path: name)) }

    let store = try Store(at: folder.appending(path: NotesService.fileName), for: Note.self, DeletedNote.self)
    let (note, deleted) = (Note(title: "Here", body: "Text"), Note(title: "Deleted", body: "Text"))
    try await store.insert(note)
    try await store.insert(DeletedNote(deleted))
    @Sendable func images(_ name: String) -> String {
      #"[{"name":"a","file":"\#(name)","frame":{"x":1,"y":2,"width":30,"height":40}}]"#
    }
    try await store.write { db in
      try db.sql("update \(Note.self) set images = \(images(names.0))")
      try db.sql("update \(DeletedNote.self) set note = json_set(note, '$.images', json(\(images(names.1))))")
    }
    return (note, deleted)
  }

  @Test("A9: files of the folder pictures become attachments of the rows that named them, and the folder goes")
  func pictures() async throws {
    try await withTemporaryFolder { folder in
      let names = ("6f9619ff-8b86-d011-b42d-00cf4fc964ff.png", "7f9619ff-8b86-d011-b42d-00cf4fc964ff.gif")
      let gif = Data("GIF89a, nearly".utf8)
      let files = [
        names.0: png, names.1: gif, "8f9619ff-8b86-d011-b42d-00cf4fc964ff.png": png + png, "\(UUID()).unfinished": png,
      ]
      let (note, deleted) = try await makeOldFolder(folder, names, files: files)

      for opening in 1...2 {
        if opening == 2 {
          // As after a power cut that came before the files were removed.
          let pictures = folder.appending(path: "pictures", directoryHint: .isDirectory)
          try FileManager.default.createDirectory(at: pictures, withIntermediateDirectories: true)
          try png.write(to: pictures.appending(path: names.0))
        }
        let service = try NotesService(folder: folder)
        let image = try #require(try await service.note(note.id).images.first)
        #expect((image.name, image.frame, image.picture.mediaType) == ("a", frame, "image/png"), "opening \(opening)")
        #expect(try await service.note(note.id).modifiedAt == note.modifiedAt)
        #expect(try await service.picture(image.picture.digest, of: note.id).bytes == png)
        #expect(try await service.files().count == 2, "nobody needs the third")
        #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "pictures").path))
        guard opening == 2 else { continue }
        let restored = try await service.restore(deleted.id)
        let picture = try #require(restored.images.first?.picture)
        #expect(try await service.picture(picture.digest, of: deleted.id).bytes == gif)
        #expect(picture.mediaType == "image/gif")
      }
    }
  }

  @Test("a picture whose file is lost leaves the note, and files of somebody else stay")
  func lostFile() async throws {
    try await withTemporaryFolder { folder in
      let name = "6f9619ff-8b86-d011-b42d-00cf4fc964ff.png"
      let (note, deleted) = try await makeOldFolder(folder, (name, name), files: ["holiday.png": png])
      let service = try NotesService(folder: folder)
      #expect(try await service.note(note.id) == note)
      #expect(try await service.restore(deleted.id) == deleted)
      #expect(try Data(contentsOf: folder.appending(path: "pictures/holiday.png")) == png)
    }
  }
}
