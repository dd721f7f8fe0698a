import Larder
import Testing

@Model
private struct Playlist: Hashable {
  var id: Int
  @Relationship(deleteRule: .cascade, inverse: \Track.playlist, ordered: true) var tracks: ToMany<Track> = []
  @Relationship(inverse: \Mood.playlists, ordered: true) var moods: ToMany<Mood> = []
}

@Model
private struct Track: Hashable {
  var id: Int
  var playlist: ToOne<Playlist>
}

@Model
private struct Mood: Hashable {
  var id: Int
  var playlists: ToMany<Playlist> = []
}

@Suite("Rows after one with the greatest position")
struct LastPositionTests {
  private static let models: [any Model.Type] = [Playlist.self, Track.self, Mood.self]
  private let file: StoreFile
  private let store: Store
  private let first = Playlist(id: 1)

  init() throws {
    file = try StoreFile()
    store = try Store(at: file.path, for: Self.models)
    let db = store.blocking
    try db.insert([first, Playlist(id: 2)])
    try db.insert(Track(id: 1, playlist: ToOne(1)))
    try db.insert((1...3).map { Mood(id: $0) })
    try db.link(first, \.moods, Mood(id: 1))
    try db.sql("update Track set _playlist_position = 9223372036854775807")
    try db.sql("update Playlist_moods set position = 9223372036854775807")
  }

  @Test("C4: they can be inserted, moved and linked, in a store and in a context", arguments: [false, true])
  func rows(inContext: Bool) throws {
    let context = Context(store)
    let db: any StoreWriter = inContext ? context : store.blocking
    try db.insert([Track(id: 2, playlist: ToOne(1)), Track(id: 3, playlist: ToOne(2))])
    try db.save(Track(id: 3, playlist: ToOne(1)))
    try db.link(first, \.moods, Mood(id: 2))
    try db.link(first, \.moods, Mood(id: 3))
    if inContext { try context.save() }
    #expect(try Set(store.blocking.fetch(first.tracks.all).map(\.id)) == [1, 2, 3])
    #expect(try Set(store.blocking.fetch(first.moods.all).map(\.id)) == [1, 2, 3])
    #expect(try store.blocking.sql("select max(_playlist_position) from Track", as: Int.self) == [.max])
    try store.blocking.setLinks(first, \.tracks, [3, 1, 2].map { Track(id: $0, playlist: ToOne(1)) })
    #expect(try store.blocking.fetch(first.tracks.all).map(\.id) == [3, 1, 2])
  }

  @Test("C4: a file with triggers of an earlier version gets new ones")
  func earlierTriggers() throws {
    let db = store.blocking
    let triggers = try db.sql(
      "select sql from sqlite_master where type = 'trigger' and name like '!_larder!_order!_%' escape '!'",
      as: String.self)
    #expect(triggers.count == 3)
    for trigger in triggers {
      let name = try #require(trigger.split(separator: "\"").dropFirst().first)
      try db.sql(SQL(raw: "drop trigger \"\(name)\""))
      let former = trigger.replacing("min(", with: "coalesce(").replacing("9223372036854775806", with: "0")
      #expect(former != trigger)
      try db.sql(SQL(raw: former))
    }
    #expect(throws: StoreError.self) { try db.insert(Track(id: 2, playlist: ToOne(1))) }
    try db.sql("update _larder_models set schema = json_remove(schema, '$.ordering')")
    let again = try Store(at: file.path, for: Self.models).blocking
    try again.insert(Track(id: 2, playlist: ToOne(1)))
    try again.link(first, \.moods, Mood(id: 2))
    #expect(try again.count(Track.all) == 2)
  }
}
