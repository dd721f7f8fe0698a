import Foundation
import LarderArchive
import Testing

private protocol Animal: Codable {}
private struct Dog: Animal {}
private struct Cat: Animal {}

private enum Article {
  struct Creature: Archivable, Sendable, Equatable {
    static let archiveTag = "Creature"

    var title: String
    var rating: Double
  }

  struct Zoo: Codable {
    var animals: [Archived<any Animal>]
  }
}

private enum NewerArticle {
  struct Creature: Archivable, Sendable, Equatable {
    static let archiveTag = "Creature"
    static let archiveVersion = 2

    var name: String
    var stars: Int
  }
}

@Suite("Documentation: Archives and packages")
struct ArchivesArticleTests {
  private typealias Creature = Article.Creature
  private typealias Zoo = Article.Zoo

  private let temporary: TemporaryFolder

  init() throws { temporary = try TemporaryFolder() }

  @Test("D1: the root page: write and read")
  func rootPage() throws {
    let url = temporary.file("creature")

    let creature = Creature(title: "Kraken", rating: 4.5)
    try Archive.write(creature, to: url)
    let copy = try Archive.read(Creature.self, from: url)

    #expect(copy == creature)
  }

  @Test("D1: encode, decode and limits")
  func encode() throws {
    let creature = Creature(title: "Kraken", rating: 4.5)
    do {
      let data = try Archive.encode(creature)
      let copy = try Archive.decode(Creature.self, from: data)
      #expect(copy == creature)
    }
    let data = try Archive.encode(creature)

    let limits = Archive.Limits(size: 1 << 20, depth: 20, count: 10_000, expandedSize: 4 << 20)
    let copy = try Archive.decode(Creature.self, from: data, limits: limits)

    #expect(copy == creature)
  }

  @Test("D2: the allow-list")
  func allowList() throws {
    let data = try Archive.encode(Zoo(animals: [Archived(Dog()), Archived(Cat())]))

    let zoo = try Archive.decode(Zoo.self, from: data, allowing: [Dog.self, Cat.self])

    #expect(zoo.animals.first?.value is Dog)
  }

  private func older() throws -> Data { try Archive.encode(Creature(title: "Kraken", rating: 4.4)) }

  @Test("D6: versions and migrations")
  func migrations() throws {
    typealias Creature = NewerArticle.Creature
    let data = try older()

    let rename = ArchiveMigration(of: "Creature", from: 1) { value in
      value["name"] = value["title"]
      value["stars"] = .integer(Int64((value["rating"]?.real ?? 0).rounded()))
    }
    let creature = try Archive.decode(Creature.self, from: data, migrations: [rename])

    #expect(creature == Creature(name: "Kraken", stars: 4))
  }

  @Test("D3: folders of packages")
  func packages() throws {
    let url = temporary.url
    let creature = Creature(title: "Kraken", rating: 4.5)
    let picture = Data([1, 2])
    let thumbnail = Data([1])

    let folder = try PackageFolder(at: url, extension: "scarycreature")
    let package = try folder.add { parts in
      try parts.setValue(creature, for: "data")
      try parts.setData(picture, for: "full.png")
    }

    for package in try folder.packages() {
      let creature = try package.value(Creature.self, for: "data")
      print(package.name, creature.title)
    }

    try package.edit { parts in
      try parts.setData(thumbnail, for: "thumbnail.png")
      try parts.remove("full.png")
    }
    let deleted = try folder.delete(package)
    try folder.restore(deleted)

    #expect(try package.partNames() == ["data", "thumbnail.png"])
    try Data([9]).write(to: temporary.file("1.scarycreature/thumbnail.png"))

    let inspection = try package.inspect()
    for (part, error) in inspection.problems { print(part, error) }
    let readable = inspection.readable

    #expect(readable == ["data"] && inspection.problems.keys.sorted() == ["thumbnail.png"])
  }

  @Test("D5: snapshots")
  func snapshots() throws {
    let package = try PackageFolder(at: temporary.url, extension: "x").add { parts in
      for name in ["full.png", "thumbnail.png"] { try parts.setData(Data([1]), for: name) }
    }

    let snapshot = try package.snapshot()
    let picture = try snapshot.data(for: "full.png")
    let thumbnail = try snapshot.data(for: "thumbnail.png")

    #expect(picture == thumbnail)
  }

  @Test("D6: a plain member and the step of its holder")
  func plainMember() throws {
    struct Zoo: Archivable {
      static let archiveTag = "Zoo"
      static let archiveVersion = 2
      struct Person: Codable { var name: String }
      var director: Person
    }
    struct OldZoo: Archivable {
      static let archiveTag = "Zoo"
      struct Person: Codable { var title: String }
      var director: Person
    }

    let step = ArchiveMigration(of: "Zoo", from: 1) { value in
      let title = value["director"]?["title"]
      value["director"]?["name"] = title
    }

    let old = try Archive.encode(OldZoo(director: OldZoo.Person(title: "Ada")))
    #expect(try Archive.decode(Zoo.self, from: old, migrations: [step]).director.name == "Ada")
  }

  @Test("D5: large parts and packages as one file")
  func largeParts() async throws {
    let (movieURL, copyURL, zipURL) = (temporary.file("movie"), temporary.file("copy"), temporary.file("package.zip"))
    try Data("movie".utf8).write(to: movieURL)
    let lines = ["one", "two"]
    let stream = AsyncStream<Data> { continuation in
      continuation.yield(Data([1]))
      continuation.finish()
    }
    let folder = try PackageFolder(at: temporary.file("packages"), extension: "scarycreature")
    let package = try folder.add { try $0.setData(Data([1]), for: "full.png") }
    var size = 0

    try package.edit { parts in
      try parts.setContents(of: movieURL, for: "movie.mov")
      try parts.setContents(for: "log.txt") { writer in
        for line in lines { try writer.write(Data(line.utf8)) }
      }
    }

    let download = try await folder.stage(stream)
    try package.edit { try $0.setPart(download, for: "download") }

    let snapshot = try package.snapshot()
    let reader = try snapshot.reader(for: "movie.mov")
    while let piece = try reader.read() { size += piece.count }
    for try await piece in snapshot.pieces(of: "log.txt") { size += piece.count }
    try snapshot.copy("movie.mov", to: copyURL)

    try package.snapshot().writeZip(to: zipURL)
    let copy = try folder.add { try $0.setParts(ofZip: zipURL) }
    try package.replaceAll { try $0.setParts(ofZip: zipURL) }

    #expect(size == 11 && FileManager.default.contentsEqual(atPath: movieURL.path, andPath: copyURL.path))
    #expect(
      try copy.partNames() == ["download", "full.png", "log.txt", "movie.mov"]
        && package.partNames() == copy.partNames())
  }
}
