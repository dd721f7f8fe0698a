import Foundation
import Larder
import LarderTestSupport
import Testing

@Model
struct StorageRack: Hashable {
  var id: Int
  @Relationship(deleteRule: .cascade, inverse: \StorageSlot.shelf) var slots: ToMany<StorageSlot> = []
  @Derived(.sum(\StorageRack.slots, \StorageSlot.number)) var total: Int = 0
  @Derived(.sum(\StorageRack.slots, \StorageSlot.small)) var smallTotal: Int8 = 0
}

/// Rows with unique values of several kinds: alone, and together with a reference.
@Model
struct StorageSlot: Hashable {
  var id: Int
  @Attribute(.unique) var number: Int
  @Attribute(.unique) var small: Int8
  var name: String
  @Attribute(.unique) var code: String
  var shelf: ToOne<StorageRack>

  static var indexes: [Index<StorageSlot>] { [Index(\.name, \.shelf, unique: true)] }
}

/// Unique values that change places while a context is saved.
@Suite("Context: unique values") struct ContextUniqueValueTests {
  private let store: Store
  private var db: BlockingStore { store.blocking }

  init() throws {
    store = try Store(inMemoryFor: StorageRack.self, StorageSlot.self)
    try store.blocking.insert((1...3).map { StorageRack(id: $0) })
  }

  private func slot(_ id: Int, _ number: Int, _ name: String, _ shelf: Int) -> StorageSlot {
    StorageSlot(id: id, number: number, small: Int8(number % 100), name: name, code: "c\(number)", shelf: ToOne(shelf))
  }

  @Test(
    "C3: a row takes a unique value that consists of a reference, beside another row of its new owner, while a third one is deleted"
  )
  func compound() throws {
    try db.insert([slot(1, 1, "A", 1), slot(2, 2, "A", 2), slot(3, 3, "C", 3)])
    let context = Context(store)
    context.update(slot(1, 1, "B", 2))
    context.delete(StorageSlot.self, 3)
    try context.save()
    #expect(try db.fetch(StorageSlot.all.sorted(by: \.id)) == [slot(1, 1, "B", 2), slot(2, 2, "A", 2)])
  }

  @Test(
    "C3: rows that exchange unique values, from which sums are derived, are saved so by a store, a context and a child")
  func exchange() throws {
    func exchange(_ db: some StoreWriter) throws {
      try db.update(slot(1, 33, "A", 1))
      try db.update(slot(2, 11, "B", 2))
      try db.update(slot(1, 22, "A", 1))
    }
    for place in 0..<3 {
      try db.deleteAll(StorageSlot.all)
      try db.insert([slot(1, 11, "A", 1), slot(2, 22, "B", 2), slot(3, 44, "C", 2)])
      let context = Context(store)
      let child = context.child()
      switch place {
      case 0: try db.write { try exchange($0) }
      case 1: try exchange(context)
      default: try exchange(child)
      }
      try child.save()
      try context.save()
      #expect(
        try db.fetch(StorageSlot.all.sorted(by: \.id)) == [
          slot(1, 22, "A", 1), slot(2, 11, "B", 2), slot(3, 44, "C", 2),
        ])
      let racks = try db.fetch(StorageRack.all.sorted(by: \.id))
      #expect(racks.map(\.total) == [22, 55, 0] && racks.map(\.smallTotal) == [22, 55, 0])
      #expect(try db.verifyDerived() == [])
    }
  }

  @Test("C3: random exchanges of unique values, moves, deletions and inserts are saved as they are")
  func exchanges() throws {
    var tried = 0
    for number in 0..<60 {
      let seed = TestSeed.value &+ UInt64(number)
      var generator = SplitMix64(seed: seed)
      try db.deleteAll(StorageSlot.all)
      var rows = Dictionary(uniqueKeysWithValues: (1...6).map { ($0, slot($0, $0, ["A", "B"][$0 % 2], ($0 + 1) / 2)) })
      try db.insert(rows.keys.sorted().compactMap { rows[$0] })
      let context = Context(store)
      var log: [String] = []
      for _ in 0..<14 {
        let id = Int.random(in: 1...8, using: &generator)
        if generator.once(in: 5) {
          log.append("delete \(id)")
          #expect(context.delete(StorageSlot.self, id) == (rows.removeValue(forKey: id) != nil))
          continue
        }
        // A value of a row, or one that is free.
        let row = slot(
          id, Int.random(in: 1...9, using: &generator), generator.pick(["A", "B", "C"]),
          Int.random(in: 1...3, using: &generator))
        let isTaken = rows.values.contains {
          $0.id != id && ($0.number == row.number || ($0.name == row.name && $0.shelf == row.shelf))
        }
        let total = rows.values.filter { $0.id != id && $0.shelf == row.shelf }.reduce(Int(row.small)) {
          $0 + Int($1.small)
        }
        guard !isTaken, total <= 127 else { continue }
        log.append("save \(row)")
        try context.save(row)
        rows[id] = row
      }
      do {
        try context.save()
      } catch {
        Issue.record("seed \(seed): \(error)\n\(log.joined(separator: "\n"))")
        return
      }
      #expect(
        try db.fetch(StorageSlot.all.sorted(by: \.id)) == rows.keys.sorted().compactMap { rows[$0] },
        "seed \(seed)\n\(log.joined(separator: "\n"))")
      #expect(try db.verifyDerived() == [])
      tried += log.count
    }
    TestSeed.tried(tried, .operations, "exchanges of unique values")
  }
}
