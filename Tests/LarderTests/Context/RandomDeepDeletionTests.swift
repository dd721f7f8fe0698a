import Foundation
import Larder
import LarderTestSupport
import Testing

/// Thousands of rows, one behind another by `.cascade` and with other rules between them, in a store, a context and a
/// child of a context, beside plain Swift.
@Suite("Delete rules: random graphs of thousands of rows", .timeLimit(.minutes(20)))
struct RandomDeepDeletionTests {
  @Test("C2: several models in chains, trees and circles", arguments: 0..<2)
  func tangles(_ number: Int) throws { try perform(number, Tangle.First.self, Tangle.Second.self, Tangle.Third.self) }

  @Test("C2: one model in chains and trees, and rules that do not meet", arguments: 0..<2)
  func apart(_ number: Int) throws { try perform(number, Apart.First.self, Apart.Second.self, Apart.Third.self) }

  /// Returns rows of which most are behind another one.
  private func graph(_ links: [[Link]], _ count: Int, _ generator: inout SplitMix64) -> LinkedRows {
    var rows = LinkedRows(links: links)
    var keys: [LinkedRows.Key] = []
    /// The references by which a row of a table may follow one of another.
    func followers(_ table: Int) -> [(table: Int, position: Int)] {
      links.enumerated().flatMap { child, links in
        links.enumerated().filter { $0.element.rule == .cascade && $0.element.table == table }.map {
          (child, $0.offset)
        }
      }
    }
    func refer(_ key: LinkedRows.Key, _ position: Int, to target: LinkedRows.Key) {
      rows.targets[key]?[position] = target.id
    }
    while keys.count < count {
      let last = generator.once(in: 200) ? keys.randomElement(using: &generator) : keys.last
      let choices = last.map { followers($0.table) } ?? []
      let choice = choices.randomElement(using: &generator)
      let key = LinkedRows.Key(
        table: choice?.table ?? Int.random(in: links.indices, using: &generator), id: keys.count + 1)
      rows.targets[key] = links[key.table].map { _ in nil }
      if let last, let choice { refer(key, choice.position, to: last) }
      keys.append(key)
    }
    if generator.once(in: 2), let first = keys.first, let last = keys.last,
      let link = followers(last.table).first(where: { $0.table == first.table })
    {
      refer(first, link.position, to: last)
    }
    // A few references of any rule: denials among them would keep most of the rows.
    for _ in 0..<Int.random(in: 0...40, using: &generator) {
      guard let key = keys.randomElement(using: &generator),
        let link = links[key.table].enumerated().randomElement(using: &generator),
        link.element.rule == .cascade || link.element.rule == .nullify || generator.once(in: 30),
        let target = keys.filter({ $0.table == link.element.table }).randomElement(using: &generator)
      else { continue }
      refer(key, link.offset, to: target)
    }
    return rows
  }

  private func perform<A: Linked, B: Linked, C: Linked>(
    _ number: Int, _ first: A.Type, _ second: B.Type, _ third: C.Type
  ) throws {
    let seed = TestSeed.value &+ UInt64(number * 977)
    var generator = SplitMix64(seed: seed)
    let tables = LinkedTables(types: [A.self, B.self, C.self])
    var rows = graph([A.links, B.links, C.links], generator.pick([1_100, 1_700, 2_500]), &generator)
    let stores = try (0..<3).map { _ in try Store(inMemoryFor: A.self, B.self, C.self) }
    for store in stores {
      try store.blocking.write { db in
        try tables.apply(rows.targets.map { .save($0.key, $0.value) }, to: db)
      }
    }
    let (context, parent) = (Context(stores[1]), Context(stores[2]))
    for transaction in 0..<5 {
      let ids = rows.targets.keys.sorted { $0.id < $1.id }
      guard let key = ids.prefix(transaction == 0 ? 50 : ids.count).randomElement(using: &generator) else { break }
      let others = ids.filter { $0.table == key.table && generator.once(in: 300) }.map(\.id)
      let steps: [LinkedStep] = [
        generator.once(in: 2) ? .delete(key) : .deleteAll([key.id] + others, table: key.table)
      ]
      let place = "seed \(seed), transaction \(transaction): \(steps)"
      var expected = rows
      let outcome = Result { try tables.apply(steps, to: &expected) }
      let child = parent.child()
      let results: [Result<Void, any Error>] = [
        Result { try stores[0].blocking.write { try tables.apply(steps, to: $0) } },
        Result { try keeping(context) { try tables.apply(steps, to: context) } },
        Result {
          try keeping(parent) {
            try tables.apply(steps, to: child)
            try child.save()
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
        try #require(
          found == rows, "\(name) holds \(found.targets.count) rows, plain Swift \(rows.targets.count); \(place)")
      }
    }
    TestSeed.tried(5, .operations, "deletions in graphs of thousands of rows")
  }

  /// Changes the context and saves it, or neither.
  private func keeping(_ context: Context, _ body: () throws -> Void) throws {
    do {
      try body()
      try context.save()
    } catch {
      context.rollback()
      throw error
    }
  }
}
