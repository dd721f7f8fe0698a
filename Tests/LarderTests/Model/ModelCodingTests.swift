import Foundation
import Larder
import LarderTestSupport
import Testing

@Model
struct LongPlay: Codable, Hashable {
  var id: Int
  var title: String
  @Relationship(inverse: \Tune.album) var tracks: ToMany<Tune> = []
  var year: Int?
  var fans: ToMany<Fan> = []
}

@Model
struct Tune: Codable, Hashable {
  var id: Int
  var name: String
  var album: ToOne<LongPlay>?
}

/// A model that isn't Codable.
@Model
struct Fan: Hashable {
  var id: Int
  @Relationship(inverse: \LongPlay.fans) var albums: ToMany<LongPlay> = []
}

@Suite("Codable models with relationships")
struct ModelCodingTests {
  private func text(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  @Test("references are keys, loaded rows are included, others left out, and no name of a macro is seen")
  func encoding() async throws {
    let store = try Store(inMemoryFor: LongPlay.self, Tune.self, Fan.self)
    try await store.save(LongPlay(id: 1, title: "Blue"))
    try await store.save([Tune(id: 1, name: "A", album: ToOne(1)), Tune(id: 2, name: "B")])
    try await store.save(Fan(id: 3))
    let bare = try #require(try await store.find(LongPlay.self, 1))
    #expect(try text(bare) == #"{"id":1,"title":"Blue"}"#)
    let loaded = try #require(try await store.first(LongPlay.all.including(\.tracks, \.fans)))
    #expect(try text(loaded) == #"{"id":1,"title":"Blue","tracks":[{"album":1,"id":1,"name":"A"}]}"#)
    #expect(try text(try await store.fetch(Tune.all)) == #"[{"album":1,"id":1,"name":"A"},{"id":2,"name":"B"}]"#)
    let copy = try JSONDecoder().decode(LongPlay.self, from: JSONEncoder().encode(loaded))
    #expect(copy == loaded && copy.tracks.loaded == loaded.tracks.loaded && copy.fans.loaded == nil)
  }

  @Test("JSON without the relationship, with null or with an empty list decodes")
  func decoding() throws {
    func tracks(_ json: String) throws -> [Tune]? {
      try JSONDecoder().decode(LongPlay.self, from: Data(json.utf8)).tracks.loaded
    }
    #expect(try tracks(#"{"id":1,"title":"x"}"#) == nil)
    #expect(try tracks(#"{"id":1,"title":"x","tracks":null,"fans":null}"#) == nil)
    #expect(try tracks(#"{"id":1,"title":"x","tracks":[],"fans":[{"id":1}]}"#) == [])
    #expect(try tracks(#"{"id":1,"title":"x","tracks":[{"id":2,"name":"n"}]}"#) == [Tune(id: 2, name: "n")])
    #expect(throws: DecodingError.self) { try tracks(#"{"id":1,"title":"x","tracks":[{"id":"no"}]}"#) }
    // JSON of an earlier version, with the name that the macro gives to the stored property.
    #expect(try tracks(#"{"id":1,"title":"x","_tracks":[],"_fans":[]}"#) == nil)
  }

  @Test("rows that are loaded, and are none, stay loaded")
  func emptyLists() async throws {
    let store = try Store(inMemoryFor: LongPlay.self, Tune.self, Fan.self)
    try await store.insert(LongPlay(id: 1, title: "Blue"))
    let album = try #require(try await store.first(LongPlay.all.including(\.tracks)))
    let copy = try JSONDecoder().decode(LongPlay.self, from: JSONEncoder().encode(album))
    #expect(copy.tracks.loaded == [])
    #expect(copy.tracks.map(\.id).isEmpty)
    let alone: [ToMany<Tune>] = [album.tracks, ToMany()]
    let again = try JSONDecoder().decode([ToMany<Tune>].self, from: JSONEncoder().encode(alone))
    #expect(again.map(\.loaded) == [[], nil])
  }

  @Test("printing shows the properties as they are declared")
  func printing() {
    let album = LongPlay(id: 1, title: "Blue", tracks: [Tune(id: 2, name: "A")])
    #expect(
      "\(album)"
        == #"LongPlay(id: 1, title: "Blue", tracks: ToMany<Tune>(1 loaded), year: nil, fans: ToMany<Fan>(not loaded))"#)
    var dumped = ""
    dump(album, to: &dumped)
    #expect(!dumped.contains("_tracks") && dumped.contains("- title: \"Blue\""))
  }
}
