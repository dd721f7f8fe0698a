import Foundation
import Larder
import Testing

@Model
struct Composer: Codable {
  var id: UUID = .v7()
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Piece.composer) var pieces: ToMany<Piece> = []
  @Derived(.sum(\Composer.pieces, \Piece.price)) var worth: Decimal = 0
}

@Model
struct Piece: Codable {
  var id: UUID = .v7()
  var price: Decimal
  var composer: ToOne<Composer>
  var genre: ToOne<Genre>?
  @Relationship(inverse: \Keyword.pieces, ordered: true) var keywords: ToMany<Keyword> = []
}

@Model
struct Genre: Codable {
  var id: UUID = .v7()
  var name: String
}

@Model
struct Keyword: Codable {
  var id: String
  var pieces: ToMany<Piece> = []
}

@Suite("Documentation: Relationships")
@MainActor
struct RelationshipsArticleTests {
  @Test("models, queries, loading, changing and derived properties")
  func article() async throws {
    let store = try Store(inMemoryFor: Composer.self)

    let ada = Composer(name: "Ada")
    let novel = Genre(name: "Novel")
    let notes = Piece(price: 3, composer: ToOne(ada), genre: ToOne(novel))
    try await store.write { db in
      try db.insert(notes)
      try db.insert(ada)
      try db.insert(novel)
    }

    let byAda = Piece.where { $0.composer.name == "Ada" || $0.genre == nil }
    let large = Composer.where { $0.pieces.contains { $0.price > 1000 } }
    let busy = Composer.where { $0.pieces.count > 2 && $0.pieces.sum(\.price) > 0 }
    let own = Piece.where { $0.composer == ada }.sorted(by: \.genre.name)
    let perGenre = try await store.fetch(Piece.all.grouped(by: \.genre.name) { ($0.key, $0.sum(\.price)) })
    let tagged = try await store.fetch(notes.keywords.all)
    let novels = Piece.where(#Predicate<Piece> { $0.genre?.name == "Novel" })

    for composer in try await store.fetch(Composer.all.including(\.pieces, then: \.genre)) {
      for piece in composer.pieces {
        print(composer.name, piece.price, piece.genre?.name ?? "–")
      }
    }
    let recent = Composer.all.including(\.pieces) { $0.where { $0.price > 0 }.sorted(by: \.price, order: .reverse) }

    let classic = Keyword(id: "classic")
    try await store.insert(classic)
    try await store.link(notes, \.keywords, classic)
    try await store.setLinks(notes, \.keywords, [classic])
    try await store.unlink(notes, \.keywords, classic)

    var ben = Composer(name: "Ben")
    ben.pieces = [Piece(price: 1, composer: ToOne(ben)), Piece(price: 2, composer: ToOne(ben))]
    try await store.save(ben, including: \.pieces)

    let archive = try Store(inMemoryFor: Composer.self)
    let json = try await store.export(Composer.where { $0.name == "Ben" }.including(\.pieces, then: \.keywords))
    try await archive.import(Composer.self, from: json)
    let copies = try await store.import(Composer.self, from: json, keys: .new)
    #expect(try await archive.fetch(Piece.all.sorted(by: \.price)).map(\.price) == [1, 2])
    #expect(copies.count == 1 && copies != [ben.id])
    try await store.delete(Composer.self, copies[0])

    let worth = try await store.find(Composer.self, ada.id)?.worth  // Decimal?
    let differences = try await store.verifyDerived()  // none

    let balance = try await store.sum(Piece.where { $0.composer == ada }, of: \.price)
    #expect(balance == 3)
    #expect(try await store.fetch(byAda).map(\.price).sorted() == [1, 2, 3])
    #expect(try await store.fetch(large).isEmpty)
    #expect(try await store.fetch(busy).isEmpty)
    #expect(try await store.fetch(own).count == 1)
    #expect(perGenre.map(\.0) == ["Novel"])
    #expect(tagged.isEmpty)
    #expect(try await store.fetch(novels).map(\.price) == [3])
    #expect(try await store.fetch(recent.sorted(by: \.name)).map { $0.pieces.map(\.price) } == [[3], [2, 1]])
    #expect(worth == 3)
    #expect(differences == [])
  }

  @Test("several relationships are loaded together, and one behind the other")
  func including() async throws {
    let store = try Store(inMemoryFor: Composer.self)
    let (ada, novel, classic) = (Composer(name: "Ada"), Genre(name: "Novel"), Keyword(id: "classic"))
    let notes = Piece(price: 3, composer: ToOne(ada.id), genre: ToOne(novel.id))
    try await store.write { db in
      try db.insert(ada)
      try db.insert(novel)
      try db.insert(classic)
      try db.insert(notes)
      try db.link(notes, \.keywords, classic)
    }

    let whole = Piece.all.including(\.composer, \.genre, \.keywords)
    let branches = Composer.all.including(\.pieces, then: \.genre).including(\.pieces, then: \.keywords)

    let piece = try #require(try await store.first(whole))
    #expect(piece.composer.loaded?.name == "Ada")
    #expect(piece.genre?.loaded?.name == "Novel")
    #expect(piece.keywords.loaded?.map(\.id) == ["classic"])
    let composer = try #require(try await store.first(branches))
    #expect(composer.pieces.map { $0.genre?.loaded?.name } == ["Novel"])
    #expect(composer.pieces.map { $0.keywords.loaded?.map(\.id) } == [["classic"]])
    #expect(try await store.first(Piece.all)?.composer.loaded?.name == nil)
  }

  @Test("any encoder nests the rows that are loaded, and JSON without them decodes")
  func coding() async throws {
    let store = try Store(inMemoryFor: Composer.self)
    let ada = Composer(name: "Ada")
    let notes = Piece(price: 3, composer: ToOne(ada.id))
    try await store.insert(ada)
    try await store.insert(notes)
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    var printed = ""
    func print(_ value: Any) { Swift.print(value, terminator: "", to: &printed) }

    let first = Keyword(id: "first")
    let text = try encoder.encode(first)  // {"id":"first"}
    let bare = try JSONDecoder().decode(Keyword.self, from: text)
    print(bare)  // Keyword(id: "first", pieces: ToMany<Piece>(not loaded))

    #expect(String(decoding: text, as: UTF8.self) == #"{"id":"first"}"#)
    #expect(bare.pieces.loaded?.count == nil)
    #expect(printed == #"Keyword(id: "first", pieces: ToMany<Piece>(not loaded))"#)
    let null = try JSONDecoder().decode(Keyword.self, from: Data(#"{"id":"first","pieces":null}"#.utf8))
    #expect(null.pieces.loaded?.count == nil)

    let composers = try await store.fetch(Composer.all.including(\.pieces))
    let nested = try encoder.encode(composers)  // …,"pieces":[{"composer":"…","id":"…","price":3}],…
    let copies = try JSONDecoder().decode([Composer].self, from: nested)  // with their pieces loaded

    let piece = #"{"composer":"\#(ada.id)","id":"\#(notes.id)","price":3}"#
    #expect(
      String(decoding: nested, as: UTF8.self) == #"[{"id":"\#(ada.id)","name":"Ada","pieces":[\#(piece)],"worth":3}]"#)
    let copy = try #require(copies.first)
    #expect(copy.pieces.loaded?.map(\.id) == [notes.id])
    let archive = try Store(inMemoryFor: Composer.self)
    try await archive.save(copy, including: \.pieces)
    #expect(try await archive.fetch(Piece.all).map(\.id) == [notes.id])
  }
}
