import Foundation
import Testing

@testable import Larder

@Suite("Statistics, backups on the disk, and references after a change of the schema", .timeLimit(.minutes(20)))
struct StatisticsTests {
  private let library: LibraryFile

  init() throws {
    library = try LibraryFile()
  }

  @Test("after many writes SQLite knows the values of an index")
  func analysed() async throws {
    let analysed = Gate()
    let store = try library.open(
      Store.Configuration(trace: { event in if event.sql.hasPrefix("PRAGMA main.optimize") { analysed.open() } }))
    try await store.insert((1000..<2000).map { makeBook(id: $0, title: "", year: $0 % 7) })
    await analysed.wait()
    let known = try await store.sql("select idx from sqlite_stat1 where tbl = 'LibraryBook'").compactMap {
      $0["idx"]?.text
    }
    #expect(known.contains("LibraryBook_year_index"))
    #expect(try await store.check().isHealthy)
  }

  @Test("indexes of which enough is known are left alone, until their table has grown tenfold")
  func known() throws {
    let events = Recorder<String>()
    let store = try library.open(Store.Configuration(trace: { events.append($0.sql) }))
    let analyses = { events.elements.filter { $0.hasPrefix("ANALYZE main.\"LibraryBook\"") }.count }
    try store.withWriter { $0.updateStatistics() }
    #expect(analyses() == 1)
    try store.withWriter { $0.updateStatistics() }
    #expect(analyses() == 1)
    try store.blocking.insert((100..<400).map { makeBook(id: $0, title: "") })
    try store.withWriter { $0.updateStatistics() }
    #expect(analyses() == 2)
  }

  @Test("a file that Larder did not make, and one that is opened to be read, get no statistics")
  func never() throws {
    let existing = try Store(at: library.file.path, for: [], configuration: Store.Configuration(schema: .existing))
    #expect(try existing.withWriter { $0.changesBeforeAnalysis } == .max)
    let readOnly = try library.open(Store.Configuration(access: .readOnly))
    #expect(try readOnly.withReader { $0.changesBeforeAnalysis } == .max)
  }

  // MARK: Backups

  @Test("the copy is synced before it has its name, and its folder after that")
  func synced() throws {
    let store = try library.open()
    let cover = try store.blocking.attach(Data("picture".utf8))
    try store.blocking.insert(makeBook(id: 40, title: "", cover: cover))
    let target = library.file.folder.appending(component: "copy").path(percentEncoded: false)
    let steps = Recorder<String>()
    let (folder, files) = (library.file.folder, FileManager.default)
    @Sendable func names() -> [String] {
      let all = (try? FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))) ?? []
      return all.filter { $0.hasPrefix("copy") }.map {
        $0.hasPrefix("copy.") && $0.contains("partial") ? "partial" : $0
      }
    }
    let sync = FileSync(
      file: { _ in steps.append("file \(Set(names()).sorted())") },
      folder: { path in
        #expect(URL(filePath: path).standardizedFileURL.path == folder.standardizedFileURL.path)
        steps.append("folder \(names().sorted())")
      })
    try store.withBackupConnection { try StoreBackup.write($0, to: target, sync: sync) }
    #expect(steps.elements == ["file [\"partial\"]", "folder [\"copy\", \"copy.attachments\"]"])
    #expect(files.fileExists(atPath: target))
    #expect(try Store(at: target, for: LibraryFile.models).blocking.count(LibraryBook.all) == 31)
  }

  @Test("a copy that cannot be brought to the disk is an error, and nothing is left of it", arguments: [true, false])
  func unsynced(isFile: Bool) async throws {
    struct Broken: Error {}
    let store = try library.open()
    let cover = try store.blocking.attach(Data("picture".utf8))
    try store.blocking.insert(makeBook(id: 40, title: "", cover: cover))
    let target = library.file.folder.appending(component: "copy").path(percentEncoded: false)
    let sync = FileSync(file: { _ in if isFile { throw Broken() } }, folder: { _ in throw Broken() })
    #expect(throws: Broken.self) {
      try store.withBackupConnection { try StoreBackup.write($0, to: target, sync: sync) }
    }
    #expect(!(try library.file.names.contains { $0.hasPrefix("copy") }))
    try await store.backup(to: target)
    #expect(FileManager.default.fileExists(atPath: target + ".attachments"))
  }
}

// MARK: - References

private enum Before {
  @Model("Team") struct Team { var id: Int }
  @Model("Player") struct Player { var id: Int; var team: ToOne<Team>? }
  @Model("Venue") struct Venue { var id: Int }
  @Model("Match") struct Match { var id: Int; var venue: ToOne<Venue>? }

  static let models: [any Model.Type] = [Team.self, Player.self, Venue.self, Match.self]
}

private enum After {
  @Model("Team") struct Team { var id: Int }
  @Model("Player") struct Player { var id: Int; var team: ToOne<Team>?; var name = "" }
  @Model("Venue") struct Venue { var id: Int }
  @Model("Match") struct Match { var id: Int; var venue: ToOne<Venue>? }

  static let models: [any Model.Type] = [Team.self, Player.self, Venue.self, Match.self]
}

@Suite("References after a change of the schema", .timeLimit(.minutes(20)))
struct SchemaReferenceTests {
  private let file: StoreFile
  private let statements = Recorder<String>()

  init() throws {
    file = try StoreFile()
    let store = try Store(at: file.path, for: Before.models)
    try store.blocking.write { db in
      try db.insert((1...3).map { Before.Team(id: $0) })
      try db.insert((1...3).map { Before.Player(id: $0, team: ToOne($0)) })
      try db.insert(Before.Venue(id: 1))
      try db.insert(Before.Match(id: 1, venue: ToOne(1)))
    }
  }

  private func open(_ migrations: [Migration] = []) throws {
    _ = try Store(
      at: file.path, for: After.models,
      configuration: Store.Configuration(migrations: migrations, trace: { [statements] in statements.append($0.sql) }))
  }

  private var checks: [String] { statements.elements.filter { $0.contains("foreign_key_check") } }

  @Test("only the tables that a change concerns have their references checked while the file is locked")
  func concerned() throws {
    try open()
    #expect(checks == ["PRAGMA main.foreign_key_check(\"Player\")"])
    statements.removeAll()
    try open([Migration("fewer venues") { db in try db.delete(After.Venue.self, 7) }])
    #expect(checks == ["PRAGMA main.foreign_key_check(\"Match\")"])
  }

  @Test("a migration that takes away what rows refer to is refused, and names the model")
  func broken() throws {
    let migration = Migration("fewer teams") { db in try db.sql("delete from Team where id = 2") }
    try file.expectRefusal(.referenced, naming: "Player") { try open([migration]) }
  }

  @Test("a reference that dangled before the change is no reason to refuse it, and one more is")
  func dangling() throws {
    let store = try Store(at: file.path, for: [], configuration: Store.Configuration(schema: .existing))
    try store.withWriter { connection in
      try connection.change("PRAGMA foreign_keys = OFF")
      try connection.change("INSERT INTO Player (id, team) VALUES (9, 99)")
    }
    try open()
    let worse = Migration("worse") { db in try db.sql("insert into Player (id, team, name) values (10, 100, '')") }
    let error = #expect(throws: StoreError.self) { try open([worse]) }
    #expect(error?.code == .referenced)
    try open([Migration("no worse") { db in try db.sql("insert into Player (id, team, name) values (10, 1, '')") }])
  }
}
