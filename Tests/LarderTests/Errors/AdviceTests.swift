import Foundation
import Larder
import LarderTestSupport
import Testing

@Suite("What a message advises is what helps")
struct AdviceTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func error(_ body: () async throws -> Void) async -> StoreError? {
    do {
      try await body()
      return nil
    } catch {
      return error as? StoreError
    }
  }

  @Test("a taken unique value: the value is named, and saving is not the remedy of a save")
  func takenValue() async throws {
    let store = try Store(inMemoryFor: Adviser.self)
    try await store.insert([Adviser(id: 1, email: "a"), Adviser(id: 2, email: "b")])
    let saved = try #require(await error { try await store.save(Adviser(id: 2, email: "a")) })
    #expect(saved.code == .duplicate && saved.model == "Adviser" && saved.property == "email")
    #expect(saved.message.contains("another value") && !saved.message.contains("save(_:)"), "\(saved.message)")
    let inserted = try #require(await error { try await store.insert(Adviser(id: 3, email: "a")) })
    #expect(inserted.property == "email" && !inserted.message.contains("save(_:)"), "\(inserted.message)")
    // The key is another matter: there, saving changes the row.
    let key = try #require(await error { try await store.insert(Adviser(id: 1, email: "c")) })
    #expect(key.code == .duplicate && key.message.contains("save"), "\(key.message)")
    #expect(try await store.fetch(Adviser.all.sorted(by: \.id)).map(\.email) == ["a", "b"])
  }

  @Test("a backup into a folder that isn't there says so")
  func backup() async throws {
    let store = try Store(inMemoryFor: Adviser.self)
    let missing = folder.file("missing/backup.larder")
    let refusal = try #require(await error { try await store.backup(to: missing) })
    #expect(refusal.code == .notFound && refusal.message.contains("no folder"), "\(refusal.message)")
    #expect(!refusal.message.contains("read-only"))
    try FileManager.default.createDirectory(
      at: missing.deletingLastPathComponent(), withIntermediateDirectories: true)
    try await store.backup(to: missing)
  }

  @Test("linking a row that isn't stored names both models and the property, from either side")
  func link() async throws {
    let store = try Store(inMemoryFor: Adviser.self, Advisee.self, Interest.self)
    try await store.insert(Adviser(id: 1, email: "a"))
    try await store.insert(Advisee(id: 1))
    try await store.insert(Interest(id: 1))
    let child = try #require(
      await error { try await store.link(Adviser(id: 1, email: ""), \.advisees, Advisee(id: 9)) })
    #expect(child.code == .notFound && child.message.contains("Advisee"), "\(child.message)")
    let owner = try #require(
      await error { try await store.link(Adviser(id: 9, email: ""), \.advisees, Advisee(id: 1)) })
    #expect(owner.code == .referenced, "\(owner.message)")
    #expect(owner.message.contains("Adviser") && owner.message.contains("Advisee"), "\(owner.message)")
    for (client, topic) in [(1, 9), (9, 1)] {
      let pair = try #require(
        await error { try await store.link(Advisee(id: client), \.interests, Interest(id: topic)) })
      #expect(pair.code == .referenced, "\(pair.message)")
      #expect(pair.message.contains("Advisee") && pair.message.contains("Interest"), "\(pair.message)")
      #expect(pair.message.contains("Save the \(topic == 9 ? "Interest" : "Advisee")"), "\(pair.message)")
    }
    #expect(try await store.count(Advisee.where { !$0.interests.isEmpty || $0.adviser != nil }) == 0)
  }

  @Test("a file that another program made: opening advises .existing, which lists all that is missing at once")
  func foreign() async throws {
    let foreign = try StoreFile()
    try foreign.sql("create table Adviser (id integer primary key, e text)", creating: true)
    try foreign.sql("create table Interest (x)")
    let file = foreign.path
    let opening = try #require(await error { _ = try Store(at: file, for: Adviser.self, Interest.self) })
    #expect(opening.message.contains("schema: .existing"), "\(opening.message)")
    let adopting = try #require(
      await error {
        _ = try Store(
          at: file, for: Adviser.self, Interest.self, schema: .existing)
      })
    let adoptingPlan = try #require(
      await error {
        _ = try Store.plan(
          at: file, for: Adviser.self, Interest.self, configuration: Store.Configuration(schema: .existing))
      })
    for refusal in [adopting, adoptingPlan] {
      #expect(refusal.code == .schemaMismatch)
      for part in ["Adviser.email", "Interest.id", "Interest.note"] {
        #expect(refusal.message.contains(part), "\(part): \(refusal.message)")
      }
    }
    let planning = try #require(await error { _ = try Store.plan(at: file, for: Adviser.self, Interest.self) })
    #expect(planning.code == opening.code && planning.message == opening.message)
  }

  @Test("a row that a query looked for and didn't find is told apart from one that wasn't loaded")
  func missingRow() async throws {
    let store = try Store(inMemoryFor: Adviser.self, Advisee.self, Interest.self)
    try await store.insert(Adviser(id: 1, email: "a"))
    try await store.insert(Advisee(id: 1, adviser: ToOne(1)))
    let query = Advisee.all.including(\.adviser) { $0.where { $0.email == "other" } }
    let client = try #require(try await store.fetch(query).first)
    #expect(client.adviser == ToOne(1) && client.adviser?.loaded == nil)
    try await store.save(client)
    #expect(try await store.fetch(Advisee.where { $0.adviser.email == "a" }).count == 1)
    for isLoaded in [false, true] {
      let ended = try await processResult(isLoaded)
      let words = String(decoding: ended.standardErrorContent, as: UTF8.self)
      #expect(
        words.contains("found no Adviser") == isLoaded && words.contains("was not loaded") != isLoaded, "\(words)")
    }
  }

  private func processResult(_ isLoaded: Bool) async throws -> ExitTest.Result {
    let result =
      if isLoaded {
        await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
          let store = try Store(inMemoryFor: Adviser.self, Advisee.self, Interest.self)
          try store.blocking.insert(Adviser(id: 1, email: "a"))
          try store.blocking.insert(Advisee(id: 1, adviser: ToOne(1)))
          let query = Advisee.all.including(\.adviser) { $0.where { $0.email == "other" } }
          print(try store.blocking.fetch(query)[0].adviser?.email ?? "")
        }
      } else {
        await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
          let store = try Store(inMemoryFor: Adviser.self, Advisee.self, Interest.self)
          try store.blocking.insert(Adviser(id: 1, email: "a"))
          try store.blocking.insert(Advisee(id: 1, adviser: ToOne(1)))
          print(try store.blocking.fetch(Advisee.all)[0].adviser?.email ?? "")
        }
      }
    return try #require(result)
  }
}

@Model
struct Adviser: Hashable {
  var id: Int
  @Attribute(.unique) var email: String
  @Relationship(inverse: \Advisee.adviser) var advisees: ToMany<Advisee> = []
}

@Model
struct Advisee: Hashable {
  var id: Int
  var adviser: ToOne<Adviser>?
  @Relationship(inverse: \Interest.advisees) var interests: ToMany<Interest> = []
}

@Model
struct Interest: Hashable {
  var id: Int
  var note = ""
  var advisees: ToMany<Advisee> = []
}
