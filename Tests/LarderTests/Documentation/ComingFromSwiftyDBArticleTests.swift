import Foundation
import Larder
import Testing

@Model("Dog")
struct KennelDog: Hashable {
  var id: Int
  var name: String?
  var owner: String?
  @Attribute(name: "birth") var secondsOfBirth: Double?
  @Transient var isBarking = false

  var birth: Date? { secondsOfBirth.map { Date(timeIntervalSince1970: $0) } }
}

@Suite("Documentation: Coming from SwiftyDB", .timeLimit(.minutes(20)))
@MainActor
struct ComingFromSwiftyDBArticleTests {
  @Test("objects are added, updated, filtered, read as rows and deleted")
  func objects() async throws {
    let store = try Store(inMemoryFor: KennelDog.self)
    let dogs = [KennelDog(id: 1, name: "Ghost", owner: "John Snow"), KennelDog(id: 2, name: "Max")]
    try await store.insert(dogs)
    try await store.save(KennelDog(id: 2, name: "Max", owner: "Mia"))
    let ghost = try await store.find(KennelDog.self, 1)
    #expect(ghost == dogs[0])

    let filter = KennelDog.where { $0.id < 3 && $0.name.like("G%") && !$0.id.isIn([7, 8]) }
    let found = try await store.fetch(filter.sorted(by: \.name).limit(10))
    let rows = try await store.rows(filter)
    let nameless = try await store.fetch(KennelDog.where { $0.name == nil || $0.owner != "Mia" })
    let count = try await store.deleteAll(KennelDog.where { $0.owner == "Mia" })
    #expect(found.map(\.id) == [1])
    #expect(rows.first?["owner"] == "John Snow")
    #expect(nameless.map(\.id) == [1])
    #expect(count == 1)

    let db = store.blocking
    try db.save(KennelDog(id: 3, name: "Rex"))
    let rex = try db.first(KennelDog.where { $0.name == "Rex" })
    #expect(rex?.id == 3)
  }

  /// A file with the table that SwiftyDB makes of a class `Dog` with the key `id`.
  private func makeOldFile(in folder: ArticleFolder) async throws -> URL {
    let url = folder.file("dogtopia.sqlite")
    #expect(FileManager.default.createFile(atPath: url.path(percentEncoded: false), contents: nil))
    let maker = try Store(at: url, schema: .existing)
    try await maker.sql(
      "CREATE TABLE Dog ('id' NUMERIC, 'name' TEXT, 'owner' TEXT, 'birth' REAL, 'toys' BLOB, PRIMARY KEY (id))")
    try await maker.sql(
      "INSERT INTO Dog VALUES (1, 'Ghost', 'John Snow', 839289600.0, x'00'), (2, NULL, NULL, NULL, NULL)")
    return url
  }

  @Test("the old file is used where it is")
  func adopting() async throws {
    let folder = try ArticleFolder()
    let oldURL = try await makeOldFile(in: folder)
    let kennel = try Store(at: oldURL, for: KennelDog.self, schema: .existing)
    let all = try await kennel.fetch(KennelDog.all)
    #expect(all.map(\.name) == ["Ghost", nil])
    #expect(all.first?.birth == Date(timeIntervalSince1970: 839_289_600))
    try await kennel.save(KennelDog(id: 1, name: "Ghost", owner: "Jon"))
    #expect(
      try await kennel.sql("select owner, toys, birth from Dog where id = 1").map(\.values) == [
        ["Jon", .blob(Data([0])), .null]
      ])
    #expect(try await kennel.sql("select name from sqlite_master where type = 'table'").count == 1)
    #expect(
      try await kennel.sql("select * from Dog where id = 2", as: (Int, String?, String?, Double?, Data?).self).first?.1
        == nil)
  }

  @Test("the old file is read once into a new one")
  func importing() async throws {
    let folder = try ArticleFolder()
    let (oldURL, newURL) = (try await makeOldFile(in: folder), folder.file("kennel.larder"))
    for _ in 0..<2 {
      let store = try Store(at: newURL, for: KennelDog.self)
      let old = try Store(at: oldURL, for: KennelDog.self, schema: .existing)
      let everything = try await old.fetch(KennelDog.all)
      try await store.once("dogs of the old file") { db in try db.insert(everything) }
      #expect(try await store.fetch(KennelDog.all.sorted(by: \.id)) == everything)
    }
  }
}

extension Row {
  fileprivate var values: [Value] { map(\.value) }
}
