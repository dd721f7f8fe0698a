import Foundation
import Larder
import LarderTestSupport
import Testing

@Model("lefts")
private struct LeftRow: Hashable {
  var id: Int
  var other: Int?
  var own: Int?
}

@Model("rights")
private struct RightRow: Hashable {
  var id: Int
  var other: Int?
}

/// Rows of a file with foreign keys that are checked at each statement, round in circles between two tables and within
/// one, beside plain Swift.
@Suite("Random foreign keys of adopted files")
struct RandomForeignKeyTests {
  private struct Plain: Equatable {
    var lefts: [Int: LeftRow] = [:]
    var rights: [Int: RightRow] = [:]

    /// Whether each reference leads to a row.
    var isWhole: Bool {
      lefts.values.allSatisfy { row in
        row.other.map { rights[$0] != nil } ?? true && row.own.map { lefts[$0] != nil } ?? true
      } && rights.values.allSatisfy { $0.other.map { lefts[$0] != nil } ?? true }
    }

    func isReferred(toLeft id: Int) -> Bool {
      lefts.values.contains { $0.own == id && $0.id != id } || rights.values.contains { $0.other == id }
    }

    func isReferred(toRight id: Int) -> Bool { lefts.values.contains { $0.other == id } }
  }

  @Test(
    "a save writes rows in an order that the file takes, if each reference leads to a row in the end", arguments: 0..<4)
  func saves(_ number: Int) throws {
    let seed = TestSeed.value &+ UInt64(number)
    var generator = SplitMix64(seed: seed &* 197)
    let file = try StoreFile()
    try file.sql(
      "create table lefts (id integer primary key, other integer references rights, own integer references lefts)",
      creating: true)
    try file.sql("create table rights (id integer primary key, other integer references lefts)")
    let store = try Store(at: file.path, for: LeftRow.self, RightRow.self, schema: .existing)
    let context = Context(store)
    let child = context.child()
    let db = number.isMultiple(of: 2) ? child : context
    var saved = Plain()
    for round in 0..<40 {
      let place: Comment = "seed \(seed), round \(round)"
      var plain = saved
      for _ in 0..<Int.random(in: 1...6, using: &generator) { try change(db, &plain, &generator, place) }
      try check(db, plain, place)
      if db === child { try child.save() }
      if plain.isWhole {
        #expect(throws: Never.self, place) { try context.save() }
        saved = plain
      } else {
        let error = #expect(throws: StoreError.self, place) { try context.save() }
        #expect(error?.code == .referenced, place)
        context.rollback()
      }
      try check(store.blocking, saved, place)
      try check(db, saved, place)
    }
    TestSeed.tried(40, .operations, "saves with foreign keys of other programs")
  }

  private func change(
    _ db: Context, _ plain: inout Plain, _ generator: inout SplitMix64, _ place: Comment
  ) throws {
    let id = Int.random(in: 1...5, using: &generator)
    // Mostly rows that are there.
    let lefts = generator.once(in: 8) ? [1, 2, 3, 4, 5] : plain.lefts.keys.sorted() + [id]
    let rights = generator.once(in: 8) ? [1, 2, 3, 4, 5] : plain.rights.keys.sorted() + [id]
    switch Int.random(in: 0..<7, using: &generator) {
    case 0..<3:
      let row = LeftRow(id: id, other: generator.pickOrNil(rights), own: generator.pickOrNil(lefts))
      try db.save(row)
      plain.lefts[id] = row
    case 3, 4:
      let row = RightRow(id: id, other: generator.pickOrNil(lefts))
      try db.save(row)
      plain.rights[id] = row
    case 5:
      let writer: any StoreWriter = db
      do {
        #expect(try writer.delete(LeftRow.self, id) == (plain.lefts[id] != nil), place)
        plain.lefts[id] = nil
      } catch let error as StoreError {
        #expect(error.code == .referenced && plain.isReferred(toLeft: id), "\(place): \(error)")
      }
    default:
      let writer: any StoreWriter = db
      do {
        #expect(try writer.delete(RightRow.self, id) == (plain.rights[id] != nil), place)
        plain.rights[id] = nil
      } catch let error as StoreError {
        #expect(error.code == .referenced && plain.isReferred(toRight: id), "\(place): \(error)")
      }
    }
  }

  private func check(_ db: some StoreReader, _ plain: Plain, _ place: Comment) throws {
    try #require(
      try db.fetch(LeftRow.all.sorted(by: \.id)) == plain.lefts.values.sorted { $0.id < $1.id }, place)
    try #require(
      try db.fetch(RightRow.all.sorted(by: \.id)) == plain.rights.values.sorted { $0.id < $1.id }, place)
  }
}
