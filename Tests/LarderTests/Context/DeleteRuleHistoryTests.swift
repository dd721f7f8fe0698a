import Foundation
import Larder
import LarderTestSupport
import Testing

/// The rows of three tables in plain Swift, with the law of delete rules.
private struct Rows: Equatable {
  struct Key: Hashable {
    let table: Int
    let id: Int
  }

  /// What a transaction is refused for.
  enum Refusal: Error { case denied, dangling }

  let links: [[Link]]
  var targets: [Key: [Int?]] = [:]

  static func == (left: Rows, right: Rows) -> Bool { left.targets == right.targets }

  private func references(of key: Key) -> [(rule: DeleteRule, target: Key)] {
    zip(links[key.table], targets[key] ?? []).compactMap { link, id in
      id.map { (link.rule, Key(table: link.table, id: $0)) }
    }
  }

  /// Deletes rows: those that refer to them by `.cascade` go as well, and then none that is left may refer to one of
  /// them by `.deny`.
  mutating func delete(_ keys: Set<Key>) throws {
    var gone = keys.intersection(targets.keys)
    while let next = targets.keys.first(where: { key in
      !gone.contains(key) && references(of: key).contains { $0.rule == .cascade && gone.contains($0.target) }
    }) {
      gone.insert(next)
    }
    for key in targets.keys where !gone.contains(key) {
      if references(of: key).contains(where: { $0.rule == .deny && gone.contains($0.target) }) { throw Refusal.denied }
    }
    for key in gone { targets[key] = nil }
    for key in targets.keys {
      for (position, link) in links[key.table].enumerated() where link.rule == .nullify {
        if let id = targets[key]?[position], gone.contains(Key(table: link.table, id: id)) {
          targets[key]?[position] = nil
        }
      }
    }
  }

  /// Nothing may refer to what is not there, when a transaction ends.
  func commit() throws {
    for key in targets.keys where references(of: key).contains(where: { targets[$0.target] == nil }) {
      throw Refusal.dangling
    }
  }
}

/// One thing that a transaction does.
private enum Step {
  case delete(Rows.Key), deleteEach([Int], table: Int), deleteAll([Int], table: Int)
  case save(Rows.Key, [Int?])
}

/// Random graphs of delete rules, on a store, on a context and on a child of a context, beside plain Swift.
@Suite("Delete rules: random graphs", .timeLimit(.minutes(10)))
struct DeleteRuleHistoryTests {
  @Test("C2: every rule in every direction", arguments: 0..<4)
  func tangles(_ group: Int) throws { try perform(group, Tangle.First.self, Tangle.Second.self, Tangle.Third.self) }

  @Test("C2: a row takes two along of which one denies that the other goes", arguments: 0..<2)
  func forks(_ group: Int) throws { try perform(group, Fork.First.self, Fork.Second.self, Fork.Third.self) }

  @Test("C2: the same with the names in another order", arguments: 0..<2)
  func knives(_ group: Int) throws { try perform(group, Knife.First.self, Knife.Second.self, Knife.Third.self) }

  @Test("C2: rules that do not meet", arguments: 0..<2)
  func apart(_ group: Int) throws { try perform(group, Apart.First.self, Apart.Second.self, Apart.Third.self) }

  private func perform<A: Linked, B: Linked, C: Linked>(
    _ group: Int, _ first: A.Type, _ second: B.Type, _ third: C.Type
  ) throws {
    for number in 0..<3 {
      let seed = TestSeed.value &+ UInt64(group * 100 + number)
      var generator = SplitMix64(seed: seed)
      let stores = try (0..<3).map { _ in try Store(inMemoryFor: A.self, B.self, C.self) }
      let (context, parent) = (Context(stores[1]), Context(stores[2]))
      var child = parent.child()
      let tables = Tables(types: [A.self, B.self, C.self])
      var rows = Rows(links: [A.links, B.links, C.links])
      for transaction in 0..<14 {
        let steps = tables.steps(rows, transaction, &generator)
        let place = "seed \(seed), transaction \(transaction): \(steps)"
        var expected = rows
        let outcome = Result { try tables.apply(steps, to: &expected) }
        let results: [Result<Void, any Error>] = [
          Result { try stores[0].blocking.write { try tables.apply(steps, to: $0) } },
          Result {
            do {
              try tables.apply(steps, to: context)
              try context.save()
            } catch {
              context.rollback()
              throw error
            }
          },
          Result {
            do {
              try tables.apply(steps, to: child)
              try child.save()
              try parent.save()
            } catch {
              parent.rollback()
              // What a child has saved is what it knows, although its parent has given it up.
              child = parent.child()
              throw error
            }
          },
        ]
        for (name, result) in zip(["store", "context", "child"], results) {
          switch (outcome, result) {
          case (.success, .success): continue
          case (.failure, .failure(let error as StoreError)) where error.code == .referenced: continue
          default: Issue.record("\(name): \(result), and plain Swift \(outcome); \(place)")
          }
        }
        if case .success = outcome { rows = expected }
        for (name, store) in zip(["store", "context", "child"], stores) {
          let found = try tables.read(store.blocking, rows.links)
          try #require(found == rows, "\(name) holds \(found.targets); \(place)")
        }
      }
    }
    TestSeed.tried(126, "transactions with delete rules")
  }
}

/// What is done with three tables, whatever their types are.
private struct Tables {
  let types: [any Linked.Type]

  func steps(_ rows: Rows, _ transaction: Int, _ generator: inout SplitMix64) -> [Step] {
    var known = rows
    let count = transaction < 2 ? 6 : Int.random(in: 1...3, using: &generator)
    return (0..<count).compactMap { _ in
      let key = Rows.Key(table: Int.random(in: 0..<3, using: &generator), id: Int.random(in: 1...4, using: &generator))
      let ids = (1...4).filter { _ in Bool.random(using: &generator) }
      if transaction >= 2, Bool.random(using: &generator) {
        return [.delete(key), .delete(key), .deleteEach(ids, table: key.table), .deleteAll(ids, table: key.table)][
          Int.random(in: 0..<4, using: &generator)]
      }
      let targets = known.links[key.table].map { link -> Int? in
        // Most of the time a row that is there at the start of the transaction, or that it has written.
        generator.once(in: 2)
          ? nil
          : known.targets.keys.filter { $0.table == link.table }.map(\.id).sorted().randomElement(using: &generator)
      }
      known.targets[key] = targets
      return .save(key, targets)
    }
  }

  func apply(_ steps: [Step], to rows: inout Rows) throws {
    for step in steps {
      switch step {
      case .delete(let key): try rows.delete([key])
      case .deleteEach(let ids, let table), .deleteAll(let ids, let table):
        try rows.delete(Set(ids.map { Rows.Key(table: table, id: $0) }))
      case .save(let key, let targets): rows.targets[key] = targets
      }
    }
    try rows.commit()
  }

  func apply(_ steps: [Step], to db: some StoreWriter) throws {
    for step in steps {
      switch step {
      case .delete(let key): try delete(types[key.table], key.id, db)
      case .deleteEach(let ids, let table): try deleteEach(types[table], ids, db)
      case .deleteAll(let ids, let table): try deleteAll(types[table], ids, db)
      case .save(let key, let targets): try save(types[key.table], key.id, targets, db)
      }
    }
  }

  private func delete<M: Linked>(_ type: M.Type, _ id: Int, _ db: some StoreWriter) throws { try db.delete(type, id) }

  private func deleteEach<M: Linked>(_ type: M.Type, _ ids: [Int], _ db: some StoreWriter) throws {
    try db.delete(ids.map { M(id: $0) })
  }

  private func deleteAll<M: Linked>(_ type: M.Type, _ ids: [Int], _ db: some StoreWriter) throws {
    _ = try db.deleteAll(M.rows(ids))
  }

  private func save<M: Linked>(_ type: M.Type, _ id: Int, _ targets: [Int?], _ db: some StoreWriter) throws {
    var row = M(id: id)
    row.targets = targets
    try db.save(row)
  }

  func read(_ db: some StoreReader, _ links: [[Link]]) throws -> Rows {
    var rows = Rows(links: links)
    func read<M: Linked>(_ type: M.Type, _ table: Int) throws {
      for row in try db.fetch(M.all) { rows.targets[Rows.Key(table: table, id: row.id)] = row.targets }
    }
    for (table, type) in types.enumerated() { try read(type, table) }
    return rows
  }
}
