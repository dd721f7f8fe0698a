import LarderTestSupport
import Testing

@testable import Larder

/// Long lists of conditions, joined by `&&` and `||`, in queries and in the verbs that change rows.
@Suite("Random long lists of conditions")
struct RandomLongConditionTests {
  /// Conditions of one kind, joined by one operator.
  private struct Run {
    let isAnd: Bool
    let numbers: [Int]

    func matches(_ depth: Int, _ before: Bool) -> Bool {
      isAnd ? before && !numbers.contains(depth) : before || numbers.contains(depth)
    }
  }

  @Test("ten thousand conditions work in a context and in its child as in the store")
  func tenThousand() throws {
    let store = try Store(inMemoryFor: Errand.self)
    try store.blocking.insert((1...20).map { Errand(id: $0, depth: $0) })
    let numbers = [5, 7] + (100..<10_098)
    let condition = numbers.dropFirst().reduce(Errand.columns.depth == 5) { $0 || Errand.columns.depth == $1 }
    let query = Errand.where { _ in condition }
    let context = Context(store)
    for db in [store.blocking, context, context.child()] as [any StoreWriter] {
      #expect(try db.fetch(query.sorted(by: \.id)).map(\.id) == [5, 7])
      try db.updateAll(query) { $0.state.set("found") }
      #expect(try db.fetch(Errand.where { $0.state == "found" }.sorted(by: \.id)).map(\.id) == [5, 7])
      try db.updateAll(Errand.all) { $0.state.set("open") }
    }
  }

  /// Returns random lists of conditions.
  private func makeRuns(_ generator: inout SplitMix64) -> [Run] {
    (0..<Int.random(in: 1...4, using: &generator)).map { _ in
      let count = generator.pick([1, 2, 90, 400, 1_000])
      let isAnd = Bool.random(using: &generator)
      return Run(
        isAnd: isAnd,
        numbers: (0..<count).map { _ in Int.random(in: isAnd ? 0...90_000 : -90_000...60, using: &generator) })
    }
  }

  @Test("thousands of conditions on documents mean what they mean in plain Swift, joined by operators and as values")
  func documents() throws {
    let seed = TestSeed.value
    var generator = SplitMix64(seed: seed &* 191)
    let depths = 1...60
    for round in 0..<8 {
      let runs = makeRuns(&generator)
      let depth = DocumentProperties().depth
      var condition = depth > 20
      for run in runs {
        switch (run.isAnd, Bool.random(using: &generator)) {
        case (true, true): for number in run.numbers { condition = condition && depth != number }
        case (false, true): for number in run.numbers { condition = condition || depth == number }
        case (true, false): condition = Condition(all: [condition] + run.numbers.map { depth != $0 })
        case (false, false): condition = Condition(any: run.numbers.map { depth == $0 } + [condition])
        }
      }
      let expected = depths.filter { depth in runs.reduce(depth > 20) { $1.matches(depth, $0) } }.map { "\($0)" }
      let place: Comment = "seed \(seed), round \(round): \(runs.map { "\($0.isAnd) \($0.numbers.count)" })"
      let store = try Store(inMemoryFor: Errand.self)
      let errands = store.blocking.documents("errands")
      if Bool.random(using: &generator) { try errands.index(on: "depth") }
      try errands.save(keyed: depths.map { (key: "\($0)", value: ["depth": .integer(Int64($0))] as Document) })
      let found = condition
      #expect(try Set(errands.keys { _ in found }) == Set(expected), place)
      #expect(try errands.count { _ in !found } == depths.count - expected.count, place)
      #expect(try errands.deleteAll { _ in found } == expected.count, place)
      #expect(try errands.count() == depths.count - expected.count, place)
    }
    TestSeed.tried(8, .queries, "long lists of conditions on documents")
  }

  @Test("thousands of conditions mean what they mean in plain Swift")
  func rounds() throws {
    var generator = SplitMix64(seed: TestSeed.value &* 81)
    let depths = 1...60
    for round in 0..<8 {
      let runs = makeRuns(&generator)
      var condition = Errand.columns.depth > 20
      for run in runs {
        for number in run.numbers {
          condition =
            run.isAnd ? condition && Errand.columns.depth != number : condition || Errand.columns.depth == number
        }
      }
      let expected = depths.filter { depth in runs.reduce(depth > 20) { $1.matches(depth, $0) } }
      let place = "seed \(TestSeed.value), round \(round): \(runs.map { "\($0.isAnd) \($0.numbers.count)" })"
      let store = try Store(inMemoryFor: Errand.self)
      try store.blocking.insert(depths.map { Errand(id: $0, depth: $0) })
      let query = Errand.where { _ in condition }
      let context = Context(store)
      for db in [store.blocking, context] as [any StoreWriter] {
        #expect(try db.fetch(query.sorted(by: \.id)).map(\.id) == Array(expected), "\(place)")
        #expect(try db.updateAll(query) { $0.state.set("found") } == expected.count, "\(place)")
        #expect(try db.count(Errand.where { $0.state == "found" }) == expected.count, "\(place)")
        #expect(try db.deleteAll(query) == expected.count, "\(place)")
        #expect(try db.count(Errand.all) == depths.count - expected.count, "\(place)")
        if db is Context { break }
        try store.blocking.deleteAll(Errand.all)
        try store.blocking.insert(depths.map { Errand(id: $0, depth: $0) })
      }
    }
    TestSeed.tried(8, .queries, "long lists of conditions")
  }
}
