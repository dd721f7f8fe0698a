import Foundation
import Larder
import Testing

@testable import Notes

@Suite("The notes' service")
struct NotesServiceTests {
  private func content(title: String = "Title", body: String = "Text") -> NoteContent {
    NoteContent(title: title, body: body, font: Font(), textColor: .black, images: [])
  }

  @Test("a note that breaks a rule is refused, and the one before it stays")
  func validation() async throws {
    try await withTemporaryFolder { folder in
      let service = try NotesService(folder: folder)
      let note = try await service.create(content())
      await #expect(throws: NoteProblem.invalid(.title, "A note needs a title.")) {
        try await service.change(note.id, to: content(title: " \n"), basedOn: note.modifiedAt)
      }
      await #expect(throws: NoteProblem.invalid(.body, "A note needs a text.")) {
        try await service.create(content(body: ""))
      }
      #expect(try await service.note(note.id) == note)
    }
  }

  @Test("each change makes a version of its own, however fast they come")
  func versions() async throws {
    try await withTemporaryFolder { folder in
      let service = try NotesService(folder: folder)
      var note = try await service.create(content())
      for number in 0..<100 {
        let changed = try await service.change(note.id, to: content(body: "\(number)"), basedOn: note.modifiedAt)
        #expect(changed.modifiedAt > note.modifiedAt)
        note = changed
      }
    }
  }

  @Test("of two changes based on the same version the second is refused with the first")
  func conflict() async throws {
    try await withTemporaryFolder { folder in
      let service = try NotesService(folder: folder)
      let note = try await service.create(content())
      let first = try await service.change(note.id, to: content(body: "First"), basedOn: note.modifiedAt)
      await #expect(throws: NoteProblem.changedElsewhere(first)) {
        try await service.change(note.id, to: content(body: "Second"), basedOn: note.modifiedAt)
      }
    }
  }

  @Test("a change that changes nothing keeps the version")
  func noChange() async throws {
    try await withTemporaryFolder { folder in
      let service = try NotesService(folder: folder)
      let note = try await service.create(content())
      #expect(try await service.change(note.id, to: content(), basedOn: note.modifiedAt) == note)
    }
  }

  @Test("the list begins with what is there and follows each change, newest first")
  func list() async throws {
    try await withTemporaryFolder { folder in
      let service = try NotesService(folder: folder)
      let first = try await service.create(content(title: "First"))
      var lists = service.list(search: "").makeAsyncIterator()
      #expect(try await lists.next()?.map(\.title) == ["First"])
      _ = try await service.create(content(title: "Second"))
      #expect(try await lists.next()?.map(\.title) == ["Second", "First"])
      _ = try await service.change(first.id, to: content(title: "First again"), basedOn: first.modifiedAt)
      #expect(try await lists.next()?.map(\.title) == ["First again", "Second"])
      try await service.delete(first.id)
      #expect(try await lists.next()?.map(\.title) == ["Second"])
    }
  }

  @Test("the list is divided by the days of a time zone, and follows each change")
  func days() async throws {
    try await withTemporaryFolder { folder in
      let service = try NotesService(folder: folder)
      let note = try await service.create(content(title: "First"))
      // A place where it is another day than here at any hour.
      for zone in ["Pacific/Kiritimati", "Pacific/Pago_Pago"].compactMap(TimeZone.init(identifier:)) {
        let calendar = Calendar.days(in: zone)
        var lists = service.days(in: calendar).makeAsyncIterator()
        let days = try #require(try await lists.next())
        #expect(days.map(\.key) == [calendar.startOfDay(for: note.modifiedAt)])
        #expect(days.map { $0.map(\.title) } == [["First"]])
        let second = try await service.create(content(title: "Second"))
        #expect(try await lists.next()?.flatMap { $0.map(\.title) } == ["Second", "First"])
        try await service.delete(second.id)
        #expect(try await lists.next()?.map(\.count) == [1])
      }
    }
  }

  @Test("a folder is made, and everything is there when it is opened again")
  func reopening() async throws {
    try await withTemporaryFolder { temporary in
      let folder = temporary.appending(path: "new/notes", directoryHint: .isDirectory)
      let note = try await NotesService(folder: folder).create(content(title: "Kept"))
      #expect(try await NotesService(folder: folder).note(note.id) == note)
    }
  }
}
