import Foundation
import Larder
import LarderTestSupport
import Testing

/// Random graphs of delete rules, on a store, on a context and on a child of a context, beside plain Swift.
@Suite("Delete rules: random graphs", .timeLimit(.minutes(20)))
struct DeleteRuleHistoryTests {
  @Test("C2: every rule in every direction", arguments: 0..<2)
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
      let tables = LinkedTables(types: [A.self, B.self, C.self])
      var rows = LinkedRows(links: [A.links, B.links, C.links])
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
    TestSeed.tried(126, .operations, "transactions with delete rules")
  }
}
