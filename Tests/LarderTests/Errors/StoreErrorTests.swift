import Foundation
import Larder
import Testing

@Model("Secret")
private struct Secret: Hashable {
  enum Kind: String, Sendable { case plain }

  var id: Int
  @Attribute(.unique, .searchable) var text: String
  var ratio: Double = 0
  var big: UInt64 = 0
  var kind: Kind = .plain
  var values: [String: Int] = [:]
}

@Model("Secret")
private struct NarrowSecret: Hashable {
  var id: Int8
  @Attribute(.unique) var text: UUID
  var ratio: Int
  var big: UInt8
  var values: [Int]
}

@Model("Secret")
private struct UniqueSecret: Hashable {
  var id: Int
  @Attribute(.searchable) var text: String
  @Attribute(.unique) var ratio: Double = 0
  var big: UInt64 = 0
  var kind: Secret.Kind = .plain
  var values: [String: Int] = [:]
}

@Suite("StoreError")
struct StoreErrorTests {
  private let file: StoreFile
  private let word = "SENTINEL"
  private let number = 47_114_711

  init() throws {
    file = try StoreFile()
    try file.write([
      Secret(id: 1, text: word, ratio: Double(number)), Secret(id: 2, text: "other", ratio: Double(number)),
    ])
  }

  private func error(_ body: () throws -> Void) -> StoreError? {
    do {
      try body()
      return nil
    } catch {
      return error as? StoreError
    }
  }

  @Test("equal errors have equal hashes, and the code, the place and the message tell errors apart")
  func equality() throws {
    let db = try file.open(Secret.self).blocking
    let taken = try #require(error { try db.insert(Secret(id: 1, text: "x")) })
    let again = try #require(error { try db.insert(Secret(id: 1, text: "y")) })
    let other = try #require(error { try db.insert(Secret(id: 3, text: word)) })
    let wrong = try #require(error { try db.insert(Secret(id: 3, text: "z", ratio: .nan)) })
    #expect(taken == again)
    #expect(taken.hashValue == again.hashValue)
    #expect(Set([taken, again, other, wrong]).count == 3)
    #expect(taken.code.description == "duplicate")
    #expect(taken.description == "StoreError.duplicate: \(taken.message)")
  }

  @Test("no error shows a stored value")
  func descriptions() throws {
    var errors: [StoreError?] = []
    do {
      let db = try file.open(Secret.self).blocking
      errors += [
        error { try db.insert(Secret(id: 1, text: word)) },
        error { try db.insert(Secret(id: 3, text: word)) },
        error { try db.insert(Secret(id: 3, text: word, ratio: .nan)) },
        error { try db.insert(Secret(id: 3, text: word, big: .max)) },
        error { try db.update(Secret(id: number, text: word)) },
        error { try db.sql("insert into Secret (id, text) values (\(number), \(word))") },
        error { try db.sql("insert into Secret (id) values (\(word))") },
        error { try db.sql("update Secret set ratio = \(word)") },
        error { try db.sql("select nothing from Secret where text = \(word)") },
      ]
      for text in [#"{"SENTINEL": "x"}"#, "SENTINEL", #"{"SENTINEL": {"SENTINEL": 47114711}}"#, "[47114711]"] {
        try db.sql("update Secret set \"values\" = \(text) where id = 1")
        errors.append(error { _ = try db.fetch(Secret.all) })
      }
      try db.sql("update Secret set \"values\" = '{}', kind = \(word)")
      errors.append(error { _ = try db.fetch(Secret.all) })
      try db.sql("update Secret set kind = 'plain'")
      try db.sql(
        "create trigger refused before update on Secret begin select raise(abort, 'refused') where new.big = 5; end")
      errors.append(error { try db.sql("update Secret set big = 5") })
    }
    let keep = Migration("keep") { _ in }
    errors += [
      error { _ = try file.open(UniqueSecret.self) },
      error { _ = try file.open(NarrowSecret.self) },
      error { _ = try file.open(NarrowSecret.self, migrations: [keep]) },
      error {
        _ = try file.open(
          Secret.self, migrations: [Migration("insert") { db in try db.insert(Secret(id: 1, text: "SENTINEL")) }])
      },
    ]
    for (position, error) in errors.enumerated() {
      let error = try #require(error, "error \(position) did not come")
      #expect(!error.description.contains(word), "\(error)")
      #expect(!error.description.contains("\(number)"), "\(error)")
      #expect(!error.message.isEmpty)
    }
  }

  @Test("codes are values with names")
  func codes() {
    let codes: [StoreError.Code] = [
      .notFound, .duplicate, .constraint, .referenced, .invalidValue, .schemaMismatch, .newerFile, .notAStore, .corrupt,
      .busy, .diskFull, .readOnly,
      .inputOutput, .unsupported, .migrationFailed,
    ]
    #expect(Set(codes).count == codes.count)
    #expect(Set(codes.map(\.description)).count == codes.count)
  }

  @Test("what SQLite cannot do is unsupported, and the store goes on")
  func unsupported() async throws {
    let store = try file.open(Secret.self)
    for statement in ["selec 1", "select 1; select 2", "begin", ""] as [SQL] {
      let error = await #expect(throws: StoreError.self) { try await store.sql(statement) }
      #expect(error?.code == .unsupported)
    }
    #expect(try await store.count(Secret.all) == 2)
  }
}
