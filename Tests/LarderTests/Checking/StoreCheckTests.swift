import Foundation
import Synchronization
import Testing

@testable import Larder

@Suite("Checking a whole store", .timeLimit(.minutes(20)))
struct StoreCheckTests {
  private let library: LibraryFile

  init() throws {
    library = try LibraryFile()
  }

  /// The findings of a check, which both kinds of calls agree on.
  private func findings(limit: Int = 100) async throws -> [StoreReport.Finding] {
    let store = try library.open()
    store.attachmentCollector.stop()
    let report = try await store.check(limit: limit)
    #expect(try store.blocking.check(limit: limit) == report)
    let readOnly = try library.open(Store.Configuration(access: .readOnly))
    #expect(try await readOnly.check(limit: limit) == report)
    #expect(report.isHealthy == report.findings.isEmpty)
    for finding in report.findings {
      #expect(!finding.message.isEmpty)
      // Short numbers stand in other words as well.
      for value in finding.key.values where "\(value)".count > 3 {
        #expect(!"\(report)".contains("\(value)"), "a stored value is shown")
      }
    }
    return report.findings
  }

  @Test("a store that is as it should be is healthy, on the disk and in memory")
  func healthy() async throws {
    do {
      let store = try library.open()
      try await store.documents("people").save("ada", json: "{\"name\": \"Ada\"}")
      let cover = try await store.attach(Data("picture".utf8))
      try await store.insert(makeBook(id: 40, title: "Ünïcode, NUL\u{0} and more more more", cover: cover))
      try await store.insert(makeBook(id: .min, title: "the least key"))
      try await store.insert(makeBook(id: .max, title: "the greatest key"))
      try await store.updateAll(LibraryBook.where { $0.id == 3 }) { $0.title.set("other words") }
      try await store.save(makeLoan(id: 1), expires: .now + 1000)
    }
    #expect(try await findings().isEmpty)
    let memory = try Store(inMemoryFor: LibraryShelf.self, LibraryBook.self)
    try await memory.insert((1...500).map { makeBook(id: $0, title: "word \($0)") })
    let report = try await memory.check()
    #expect(report.isHealthy && report.description == "The store is healthy.")
    #expect(try memory.blocking.check().isHealthy)
    try await memory.insert(makeBook(id: 501, title: "afterwards"))
    #expect(try await memory.check().isHealthy)
  }

  @Test("a reference to a row that is not there is found with its model, its property and what it refers to")
  func references() async throws {
    try library.tamper("DELETE FROM LibraryShelf WHERE id = 2", "UPDATE LibraryBook SET shelf = 7777 WHERE id = 3")
    let found = try await findings().filter { $0.kind == .danglingReference }
    // The book of the first shelf, and the ten of the second.
    #expect(found.count == 11)
    for finding in found {
      #expect(
        finding.model == "LibraryBook" && finding.property == "shelf" && finding.referencedModel == "LibraryShelf")
      #expect(finding.message.contains("LibraryBook.shelf") && finding.message.contains("LibraryShelf"))
    }
    #expect(found.contains { $0.key == ["id": 3] })
  }

  @Test("a derived value that another program has changed is found")
  func derived() async throws {
    try library.tamper("UPDATE LibraryShelf SET bookCount = 987654 WHERE id = 2")
    let found = try await findings()
    #expect(found.map(\.kind) == [.derivedValue])
    #expect(
      found.first?.model == "LibraryShelf" && found.first?.property == "bookCount" && found.first?.key == ["id": 2])
  }

  @Test("an attachment whose bytes are missing or changed is found, with the row that names it")
  func attachments() async throws {
    let digests: [String]
    do {
      let store = try library.open()
      var attached: [String] = []
      for number in 0..<3 {
        let cover = try await store.attach(Data("picture \(number)".utf8))
        try await store.insert(makeBook(id: 4000 + number, title: "", cover: cover))
        attached.append(cover.digest)
      }
      digests = attached
    }
    let folder = AttachmentFolder(ofStore: library.file.path)
    try FileManager.default.removeItem(atPath: folder.path(of: digests[0]))
    try Data("picture X".utf8).write(to: URL(filePath: folder.path(of: digests[1])))
    let found = try await findings()
    #expect(Set(found.map(\.kind)) == [.missingAttachment, .damagedAttachment] && found.count == 2)
    #expect(found.allSatisfy { $0.model == "LibraryBook" && $0.property == "cover" })
    #expect(found.first { $0.kind == .missingAttachment }?.key == ["id": 4000])
    #expect(found.first { $0.kind == .damagedAttachment }?.key == ["id": 4001])
  }

  @Test(
    "a full-text index that has other words than its table is found",
    arguments: [
      // A word that is no longer there, one that came, one at another place, a row that is not there.
      "UPDATE LibraryBook SET title = 'title number seven' WHERE id = 7",
      "UPDATE LibraryBook SET title = 'title number 7 more' WHERE id = 7",
      "UPDATE LibraryBook SET title = 'number title 7' WHERE id = 7", "DELETE FROM LibraryBook WHERE id = 7",
      "INSERT INTO LibraryBook (id, title, year) VALUES (77, 'unknown', 0)",
    ])
  func searchIndex(_ statement: String) async throws {
    let triggers = ["insert", "delete", "update"].map { "_larder_search_LibraryBook_\($0)" }
    let saved = try library.file.sql("select sql, name from sqlite_master where type = 'trigger'").filter { row in
      row["name"]?.text.map(triggers.contains) ?? false
    }
    let definitions = saved.compactMap { $0["sql"]?.text }
    #expect(definitions.count == 3)
    for trigger in triggers { try library.tamper("DROP TRIGGER \(trigger)") }
    try library.tamper(statement)
    for definition in definitions { try library.tamper(definition) }
    let found = try await findings()
    #expect(found.map(\.kind) == [.searchIndex])
    #expect(found.first?.model == "LibraryBook" && found.first?.property == "title")
    try library.tamper("INSERT INTO _larder_search_LibraryBook (_larder_search_LibraryBook) VALUES ('rebuild')")
    #expect(try await findings().isEmpty)
  }

  @Test(
    "what REPLACE by another program leaves behind is found, and rebuildDerived() repairs it",
    arguments: [
      "INSERT OR REPLACE INTO LibraryBook (id, title, year, shelf) VALUES (3, 'replaced words', 0, 2)",
      "REPLACE INTO LibraryBook (id, title, year, shelf) SELECT id, 'other', year, 3 FROM LibraryBook WHERE id < 9",
      "UPDATE OR REPLACE LibraryBook SET id = 4 WHERE id = 3",
    ])
  func replaced(_ statement: String) async throws {
    try library.tamper("PRAGMA recursive_triggers = OFF", statement)
    let found = try await findings()
    #expect(Set(found.map(\.kind)) == [.derivedValue, .searchIndex])
    #expect(found.contains { $0.model == "LibraryShelf" && $0.property == "bookCount" })
    #expect(found.contains { $0.model == "LibraryBook" && $0.property == "title" })
    let store = try library.open()
    try await store.rebuildDerived()
    #expect(try await store.check().isHealthy)
    let books = try await store.fetch(LibraryBook.all)
    for shelf in try await store.fetch(LibraryShelf.all) {
      #expect(shelf.bookCount == books.filter { $0.shelf?.id == shelf.id }.count)
    }
    let titled = try await store.fetch(LibraryBook.search("title"))
    #expect(titled.count == books.filter { $0.title.contains("title") }.count)
    try LibraryFile.close(store)
    #expect(try await findings().isEmpty)
  }

  @Test("a full-text index that cannot be read is a finding")
  func brokenSearchIndex() async throws {
    try library.tamper("DELETE FROM _larder_search_LibraryBook_data")
    let found = try await findings()
    #expect(found.contains { $0.kind == .searchIndex && $0.model == "LibraryBook" })
  }

  @Test("a damaged index, and damaged pages, are findings and no error; what was not damaged is still looked at")
  func pages() async throws {
    let rows = try library.file.sql(
      "select rootpage, (select page_size from pragma_page_size) as size from sqlite_master where name = 'LibraryBook_year_index'"
    )
    let page = try #require(rows.first?["rootpage"]?.integer)
    let size = try #require(rows.first?["size"]?.integer)
    try library.tamper("UPDATE LibraryShelf SET bookCount = 987654 WHERE id = 2")
    var bytes = try library.file.bytes
    let start = Int((page - 1) * size)
    bytes.replaceSubrange(start..<(start + 64), with: Data(repeating: 0xAA, count: 64))
    try bytes.write(to: URL(filePath: library.file.path))
    let found = try await findings()
    #expect(found.contains { $0.kind == .damage && $0.model == "LibraryBook" && $0.message.contains("REINDEX") })
    #expect(found.contains { $0.kind == .derivedValue })
  }

  @Test("an index without some of its rows is found, and no number of a row is shown")
  func index() async throws {
    let root = try #require(
      try library.file.sql("select rootpage from sqlite_master where name = 'LibraryBook_year_index'").first?[
        "rootpage"]?.integer)
    let size = try #require(try library.file.sql("select page_size from pragma_page_size").first?["page_size"]?.integer)
    let range = Int((root - 1) * size)..<Int(root * size)
    let old = try library.file.bytes[range]
    try library.tamper("INSERT INTO LibraryBook (id, title, year) VALUES (987654, 'one more', 1)")
    var bytes = try library.file.bytes
    bytes.replaceSubrange(range, with: old)
    try bytes.write(to: URL(filePath: library.file.path))
    let found = try await findings()
    #expect(!found.isEmpty && found.allSatisfy { $0.kind == .damage && $0.model == "LibraryBook" })
    #expect(!found.contains { $0.message.contains("987654") })
    try library.tamper("REINDEX")
    #expect(try await findings().isEmpty)
  }

  @Test("a file that is no database any more is a finding")
  func noDatabase() async throws {
    let store = try library.open()
    try Data(repeating: 1, count: 8192).write(to: URL(filePath: library.file.path))
    let report = try await store.check()
    #expect(report.findings.first?.kind == .damage)
    #expect(!report.isHealthy)
  }

  @Test("a report keeps so many findings of each kind, and counts the others")
  func limited() async throws {
    try library.tamper(
      """
      WITH RECURSIVE n (i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < 20999) \
      INSERT INTO LibraryBook (id, title, year, shelf) SELECT i, 'x', i, i FROM n
      """, "UPDATE LibraryShelf SET bookCount = -1")
    let report = try await library.open().check(limit: 5)
    #expect(report.counts == [.danglingReference: 20_000, .derivedValue: 3])
    #expect(report.findings.count == 8 && report.omittedCount == 19_995)
    #expect(report.description.hasSuffix("- and 19995 more"))
    let none = try await library.open().check(limit: -1)
    #expect(none.findings.isEmpty && !none.isHealthy && none.omittedCount == 20_003)
  }

  @Test("progress is told of each part, and of the end")
  func progress() async throws {
    let steps = Recorder<StoreReport.Progress>()
    let report = try await library.open().check { steps.append($0) }
    #expect(report.isHealthy)
    let total = try #require(steps.elements.first?.total)
    #expect(steps.elements.map(\.completed) == Array(0...total))
    #expect(Set(steps.elements.map(\.step)).isSuperset(of: [.pages, .references, .derivedValues, .searchIndexes]))
    #expect(steps.elements.contains { $0.step == .searchIndexes && $0.model == "LibraryBook" })
  }

  @Test("a check can be cancelled at each of its parts, and the store goes on", arguments: [false, true])
  func cancelled(_ isInMemory: Bool) async throws {
    let store = isInMemory ? try Store(inMemoryFor: LibraryShelf.self, LibraryBook.self) : try library.open()
    let parts = Recorder<Int>()
    _ = try await store.check { parts.append($0.completed) }
    for part in parts.elements {
      let (reached, cancelled) = (Gate(), Gate())
      let check = Task {
        try await store.check { progress in
          guard progress.completed == part else { return }
          reached.open()
          try? cancelled.waitBlocking()
        }
      }
      await reached.wait()
      check.cancel()
      cancelled.open()
      await #expect(throws: CancellationError.self) { try await check.value }
    }
    try await store.insert(makeBook(id: 9000, title: "afterwards"))
    #expect(try await store.check().isHealthy)
  }

  @Test("reads and writes go on while a check is in the middle of its work")
  func beside() async throws {
    let store = try library.open()
    let (reached, written) = (Gate(), Gate())
    let check = Task {
      try await store.check { progress in
        guard progress.step == .references else { return }
        reached.open()
        try? written.waitBlocking()
      }
    }
    await reached.wait()
    try await store.insert(makeBook(id: 9000, title: "meanwhile"))
    try await store.write { try $0.insert(makeBook(id: 9001, title: "meanwhile")) }
    #expect(try await store.count(LibraryBook.all) == 32)
    written.open()
    #expect(try await check.value.isHealthy)
  }

  @Test("a check of a large file takes no more memory than one of a small file")
  func memory() async throws {
    let file = try StoreFile()
    let lines = try await ChildProcess("check", file.path, 60_000).rest()
    #expect(lines.first == "healthy")
    let kilobytes = try #require(lines.last.flatMap { Int($0) })
    // The file has about 40 MB; a connection's cache 2 MB.
    #expect(kilobytes < 20_000)
  }
}
