import ExampleWeb
import Foundation
import Larder
import Testing

@testable import Notes

@Suite("The pictures of notes")
struct PictureTests {
  private struct Interruption: Error {}

  private let frame = PlacedImage.Frame(x: 0, y: 0, width: 10, height: 10)

  private func content(_ images: [PlacedImage] = []) -> NoteContent {
    NoteContent(title: "Title", body: "Text", font: Font(), textColor: .black, images: images)
  }

  /// The identifier of a note with a picture, and the version of the note. The note itself would keep the bytes.
  private func pictured(_ service: NotesService, _ bytes: Data = png) async throws -> (id: Note.ID, version: Date) {
    let empty = try await service.create(content())
    let full = try await service.addPicture(
      pieces([bytes]), named: "a.png", frame: frame, to: empty.id, basedOn: empty.modifiedAt)
    return (full.id, full.modifiedAt)
  }

  private func refused(_ problem: NoteProblem, _ stream: AsyncThrowingStream<Data, any Error>) async throws {
    try await withTemporaryFolder { folder in
      let service = try NotesService(folder: folder)
      let note = try await service.create(content())
      await #expect(throws: problem) {
        try await service.addPicture(stream, named: "a.png", frame: frame, to: note.id, basedOn: note.modifiedAt)
      }
      #expect(try await service.files().isEmpty)
      #expect(try await service.note(note.id) == note)
    }
  }

  @Test(
    "A9: a picture's bytes are a file, its name and frame are in the row, and the file goes when the last row lets go")
  func bytesInFiles() async throws {
    try await withTemporaryFolder { folder in
      let clock = TestClock()
      let service = try NotesService(folder: folder, now: { clock.now })
      let (first, second) = (try await pictured(service), try await pictured(service))
      let digest = try #require(try await service.files().first)
      let image = try #require(try await service.note(first.id).images.first)
      #expect((image.name, image.frame) == ("a.png", frame))
      #expect((image.picture.digest, image.picture.size, image.picture.mediaType) == (digest, png.count, "image/png"))
      #expect(try await service.picture(digest, of: first.id).bytes == png)

      try await service.delete(first.id)
      clock.advance(by: NotesService.retention + 1)
      try await service.store.removeExpired()
      #expect(try await service.files() == [digest], "the second note has the same picture")
      try await service.delete(second.id)
      #expect(try await service.files() == [digest], "the deletion can be undone")
      clock.advance(by: NotesService.retention + 1)
      try await service.store.removeExpired()
      #expect(try await service.files().isEmpty)
    }
  }

  @Test("a picture that arrives byte by byte is kept whole")
  func byteByByte() async throws {
    try await withTemporaryFolder { folder in
      let service = try NotesService(folder: folder)
      let empty = try await service.create(content())
      let note = try await service.addPicture(
        pieces(png.map { Data([$0]) }), named: "a.png", frame: frame, to: empty.id, basedOn: empty.modifiedAt)
      let digest = try #require(note.images.first?.picture.digest)
      #expect(try await service.picture(digest, of: note.id).bytes == png)
    }
  }

  @Test(
    "what is no picture leaves nothing behind",
    arguments: ["", "GIF", "<html>", "<svg xmlns='http://www.w3.org/2000/svg'/>"])
  func noPicture(text: String) async throws {
    try await refused(.noPicture, pieces([Data(text.utf8)]))
  }

  @Test("the largest picture is taken, one byte more is not")
  func limit() async throws {
    let rest = Data(count: PictureFormat.maximumBytes - png.count)
    try await withTemporaryFolder { folder in
      let service = try NotesService(folder: folder)
      let id = try await pictured(service, png + rest).id
      #expect(try await service.note(id).images.map(\.picture.size) == [PictureFormat.maximumBytes])
    }
    try await refused(.pictureIsTooLarge, pieces([png, rest, Data([0])]))
  }

  @Test("an upload that breaks off leaves nothing behind")
  func brokenOff() async throws {
    try await withTemporaryFolder { folder in
      let service = try NotesService(folder: folder)
      let note = try await service.create(content())
      let broken = AsyncThrowingStream<Data, any Error> { stream in
        stream.yield(png)
        stream.finish(throwing: Interruption())
      }
      await #expect(throws: Interruption.self) {
        try await service.addPicture(broken, named: "a.png", frame: frame, to: note.id, basedOn: note.modifiedAt)
      }
      #expect(try await service.files().isEmpty)
    }
  }

  @Test("a picture for a note that is gone leaves no file")
  func pictureForNobody() async throws {
    try await withTemporaryFolder { folder in
      let service = try NotesService(folder: folder)
      await #expect(throws: NoteProblem.gone) {
        try await service.addPicture(pieces([png]), named: "a.png", frame: frame, to: UUID(), basedOn: .now)
      }
      #expect(try await service.files().isEmpty)
    }
  }

  @Test("a deleted note can be brought back for thirty days, and the pictures wait as long")
  func retention() async throws {
    try await withTemporaryFolder { folder in
      let clock = TestClock()
      let service = try NotesService(folder: folder, now: { clock.now })
      let id = try await pictured(service).id
      let note = try await service.note(id)

      try await service.delete(id)
      clock.advance(by: NotesService.retention - 60)
      try await service.store.removeExpired()
      #expect(try await service.files().count == 1)
      #expect(try await service.restore(id) == note)

      clock.advance(by: NotesService.retention)
      try await service.store.removeExpired()
      #expect(try await service.files().count == 1, "a note needs it again")

      try await service.delete(id)
      clock.advance(by: NotesService.retention + 60)
      try await service.store.removeExpired()
      #expect(try await service.files().isEmpty)
      await #expect(throws: NoteProblem.gone) { try await service.restore(id) }
    }
  }

  @Test("a picture that was removed from a note waits an hour too")
  func removedPicture() async throws {
    try await withTemporaryFolder { folder in
      let service = try NotesService(folder: folder)
      let (id, version) = try await pictured(service)
      let images = try await service.note(id).images
      let without = try await service.change(id, to: content(), basedOn: version)

      try await service.tidy(now: .now.addingTimeInterval(NotesService.undoPeriod - 60))
      #expect(try await service.files().count == 1)
      let again = try await service.change(id, to: content(images), basedOn: without.modifiedAt)
      #expect(again.images == images)

      let last = try await service.change(id, to: content(), basedOn: again.modifiedAt)
      try await service.tidy(now: .now.addingTimeInterval(NotesService.undoPeriod + 60))
      #expect(try await service.files().isEmpty)
      await #expect(throws: NoteProblem.pictureIsGone) {
        try await service.change(id, to: content(images), basedOn: last.modifiedAt)
      }
    }
  }

  @Test("a note takes no picture of another one, nor what only looks like its own")
  func strangers() async throws {
    try await withTemporaryFolder { folder in
      let service = try NotesService(folder: folder)
      let (id, version) = try await pictured(service)
      let other = try await pictured(service, png + Data([4]))
      let images = try await service.note(id).images
      var disguised = images
      disguised[0].picture.mediaType = "text/html"
      for strange in [try await service.note(other.id).images, disguised] {
        await #expect(throws: NoteProblem.pictureIsGone) {
          try await service.change(id, to: content(strange), basedOn: version)
        }
        await #expect(throws: NoteProblem.pictureIsGone) { try await service.create(content(strange)) }
        await #expect(throws: NoteProblem.pictureIsGone) { try await service.create(content(strange), copyOf: id) }
      }
      await #expect(throws: NoteProblem.gone) { try await service.picture(images[0].picture.digest, of: other.id) }
      #expect(try await service.create(content(images), copyOf: id).images == images)
    }
  }
}
