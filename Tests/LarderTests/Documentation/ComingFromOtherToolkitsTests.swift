import Foundation
import Larder
import Testing

@Model("player")
struct ArenaPlayer: Hashable {
  var id: Int
  var name: String
  var score: Int
}

@Model
struct ChoreList: Hashable {
  var id: Int
  var title: String
}

@Model
struct Chore: Hashable {
  var id: Int
  var title: String
  var isDone = false
  var list: ToOne<ChoreList>
}

@Suite("Documentation: Coming from GRDB and SQLiteData")
struct ComingFromOtherToolkitsTests {
  @Test("a file that GRDB made is opened as it is")
  func grdb() async throws {
    let folder = try ArticleFolder()
    let url = folder.file("players.sqlite")
    #expect(FileManager.default.createFile(atPath: url.path(percentEncoded: false), contents: nil))
    let maker = try Store(at: url, schema: .existing)
    try await maker.sql("CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
    try await maker.sql(
      "CREATE TABLE player (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, score INTEGER NOT NULL)")
    try await maker.sql("INSERT INTO player (name, score) VALUES ('Barbara', 20), ('Arthur', 30), ('Craig', 5)")
    await maker.close()

    let store = try Store(at: url, for: ArenaPlayer.self, schema: .existing)
    let best = try await store.fetch(ArenaPlayer.where { $0.score > 10 }.sorted(by: \.name))

    #expect(best.map(\.name) == ["Arthur", "Barbara"])
  }

  @Test("conditions and selections go through relationships")
  func structuredQueries() async throws {
    let store = try Store(inMemoryFor: Chore.self)
    try await store.save([ChoreList(id: 1, title: "Work"), ChoreList(id: 2, title: "Home")])
    try await store.save([
      Chore(id: 1, title: "Write", list: ToOne(1)), Chore(id: 2, title: "Call", isDone: true, list: ToOne(1)),
      Chore(id: 3, title: "Cook", list: ToOne(2)),
    ])

    let open = Chore.where { !$0.isDone && $0.list.title.hasPrefix("W") }.sorted(by: \.title)
    let lines = try await store.fetch(open.select { ($0.title, $0.list.title) })  // [(String, String)]

    #expect(lines.map(\.0) == ["Write"])
  }
}
