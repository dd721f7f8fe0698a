import Foundation
import Larder
import LarderRandom
import Testing

@testable import LarderSync

@Model
private struct Album: Hashable {
  var id: String
  @Relationship(deleteRule: .cascade, inverse: \Song.album, ordered: true) var songs: ToMany<Song> =
    []
  @Relationship(inverse: \Singer.albums, ordered: true) var singers: ToMany<Singer> = []
}

@Model
private struct Song: Hashable {
  var id: String
  var album: ToOne<Album>
}

@Model
private struct Singer: Hashable {
  var id: String
  var albums: ToMany<Album> = []
}

@Model
private struct Shelf: Hashable {
  var id: String
  @Relationship(deleteRule: .nullify, inverse: \Book.shelf, ordered: true) var books: ToMany<Book> = []
}

@Model
private struct Book: Hashable {
  var id: String
  var shelf: ToOne<Shelf>?
}

@Model(expires: true)
private struct Offer: Hashable {
  var id: String
  var price: Int
}

@Suite("Sync: order and expiry", .overEachTransport)
struct SyncOrderTests {
  @Test("S7, S11: a deletion doesn't change the rows it leaves behind, which are in order once the row returns")
  func nullified() async throws {
    let (a, b) = (try Replica([Shelf.self]), try Replica([Shelf.self]))
    let shelf = Shelf(id: "s")
    let books = ["1", "2", "3"].map { Book(id: $0, shelf: ToOne(shelf)) }
    try await a.store.insert(shelf)
    try await a.store.insert(books)
    try await a.store.setLinks(shelf, \.books, [books[2], books[0], books[1]])
    try await a.exchange(with: b)
    let cursor = try await a.store.history().cursor
    try await a.store.delete(shelf)
    #expect(try await a.store.history(after: cursor).changes.map(\.table) == ["Shelf"])
    try await b.setClock(past: a)
    try await b.store.deleteAll(Book.where { $0.id == "1" })
    for _ in 0..<2 { try await a.exchange(with: b) }
    #expect(try await a.store.sync.conflicts().isEmpty)
    try await a.store.insert(shelf)
    for _ in 0..<2 { try await a.exchange(with: b) }
    for replica in [a, b] { #expect(try await replica.store.fetch(shelf.books.all).map(\.id) == ["3", "2"]) }
    try await expectEqual([a, b])
  }

  @Test(
    "S11: links, unlinks and moves on both sides converge, no pair is there twice",
    arguments: 0..<3 as Range<UInt64>)
  func order(seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    let replicas = [try Replica([Album.self]), try Replica([Album.self])]
    let album = Album(id: "a")
    let songs = (0..<4).map { Song(id: "\($0)", album: ToOne(album)) }
    let singers = (0..<4).map { Singer(id: "\($0)") }
    try await replicas[0].store.insert(album)
    try await replicas[0].store.insert(songs)
    try await replicas[0].store.insert(singers)
    try await replicas[0].exchange(with: replicas[1])
    for _ in 0..<5 {
      for replica in replicas {
        try await replica.store.setLinks(album, \.songs, songs.shuffled(using: &random))
        let chosen = singers.shuffled(using: &random).prefix(Int.random(in: 0...4, using: &random))
        try await replica.store.setLinks(album, \.singers, Array(chosen))
      }
      if Bool.random(using: &random) { try await replicas[1].exchange(with: replicas[0]) }
    }
    try await replicas[0].exchange(with: replicas[1])
    try await replicas[1].exchange(with: replicas[0])
    try await expectEqual(replicas, "seed \(seed)")
    #expect(try await replicas[0].store.fetch(album.songs.all).count == 4)
    let linked = try await replicas[0].store.fetch(album.singers.all).map(\.id)
    #expect(Set(linked).count == linked.count)
  }

  @Test("S11: a row that goes to the same place of another list has that place on the other replica")
  func moved() async throws {
    let (a, b) = (try Replica([Album.self]), try Replica([Album.self]))
    let (first, second) = (Album(id: "first"), Album(id: "second"))
    try await a.store.insert([first, second])
    try await a.store.insert(["1", "2"].map { Song(id: $0, album: ToOne(first)) })
    try await a.store.insert(["3", "4"].map { Song(id: $0, album: ToOne(second)) })
    try await a.exchange(with: b)
    // The first of both lists change places, and each stays the first.
    try await a.store.write { db in
      try db.save([Song(id: "3", album: ToOne(first)), Song(id: "1", album: ToOne(second))])
      try db.setLinks(first, \.songs, ["3", "2"].map { Song(id: $0, album: ToOne(first)) })
      try db.setLinks(second, \.songs, ["1", "4"].map { Song(id: $0, album: ToOne(second)) })
    }
    try await a.exchange(with: b)
    try await expectEqual([a, b])
    for replica in [a, b] {
      #expect(try await replica.store.fetch(first.songs.all).map(\.id) == ["3", "2"])
      #expect(try await replica.store.fetch(second.songs.all).map(\.id) == ["1", "4"])
    }
  }

  @Test("S11: rows come after one with the greatest position, and move there, on both sides")
  func greatestPosition() async throws {
    let (a, b) = (try Replica([Album.self]), try Replica([Album.self]))
    let (first, second) = (Album(id: "first"), Album(id: "second"))
    try await a.store.insert([first, second])
    try await a.store.insert([Song(id: "1", album: ToOne(first)), Song(id: "2", album: ToOne(second))])
    try await a.store.insert(["1", "2"].map { Singer(id: $0) })
    try await a.store.link(first, \.singers, Singer(id: "1"))
    try await a.store.sql("UPDATE Song SET _album_position = 9223372036854775807")
    try await a.store.sql("UPDATE Album_singers SET position = 9223372036854775807")
    try await a.exchange(with: b)
    try await b.store.insert(Song(id: "3", album: ToOne(first)))
    try await b.store.save(Song(id: "2", album: ToOne(first)))
    try await b.store.link(first, \.singers, Singer(id: "2"))
    for _ in 0..<2 { try await a.exchange(with: b) }
    try await expectEqual([a, b])
    for replica in [a, b] {
      #expect(try await replica.store.count(first.songs.all) == 3)
      #expect(try await replica.store.count(first.singers.all) == 2)
    }
  }

  @Test("S13: an extension holds against the expiry elsewhere, with all values")
  func expiry() async throws {
    let (a, b) = (try Replica([Offer.self]), try Replica([Offer.self]))
    try await a.store.save(Offer(id: "o", price: 5), expires: Date(timeIntervalSinceNow: 3600))
    try await a.exchange(with: b)
    #expect(try await b.store.count(Offer.all) == 1)
    try a.executeOutside("UPDATE Offer SET _expires = 1")
    try await a.store.removeExpired()
    let cursor = try await a.store.history().cursor
    #expect(try await a.store.history(after: cursor).changes.isEmpty)
    try await b.store.save(Offer(id: "o", price: 6), expires: Date(timeIntervalSinceNow: 7200))
    try await b.exchange(with: a)
    #expect(try await a.store.find(Offer.self, "o")?.price == 6)
    #expect(try await a.rows() == b.rows())
  }

  @Test("S13: expiry itself sends nothing, and takes nothing away elsewhere")
  func expiryIsSilent() async throws {
    let (a, b) = (try Replica([Offer.self]), try Replica([Offer.self]))
    try await a.store.save(Offer(id: "o", price: 5), expires: Date(timeIntervalSinceNow: 3600))
    try await a.exchange(with: b)
    let cursor = try await a.store.history().cursor
    try a.executeOutside(
      "UPDATE _larder_sync_clock SET is_applying = 1; UPDATE Offer SET _expires = 1; UPDATE _larder_sync_clock SET is_applying = 0"
    )
    #expect(try await a.store.removeExpired() == 1)
    #expect(try await a.store.history(after: cursor).changes.isEmpty)
    try await a.exchange(with: b)
    #expect(try await b.store.find(Offer.self, "o")?.price == 5)
  }
}
