import Foundation
import Larder
import Testing

struct Player: Codable, Sendable {
  var key: String
  var name: String
  var score = 0
}

@Suite("Documentation: Documents")
struct DocumentsArticleTests {
  private let file: StoreFile
  private let store: Store

  init() throws {
    file = try StoreFile()
    store = try file.open()
  }

  @Test("documents are set, updated and found, in transactions too")
  func untyped() async throws {
    let people = store.documents("people")
    try await people.set("ada", ["name": "Ada", "age": 36, "languages": ["English", "French"]])
    try await people.update("ada", ["age": 37])
    let keys = try await people.keys(sort: "age desc") { $0.age > 30 && $0.languages.contains("French") }
    #expect(keys == ["ada"])
    try await store.write { db in
      let people = db.documents("people")
      try people.set("bo", json: #"{"name": "Bo", "address": {"city": "Graz"}}"#)
      try people.delete("ada")
    }
    #expect(try await people.keys() == ["bo"])
    #expect(try await people["bo"]?["address"]?["city"] == "Graz")
    try await people.set("cy", ["languages": ["German"]])
    let nearby = try await people.keys(sort: "address.city") { $0.address.city == "Graz" || $0.languages[0] == "German" }
    let same = try await people.keys(where: [Condition("address.city", .equal, "Graz"), Condition(set: 1, "languages[0]", .equal, "German")])
    try await people.index(on: "address.city")
    #expect(nearby == ["cy", "bo"] && same.sorted() == ["bo", "cy"])
  }

  @Test("values of a type are saved under their keys, found by conditions and by SQL, and watched")
  func typed() async throws {
    let players = store.documents("players", of: Player.self)
    try await players.save(Player(key: "p1", name: "Mia", score: 12))
    let mia = try await players.get("p1")
    #expect(mia?.score == 12)
    let conditions = [
      Condition("score", .greaterThan, 10), Condition("name", .equal, "Mia"), Condition(set: 1, "name", .contains, "Zo"),
    ]
    let found = try await players.fetch(where: conditions, sort: "name, score desc", limit: 20)
    for player in found { print(player.key, player.value.name) }
    try await players.index(on: "score")
    #expect(found.map(\.key) == ["p1"])
    let rows = try await store.sql("select name, score from players where score > \(10) order by name")
    let names = try await store.sql("select json_extract(_json, '$.name') as name from players where key = 'p1'")
    #expect(rows.map { $0["name"] } == ["Mia"] && names.map { $0["name"] } == ["Mia"])
    try await players.set("guest", Player(key: "guest", name: "Guest"), expires: .now + 3600)
    for try await players in players.live(sort: "name") {
      print(players.map(\.value.name))
      if players.count == 2 { break }
    }
  }
}
