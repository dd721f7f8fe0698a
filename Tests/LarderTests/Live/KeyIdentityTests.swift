import Foundation
import Testing

@testable import Larder

private let composed = "é"
private let decomposed = "e\u{301}"

@Model
private struct Word: Hashable {
  var id: String
  var note: String = ""
  @Relationship(inverse: \Meaning.word) var meanings: ToMany<Meaning> = []
  @Relationship(inverse: \Topic.words) var topics: ToMany<Topic> = []

  static func == (left: Word, right: Word) -> Bool { left.id == right.id && left.note == right.note }
  func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

@Model
private struct Meaning: Hashable {
  var id: Int
  var word: ToOne<Word>
}

@Model
private struct Topic: Hashable {
  var id: String
  var words: ToMany<Word> = []
}

/// Keys that Swift takes for the same and the file does not.
@Suite("Keys: canonically equal texts", .timeLimit(.minutes(20)))
struct KeyIdentityTests {
  private let store: Store

  init() throws {
    store = try Store(inMemoryFor: Word.self, Meaning.self, Topic.self)
    let db = store.blocking
    try db.insert([Word(id: composed, note: "one"), Word(id: decomposed, note: "two")])
    try db.insert([
      Meaning(id: 1, word: ToOne(composed)), Meaning(id: 2, word: ToOne(decomposed)),
      Meaning(id: 3, word: ToOne(decomposed)),
    ])
    try db.insert([Topic(id: composed), Topic(id: decomposed)])
    try db.link(Word(id: composed), \.topics, Topic(id: composed))
    try db.link(Word(id: decomposed), \.topics, Topic(id: decomposed))
  }

  @Test("results give each key its row")
  func results() async throws {
    let results = try await store.results(Word.all.sorted(by: \.note))
    #expect(results.map { $0?.note } == ["one", "two"])
    #expect(try await results.elements(in: 0..<2).map { $0?.note } == ["one", "two"])
  }

  @Test("what is included belongs to the row whose key it has")
  func including() throws {
    let words = try store.blocking.fetch(Word.all.sorted(by: \.note).including(\.meanings).including(\.topics))
    #expect(words.map { $0.meanings.map(\.id) } == [[1], [2, 3]])
    #expect(words.map { $0.topics.map { $0.id.unicodeScalars.count } } == [[1], [2]])
    let nested = try store.blocking.fetch(Word.all.sorted(by: \.note).including(\.meanings, then: \.word))
    #expect(nested.map { $0.meanings.map { $0.word.loaded?.note } } == [["one"], ["two", "two"]])
    let sorted = try store.blocking.fetch(Word.all.sorted(by: \.note).including(\.topics) { $0.sorted(by: \.id) })
    #expect(sorted.map { $0.topics.map { $0.id.unicodeScalars.count } } == [[1], [2]])
    let meanings = try store.blocking.fetch(Meaning.all.sorted(by: \.id).including(\.word))
    #expect(meanings.map { $0.word.loaded?.note } == ["one", "two", "two"])
  }

  @Test("sections do not merge")
  func sections() async throws {
    var sections = store.live(Word.all.sorted(by: \.note), sectionedBy: \.id).makeAsyncIterator()
    let first = try #require(try await sections.next())
    #expect(first.map { $0.map(\.note) } == [["one"], ["two"]])
    #expect(first[0].id != first[1].id && first[0].key == first[1].key)
    var others = store.live(Word.all.sorted(by: \.note), sectionedBy: { [$0.id, ""] }).makeAsyncIterator()
    #expect(try await others.next()?.map { $0.map(\.note) } == [["one"], ["two"]])
    var optional = store.live(Word.all.sorted(by: \.note), sectionedBy: { Optional($0.id) }).makeAsyncIterator()
    #expect(try await optional.next()?.map { $0.map(\.note) } == [["one"], ["two"]])
  }

  @Test("a context compares each row with the version that it read of this row, and of no other")
  func versions() throws {
    let context = Context(store)
    #expect(try context.fetch(Word.all.sorted(by: \.note)).count == 2)
    context.update(Word(id: decomposed, note: "mine"))
    try context.save()
    context.update(Word(id: composed, note: "mine, too"))
    try context.save()
    #expect(try store.blocking.fetch(Word.all.sorted(by: \.note)).map(\.note) == ["mine", "mine, too"])
    _ = try context.fetch(Word.all.sorted(by: \.note))
    try store.blocking.update(Word(id: composed, note: "theirs"))
    context.update(Word(id: decomposed, note: "again"))
    try context.save()
    context.update(Word(id: composed, note: "again"))
    #expect(throws: StoreError.self) { try context.save() }
  }

  @Test("changes name the row that changed, and an update from one form to the other is one")
  func changes() async throws {
    var changes = store.changes(Word.all.sorted(by: \.id)).makeAsyncIterator()
    #expect(try await changes.next()?.values.map(\.note) == ["two", "one"])
    try await store.update(Word(id: decomposed, note: "zero"))
    let change = try #require(try await changes.next())
    #expect(change.values.map(\.note) == ["zero", "one"] && change.updated == [0] && change.moved.isEmpty)
    try await store.update(Word(id: composed, note: composed))
    #expect(try await changes.next()?.updated == [1])
    try await store.update(Word(id: composed, note: decomposed))
    #expect(try await changes.next()?.updated == [1])
  }
}
