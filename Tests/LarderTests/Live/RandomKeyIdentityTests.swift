import Foundation
import Larder
import LarderTestSupport
import Testing

@Model("Terms")
private struct Term: Hashable {
  var id: String
  var rank: Int
  var note: String = ""
  @Relationship(inverse: \Sense.term) var senses: ToMany<Sense> = []
}

@Model("Senses")
private struct Sense: Hashable {
  var id: Int
  @Relationship(deleteRule: .cascade) var term: ToOne<Term>
}

/// Rows whose keys are texts that Swift, or UUID, takes for the same and the file does not, beside plain Swift that
/// compares bytes.
@Suite("Random keys that are canonically equal", .timeLimit(.minutes(20)))
struct RandomKeyIdentityTests {
  private static let keys = [
    "é", "e\u{301}", "Å", "A\u{30A}", "\u{212B}", "ự", "u\u{31B}\u{323}", "u\u{323}\u{31B}", "한",
    "\u{1112}\u{1161}\u{11AB}",
    "e", "a",
    // One UUID, in texts that are keys of different rows.
    "E621E1F8-C36C-495A-93FC-0C247A3E6E5F", "e621e1f8-c36c-495a-93fc-0c247a3e6e5f",
    "E621E1F8-C36C-495A-93FC-0C247A3E6E5f",
  ]

  private struct Plain {
    var terms: [[UInt8]: (rank: Int, note: String)] = [:]
    var senses: [Int: [UInt8]] = [:]

    var sorted: [([UInt8], (rank: Int, note: String))] { terms.map { ($0, $1) }.sorted { $0.1.rank < $1.1.rank } }

    func senses(of key: [UInt8]) -> [Int] { senses.filter { $0.value == key }.keys.sorted() }
  }

  private static func bytes(_ key: String) -> [UInt8] { Array(key.utf8) }

  @Test("what is included, results, sections and changes are of the row whose bytes the key has")
  func rounds() async throws {
    var generator = SplitMix64(seed: TestSeed.value &* 89)
    let store = try Store(inMemoryFor: Term.self, Sense.self)
    let context = Context(store)
    let query = Term.all.sorted(by: \.rank)
    var changes = store.changes(query).makeAsyncIterator()
    var shown = try #require(try await changes.next()?.values)
    var plain = Plain()
    for round in 0..<80 {
      let place: Comment = "seed \(TestSeed.value), round \(round)"
      let before = plain
      let isContext = generator.once(in: 3)
      let steps = Int.random(in: 1...6, using: &generator)
      func write(_ db: some StoreWriter) throws {
        for _ in 0..<steps { try step(db, &plain, &generator) }
      }
      if isContext {
        // What is read now is what the changes are compared with.
        _ = try context.fetch(Term.all)
        _ = try context.fetch(Sense.all)
        try write(context)
        try check(context, plain, place)
        try context.save()
      } else {
        try store.blocking.write { try write($0) }
      }
      try check(store.blocking, plain, place)
      let isChange =
        before.sorted.map(\.0) != plain.sorted.map(\.0)
        || before.sorted.map { "\($0.1)" } != plain.sorted.map { "\($0.1)" }
      if isChange {
        let change = try #require(try await changes.next())
        let rows = change.applying(to: shown)
        #expect(rows.map { Self.bytes($0.id) } == plain.sorted.map(\.0), place)
        #expect(rows.map(\.note) == plain.sorted.map(\.1.note), place)
        shown = change.values
      }
      guard round.isMultiple(of: 4) else { continue }
      let results = try await store.results(query)
      let found = try await results.elements(in: 0..<plain.terms.count)
      #expect(found.map { Self.bytes($0?.id ?? "") } == plain.sorted.map(\.0), place)
      #expect(found.map { $0?.note } == plain.sorted.map(\.1.note), place)
      var sections = store.live(query, sectionedBy: \.id).makeAsyncIterator()
      #expect(try await sections.next()?.map { $0.map(\.note) } == plain.sorted.map { [$0.1.note] }, place)
    }
    TestSeed.tried(80 * 3, .queries, "reads by canonically equal keys")
  }

  private func step(_ db: some StoreWriter, _ plain: inout Plain, _ generator: inout SplitMix64) throws {
    let key = generator.pick(Self.keys)
    let bytes = Self.bytes(key)
    switch Int.random(in: 0..<8, using: &generator) {
    case 0..<4:
      // Distinct ranks, so that there is one order.
      let rank =
        Int.random(in: 0..<1000, using: &generator) * 100 + (Self.keys.firstIndex { Self.bytes($0) == bytes } ?? 0)
      let note = generator.pick(["one", "two", "é", "e\u{301}"])
      try db.save(Term(id: key, rank: rank, note: note))
      plain.terms[bytes] = (rank, note)
    case 4..<6:
      guard plain.terms[bytes] != nil else { return }
      let id = Int.random(in: 0..<30, using: &generator)
      try db.save(Sense(id: id, term: ToOne(key)))
      plain.senses[id] = bytes
    case 6:
      let isThere = plain.terms[bytes] != nil
      #expect(try db.delete(Term.self, key) == isThere)
      plain.terms[bytes] = nil
      plain.senses = plain.senses.filter { $0.value != bytes }
    default:
      let count = try db.updateAll(Term.where { $0.id == key }) { $0.note.set("all") }
      #expect((count > 0) == (plain.terms[bytes] != nil))
      if let term = plain.terms[bytes] { plain.terms[bytes] = (term.rank, "all") }
    }
  }

  private func check(_ db: some StoreReader, _ plain: Plain, _ place: Comment) throws {
    let terms = try db.fetch(Term.all.sorted(by: \.rank).including(\.senses) { $0.sorted(by: \.id) })
    #expect(terms.map { Self.bytes($0.id) } == plain.sorted.map(\.0), place)
    #expect(terms.map { $0.senses.map(\.id) } == plain.sorted.map { plain.senses(of: $0.0) }, place)
    let senses = try db.fetch(Sense.all.sorted(by: \.id).including(\.term))
    #expect(
      senses.map { Self.bytes($0.term.loaded?.id ?? "") } == plain.senses.sorted { $0.key < $1.key }.map(\.value), place
    )
    let nested = try db.fetch(Term.all.sorted(by: \.rank).including(\.senses, then: \.term))
    #expect(
      nested.allSatisfy { term in
        term.senses.allSatisfy { Self.bytes($0.term.loaded?.id ?? "") == Self.bytes(term.id) }
      }, place)
    for key in Self.keys {
      let note = try db.find(Term.self, key)?.note
      #expect(note == plain.terms[Self.bytes(key)]?.note, place)
    }
  }
}
