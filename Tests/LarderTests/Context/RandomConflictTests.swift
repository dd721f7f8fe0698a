import Foundation
import Larder
import LarderTestSupport
import Testing

@Model
private struct Pouch: Hashable {
  var id: Int
  var price: Decimal = 0
  var tags: Set<String> = []
  var counts: [String: Int] = [:]
  var text = ""

  static func random(_ id: Int, _ generator: inout SplitMix64) -> Pouch {
    var pouch = Pouch(id: id)
    pouch.price = generator.pick([0, 10, Decimal(sign: .plus, exponent: -1, significand: 15)])
    pouch.tags = Set(["a", "b", "c"].filter { _ in Bool.random(using: &generator) })
    for key in ["x", "y", "z"] where Bool.random(using: &generator) { pouch.counts[key] = 1 }
    pouch.text = generator.pick(["", "one", "é", "e\u{301}"])
    return pouch
  }

  /// Texts are compared as the file does, byte by byte.
  static func == (left: Pouch, right: Pouch) -> Bool {
    left.id == right.id && left.price == right.price && left.tags == right.tags && left.counts == right.counts
      && left.text.utf8.elementsEqual(right.text.utf8)
  }

  /// Returns the row with the properties that this one has given other values than the base, and the rest of another.
  func merged(over other: Pouch, base: Pouch) -> Pouch {
    var row = other
    if price != base.price { row.price = price }
    if tags != base.tags { row.tags = tags }
    if counts != base.counts { row.counts = counts }
    if !text.utf8.elementsEqual(base.text.utf8) { row.text = text }
    return row
  }

  /// SQL that writes equal values in another form: more digits, and elements and keys in any order.
  func rewriting(_ generator: inout SplitMix64) -> SQL {
    let digits = "\(price)"
    let longer = digits.contains(".") ? digits + "00" : digits + ".0"
    let elements = tags.shuffled(using: &generator).map { "\"\($0)\"" }.joined(separator: ", ")
    let pairs = counts.shuffled(using: &generator).map { "\"\($0.key)\": \($0.value)" }.joined(separator: " ,")
    return "update Pouch set price = \(longer), tags = \("[\(elements)]"), counts = \("{\(pairs)}") where id = \(id)"
  }
}

/// Rows that a context and the store change, delete and insert at once, with values that the file has in other forms,
/// beside plain Swift.
@Suite("Context: random changes on both sides")
struct RandomConflictTests {
  private typealias Rows = [Int: Pouch]

  private enum Change: CaseIterable { case nothing, values, deletion, sameValues }

  /// Returns what the changes of both sides lead to; nil for a conflict that the policy refuses.
  private func merged(_ base: Rows, _ mine: Rows, _ theirs: Rows, _ policy: MergePolicy) -> Rows? {
    var rows = theirs
    for id in Set(base.keys).union(mine.keys) where mine[id] != base[id] {
      if theirs[id] == base[id] || theirs[id] == mine[id] {
        rows[id] = mine[id]
        continue
      }
      switch (policy, base[id], mine[id], theirs[id]) {
      case (.error, _, _, _): return nil
      case (.preferStore, let base?, let mine?, let theirs?): rows[id] = theirs.merged(over: mine, base: base)
      case (.preferContext, let base?, let mine?, let theirs?): rows[id] = mine.merged(over: theirs, base: base)
      case (.preferContext, _, _, _), (.overwrite, _, _, _): rows[id] = mine[id]
      case (.preferStore, _, _, _), (.rollback, _, _, _): break
      }
    }
    return rows
  }

  @Test(
    "C3: if both sides gave a row other values, a save does what its policy says, whatever form the file has of equal ones"
  )
  func rounds() throws {
    var generator = SplitMix64(seed: TestSeed.value &* 77)
    for round in 0..<120 {
      let store = try Store(inMemoryFor: Pouch.self)
      let base = Dictionary(uniqueKeysWithValues: (1...3).map { ($0, Pouch.random($0, &generator)) })
      try store.blocking.insert(Array(base.values))
      let policy = generator.pick([.error, .error] + MergePolicy.allCases)
      let context = Context(store, mergePolicy: policy)
      let child = context.child()
      let db = round.isMultiple(of: 3) ? child : context
      #expect(try db.fetch(Pouch.all).count == 3)
      let mine = change(base, &generator) { row, isNew in
        if isNew { db.insert(row) } else { db.update(row) }
      } delete: {
        db.delete(Pouch.self, $0)
      }
      if db === child { try child.save() }
      var theirs = try change(base, &generator) { row, isNew in
        if isNew { try store.blocking.insert(row) } else { try store.blocking.update(row) }
      } delete: {
        try store.blocking.delete(Pouch.self, $0)
      }
      // An equal row that both insert.
      if let same = mine[4], theirs[4] == nil, Bool.random(using: &generator) {
        try store.blocking.insert(same)
        theirs[4] = same
      }
      for row in theirs.values.sorted(by: { $0.id < $1.id }) where Bool.random(using: &generator) {
        try store.blocking.sql(row.rewriting(&generator))
      }
      let place = "seed \(TestSeed.value), round \(round), \(policy): \(base), \(mine), \(theirs)"
      if let expected = merged(base, mine, theirs, policy) {
        #expect(throws: Never.self, "\(place)") { try context.save() }
        for db in [store.blocking, context] as [any StoreReader] {
          let found = try db.fetch(Pouch.all)
          #expect(Dictionary(uniqueKeysWithValues: found.map { ($0.id, $0) }) == expected, "\(place)")
        }
      } else {
        let error = #expect(throws: StoreError.self, "\(place)") { try context.save() }
        #expect(error?.code == .conflict, "\(place)")
      }
    }
    TestSeed.tried(120, .operations, "saves beside changes of others")
  }

  @Test("C3: in one context, the version that counts is the one that was first read since the last save, or was saved")
  func manyRounds() throws {
    var generator = SplitMix64(seed: TestSeed.value &* 83)
    for history in 0..<30 {
      let store = try Store(inMemoryFor: Pouch.self)
      var file = Dictionary(uniqueKeysWithValues: (1...4).map { ($0, Pouch.random($0, &generator)) })
      try store.blocking.insert(Array(file.values))
      let policy = generator.pick([.error] + MergePolicy.allCases)
      let context = Context(store, mergePolicy: policy)
      var known = Dictionary(uniqueKeysWithValues: try context.fetch(Pouch.all).map { ($0.id, $0) })
      for round in 0..<8 {
        let place = "seed \(TestSeed.value), history \(history), round \(round), \(policy)"
        var read = Set<Int>()
        func others() throws {
          for id in 1...4 where generator.once(in: 4) {
            let row = Pouch.random(id, &generator)
            file[id] = row
            try store.blocking.update(row)
            if Bool.random(using: &generator) { try store.blocking.sql(row.rewriting(&generator)) }
          }
        }
        func fetch() throws {
          for id in 1...4 where generator.once(in: 3) {
            let row = try #require(try context.find(Pouch.self, id))
            #expect(row == file[id], "\(place)")
            if read.insert(id).inserted { known[id] = row }
          }
        }
        // In the first round, everything has been read.
        if round == 0 { read = [1, 2, 3, 4] }
        try others()
        try fetch()
        try others()
        try fetch()
        var mine: Rows = [:]
        for id in 1...4 where Bool.random(using: &generator) {
          let row = generator.once(in: 4) ? known[id] ?? Pouch(id: id) : Pouch.random(id, &generator)
          mine[id] = row
          context.update(row)
        }
        try others()
        let changed = known.merging(mine) { $1 }
        let values = "\(place): \(mine), \(known), \(file)"
        if let expected = merged(known, changed, file, policy) {
          #expect(throws: Never.self, "\(values)") { try context.save() }
          // What the context wrote is what it knows, whatever the policy has made of it.
          known.merge(mine) { $1 }
          file = expected
        } else {
          let error = #expect(throws: StoreError.self, "\(values)") { try context.save() }
          #expect(error?.code == .conflict, "\(values)")
          context.rollback()
        }
        let rows = try store.blocking.fetch(Pouch.all)
        #expect(Dictionary(uniqueKeysWithValues: rows.map { ($0.id, $0) }) == file, "\(values)")
      }
    }
    TestSeed.tried(240, .operations, "saves beside changes of others")
  }

  /// Changes some of the rows in both places: in what is returned, and by the closures.
  private func change(
    _ base: Rows, _ generator: inout SplitMix64, save: (Pouch, Bool) throws -> Void, delete: (Int) throws -> Void
  ) rethrows -> Rows {
    var rows = base
    for id in 1...4 {
      switch generator.pick(Change.allCases) {
      case .nothing: break
      case .values:
        let row = Pouch.random(id, &generator)
        try save(row, rows[id] == nil)
        rows[id] = row
      case .sameValues: if let row = rows[id] { try save(row, false) }
      case .deletion:
        guard rows[id] != nil else { break }
        try delete(id)
        rows[id] = nil
      }
    }
    return rows
  }
}
