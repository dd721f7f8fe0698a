import Foundation
import Larder
import LarderCombine
import Testing

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

enum LiveResultsArticle {
  @Model
  struct Note {
    var id: Int
    var title: String
    var folder: String = ""
    var isRead: Bool = false
    var modifiedAt: Date = .now
  }
}

extension LiveResultsArticle {
  @MainActor
  final class NotesModel {
    let notes: LiveList<Note>
    let unread: LiveValue<Int>

    init(_ store: Store) {
      notes = LiveList(Note.all.sorted(by: \.title), in: store)
      unread = LiveValue(store.live { db in try db.count(Note.where { !$0.isRead }) })
    }
  }
}

@Suite("Documentation: Live results", .timeLimit(.minutes(20)))
@MainActor
struct LiveResultsArticleTests {
  private typealias Note = LiveResultsArticle.Note

  @Test("the sequence gives the rows now, and again after a commit that concerns them")
  func live() async throws {
    let folder = try ArticleFolder()
    let store = try Store(at: folder.file("notes.larder"), for: Note.self)
    let (shown, continuation) = AsyncStream.makeStream(of: [String].self)
    @Sendable func show(_ notes: [Note]) { continuation.yield(notes.map(\.title)) }

    let newest = Note.all.sorted(by: \.modifiedAt, order: .reverse).limit(50)
    let task = Task {
      for try await notes in store.live(newest) {
        show(notes)
      }
    }

    var titles = shown.makeAsyncIterator()
    #expect(await titles.next() == [])
    try await store.save(Note(id: 1, title: "Milk"))
    #expect(await titles.next() == ["Milk"])
    task.cancel()
    try await task.value
  }

  @Test("a closure that reads is followed, and so are groups")
  func counts() async throws {
    let store = try Store(inMemoryFor: Note.self)
    try await store.insert([
      Note(id: 1, title: "Milk", folder: "Shop"), Note(id: 2, title: "Eggs", folder: "Shop", isRead: true),
    ])
    let (shown, continuation) = AsyncStream.makeStream(of: String.self)
    @Sendable func showBadge(_ count: Int) { continuation.yield("\(count)") }
    @Sendable func showFolders(_ folders: [String]) { continuation.yield(folders.joined(separator: ", ")) }
    var lines = shown.makeAsyncIterator()

    let counting = Task {
      let unread = store.live { db in
        try db.count(Note.where { !$0.isRead })
      }
      for try await count in unread {
        showBadge(count)
      }
    }
    #expect(await lines.next() == "1")
    try await store.updateAll(Note.all) { $0.isRead.set(true) }
    #expect(await lines.next() == "0")
    counting.cancel()
    try await counting.value

    let grouping = Task {
      let folders = Note.all.grouped(by: \.folder) { ($0.key, $0.count) }
      for try await rows in store.live(folders) {
        showFolders(rows.map { "\($0): \($1)" })
      }
    }
    #expect(await lines.next() == "Shop: 2")
    try await store.insert(Note(id: 3, title: "Call", folder: "Work"))
    #expect(await lines.next() == "Shop: 2, Work: 1")
    grouping.cancel()
    try await grouping.value
  }

  @Test("changes say which rows came, went, moved and changed")
  func changes() async throws {
    let store = try Store(inMemoryFor: Note.self)
    try await store.insert([Note(id: 1, title: "Milk"), Note(id: 2, title: "Eggs")])
    let (steps, continuation) = AsyncStream.makeStream(of: [[Int]].self)
    @Sendable func animate(removed: [Int], inserted: [Int], moved: [ResultsMove], updated: [Int]) {
      continuation.yield([removed, inserted, moved.map(\.to), updated])
    }

    let task = Task {
      var shown: [Note] = []
      for try await change in store.changes(Note.all.sorted(by: \.title)) {
        shown = change.applying(to: shown)
        animate(removed: change.removed, inserted: change.inserted, moved: change.moved, updated: change.updated)
      }
      return shown.map(\.title)
    }

    var iterator = steps.makeAsyncIterator()
    #expect(await iterator.next() == [[], [0, 1], [], []])
    try await store.write { db in
      try db.delete(Note.self, 2)
      try db.updateAll(Note.where { $0.id == 1 }) { $0.isRead.set(true) }
      try db.insert(Note(id: 3, title: "Bread"))
    }
    #expect(await iterator.next() == [[0], [0], [], [1]])
    task.cancel()
    #expect(try await task.value == ["Bread", "Milk"])
  }

  @Test("sections share what a property holds")
  func sections() async throws {
    let store = try Store(inMemoryFor: Note.self)
    try await store.insert([
      Note(id: 1, title: "Milk", folder: "Shop"), Note(id: 2, title: "Call", folder: "Work"),
      Note(id: 3, title: "Eggs", folder: "Shop"),
    ])
    let (shown, continuation) = AsyncStream.makeStream(of: String.self)
    @Sendable func showSection(_ folder: String, _ titles: [String]) {
      continuation.yield("\(folder): \(titles.joined(separator: ", "))")
    }

    let task = Task {
      let byFolder = Note.all.sorted(by: \.folder).sorted(by: \.title)
      for try await sections in store.live(byFolder, sectionedBy: \.folder) {
        for section in sections { showSection(section.key, section.map(\.title)) }
      }
    }

    var lines = shown.makeAsyncIterator()
    #expect(await lines.next() == "Shop: Eggs, Milk")
    #expect(await lines.next() == "Work: Call")
    task.cancel()
    try await task.value

    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    let days = store.live(
      Note.all.sorted(by: \.modifiedAt), sectionedBy: { [calendar] in calendar.startOfDay(for: $0.modifiedAt) })
    var iterator = days.makeAsyncIterator()
    #expect(try await iterator.next()?.isEmpty == false)
  }

  @Test("a long list holds keys, and loads rows when they are asked for")
  func results() async throws {
    let store = try Store(inMemoryFor: Note.self)
    try await store.insert((0..<300).map { Note(id: $0, title: "Note \(1000 + $0)") })

    let results = try await store.results(Note.all.sorted(by: \.title))
    let rows = results.count
    let note = results[rows / 2]

    #expect(note?.id == 150)

    let page = try await results.elements(in: 0..<min(50, results.count))

    #expect(page.compactMap { $0?.id } == Array(0..<50))
  }

  @Test("a publisher sends what the sequence gives, on a thread of the store")
  nonisolated func publisher() async throws {
    let store = try Store(inMemoryFor: Note.self)
    let (shown, continuation) = AsyncStream.makeStream(of: Int.self)
    @Sendable func showBadge(_ count: Int) { continuation.yield(count) }

    let subscription = store.publisher(for: Note.where { !$0.isRead })
      .map(\.count)
      .removeDuplicates()
      .sink { _ in
      } receiveValue: { count in
        showBadge(count)
      }

    var counts = shown.makeAsyncIterator()
    #expect(await counts.next() == 0)
    try await store.insert(Note(id: 1, title: "Milk"))
    #expect(await counts.next() == 1)
    subscription.cancel()
  }

  @MainActor
  @Test("a user interface has observable lists and values")
  func userInterface() async throws {
    let store = try Store(inMemoryFor: Note.self)
    try await store.insert([Note(id: 1, title: "b"), Note(id: 2, title: "a")])
    let model = LiveResultsArticle.NotesModel(store)
    try await model.notes.load()
    #expect(model.notes.map(\.title) == ["a", "b"])
  }
}
